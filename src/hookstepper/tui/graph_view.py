"""GraphView: a graph as a picture to walk on, pan, zoom and mark. Usable in any Textual app.

    class Viewer(App):
        def compose(self):
            yield GraphView(graph)

        def on_graph_view_node_picked(self, event):
            self.notify(event.node)

It draws what it is shown and posts what the person picked; it holds no state of a run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import ClassVar, Literal, cast

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from hookstepper.model.graph import Graph
from hookstepper.model.ids import NodeId
from hookstepper.picture import Canvas, Direction, Hit, Layout, Link, Marks, Options, Zoom, raster
from hookstepper.picture.options import GlyphSet
from hookstepper.tui.dots import Dots
from hookstepper.tui.graph_map import GraphMap
from hookstepper.tui.graph_paint import ROLE_WORDS, Painter
from hookstepper.tui.graph_pointer import Pointer
from hookstepper.tui.graph_shape import Shape
from hookstepper.tui.graph_tips import tip
from hookstepper.tui.graph_trails import trails
from hookstepper.tui.words import tr

_PAN = 4
"""Columns of one pan step; rows are half of it, since a cell is twice as high as wide."""
_FOLLOW_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class Bookmark:
    """Where somebody was on a picture."""

    cursor: NodeId | None
    scroll: Offset


class GraphView(ScrollView, can_focus=True, inherit_bindings=False):
    """The picture of one graph. All methods belong to the thread of the app."""

    ALLOW_SELECT: ClassVar[bool] = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"graph--{word}" for word in ROLE_WORDS}
    DEFAULT_CSS: ClassVar[str] = (
        files("hookstepper.tui").joinpath("styles", "graph_view.tcss").read_text(encoding="utf-8")
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move('up')", show=False, id="cursor.move.up"),
        Binding("down,j", "move('down')", show=False, id="cursor.move.down"),
        Binding("left,h", "move('left')", show=False, id="cursor.move.left"),
        Binding("right,l", "move('right')", show=False, id="cursor.move.right"),
        Binding("home", "step(-1000000)", show=False, id="cursor.move.first"),
        Binding("end", "step(1000000)", show=False, id="cursor.move.last"),
        Binding("left_square_bracket", "step(-1)", show=False, id="cursor.prev"),
        Binding("right_square_bracket", "step(1)", show=False, id="cursor.next"),
        Binding("shift+up", "pan('up')", show=False, id="view.pan.up"),
        Binding("shift+down", "pan('down')", show=False, id="view.pan.down"),
        Binding("shift+left", "pan('left')", show=False, id="view.pan.left"),
        Binding("shift+right", "pan('right')", show=False, id="view.pan.right"),
        Binding("plus", "zoom_in", show=False, id="view.zoom-in"),
        Binding("minus", "zoom_out", show=False, id="view.zoom-out"),
        Binding("equals_sign", "fit", show=False, id="view.fit"),
        Binding("x", "toggle_fold", show=False, id="view.toggle"),
        Binding("O", "toggle_map", show=False, id="view.map"),
    ]

    class NodePicked(Message):
        """The person moved the cursor to `node`."""

        def __init__(self, view: GraphView, node: NodeId) -> None:
            super().__init__()
            self.view = view
            self.node = node

        @property
        def control(self) -> GraphView:
            return self.view

    class NodeToggled(NodePicked):
        """The person clicked `node` twice."""

    class Reshaped(Message):
        """The picture took another form: zoomed, folded, unfolded, laid out anew."""

    def __init__(
        self,
        graph: Graph | None = None,
        *,
        options: Options | None = None,
        words: Callable[[str], str] = tr,
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self._shape = Shape(options or Options(words=words))
        self._marks = Marks()
        self._canvas: Canvas | None = None
        self._painter = Painter(self)
        self._dots = Dots(self)
        self._map = GraphMap(self)
        self._pointer = Pointer(self)
        self._cursor: NodeId | None = None
        self._origin = Offset(0, 0)
        self._wanted: tuple[NodeId, ...] = ()
        """What is to be in view, until the person looks elsewhere."""
        if graph is not None:
            self._shape.graph = graph

    # ------------------------------------------------------------------ what it shows

    @property
    def graph(self) -> Graph | None:
        """The graph in view."""
        return self._shape.graph

    @property
    def plan(self) -> Layout | None:
        """The layout in view; None before the first graph and the first size."""
        return self._shape.plan

    @property
    def canvas(self) -> Canvas | None:
        """The picture in view, marks included."""
        return self._canvas

    @property
    def zoom(self) -> Zoom:
        """The form in view."""
        return self._shape.plan.options.zoom if self._shape.plan is not None else "box"

    @property
    def glyphs(self) -> GlyphSet:
        """The characters that the picture is drawn with."""
        return self._shape.options.glyphs

    @glyphs.setter
    def glyphs(self, glyphs: GlyphSet) -> None:
        self._shape.options = replace(self._shape.options, glyphs=glyphs)
        self._reshape()

    @property
    def progress(self) -> float | None:
        """Share of a layout that is under way, from 0 to 1; None if the whole picture is in view."""
        return self._shape.progress

    @property
    def folded(self) -> bool:
        """True if hook chains are folded."""
        return self.zoom == "folded"

    @property
    def cursor_node(self) -> NodeId | None:
        """The node under the cursor; None until somebody moved it."""
        return self._cursor

    @cursor_node.setter
    def cursor_node(self, node: NodeId | None) -> None:
        self._set_cursor(node, tell=False)

    def show(self, graph: Graph) -> None:
        """Draw another graph, or a new form of the same one; the cursor stays if its node does."""
        self._shape.graph = graph
        if self._cursor is not None and graph.node(self._cursor) is None:
            self._cursor = None
        self._reshape()

    @property
    def current_nodes(self) -> frozenset[NodeId]:
        """The nodes that run next."""
        return self._marks.current

    @property
    def map(self) -> GraphMap:
        """The overview; set its `wanted` to show or hide it whatever the size."""
        return self._map

    def mark(self, marks: Marks) -> None:
        """Put the state of a run on the picture; redraws only the rows that change."""
        moved = marks.current != self._marks.current
        self._marks = marks
        self._repaint()
        if moved:
            self._settle_map()

    def fit(self) -> None:
        """Take the largest form that fits, now and after every change of size."""
        self._shape.zoom = None
        self._reshape()

    def zoom_in(self) -> None:
        """The next larger form."""
        self._shape.step(-1)
        self._reshape()

    def zoom_out(self) -> None:
        """The next smaller form."""
        self._shape.step(1)
        self._reshape()

    def toggle_fold(self) -> None:
        """The other form of what the cursor is on.

        A subgraph is closed or opened, rings are named or counted, never-taken edges shown or left out;
        elsewhere hook chains are folded or unfolded.
        """
        self._shape.toggle(self._cursor)
        self._reshape()

    def toggle_subgraph(self, node: NodeId) -> None:
        """Close or open a subgraph."""
        self._shape.toggle_subgraph(node)
        self._reshape()

    def open_sign(self, node: NodeId, sign: Literal["ring", "fold"]) -> None:
        """Open what a sign beside a node's name stands for: its rings, a closed subgraph, a folded chain."""
        self._shape.open_sign(node, sign)
        self._reshape()

    def toggle_map(self) -> None:
        """Show the overview, or put it away."""
        self._map.wanted = self._map.region is None

    # ------------------------------------------------------------------ where it looks

    def follow(self, *nodes: NodeId) -> None:
        """Bring nodes into view calmly, all of them if they fit; nothing moves if they are there."""
        self._wanted = nodes
        self._reveal(self._union(nodes), animate=self.app.animation_level != "none")
        self._settle_map()

    def go_to(self, node: NodeId) -> None:
        """Put the cursor on a node and bring it into view."""
        self._set_cursor(node, tell=True)
        self._wanted = (node,)
        self._reveal(self._union((node,)), animate=False)
        self._settle_map()

    def disclose(self, node: NodeId) -> None:
        """Go to a node; closed subgraphs around it are opened."""
        if self._shape.disclose(node):
            self._reshape()
        self.go_to(node)

    def pick(self, node: NodeId) -> None:
        """Put the cursor on a node that is in view."""
        self._set_cursor(node, tell=True)

    @property
    def bookmark(self) -> Bookmark:
        """Where one is now, for `return_to`."""
        return Bookmark(self._cursor, self.scroll_offset)

    def return_to(self, bookmark: Bookmark) -> None:
        """Put cursor and window back to where they were."""
        self._set_cursor(bookmark.cursor, tell=True)
        self.scroll_to(bookmark.scroll.x, bookmark.scroll.y, animate=False, force=True)

    def run_dot(self, source: NodeId, target: NodeId) -> None:
        """Let a light run along the edge between two nodes; nothing moves if animations are off."""
        self.run_dots([(source, target)])

    def run_dots(self, links: Sequence[Link]) -> None:
        """Let lights run along edges in the order in which a run took them, one for each branch of it."""
        plan = self._shape.plan
        if plan is not None and self.app.animation_level != "none":
            for cells in trails(plan, links):
                self._dots.start(cells)

    # ------------------------------------------------------------------ layout and paint

    def on_mount(self) -> None:
        self._reshape()

    def on_resize(self, event: events.Resize) -> None:
        del event
        if self._shape.needs_new_form(self.size):
            self._reshape()
        else:
            self._settle_size()

    def _reshape(self) -> None:
        """Choose the form, lay it out and draw it anew."""
        if self._shape.graph is None or not self.is_mounted or not self.size:
            return
        before = self._shape.plan
        self._shape.lay_out(self.size, self)
        if self._shape.plan is not before or self._canvas is None:
            self._redraw()
        else:
            self._settle_size()

    def _redraw(self) -> None:
        plan = self._shape.plan
        if plan is None:
            return
        self._dots.clear()
        self._canvas = raster(plan, replace(self._marks, cursor=self._cursor))
        self._painter.restart(self._canvas)
        self._settle_size()
        self.post_message(self.Reshaped())

    def laid_out(self) -> None:
        """A layout made in the background has arrived."""
        self._redraw()
        self._reveal(self._union(self._wanted), animate=False)
        self._settle_map()

    def layout_progressed(self) -> None:
        """A layout in the background has come further."""
        self.refresh(Region(0, self.size.height - 1, self.size.width, 1))

    def _settle_size(self) -> None:
        canvas = self._canvas
        if canvas is not None:
            self.virtual_size = Size(canvas.width, canvas.height)
            width, height = self.size
            self._origin = Offset(max(0, (width - canvas.width) // 2), 1 if height > canvas.height else 0)
        self._map.settle()
        self.refresh()

    def _repaint(self) -> None:
        plan = self._shape.plan
        if plan is None or self._canvas is None:
            return
        self._canvas = raster(plan, replace(self._marks, cursor=self._cursor))
        self.refresh_rows(self._painter.change(self._canvas))

    def _settle_map(self) -> None:
        """The map after a move: in another corner if it hid what is marked."""
        if self._map.settle():
            self.refresh()
        elif self._map.region is not None:
            self.refresh(self._map.region)

    def refresh_rows(self, spans: dict[int, tuple[int, int]]) -> None:
        """Paint anew: row of the picture → first and last column that changed."""
        origin = self.origin
        scroll = self.scroll_offset
        window = Region(0, 0, *self.size)
        regions = [
            Region(low + origin.x - scroll.x, y + origin.y - scroll.y, high - low + 1, 1).intersection(window)
            for y, (low, high) in spans.items()
        ]
        if regions := [region for region in regions if region]:
            self.refresh(*regions)

    @property
    def dots(self) -> Dots:
        """The moving lights."""
        return self._dots

    @property
    def painter(self) -> Painter:
        """What turns rows into strips."""
        return self._painter

    @property
    def origin(self) -> Offset:
        """Where the picture begins on a screen that is larger than it."""
        return self._origin

    def render_line(self, y: int) -> Strip:
        scroll, origin = self.scroll_offset, self._origin
        strip = self._painter.line(y + scroll.y - origin.y, scroll.x - origin.x, self.size.width)
        if self._map.region is not None:
            strip = self._map.over(strip, y)
        progress = self._shape.progress
        return strip if progress is None or y != self.size.height - 1 else self._told(strip, progress)

    def _told(self, strip: Strip, progress: float) -> Strip:
        """The last line while a layout is under way."""
        graph = self._shape.graph
        count = len(graph.nodes) if graph is not None else 0
        said = tr(" laying out {n} nodes … {share} % ", n=count, share=int(progress * 100))
        over = Strip([Segment(said, self._painter.style("map-window"))]).crop(0, strip.cell_length)
        return Strip.join([over, strip.crop(over.cell_length, strip.cell_length)])

    def notify_style_update(self) -> None:
        super().notify_style_update()
        if self.is_mounted:
            self._painter.forget_styles()
            self.refresh()

    # ------------------------------------------------------------------ cursor

    def action_move(self, direction: str) -> None:
        """Cursor to the nearest node in a direction."""
        plan = self._shape.plan
        if plan is None:
            return
        if self._cursor is None or plan.place(self._cursor) is None:
            self._set_cursor(self._first(plan), tell=True)
            return
        node = plan.neighbour(self._cursor, cast(Direction, direction))
        if node is not None:
            self._set_cursor(node, tell=True)

    def action_step(self, step: int) -> None:
        """Cursor along the flow; the first step only shows where it is."""
        plan = self._shape.plan
        if plan is None:
            return
        lost = self._cursor is None or plan.place(self._cursor) is None
        here = self._first(plan) if lost else self._cursor
        if here is not None:
            self._set_cursor(here if lost and abs(step) == 1 else plan.after(here, step), tell=True)

    def _first(self, plan: Layout) -> NodeId | None:
        """Where the cursor begins: at the node that runs next, else at the top."""
        current = [node for node in plan.flow if node in self._marks.current]
        return current[0] if current else plan.flow[0] if plan.flow else None

    def _set_cursor(self, node: NodeId | None, *, tell: bool) -> None:
        if node == self._cursor:
            return
        self._cursor = node
        self._repaint()
        if node is not None:
            self._wanted = (node,)
            self._reveal(self._union((node,)), animate=False)
            self._settle_map()
            if tell:
                self.post_message(self.NodePicked(self, node))

    def _union(self, nodes: Sequence[NodeId]) -> Region | None:
        """The part of the picture that holds the nodes; of many, the first that fit into the window."""
        plan = self._shape.plan
        places = [place for node in nodes if plan is not None and (place := plan.place(node)) is not None]
        around: Region | None = None
        for place in places:
            one = Region(place.x - 2, place.y - 2, place.width + 4, place.height + 4)
            both = one if around is None else around.union(one)
            if around is not None and (both.width > self.size.width or both.height > self.size.height):
                break
            around = both
        return around

    def _reveal(self, around: Region | None, *, animate: bool) -> None:
        if around is None:
            return
        self.scroll_to_region(
            around,
            animate=animate,
            duration=_FOLLOW_SECONDS if animate else None,
            force=True,
            origin_visible=False,
        )

    # ------------------------------------------------------------------ pan, zoom, mouse

    def action_pan(self, direction: Literal["up", "down", "left", "right"]) -> None:
        """Move the picture under the window."""
        dx, dy = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}[direction]
        self.scroll_relative(dx * _PAN, dy * _PAN // 2, animate=False)

    def action_zoom_in(self) -> None:
        self.zoom_in()

    def action_zoom_out(self) -> None:
        self.zoom_out()

    def action_fit(self) -> None:
        self.fit()

    def action_toggle_fold(self) -> None:
        self.toggle_fold()

    def action_toggle_map(self) -> None:
        self.toggle_map()

    def hit(self, x: int, y: int) -> Hit:
        """What is drawn at a cell of the widget."""
        column, row = self._cell(x, y)
        return self._canvas.hit(column, row) if self._canvas is not None else Hit()

    def words_at(self, x: int, y: int) -> frozenset[str]:
        """Role words of what is drawn at a cell of the widget."""
        column, row = self._cell(x, y)
        canvas = self._canvas
        if canvas is None or not (0 <= row < canvas.height and 0 <= column < canvas.width):
            return frozenset()
        return frozenset(canvas.rows[row].roles[column].split())

    def tip_of(self, hit: Hit, words: frozenset[str]) -> str:
        """What a tooltip says there; empty for nothing."""
        graph, plan = self._shape.graph, self._shape.plan
        return tip(graph, plan, self._marks, hit, words) if graph is not None and plan is not None else ""

    def _cell(self, x: int, y: int) -> tuple[int, int]:
        """A cell of the widget as column and row of the picture."""
        scroll, origin = self.scroll_offset, self._origin
        return x + scroll.x - origin.x, y + scroll.y - origin.y

    def on_click(self, event: events.Click) -> None:
        self._pointer.clicked(event)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._pointer.pressed(event)

    def on_mouse_up(self) -> None:
        self._pointer.released()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        self._pointer.moved(event)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._zoom_by_wheel(event, self.zoom_in)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._zoom_by_wheel(event, self.zoom_out)

    def _zoom_by_wheel(self, event: events.MouseEvent, zoom: Callable[[], None]) -> None:
        if event.ctrl:
            event.prevent_default()
            event.stop()
            zoom()
