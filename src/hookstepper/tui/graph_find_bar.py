"""The line in which a node's name is typed; the picture's cursor follows each letter."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Label

from hookstepper.model.graph import Graph
from hookstepper.tui.graph_find import Found, find_nodes
from hookstepper.tui.graph_view import Bookmark, GraphView
from hookstepper.tui.messages import screen_wish
from hookstepper.tui.roles import Painted
from hookstepper.tui.rows.find_names import names_row
from hookstepper.tui.words import tr


class FindNames(Painted):
    """Above the line: what the text may mean."""

    def __init__(self) -> None:
        super().__init__()
        self.graph: Graph | None = None
        self.text = ""
        self.found = Found()
        self.at = 0

    def render(self) -> Content:
        if self.graph is None:
            return Content("")
        return self.paint(names_row(self.graph, self.text, self.found, self.at, self.size.width))


class FindInput(Input):
    """The line itself; it hands the keys for choosing up."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "leave", show=False),
        Binding("tab", "leave('pane.next')", show=False),
        Binding("shift+tab", "leave('pane.prev')", show=False),
        Binding("up", "turn(-1)", show=False),
        Binding("down", "turn(1)", show=False),
    ]

    class Turned(Message):
        """Another of the names is wanted."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    class Left(Message):
        """The line is no longer wanted; to where the person goes, empty for back."""

        def __init__(self, to: str) -> None:
            super().__init__()
            self.to = to

    def action_turn(self, by: int) -> None:
        self.post_message(self.Turned(by))

    def action_leave(self, to: str = "") -> None:
        self.post_message(self.Left(to))


class FindBar(Painted):
    """Opens over the lower edge of a pane. Enter stays at the node found, Esc goes back to where one was."""

    DEFAULT_CSS = """
    FindBar { display: none; height: 2; dock: bottom; layer: over; layout: vertical; background: $surface; }
    FindBar.-open { display: block; }
    FindBar > FindNames { height: 1; padding: 0 1; }
    FindBar Horizontal { height: 1; }
    FindBar Label { width: 2; padding: 0 0 0 1; }
    FindBar FindInput { width: 1fr; height: 1; border: none; padding: 0; background: $surface; }
    FindBar FindInput:focus { border: none; }
    """

    class Closed(Message):
        """The bar is gone; the keys go to the picture again."""

    def __init__(self, picture: GraphView) -> None:
        super().__init__(id="find-bar")
        self._picture = picture
        self._came_from: Bookmark | None = None
        self._names = FindNames()
        self._line = FindInput(placeholder=tr("a node: part of its name"), select_on_focus=False)

    def compose(self) -> ComposeResult:
        yield self._names
        with Horizontal():
            yield Label("/")
            yield self._line

    @property
    def is_open(self) -> bool:
        """True while names are typed."""
        return self.has_class("-open")

    def open(self) -> None:
        """Show the empty line and take the keys."""
        self._came_from = self._picture.bookmark
        self._line.value = ""
        self._show("", Found())
        self.add_class("-open")
        # Now, not in a moment: the next key is typed here.
        self.screen.set_focus(self._line)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        graph = self._picture.graph
        if not self.is_open or graph is None:
            return
        found = find_nodes(graph, event.value)
        self._show(event.value, found)
        if found.nodes and found.exact:
            self._picture.go_to(found.nodes[0])
        elif self._came_from is not None:
            self._picture.return_to(self._came_from)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        names = self._names
        if names.found.nodes:
            self._picture.disclose(names.found.nodes[names.at])
        self.close()

    def on_find_input_turned(self, event: FindInput.Turned) -> None:
        event.stop()
        names = self._names
        if names.found.nodes:
            names.at = (names.at + event.by) % len(names.found.nodes)
            names.refresh()
            self._picture.go_to(names.found.nodes[names.at])

    def on_find_input_left(self, event: FindInput.Left) -> None:
        event.stop()
        if not event.to and self._came_from is not None:
            self._picture.return_to(self._came_from)
        self.close()
        if event.to:
            self.post_message(screen_wish(event.to))

    def on_input_blurred(self, event: Input.Blurred) -> None:
        event.stop()
        self.close()

    def close(self) -> None:
        """Hide the bar; the cursor stays where it is."""
        if self.is_open:
            self.remove_class("-open")
            self.post_message(self.Closed())

    def _show(self, text: str, found: Found) -> None:
        names = self._names
        names.graph, names.text, names.found, names.at = self._picture.graph, text, found, 0
        names.refresh()
