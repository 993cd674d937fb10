"""The mouse on the picture: click, double click, drag, wheel, and what lies under it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.content import Content
from textual.geometry import Offset

if TYPE_CHECKING:
    from hookstepper.tui.graph_view import GraphView


class Pointer:
    """Turns mouse events of one view into what they mean there."""

    def __init__(self, view: GraphView) -> None:
        self._view = view
        self._pressed_at: Offset | None = None
        self._on_map = False
        self._dragged = False
        self._over: tuple[object, ...] = ()

    def pressed(self, event: events.MouseDown) -> None:
        """A button went down: on the map it aims, elsewhere it may begin a drag."""
        self._dragged = False
        self._on_map = self.aim(event.x, event.y)
        if event.button == 1:
            self._pressed_at = event.screen_offset
            # The picture follows the mouse also where it has left the pane.
            self._view.capture_mouse()

    def released(self) -> None:
        """The button is up again."""
        self._pressed_at = None
        self._view.release_mouse()

    def moved(self, event: events.MouseMove) -> None:
        """Drag if a button is down, else tell of what is under the mouse."""
        if self._pressed_at is not None and event.button != 1:
            self.released()  # it went up where no terminal tells of it
        if self._pressed_at is None:
            self._hover(event.x, event.y)
        elif self._on_map:
            self.aim(event.x, event.y)
        elif moved := event.screen_offset - self._pressed_at:
            self._dragged = True
            self._pressed_at = event.screen_offset
            self._view.scroll_relative(-moved.x, -moved.y, animate=False, force=True)

    def clicked(self, event: events.Click) -> None:
        """A press and a release at one place; the end of a drag is no click."""
        if self._dragged or self._on_map:
            return
        view = self._view
        hit, words = view.hit(event.x, event.y), view.words_at(event.x, event.y)
        if hit.node is None:
            if hit.frame is not None and "title" in words:
                view.toggle_subgraph(hit.frame)
            return
        view.pick(hit.node)
        on_sign = not words.isdisjoint({"ring", "fold"})
        if on_sign and event.chain == 1:
            view.open_sign(hit.node, "ring" if "ring" in words else "fold")
        elif event.chain == 2 and not on_sign:
            view.post_message(view.NodeToggled(view, hit.node))

    def aim(self, x: int, y: int) -> bool:
        """Scroll to what the map shows at a cell; False off the map."""
        target = self._view.map.aim(x, y)
        if target is None:
            return False
        self._view.scroll_to(target.x, target.y, animate=False)
        self._view.refresh()
        return True

    def _hover(self, x: int, y: int) -> None:
        view = self._view
        hit, words = view.hit(x, y), view.words_at(x, y)
        over = (hit, "ring" in words, "title" in words)
        if over == self._over:
            return
        self._over = over
        said = view.tip_of(hit, words)
        # As content: a plain string would be read as markup, and a node may be named `[/x]`.
        view.tooltip = Content(said) if said else None
