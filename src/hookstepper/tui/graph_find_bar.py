"""The line in which a node's name is typed; the picture's cursor follows each letter."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
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
    """The line itself. What its keys mean is done at once: a binding comes after the keys typed behind it."""

    def __init__(self, bar: FindBar) -> None:
        super().__init__(placeholder=tr("a node: part of its name"), select_on_focus=False)
        self._bar = bar

    async def _on_key(self, event: events.Key) -> None:
        if not self._bar.is_open:
            # Typed ahead, after the key that closed the line: it is meant for where that key led.
            self.app.post_message(events.Key(event.key, event.character))
        elif not self._bar.key(event.key):
            await super()._on_key(event)
            return
        event.stop()
        event.prevent_default()


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

    def __init__(self, picture: GraphView) -> None:
        super().__init__(id="find-bar")
        self._picture = picture
        self._came_from: Bookmark | None = None
        self._names = FindNames()
        self._line = FindInput(self)

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
        self._catch_up()

    def _catch_up(self) -> None:
        """Find what the line says now; a key may be quicker than the message that tells of a letter."""
        graph, text = self._picture.graph, self._line.value
        if not self.is_open or graph is None or text == self._names.text:
            return
        found = find_nodes(graph, text)
        self._show(text, found)
        if found.nodes and found.exact:
            self._picture.go_to(found.nodes[0])
        elif self._came_from is not None:
            self._picture.return_to(self._came_from)

    def key(self, key: str) -> bool:
        """Do what a key means that is no letter; False if it means nothing here."""
        match key:
            case "enter":
                self.take()
            case "escape" | "ctrl+c":
                self.give_up()
            case "up" | "down":
                self.turn(1 if key == "down" else -1)
            case "tab" | "shift+tab":
                self.close()
                self.post_message(screen_wish("pane.next" if key == "tab" else "pane.prev"))
            case _:
                return False
        return True

    def take(self) -> None:
        """Stay at the node that is chosen."""
        self._catch_up()
        names = self._names
        if names.found.nodes:
            self._picture.disclose(names.found.nodes[names.at])
        self.close()

    def turn(self, by: int) -> None:
        """Choose the next name, or with -1 the one before."""
        self._catch_up()
        names = self._names
        if names.found.nodes:
            names.at = (names.at + by) % len(names.found.nodes)
            names.refresh()
            self._picture.go_to(names.found.nodes[names.at])

    def give_up(self) -> None:
        """Go back to where one was."""
        if self._came_from is not None:
            self._picture.return_to(self._came_from)
        self.close()

    def on_input_blurred(self, event: Input.Blurred) -> None:
        event.stop()
        self.close()

    def close(self) -> None:
        """Hide the bar; the cursor stays where it is, and the picture takes the keys again."""
        if self.is_open:
            self.remove_class("-open")
            self._line.value = ""
            if self._line.has_focus:
                self.screen.set_focus(self._picture)

    def _show(self, text: str, found: Found) -> None:
        names = self._names
        names.graph, names.text, names.found, names.at = self._picture.graph, text, found, 0
        names.refresh()
