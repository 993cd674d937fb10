"""The Source tab: the function behind the node in view, and where it is held in it."""

from __future__ import annotations

from hookstepper.client.view import View
from hookstepper.model.ids import NodeId
from hookstepper.tui.rows.lines import Line
from hookstepper.tui.rows.source import current_place, place_in_view, source_lines
from hookstepper.tui.rows.state import Folding
from hookstepper.tui.views.lines_pane import LinesPane


class SourceView(LinesPane):
    """Follows the node that was picked, else the one that runs next; `x` shows the whole file."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.chosen: NodeId | None = None
        self._seen: tuple[object, ...] = ()

    def point(self, node: NodeId | None) -> None:
        self.chosen = node
        self.rebuild()

    def state_key(self) -> tuple[object, ...]:
        return (*super().state_key(), self.chosen)

    def build(self, view: View, width: int) -> list[Line]:
        return source_lines(view, width, self.chosen, Folding(self.turned, self.whole))

    def rebuild(self) -> None:
        super().rebuild()
        if self.view is None or not self.lines:
            return
        seen = (*place_in_view(self.view, self.chosen), self.whole)
        if seen != self._seen:
            # Another place came into view; as long as it is the same one a person may scroll about.
            self._seen = seen
            place = current_place(self.lines)
            if self.lines[place].id:
                self.move_to(place)

    @property
    def cursor_node(self) -> NodeId | None:
        return place_in_view(self.view, self.chosen)[1] if self.view is not None else None
