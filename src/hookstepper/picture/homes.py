"""Where each node of a graph is drawn: by itself, in a folded chain, in a closed subgraph."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from hookstepper.model.graph import Edge, Graph, Node
from hookstepper.model.ids import NodeId
from hookstepper.picture.options import Options


class Homes:
    """Where each node of the graph is drawn, and where edges of open subgraphs are tied."""

    def __init__(self, graph: Graph, options: Options) -> None:
        self.nodes = _without_knots({node.id: node for node in graph.nodes})
        self.children: dict[NodeId, list[Node]] = defaultdict(list)
        for node in self.nodes.values():
            if node.parent in self.nodes and node.parent not in (None, node.id):
                self.children[node.parent].append(node)
        self.closed = options.collapsed
        self.heads: dict[NodeId, NodeId] = {}
        """Member of a folded chain → its first member."""
        self.nexts: dict[NodeId, NodeId] = {}
        """Member of a folded chain → the next one."""

    def ancestors(self, node_id: NodeId) -> list[NodeId]:
        """Subgraphs around a node, innermost first."""
        out: list[NodeId] = []
        node = self.nodes.get(node_id)
        while node is not None and node.parent in self.nodes and node.parent not in (node_id, *out):
            out.append(node.parent)
            node = self.nodes[out[-1]]
        return out

    def is_open(self, node_id: NodeId) -> bool:
        return node_id in self.children and node_id not in self.closed

    def home(self, node_id: NodeId) -> NodeId:
        """The outermost closed subgraph around it, else the head of its chain, else itself."""
        for outer in reversed(self.ancestors(node_id)):
            if outer in self.closed:
                return outer
        return self.heads.get(node_id, node_id)

    def tie(self, node_id: NodeId, graph: Graph, entering: bool) -> NodeId:
        """The box that an edge from or to a node is tied to: inside an open subgraph, its entry or exit."""
        seen: set[NodeId] = set()
        home = self.home(node_id)
        while self.is_open(home) and home not in seen:
            seen.add(home)
            inner = self.children[home]
            wanted = "start" if entering else "end"
            pick = next((child for child in inner if child.kind == wanted), None)
            if pick is None:
                ids = {child.id for child in inner}
                tied = {(e.target if entering else e.source) for e in graph.edges if is_inside(e, ids)}
                free = [child for child in inner if child.id not in tied]
                pick = (free or inner)[0 if entering else -1]
            home = self.home(pick.id)
        return home


def is_inside(edge: Edge, ids: set[NodeId]) -> bool:
    """True if both ends of an edge are among some nodes."""
    return edge.source in ids and edge.target in ids


def _without_knots(nodes: dict[NodeId, Node]) -> dict[NodeId, Node]:
    """The nodes, those that would be inside themselves taken out to the top."""
    free: dict[NodeId, Node] = {}
    for node in nodes.values():
        seen: set[NodeId] = set()
        outer = node.parent
        while outer in nodes and outer not in seen:
            seen.add(outer)
            outer = nodes[outer].parent
        free[node.id] = replace(node, parent=None) if node.id in seen else node
    return free
