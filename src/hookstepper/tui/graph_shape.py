"""The form in which a graph is shown: zoom, folds, layouts already made. A worker makes the larger ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from textual.geometry import Size

from hookstepper.model.graph import Graph, Node
from hookstepper.model.ids import NodeId
from hookstepper.picture import ZOOMS, Layout, Options, Zoom, fit, layout
from hookstepper.tui.graph_parts import beginning, grew

if TYPE_CHECKING:
    from hookstepper.tui.graph_view import GraphView

SMALL = 20
"""Nodes up to which a layout is made at once: it takes less time than a person notices."""
LARGE = 80
"""Nodes from which on nothing larger than the one-row form is tried: it cannot fit."""
FIRST, SECOND = 10, 40
"""Nodes of the parts that are shown until the whole is laid out: at once, and after the first moments."""
SHORT = 20
"""Cells of a label in a picture of `LARGE` nodes or more."""
_STEP = 0.04
"""Least share of the work that is told anew."""
KEPT = 24
"""Layouts kept, for going back and forth between forms and sizes."""


class _GivenUpError(Exception):
    """Nobody waits for this layout any more."""


class Shape:
    """What decides the layout; the layout itself. Its methods belong to the thread of the app."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self._graph: Graph | None = None
        self.zoom: Zoom | None = None
        """The form asked for; None is the largest that fits."""
        self.plan: Layout | None = None
        """The layout in view, of the graph or, for the first moments, of a part of it."""
        self.progress: float | None = None
        """Share of the layout that is made in the background, from 0 to 1; None if none is."""
        self._before: Layout | None = None
        """The picture from which the graph grew: the new one resembles it."""
        self._made: dict[tuple[object, ...], Layout] = {}
        self._job: object | None = None
        """The layout that is being made; another one makes a thread give up."""

    @property
    def graph(self) -> Graph | None:
        """The graph to be shown."""
        return self._graph

    @graph.setter
    def graph(self, graph: Graph) -> None:
        if self._graph is not None and grew(self._graph, graph):
            # A part of a picture tells nothing of the places of the rest.
            whole = self.plan is not None and self.plan.graph is self._graph
            self._before = self.plan if whole else self._before
        else:
            self._before = self.plan = None
        self._graph = graph
        self._made.clear()

    # ------------------------------------------------------------------ other forms

    def step(self, by: int) -> None:
        """The next larger (-1) or smaller (1) form than the one in view."""
        now = self.plan.options.zoom if self.plan is not None else "box"
        self.zoom = ZOOMS[min(max(ZOOMS.index(now) + by, 0), len(ZOOMS) - 1)]

    def toggle(self, node: NodeId | None) -> None:
        """The other form of what is at a node, see `GraphView.toggle_fold`."""
        graph = self._graph
        if graph is None:
            return
        found = graph.node(node) if node is not None else None
        if found is not None and self._toggle_node(graph, found):
            return
        if self.plan is not None and self.plan.options.zoom == "folded" and node in self.options.unfolded:
            self.options = replace(self.options, unfolded=frozenset())
            return
        now = self.plan.options.zoom if self.plan is not None else "row"
        self.zoom = "row" if now == "folded" else "folded"

    def _toggle_node(self, graph: Graph, node: Node) -> bool:
        options = self.options
        if any(other.parent == node.id for other in graph.nodes):
            self.toggle_subgraph(node.id)
        elif node.rings:
            self.toggle_rings(node.id)
        elif any(edge.evidence == "never" for edge in graph.leaving(node.id)):
            self.options = replace(options, never_of=options.never_of ^ {node.id})
        elif node.parent is not None and graph.node(node.parent) is not None:
            self.toggle_subgraph(node.parent)
        else:
            return False
        return True

    def toggle_subgraph(self, node: NodeId) -> None:
        """Close or open a subgraph."""
        self.options = replace(self.options, collapsed=self.options.collapsed ^ {node})

    def toggle_rings(self, node: NodeId) -> None:
        """Name the rings of a node, or count them."""
        self.options = replace(self.options, open_rings=self.options.open_rings ^ {node})

    def open_sign(self, node: NodeId, sign: Literal["ring", "fold"]) -> None:
        """Open what a sign beside a node's name stands for."""
        place = self.plan.place(node) if self.plan is not None else None
        if sign == "ring":
            self.toggle_rings(node)
        elif node in self.options.collapsed:
            self.toggle_subgraph(node)
        elif place is not None and len(place.members) > 1:
            self.options = replace(self.options, unfolded=self.options.unfolded.union(place.members))

    def disclose(self, node: NodeId) -> bool:
        """Open every subgraph around a node; False if none was closed."""
        nodes = {each.id: each for each in self._graph.nodes} if self._graph is not None else {}
        around: set[NodeId] = set()
        here = nodes.get(node)
        while here is not None and here.parent is not None and here.parent not in around:
            around.add(here.parent)
            here = nodes.get(here.parent)
        closed = self.options.collapsed & around
        self.options = replace(self.options, collapsed=self.options.collapsed - closed)
        return bool(closed)

    # ------------------------------------------------------------------ layouts

    def needs_new_form(self, size: Size) -> bool:
        """True if another size may ask for another form."""
        if self.plan is None or self.zoom is None:
            return True
        return self.plan.options.width not in (None, size.width)

    def lay_out(self, size: Size, view: GraphView) -> None:
        """Set `plan` for a size: at once, or when a worker is done; until then the old one stays."""
        graph = self._graph
        if graph is None:
            return
        self._job, self.progress = None, None
        key = (self.zoom, size.width, size.height, *_form(self.options))
        made = self._made.get(key)
        if made is not None:
            self.plan = made
        elif len(graph.nodes) <= SMALL:
            self._keep(key, _make(graph, self.zoom, size, self.options, self._like))
        else:
            if self.plan is None:
                self.plan = layout(beginning(graph, FIRST), replace(self.options, zoom=self.zoom or "row"))
            self._start(graph, key, size, view)

    @property
    def _like(self) -> Layout | None:
        """The picture that a new one has to resemble; none once a person has folded something since."""
        before = self._before
        return before if before is not None and _form(before.options) == _form(self.options) else None

    def _keep(self, key: tuple[object, ...], plan: Layout) -> None:
        if len(self._made) >= KEPT:
            self._made.clear()
        self.plan = self._made[key] = plan

    def _start(self, graph: Graph, key: tuple[object, ...], size: Size, view: GraphView) -> None:
        zoom, options, like = self.zoom, self.options, self._like
        shows_part = self.plan is not None and len(self.plan.graph.nodes) < len(graph.nodes) and like is None
        job = self._job = object()
        self.progress = 0.0

        def tell(share: float) -> None:
            # Told to the thread of the app only in steps that a person sees.
            if self._job is not job:
                raise _GivenUpError
            if share >= (self.progress or 0.0) + _STEP:
                view.app.call_from_thread(self._progressed, job, share, view)

        def in_background() -> None:
            try:
                if shows_part and len(graph.nodes) > 2 * SECOND:
                    part = layout(beginning(graph, SECOND), replace(options, zoom=zoom or "row"))
                    view.app.call_from_thread(self._arrived, job, None, part, view)
                plan = _make(graph, zoom, size, options, like, tell)
            except _GivenUpError:
                return
            view.app.call_from_thread(self._arrived, job, key, plan, view)

        view.run_worker(in_background, thread=True, group="layout")

    def _progressed(self, job: object, share: float, view: GraphView) -> None:
        if job is self._job:
            self.progress = share
            view.layout_progressed()

    def _arrived(self, job: object, key: tuple[object, ...] | None, plan: Layout, view: GraphView) -> None:
        """Take a layout in: with a key the whole one, without only a larger part."""
        if job is not self._job:
            return
        if key is None:
            self.plan = plan
        else:
            self._job, self.progress = None, None
            self._keep(key, plan)
        view.laid_out()


def _make(
    graph: Graph,
    zoom: Zoom | None,
    size: Size,
    options: Options,
    like: Layout | None,
    tell: Callable[[float], None] | None = None,
) -> Layout:
    """The layout for a size. What is larger than any screen is not squeezed into it: each try takes time."""
    if len(graph.nodes) >= LARGE:
        short = replace(options, zoom=zoom or "row", max_label=min(options.max_label, SHORT))
        return layout(graph, short, like, tell)
    if zoom is None:
        return fit(graph, size.width, size.height, options, like, tell)
    width = size.width if zoom != "dots" else None
    return layout(graph, replace(options, zoom=zoom, width=width), like, tell)


def _form(options: Options) -> tuple[object, ...]:
    """The options that a person changes by keys, as a key of the layouts already made."""
    return (
        options.collapsed,
        options.folded,
        options.unfolded,
        options.open_rings,
        options.never_of,
        options.glyphs,
    )
