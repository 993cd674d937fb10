"""The order in which Mermaid and PlantUML files list a graph: blocks of nodes, plain edges and choices.

Source of the order: the diagram generator of Spring AI Alibaba as observed; see `docs/formats.md`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from hookstepper.model.graph import Edge, Graph, Node
from hookstepper.model.ids import END, START, NodeId

START_CONDITION = "startcondition"


@dataclass(frozen=True, slots=True)
class Choice:
    """A place where one of several ways is taken."""

    name: str
    """`condition1` and so on, counted in each block; `startcondition` at its start."""
    source: NodeId
    edges: tuple[Edge, ...]


Move: TypeAlias = Edge | Choice


@dataclass(frozen=True, slots=True)
class Block:
    """The graph itself, or one subgraph inside it."""

    node: Node | None
    """The subgraph node; None for the graph itself."""
    members: tuple[Node | Block, ...]
    """In registration order, without START and END."""
    start: NodeId | None
    end: NodeId | None
    moves: tuple[Move, ...]
    """Ways between members of this block, those from its start first."""

    @property
    def id(self) -> NodeId | None:
        """Id of the subgraph node, None for the graph itself."""
        return self.node.id if self.node else None

    @property
    def choices(self) -> tuple[Choice, ...]:
        """Choices that are not made at the start, in the order of their numbers."""
        return tuple(m for m in self.moves if isinstance(m, Choice) and m.name != START_CONDITION)


def blocks(graph: Graph, *, show_never: bool = True) -> Block:
    """The whole graph as nested blocks; every node is in one block, every edge in one move.

    An edge between two blocks belongs to the innermost block that holds both ends. Nodes that only an
    edge names are added at the end, so that nothing is lost; START and END are there in any case.
    """
    return _Arranged(graph, show_never).block(None)


def outline(block: Block, depth: int = 0) -> Iterator[tuple[int, Node | Block]]:
    """All members with their depth, from outside in, in the order of the file."""
    for member in block.members:
        yield depth, member
        if isinstance(member, Block):
            yield from outline(member, depth + 1)


def local_id(node: Node) -> str:
    """The id without the path of the subgraph that holds it: `inner` for `outer:inner`."""
    return node.id.removeprefix(f"{node.parent}:") if node.parent else node.id


class _Arranged:
    """Lookups over one graph while its blocks are made."""

    def __init__(self, graph: Graph, show_never: bool) -> None:
        self._edges = tuple(e for e in graph.edges if show_never or e.evidence != "never")
        self._nodes = _with_missing(graph.nodes, self._edges)
        self._parents = _parents(self._nodes)
        self._holders = {parent for parent in self._parents.values() if parent is not None}
        # The built-in engine routes a node by edges or by a router, never by both.
        self._one_router = bool(graph.rules)

    def block(self, node: Node | None) -> Block:
        inside = [n for n in self._nodes.values() if self._parents[n.id] == (node.id if node else None)]
        start = next((n.id for n in inside if n.kind == "start"), None)
        end = next((n.id for n in inside if n.kind == "end"), None)
        members = tuple(
            self.block(n) if n.id in self._holders else n for n in inside if n.id not in (start, end)
        )
        return Block(node, members, start, end, self._moves(node.id if node else None, start))

    def _moves(self, home: NodeId | None, start: NodeId | None) -> tuple[Move, ...]:
        leaving: dict[NodeId, list[Edge]] = {}
        for edge in self._edges:
            if self._home(edge) == home:
                leaving.setdefault(edge.source, []).append(edge)
        count = 0
        first: list[Move] = []
        rest: list[Move] = []
        for source, edges in leaving.items():
            chosen = [edge for edge in edges if edge.kind != "fixed"]
            if chosen and self._one_router:
                chosen = edges
            moves: list[Move] = [edge for edge in edges if edge not in chosen]
            if chosen:
                count += source != start
                name = START_CONDITION if source == start else f"condition{count}"
                moves.append(Choice(name, source, tuple(dict.fromkeys(chosen))))
            (first if source == start else rest).extend(moves)
        return (*first, *rest)

    def _home(self, edge: Edge) -> NodeId | None:
        around = self._around(edge.source)
        return next((b for b in self._around(edge.target) if b in around), None)

    def _around(self, node_id: NodeId) -> list[NodeId | None]:
        """The blocks that hold a node, innermost first; None is the graph itself."""
        out: list[NodeId | None] = []
        parent = self._parents[node_id]
        while parent is not None:
            out.append(parent)
            parent = self._parents[parent]
        return [*out, None]


def _with_missing(nodes: tuple[Node, ...], edges: tuple[Edge, ...]) -> dict[NodeId, Node]:
    found = {node.id: node for node in nodes}
    found.setdefault(START, Node(START, "start", kind="start"))
    found.setdefault(END, Node(END, "end", kind="end"))
    for edge in edges:
        for end in (edge.source, edge.target):
            found.setdefault(end, Node(end, end))
    return found


def _parents(nodes: dict[NodeId, Node]) -> dict[NodeId, NodeId | None]:
    """Who holds whom; a parent that is not there, or that a node would hold itself, counts as none."""
    parents: dict[NodeId, NodeId | None] = {}
    for node in nodes.values():
        seen: set[NodeId] = set()
        above = node.parent
        while above is not None and above in nodes and above not in seen:
            seen.add(above)
            above = nodes[above].parent
        parents[node.id] = node.parent if node.parent in nodes and node.id not in seen else None
    return parents


def without_labels(block: Block) -> Block:
    """The same block with every way told once and no label: how the built-in agent's router names its ways.

    Upstream maps a route to a node by the node's own id, and prints no label that says just that.
    """
    moves = tuple(
        replace(m, edges=tuple({e.target: replace(e, label="") for e in m.edges}.values()))
        if isinstance(m, Choice)
        else replace(m, label="")
        for m in block.moves
    )
    members = tuple(without_labels(m) if isinstance(m, Block) else m for m in block.members)
    return replace(block, members=members, moves=moves)
