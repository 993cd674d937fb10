"""A compiled graph as plain data, for the picture and for exports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from hookstepper.engine.actions import Action, Compiled, NodeSpec, source_of
from hookstepper.engine.compile import Plan
from hookstepper.engine.graph import Condition, EdgeTarget
from hookstepper.engine.strategies import strategy_name
from hookstepper.model.gates import Phase
from hookstepper.model.graph import Anchors, Edge, Evidence, Graph, Node, NodeKind, StateKey
from hookstepper.model.ids import END, START, NodeId

if TYPE_CHECKING:
    from hookstepper.engine.run import CompiledGraph


def describe(graph: CompiledGraph, anchors: Anchors = Anchors()) -> Graph:  # noqa: B008 - frozen
    """The graph with its subgraphs inside.

    Parallel nodes are left out: a fan-out is drawn as its branches. Nodes of a flattened subgraph carry
    its id as `parent`, and the subgraph is a node without edges. Nodes of a compiled subgraph are named by
    path; its START and END are there too, hidden.
    """
    plan = graph.plan
    return Graph(
        name=plan.name,
        nodes=(
            _terminal(START, "start"),
            *_boxes(plan, "", None),
            *_nodes(plan, "", None),
            _terminal(END, "end"),
        ),
        edges=tuple(_edges(plan, "")),
        anchors=anchors,
        keys=tuple(
            StateKey(key, strategy_name(strategy), private=key.startswith("_"))
            for key, strategy in plan.keys.items()
        ),
        engine="built-in engine",
        rules=graph.config.compat,
    )


def _terminal(node: NodeId, kind: NodeKind, path: str = "", parent: NodeId | None = None) -> Node:
    label = node.strip("_")
    return Node(NodeId(path + node), label, kind, parent=parent, hidden=parent is not None)


def _boxes(plan: Plan, path: str, parent: NodeId | None) -> Iterator[Node]:
    for spec in plan.boxes:
        yield _node(spec, path, parent)


def _nodes(plan: Plan, path: str, parent: NodeId | None) -> Iterator[Node]:
    for spec in plan.nodes.values():
        node = replace(_node(spec, path, parent), stops=tuple(_stops(plan, spec.id)))
        yield node
        if isinstance(spec.action, Compiled):
            inner: Plan = spec.action.plan  # type: ignore[attr-defined]
            below = f"{node.id}:"
            yield _terminal(START, "start", below, node.id)
            yield from _boxes(inner, below, node.id)
            yield from _nodes(inner, below, node.id)
            yield _terminal(END, "end", below, node.id)


def _stops(plan: Plan, node: NodeId) -> Iterator[Phase]:
    if node in plan.interrupt_before:
        yield "enter"
    if node in plan.interrupt_after:
        yield "exit"


def _node(spec: NodeSpec, path: str, parent: NodeId | None) -> Node:
    meta, action = spec.meta, spec.action
    can_ask = meta.can_ask
    source = meta.source
    if isinstance(action, Action):
        can_ask = can_ask or action.interrupt is not None or action.interrupt_after is not None
        source = source or source_of(action.fn)
    return Node(
        id=NodeId(path + spec.id),
        label=meta.label or _short(spec),
        kind=spec.kind,
        owner=meta.owner,
        index=meta.index,
        order=meta.order,
        jumps=meta.jumps,
        source=source,
        rings=meta.rings,
        tools=meta.tools,
        side_effects=meta.side_effects,
        parent=parent if spec.parent is None else NodeId(path + spec.parent),
        can_ask=can_ask,
        hidden=meta.hidden,
        note=meta.note,
    )


def _short(spec: NodeSpec) -> str:
    return spec.id if spec.parent is None else spec.id.removeprefix(f"{spec.parent}-")


def _edges(plan: Plan, path: str) -> Iterator[Edge]:
    for source, target in plan.edges.items():
        if source not in plan.parallels:
            for edge in dict.fromkeys(_leaving(plan, source, target)):
                yield replace(edge, source=NodeId(path + edge.source), target=NodeId(path + edge.target))
    for spec in plan.nodes.values():
        if isinstance(spec.action, Compiled):
            yield from _edges(spec.action.plan, f"{path}{spec.id}:")  # type: ignore[attr-defined]


def _leaving(plan: Plan, source: NodeId, target: EdgeTarget) -> Iterator[Edge]:
    if isinstance(target, Condition):
        yield from _choices(source, target)
        return
    parallel = plan.parallels.get(target)
    if parallel is None:
        yield Edge(source, target)
    elif parallel.condition is not None:
        yield from _choices(source, parallel.condition)
    else:
        yield from (Edge(source, branch) for branch in parallel.branches)


def _choices(source: NodeId, condition: Condition) -> Iterator[Edge]:
    for key, target in condition.mapping.items():
        if target == END and condition.onward is not None:
            yield from _choices(source, condition.onward)
            continue
        label = condition.labels.get(key, "" if key == target else key)
        evidence: Evidence = "never" if target in condition.never else "declared"
        yield Edge(source, target, condition.kinds.get(key, "conditional"), label, evidence)
