"""The Breakpoints tab: every place where the run can come to a stop."""

from __future__ import annotations

from hookstepper.client.view import View
from hookstepper.tui.messages import screen_wish
from hookstepper.tui.rows.breakpoints import breakpoint_lines
from hookstepper.tui.rows.lines import Line
from hookstepper.tui.views.lines_pane import LinesPane


class BreakpointsView(LinesPane):
    """Enter opens a breakpoint or a question; `b` switches a breakpoint off and on, Del removes it."""

    def build(self, view: View, width: int) -> list[Line]:
        return breakpoint_lines(view, width)

    def opened(self, line: Line) -> bool:
        if line.id.startswith("b:open:"):
            self.post_message(screen_wish("answer.open"))
            return True
        item = self.cursor_item
        if item is not None and item.list == "break":
            self.post_message(screen_wish("break.edit", str(item.number)))
            return True
        return False
