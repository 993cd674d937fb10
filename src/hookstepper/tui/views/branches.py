"""The Branches tab: the tree of branches."""

from __future__ import annotations

from hookstepper.client.view import View
from hookstepper.tui.messages import screen_wish
from hookstepper.tui.rows.branches import branch_lines
from hookstepper.tui.rows.lines import Line
from hookstepper.tui.views.lines_pane import LinesPane


class BranchesView(LinesPane):
    """Enter looks at a branch's head, or at a step; → and ← open and close the list of its steps."""

    def build(self, view: View, width: int) -> list[Line]:
        return branch_lines(view, width, self.turned)

    def do(self, command_id: str, *args: str) -> bool:
        line = self.line
        if command_id == "cursor.open" and line.id.startswith("br:"):
            self.post_message(screen_wish("time.branch", line.id.removeprefix("br:")))
            return True
        return super().do(command_id, *args)
