"""The frame around a pane: round, heavy while the pane is in focus, with words at both ends of its edge."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Container

from hookstepper.tui.edge import EDGE_CELLS, edge
from hookstepper.tui.views.pane import Pane


class Frame(Container):
    """A border around one pane. It asks the pane for its titles and draws them; it knows nothing else."""

    def __init__(self, pane: Pane, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self.pane = pane
        self._drawn: tuple[str, str, int, bool] | None = None

    def compose(self) -> ComposeResult:
        yield self.pane

    def retitle(self) -> None:
        """Write the titles anew if they, the width or the focus have changed."""
        left, right = self.pane.titles()
        focused = self.has_pseudo_class("focus-within")
        drawn = (left, right, self.outer_size.width, focused)
        if drawn != self._drawn:
            self._drawn = drawn
            self.border_title = edge(left, right, drawn[2] - EDGE_CELLS, focused=focused)

    def on_resize(self) -> None:
        self.retitle()

    def on_descendant_focus(self) -> None:
        self.call_after_refresh(self.retitle)

    def on_descendant_blur(self) -> None:
        self.call_after_refresh(self.retitle)
