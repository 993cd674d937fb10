"""A graph against another one: the part that is drawn first, and whether one has grown from the other."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from hookstepper.model.graph import Graph
from hookstepper.model.ids import NodeId


def beginning(graph: Graph, count: int) -> Graph:
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


def grew(old: Graph, new: Graph) -> bool:
    """True if `new` is `old` with more: an edge that a run took, a node that it met."""
    if old.name != new.name:
        return False
    nodes = {node.id for node in new.nodes}
    ties = {(edge.source, edge.target) for edge in new.edges}
    return all(node.id in nodes for node in old.nodes) and all(
        (edge.source, edge.target) in ties for edge in old.edges
    )
