"""Anchors of the graph that holds a node: those of the root are told, those of a nested agent read off.

A nested agent is wired as a root one is, so its chains of hooks show where its loop begins and ends. Only
edges that no jump made are followed.
"""

from __future__ import annotations

from collections.abc import Iterator

from hookstepper.model.graph import Anchors, Graph, Node, NodeKind
from hookstepper.model.ids import END, START, NodeId, scope_of


def anchors_at(graph: Graph, node_id: NodeId) -> Anchors:
    """The anchors of the graph in which the node stands; those that it has not are None."""
    scope = scope_of(node_id)
    return _nested(graph, scope) if scope else graph.anchors


def mates(graph: Graph, scope: str) -> Iterator[Node]:
    """The nodes that stand directly in a graph, in registration order.

    Args:
        scope: path of the subgraph node that holds them; empty for the root graph.
    """
    return (node for node in graph.nodes if scope_of(node.id) == scope)


def end_of(graph: Graph, scope: str) -> NodeId:
    """Where the graph ends, by its own name."""
    return next((node.id for node in mates(graph, scope) if node.kind == "end"), END)


def _nested(graph: Graph, scope: str) -> Anchors:
    nodes = tuple(mates(graph, scope))
    model = next((node.id for node in nodes if node.kind == "model"), None)
    if model is None:
        return Anchors()
    start = next((node.id for node in nodes if node.kind == "start"), START)
    after_agent = {node.id for node in nodes if node.kind == "after_agent"}
    inner = {edge.target for edge in graph.edges if edge.source in after_agent and edge.kind != "jump"}
    way_out = next((node.id for node in nodes if node.id in after_agent - inner), None)
    return Anchors(
        entry=next((edge.target for edge in graph.leaving(start)), None),
        loop_entry=_end_of_chain(graph, model, "before_model", forward=False),
        loop_exit=_end_of_chain(graph, model, "after_model", forward=True),
        exit=way_out or end_of(graph, scope),
    )


def _end_of_chain(graph: Graph, model: NodeId, kind: NodeKind, *, forward: bool) -> NodeId:
    """The hook of a kind that is farthest from the model; the model itself without any."""
    hooks = {node.id for node in graph.nodes if node.kind == kind}
    here, seen = model, {model}
    while True:
        ways = (edge for edge in graph.edges if edge.kind != "jump")
        steps = ((edge.source, edge.target) if forward else (edge.target, edge.source) for edge in ways)
        following = next((end for begin, end in steps if begin == here and end in hooks - seen), None)
        if following is None:
            return here
        seen.add(following)
        here = following
