"""The Stack tab: what the held task is in the middle of."""

from __future__ import annotations

from hookstepper.client.view import View
from hookstepper.tui.rows.lines import Line
from hookstepper.tui.rows.stack import stack_lines
from hookstepper.tui.rows.state import Folding
from hookstepper.tui.views.lines_pane import LinesPane


class StackView(LinesPane):
    """Enter, → and ← open and close the scope of a frame."""

    def build(self, view: View, width: int) -> list[Line]:
        return stack_lines(view, width, Folding(self.turned, self.whole))
