"""The Route tab: why the run went where it went."""

from __future__ import annotations

from hookstepper.client.view import View
from hookstepper.model.commands import Fork
from hookstepper.model.ids import END, NodeId
from hookstepper.tui.messages import Wish
from hookstepper.tui.rows.elsewhere import FORKS
from hookstepper.tui.rows.lines import Line
from hookstepper.tui.rows.route import route_lines
from hookstepper.tui.views.lines_pane import LinesPane


class RouteView(LinesPane):
    """The last decision of the picked node, else of the run; Enter on another way out forks the run there."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.chosen: NodeId | None = None

    def point(self, node: NodeId | None) -> None:
        self.chosen = node
        self.rebuild()

    def state_key(self) -> tuple[object, ...]:
        return (*super().state_key(), self.chosen)

    def build(self, view: View, width: int) -> list[Line]:
        return route_lines(view, width, self.chosen)

    def opened(self, line: Line) -> bool:
        step = self.view.trace.decision(self.view.at, self.chosen) if self.view is not None else None
        if step is None or not line.id.startswith(FORKS) or line.node in (None, END):
            return False
        self.post_message(Wish(Fork(step.index, line.node)))
        return True

    @property
    def cursor_node(self) -> NodeId | None:
        found = super().cursor_node or self.chosen
        if found is None and self.view is not None:
            step = self.view.trace.decision(self.view.at)
            found = step.site.node if step is not None else None
        return found
