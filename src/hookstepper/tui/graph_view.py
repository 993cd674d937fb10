"""GraphView: a graph as a picture to walk on, pan, zoom and mark. Usable in any Textual app.

    class Viewer(App):
        def compose(self):
            yield GraphView(graph)

        def on_graph_view_node_picked(self, event):
            self.notify(event.node)

It draws what it is shown and posts what the person picked; it holds no state of a run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from typing import ClassVar, Literal, cast

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from hookstepper.model.graph import Graph
from hookstepper.model.ids import NodeId
from hookstepper.picture import Canvas, Direction, Hit, Layout, Marks, Options, Zoom, raster
from hookstepper.tui.dots import Dots
from hookstepper.tui.graph_map import GraphMap
from hookstepper.tui.graph_paint import ROLE_WORDS, Painter
from hookstepper.tui.graph_shape import Shape
from hookstepper.tui.words import tr
from hookstepper.values.text import clean

_PAN = 4
"""Columns of one pan step; rows are half of it, since a cell is twice as high as wide."""
_FOLLOW_SECONDS = 0.25


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
        self._cursor: NodeId | None = None
        self._origin = Offset(0, 0)
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
        if moved and (region := self._map.region) is not None:
            self.refresh(region)

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

    def follow(self, node: NodeId) -> None:
        """Bring a node into view calmly, if it is not there."""
        self._reveal(node, animate=self.app.animation_level != "none")

    def go_to(self, node: NodeId) -> None:
        """Put the cursor on a node and bring it into view."""
        self._set_cursor(node, tell=True)

    def run_dot(self, source: NodeId, target: NodeId) -> None:
        """Let a light run along the edge between two nodes; nothing moves if animations are off."""
        plan = self._shape.plan
        index = plan.wire_of.get((source, target)) if plan is not None else None
        if plan is not None and index is not None and self.app.animation_level != "none":
            self._dots.start(plan.wires[index].cells)

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
        self._shape.lay_out(self.size, self)
        self._redraw()

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
        return strip if self._map.region is None else self._map.over(strip, y)

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
        """Cursor along the flow."""
        plan = self._shape.plan
        if plan is None:
            return
        if self._cursor is None or plan.place(self._cursor) is None:
            self._set_cursor(self._first(plan), tell=True)
        else:
            self._set_cursor(plan.after(self._cursor, step), tell=True)

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
            self._reveal(node, animate=False)
            if tell:
                self.post_message(self.NodePicked(self, node))

    def _reveal(self, node: NodeId, *, animate: bool) -> None:
        place = self._shape.plan.place(node) if self._shape.plan is not None else None
        if place is None:
            return
        around = Region(place.x - 2, place.y - 2, place.width + 4, place.height + 4)
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

    def hit(self, x: int, y: int) -> Hit:
        """What is drawn at a cell of the widget."""
        if self._canvas is None:
            return Hit()
        scroll, origin = self.scroll_offset, self.origin
        return self._canvas.hit(x + scroll.x - origin.x, y + scroll.y - origin.y)

    def on_click(self, event: events.Click) -> None:
        if self._map.aim(event.x, event.y) is not None:
            return
        found = self.hit(event.x, event.y)
        if found.node is None:
            return
        self._set_cursor(found.node, tell=True)
        if event.chain == 2:
            self.post_message(self.NodeToggled(self, found.node))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._aim(event.x, event.y)

    def _aim(self, x: int, y: int) -> bool:
        """Scroll to what the map shows at a cell; False off the map."""
        target = self._map.aim(x, y)
        if target is None:
            return False
        self.scroll_to(target.x, target.y, animate=False)
        self.refresh()
        return True

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if event.button == 1 and self._aim(event.x, event.y):
            return
        if event.button == 1:
            self.scroll_relative(-event.delta_x, -event.delta_y, animate=False)
            return
        tip = self._tip(self.hit(event.x, event.y))
        # As content: a plain string would be read as markup, and a node may be named `[/x]`.
        self.tooltip = None if tip is None else Content(clean(tip))

    def _tip(self, found: Hit) -> str | None:
        graph = self._shape.graph
        if graph is None:
            return None
        if found.node is not None:
            return str(found.node)
        if found.edges:
            return "\n".join(f"{edge.source} → {edge.target}  {edge.label}".rstrip() for edge in found.edges)
        return None if found.frame is None else str(found.frame)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        if event.ctrl:
            event.prevent_default()
            event.stop()
            self.zoom_in()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        if event.ctrl:
            event.prevent_default()
            event.stop()
            self.zoom_out()
