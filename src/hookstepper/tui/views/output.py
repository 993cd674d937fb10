"""The Output tab: what the agent printed."""

from __future__ import annotations

from typing import ClassVar

from hookstepper.client.view import View
from hookstepper.tui.rows.lines import Line
from hookstepper.tui.rows.output import output_lines
from hookstepper.tui.views.lines_pane import LinesPane


class OutputView(LinesPane):
    """Stays at the newest line while it is there; `x` leaves long lines uncut or breaks them."""

    follows_end: ClassVar[bool] = True

    def build(self, view: View, width: int) -> list[Line]:
        return output_lines(view, width, wrapped=not self.whole)
