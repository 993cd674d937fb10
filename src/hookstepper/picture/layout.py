"""The public result of the layout: where everything is, in cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from hookstepper.model.graph import Edge, Graph, NodeKind
from hookstepper.model.ids import NodeId
from hookstepper.picture.canvas import Canvas, Row
from hookstepper.picture.options import Options
from hookstepper.picture.view import Box

Direction = Literal["up", "down", "left", "right"]
Cell = tuple[int, int]
"""Column and row, from 0 at the top left."""


@dataclass(frozen=True, slots=True)
class Place:
    """Rectangle of one drawn node, a folded chain or a closed subgraph included."""

    id: NodeId
    """Of a folded chain: the id of its first node."""
    kind: NodeKind
    x: int
    y: int
    width: int
    height: int
    rank: int
    members: tuple[NodeId, ...]
    """Every node of the graph that is drawn here; only `id` if nothing is folded; none for a `?`."""
    text_x: int = 0
    """Column of the first cell of the label."""
    text_y: int = 0
    """Row of the label, of the mark and of the brackets."""
    mark_x: int = 0
    """Column kept free for the mark."""

    @property
    def center(self) -> Cell:
        """Middle cell."""
        return self.x + self.width // 2, self.y + self.height // 2


@dataclass(frozen=True, slots=True)
class Frame:
    """Rectangle of one open subgraph, border included."""

    id: NodeId
    title: str
    x: int
    y: int
    width: int
    height: int
    depth: int


@dataclass(frozen=True, slots=True)
class Wire:
    """One drawn line; it stands for all edges of the graph that join the same two drawn nodes."""

    source: NodeId
    target: NodeId
    label: str
    edges: tuple[Edge, ...]
    cells: tuple[Cell, ...]
    """Path from the cell beside the source to the arrow, each beside the one before; on a node that joins
    itself, the cell of its loop sign."""
    loops: bool
    """True if it leads back to what ran before."""
    label_at: Cell | None = None
    """First cell of the label; None if there is none or it is in the legend alone."""
    badge: str = ""
    """Sign that stands on the line when its label is in the legend."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A graph laid out. Immutable; `raster` turns it and some marks into a canvas."""

    graph: Graph
    options: Options
    width: int
    height: int
    places: dict[NodeId, Place]
    """Drawn nodes, in flow order: rank by rank from START, left to right."""
    frames: tuple[Frame, ...]
    wires: tuple[Wire, ...]
    homes: dict[NodeId, NodeId] = field(repr=False)
    """Every node of the graph that is drawn, folded away or inside a closed subgraph → key in `places`."""
    legend: tuple[tuple[str, str], ...] = ()
    """Badge and full label of the edge labels that found no room."""
    base: Canvas = field(default=Canvas(0, 0, ()), repr=False)
    """The canvas without any mark."""
    wire_of: dict[tuple[NodeId, NodeId], int] = field(default_factory=dict, repr=False)
    """(source, target) of an edge, or of the places it joins → index in `wires`."""
    arms: Mapping[Cell, tuple[int, Sequence[int]]] = field(default_factory=dict, repr=False)
    """Cell of a line → directions of the glyph on top (1 north, 2 east, 4 south, 8 west) and its wires."""
    boxes: tuple[Box, ...] = field(default=(), repr=False)
    """What the places show."""
    max_label: int = 40
    """Cells at which node labels were cut."""

    def place(self, node: NodeId) -> Place | None:
        """Where a node is drawn: its own place, its folded chain or its closed subgraph; None if nowhere."""
        home = self.homes.get(node)
        return None if home is None else self.places[home]

    def wire(self, edge: Edge) -> Wire | None:
        """The line that stands for an edge; None if the edge is not drawn."""
        index = self.wire_of.get((edge.source, edge.target))
        return None if index is None else self.wires[index]

    def cells(self, edge: Edge) -> tuple[Cell, ...]:
        """Ordered path of an edge from the source's border to the arrow; empty if it is not drawn."""
        wire = self.wire(edge)
        return () if wire is None else wire.cells

    @property
    def flow(self) -> tuple[NodeId, ...]:
        """Drawn nodes in the order in which a reader follows them."""
        return tuple(name for name, place in self.places.items() if place.members)

    def after(self, node: NodeId, step: int = 1) -> NodeId | None:
        """The drawn node `step` places further in flow order (negative: before), clipped to the ends."""
        order = self.flow
        home = self.homes.get(node)
        if not order or home is None:
            return order[0] if order else None
        return order[min(max(order.index(home) + step, 0), len(order) - 1)]

    def neighbour(self, node: NodeId, direction: Direction) -> NodeId | None:
        """The nearest drawn node in a direction; straight ahead and joined by an edge counts as nearer."""
        here = self.place(node)
        if here is None:
            return None
        x0, y0 = here.center
        linked = {w.target for w in self.wires if w.source == here.id}
        linked |= {w.source for w in self.wires if w.target == here.id}
        best: tuple[float, int, NodeId] | None = None
        for index, place in enumerate(self.places.values()):
            x, y = place.center
            dx, dy = x - x0, (y - y0) * 2  # a cell is twice as high as wide
            ahead, aside = {"down": (dy, dx), "up": (-dy, dx), "right": (dx, dy), "left": (-dx, dy)}[
                direction
            ]
            if ahead <= 0 or place.id == here.id or not place.members:
                continue
            cost = ahead + 2.5 * abs(aside) - (25 if place.id in linked else 0)
            if best is None or (cost, index) < best[:2]:
                best = cost, index, place.id
        return None if best is None else best[2]


__all__ = ["Cell", "Direction", "Frame", "Layout", "Place", "Row", "Wire"]
