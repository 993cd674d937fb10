"""The Calls tab: tool calls as they were proposed, decided and executed."""

from __future__ import annotations

from typing import ClassVar

from hookstepper.client.view import View
from hookstepper.tui.rows.calls import call_lines
from hookstepper.tui.rows.lines import Line
from hookstepper.tui.views.lines_pane import LinesPane


class CallsView(LinesPane):
    """Stays at the newest call; Enter goes to the step in which one ran, or was asked for."""

    follows_end: ClassVar[bool] = True

    def build(self, view: View, width: int) -> list[Line]:
        return call_lines(view, width, self.turned)
