"""The frame around a pane: round, heavy while the pane is in focus, with words at both ends of its edge."""

from __future__ import annotations

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content

from hookstepper.tui.rows.row import cut_text
from hookstepper.tui.views.pane import Pane

_EDGE_CELLS = 6
"""Two corners, and one piece of line and one blank at each end of what is written on the edge."""


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
            self.border_title = self._edge(left, right, drawn[2] - _EDGE_CELLS, focused=focused)

    def _edge(self, left: str, right: str, cells: int, *, focused: bool) -> Content:
        """The words in their colour; the line between them keeps that of the border."""
        text = edge_text(left, right, cells, "━" if focused else "─")
        words = "bold $border" if focused else "$text-muted"
        head, found, tail = text.partition(" ━" if focused else " ─")
        if not found:
            return Content.styled(text, words)
        fill = len(tail) - len(tail.lstrip("━─"))
        return Content.assemble((head, words), found + tail[:fill], (tail[fill:], words))

    def on_resize(self) -> None:
        self.retitle()

    def on_descendant_focus(self) -> None:
        self.call_after_refresh(self.retitle)

    def on_descendant_blur(self) -> None:
        self.call_after_refresh(self.retitle)


def edge_text(left: str, right: str, cells: int, line: str) -> str:
    """`left ──── right` in exactly `cells` cells; the right words give way first."""
    left = cut_text(left, max(0, cells))
    room = cells - cell_len(left) - 3
    if not right or room < 4:
        return left
    right = cut_text(right, room)
    fill = cells - cell_len(left) - cell_len(right) - 2
    return f"{left} {line * fill} {right}"
