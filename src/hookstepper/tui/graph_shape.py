"""The form in which a graph is shown: zoom, folds, layouts already made. A worker makes the large ones."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual.geometry import Size
from textual.worker import get_current_worker

from hookstepper.model.graph import Graph
from hookstepper.model.ids import NodeId
from hookstepper.picture import ZOOMS, Layout, Options, Zoom, fit, layout

if TYPE_CHECKING:
    from hookstepper.tui.graph_view import GraphView

LARGE = 80
"""Nodes from which on a layout is made in the background, after a part of the picture."""
PART = 40
"""Nodes of that part."""
KEPT = 24
"""Layouts kept, for going back and forth between forms and sizes."""


class Shape:
    """What decides the layout; the layout itself."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self._graph: Graph | None = None
        self.zoom: Zoom | None = None
        """The form asked for; None is the largest that fits."""
        self.plan: Layout | None = None
        self._made: dict[tuple[object, ...], Layout] = {}

    @property
    def graph(self) -> Graph | None:
        """The graph to be shown."""
        return self._graph

    @graph.setter
    def graph(self, graph: Graph) -> None:
        self._graph = graph
        self._made.clear()

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
        if found is not None and self._toggle_node(graph, found.id, bool(found.rings), found.parent):
            return
        now = self.plan.options.zoom if self.plan is not None else "row"
        self.zoom = "row" if now == "folded" else "folded"

    def _toggle_node(self, graph: Graph, node: NodeId, rings: bool, parent: NodeId | None) -> bool:
        options = self.options
        if any(other.parent == node for other in graph.nodes):
            self.options = replace(options, collapsed=options.collapsed ^ {node})
        elif rings:
            self.options = replace(options, open_rings=options.open_rings ^ {node})
        elif any(edge.evidence == "never" for edge in graph.leaving(node)):
            self.options = replace(options, never_of=options.never_of ^ {node})
        elif parent is not None and graph.node(parent) is not None:
            self.options = replace(options, collapsed=options.collapsed ^ {parent})
        else:
            return False
        return True

    def needs_new_form(self, size: Size) -> bool:
        """True if another size may ask for another form."""
        if self.plan is None or self.zoom is None:
            return True
        return self.plan.options.width not in (None, size.width)

    def lay_out(self, size: Size, view: GraphView) -> None:
        """Set `plan` for a size; of a large graph first a part, the rest when the worker is done."""
        graph = self._graph
        if graph is None:
            return
        key = (self.zoom, size.width, size.height, *_folds(self.options))
        made = self._made.get(key)
        if made is not None:
            self.plan = made
            return
        if len(self._made) >= KEPT:
            self._made.clear()
        work = partial(self._make, graph, self.zoom, size, self.options)
        if len(graph.nodes) < LARGE:
            self.plan = self._made[key] = work()
            return
        self.plan = layout(_beginning(graph, PART), replace(self.options, zoom=self.zoom or "row"))

        def in_background() -> None:
            plan = work()
            if not get_current_worker().is_cancelled:
                view.app.call_from_thread(arrived, plan)

        def arrived(plan: Layout) -> None:
            if self._graph is graph:
                self.plan = self._made[key] = plan
                view.laid_out()

        view.run_worker(in_background, thread=True, exclusive=True, group="layout")

    @staticmethod
    def _make(graph: Graph, zoom: Zoom | None, size: Size, options: Options) -> Layout:
        if zoom is None and len(graph.nodes) >= LARGE:
            zoom = "row"  # nothing of that size fits; the one-row form is the largest that can be read
        if zoom is None:
            return fit(graph, size.width, size.height, options)
        width = size.width if zoom != "dots" else None
        return layout(graph, replace(options, zoom=zoom, width=width))


def _folds(options: Options) -> tuple[object, ...]:
    """The options that a person changes by keys, as a key of the layouts already made."""
    return options.collapsed, options.folded, options.unfolded, options.open_rings, options.never_of


def _beginning(graph: Graph, count: int) -> Graph:
    """The first nodes of a graph in the order of its edges, with the edges between them."""
    near: dict[NodeId, list[NodeId]] = {node.id: [] for node in graph.nodes}
    for edge in graph.edges:
        if edge.source in near and edge.target in near:
            near[edge.source].append(edge.target)
    kept: dict[NodeId, None] = {}
    for node in graph.nodes:
        waiting = deque([node.id])
        while waiting and len(kept) < count:
            here = waiting.popleft()
            if here not in kept:
                kept[here] = None
                waiting.extend(near[here])
    parents = {node.parent for node in graph.nodes if node.id in kept and node.parent is not None}
    nodes = tuple(node for node in graph.nodes if node.id in kept or node.id in parents)
    names = {node.id for node in nodes}
    edges = tuple(edge for edge in graph.edges if edge.source in names and edge.target in names)
    return replace(graph, nodes=nodes, edges=edges)
