"""The graph pane: the picture once the target has loaded, and what is going on until then."""

from __future__ import annotations

from dataclasses import replace

from textual import events
from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message

from hookstepper.client.view import View
from hookstepper.model.errors import NotPossibleError
from hookstepper.model.graph import Graph
from hookstepper.model.ids import NodeId
from hookstepper.picture import Options
from hookstepper.picture.options import GLYPH_SETS, GlyphSet
from hookstepper.tui.graph_find import Found, find_nodes, node_named
from hookstepper.tui.graph_find_bar import FindBar
from hookstepper.tui.graph_taken import Taken, links_after, links_of
from hookstepper.tui.graph_view import GraphView
from hookstepper.tui.messages import screen_wish
from hookstepper.tui.rows.load_error import load_error_rows
from hookstepper.tui.rows.picture_marks import current_nodes, graph_titles, legend_row, loading_rows, marks_of
from hookstepper.tui.rows.row import Row
from hookstepper.tui.views.pane import Pane
from hookstepper.tui.words import tr

_FAR = 1_000_000
"""More steps than any picture has nodes."""
_MOST_LIGHTS = 100
"""Steps of one batch along whose edges a light runs; of more, the newest."""


class Remark(Pane, can_focus=True):
    """Text in place of the picture: loading, or why the target did not load."""

    whole = False

    def show(self, view: View) -> None:
        super().show(view)
        self.refresh(layout=True)

    def rows(self) -> list[Row]:
        """The lines as they stand now."""
        if self.view is None:
            return []
        if self.view.not_loaded is not None:
            return load_error_rows(self.view.not_loaded, self.size.width, whole=self.whole)
        return loading_rows(self.view)

    def render(self) -> Content:
        return self.paint_all(self.rows())


class Legend(Pane):
    """One line under the picture: what the marks mean."""

    def render(self) -> Content:
        return self.paint(legend_row())


class GraphPane(Pane):
    """Holds the picture and feeds it with marks."""

    class Picked(Message):
        """The person put the cursor on `node`."""

        def __init__(self, node: NodeId | None) -> None:
            super().__init__()
            self.node = node

    class Retitled(Message):
        """The words for the frame have changed."""

    def __init__(self, glyphs: GlyphSet = "unicode") -> None:
        super().__init__(id="graph")
        self.picture = GraphView(id="picture", options=Options(words=tr, glyphs=glyphs))
        """The widget that draws."""
        self.find_bar = FindBar(self.picture)
        self._graph: Graph | None = None
        self._steps = -1
        self._followed: tuple[NodeId, ...] = ()
        self._taken = Taken()

    def compose(self) -> ComposeResult:
        yield Remark(id="remark")
        yield self.picture
        yield Legend(id="legend")
        yield self.find_bar

    def show(self, view: View) -> None:
        super().show(view)
        has_picture = view.graph is not None and view.not_loaded is None
        self.set_class(has_picture, "-picture")
        if not has_picture or view.graph is None:
            self.query_one(Remark).show(view)
            return
        if view.graph is not self._graph:
            self._graph = view.graph
            self.picture.show(view.graph)
        since = self._taken.since(view)
        marks = marks_of(view, self.picture.cursor_node)
        self.picture.mark(replace(marks, lit=marks.lit | links_after(view, since)))
        self._send_dots(view)
        nodes = current_nodes(view)
        if nodes and nodes != self._followed:
            # Only when ▶ moves: a person who has panned away is not pulled back by a line of output.
            self._followed = nodes
            self.picture.follow(*nodes)

    def _send_dots(self, view: View) -> None:
        """Let lights run along the edges of the steps that were just made, at the live end only."""
        last, before = view.trace.last, self._steps
        self._steps = last
        if before < last and view.cursor is None:
            self.picture.run_dots(links_of(view, max(before, last - _MOST_LIGHTS)))

    def go_to(self, name: str) -> None:
        """Put the cursor on the node with that id, or with that shown name.

        Raises:
            NotPossibleError: no such node; the hint tells names like it.
        """
        graph = self.picture.graph
        if graph is None:
            raise NotPossibleError(tr("there is no picture yet"))
        node = node_named(graph, name)
        found = find_nodes(graph, name) if node is None else Found((node,))
        if len(found.nodes) != 1 or not found.exact:
            near = [known.label for each in found.nodes[:5] if (known := graph.node(each)) is not None]
            hint = tr("like it: {names}", names=", ".join(near)) if near else ""
            raise NotPossibleError(tr("no node is called {name}", name=name), hint=hint)
        self.picture.disclose(found.nodes[0])

    def do(self, command_id: str, *args: str) -> bool:
        if not self.has_class("-picture"):
            return self._remark_do(command_id)
        match command_id:
            case "view.zoom-in":
                self.picture.zoom_in()
            case "view.zoom-out":
                self.picture.zoom_out()
            case "view.fit":
                self.picture.fit()
            case "view.map":
                self.picture.toggle_map()
            case "view.glyphs":
                names = GLYPH_SETS
                after = names[(names.index(self.picture.glyphs) + 1) % len(names)]
                self.picture.glyphs = next((name for name in names if args == (name,)), after)
            case "find.open":
                self.find_bar.open()
            case "view.toggle":
                self.picture.toggle_fold()
            case "view.pan" if args and args[0] in ("up", "down", "left", "right"):
                self.picture.action_pan(args[0])  # type: ignore[arg-type]
            case "cursor.prev" | "cursor.next":
                self.picture.action_step(1 if command_id == "cursor.next" else -1)
            case "cursor.move" if args and args[0] in ("first", "last"):
                self.picture.action_step(-_FAR if args[0] == "first" else _FAR)
            case "cursor.move" if args and args[0] in ("up", "down", "left", "right"):
                self.picture.action_move(args[0])
            case _:
                return False
        return True

    def _remark_do(self, command_id: str) -> bool:
        remark = self.query_one(Remark)
        if command_id != "view.toggle":
            return False
        remark.whole = not remark.whole
        remark.refresh(layout=True)
        return True

    def titles(self) -> tuple[str, str]:
        return graph_titles(self.view, folded=self.picture.folded) if self.view is not None else ("", "")

    @property
    def cursor_node(self) -> NodeId | None:
        return self.picture.cursor_node

    def copy_text(self) -> str:
        return str(self.cursor_node or "")

    def on_graph_view_node_picked(self, event: GraphView.NodePicked) -> None:
        event.stop()
        self.post_message(self.Picked(event.node))

    def on_graph_view_node_toggled(self, event: GraphView.NodeToggled) -> None:
        event.stop()
        self.post_message(screen_wish("break.toggle", event.node))

    def on_graph_view_reshaped(self, event: GraphView.Reshaped) -> None:
        event.stop()
        self.post_message(self.Retitled())

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.height >= 24, "-roomy")
