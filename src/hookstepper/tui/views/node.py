"""The Node tab: the six facets of one node."""

from __future__ import annotations

from hookstepper.client.view import View
from hookstepper.model.ids import NodeId
from hookstepper.tui.rows.lines import Line
from hookstepper.tui.rows.node import node_in_view, node_lines
from hookstepper.tui.views.lines_pane import LinesPane


class NodeView(LinesPane):
    """Follows the node that was picked on the picture, else the one that runs next."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.chosen: NodeId | None = None

    def point(self, node: NodeId | None) -> None:
        self.chosen = node
        self.rebuild()

    def state_key(self) -> tuple[object, ...]:
        return (*super().state_key(), self.chosen)

    def build(self, view: View, width: int) -> list[Line]:
        return node_lines(view, width, self.chosen, self.turned)

    @property
    def cursor_node(self) -> NodeId | None:
        return node_in_view(self.view, self.chosen) if self.view is not None else None
