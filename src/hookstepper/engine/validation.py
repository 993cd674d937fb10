"""Checks a state graph before it is compiled: every mistake that can be seen without running it."""

from __future__ import annotations

from collections.abc import Iterator

from hookstepper.engine.errors import GraphSpecError
from hookstepper.engine.graph import Condition, EdgeTarget, StateGraph
from hookstepper.model.ids import END, START, NodeId


def check(graph: StateGraph) -> None:
    """Raise for the first mistake in nodes and edges; flattening and compiling find the rest.

    Raises:
        SpecError: a node id cannot be one, there is no way in, an edge leads from or to nowhere, or the
            branches of a fan-out are not sound.
    """
    for node in graph.nodes:
        _check_id(node)
    if START not in graph.edges:
        raise GraphSpecError(
            f"the graph {graph.name!r} has no way in" if graph.name else "the graph has no way in",
            hint="add an edge from START",
            upstream="missing Entry Point",
        )
    for source, targets in graph.edges.items():
        _check_edge(graph, source, targets)


def _check_id(node: NodeId) -> None:
    if ":" in node:
        raise GraphSpecError(
            f"{node!r} cannot be a node id: a colon stands between a subgraph and its nodes",
            hint="use another sign, such as a dot",
        )
    if node.strip() and not node.startswith("__"):
        return
    raise GraphSpecError(
        f"{node!r} cannot be a node id",
        hint="an id is not blank and does not begin with two underscores",
        upstream="END is not a valid node id!",
    )


def _check_edge(graph: StateGraph, source: NodeId, targets: list[EdgeTarget]) -> None:
    if source != START and source not in graph.nodes:
        raise _undefined(graph, source, f"an edge starts at {source!r}")
    fixed = [target for target in targets if not isinstance(target, Condition)]
    for target in targets:
        if isinstance(target, Condition):
            _check_mapping(graph, source, target)
        elif target != END and target not in graph.nodes:
            raise _undefined(graph, target, f"edge {source!r} -> {target!r}")
    if len(targets) > 1 and len(fixed) < len(targets):
        raise GraphSpecError(
            f"node {source!r} has a conditional edge and a fixed one",
            hint="put all ways on into one mapping",
            upstream="element cannot be mapped to a null key",
        )
    doubled = [target for index, target in enumerate(fixed) if target in fixed[:index]]
    if doubled:
        raise GraphSpecError(
            f"node {source!r} has two edges to {doubled[0]!r}",
            hint="each branch of a fan-out is another node",
            upstream=f"edge [{source}] has duplicate targets [{doubled[0]}]!",
        )


def _check_mapping(graph: StateGraph, source: NodeId, condition: Condition) -> None:
    for key, target in condition.mapping.items():
        if condition.many and (target == END or target not in graph.nodes):
            raise GraphSpecError(
                f"the parallel edge from {source!r}: route {key!r} leads to {target!r}, which is no node",
                hint="branches are nodes that meet at one node before END; " + _known(graph),
                upstream=f"Conditional multi-command mapping from node '{source}' "
                f"references unknown target nodes: [{target}]",
            )
        if target != END and target not in graph.nodes:
            raise GraphSpecError(
                f"the conditional edge from {source!r}: route {key!r} leads to {target!r}, which is no node",
                hint=_known(graph),
                upstream=f"edge mapping for sourceId: {source} contains a not existent nodeId {target}!",
            )


def _undefined(graph: StateGraph, node: NodeId, where: str) -> GraphSpecError:
    return GraphSpecError(
        f"{where}: there is no node {node!r}",
        hint=_known(graph),
        upstream=f"edge sourceId '{node}' refers to undefined node!",
    )


def _known(graph: StateGraph) -> str:
    return f"nodes: {', '.join(graph.nodes) or 'none'}"


def branch_successors(
    source: NodeId, branches: list[NodeId], edges: dict[NodeId, list[EdgeTarget]]
) -> Iterator[tuple[NodeId, NodeId]]:
    """Each branch with the one node that follows it.

    Raises:
        SpecError: a branch has no way on, fans out, or has a conditional edge.
    """
    for branch in branches:
        onward = edges.get(branch, [])
        if not onward:
            raise GraphSpecError(
                f"branch {branch!r} of {source!r} has no edge",
                hint="all branches of a fan-out lead to the node where they meet",
                upstream="NoSuchElementException",
            )
        if len(onward) > 1:
            raise GraphSpecError(
                f"branch {branch!r} of {source!r} fans out itself",
                hint="put a compiled subgraph into the branch",
                upstream=f"Edge '{branch}' is parallel",
            )
        if isinstance(onward[0], Condition):
            raise GraphSpecError(
                f"branch {branch!r} of {source!r} has a conditional edge",
                hint="a branch has one fixed edge, to the node where the branches meet",
                upstream=f"parallel node doesn't support conditional branch, but on [{source}] "
                f"a conditional branch on [{branch}] have been found!",
            )
        yield branch, onward[0]
