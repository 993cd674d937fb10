"""Asks a node's edge where to go, and writes down why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hookstepper.engine.actions import Command, Decision
from hookstepper.engine.compile import Parallel, Plan
from hookstepper.engine.effects import Call, Effects
from hookstepper.engine.errors import RouteError
from hookstepper.engine.graph import Condition, EdgeTarget
from hookstepper.engine.state import State
from hookstepper.model.ids import END, NodeId
from hookstepper.model.record import Route


@dataclass(frozen=True, slots=True)
class Way:
    """Where a run goes on, and what comes with it."""

    next: NodeId
    """As it is saved: a node, END, or the id of a parallel node."""
    route: Route
    """As it is told, without the path of the graph."""
    skipped: tuple[NodeId, ...] = ()
    update: Mapping[str, Any] | None = None
    """What the router wants merged; for several targets it is merged when they run."""
    targets: tuple[NodeId, ...] = ()
    """The branches that were chosen, where the edge takes several."""


def ask_edge(plan: Plan, source: NodeId, state: State, config: Any, goto: Any = None) -> Effects[Way]:
    """The way on from `source`; calls its router if it has one, and merges nothing.

    Args:
        goto: what the node itself said; it wins over the edge.

    Raises:
        RouteError: the node has no edge, or the route key is not in its mapping.
    """
    edge = plan.edges.get(source)
    if goto is not None:
        return _said_by_node(plan, source, edge, goto)
    if edge is None:
        raise RouteError(
            f"node {source!r} has no edge, so the run cannot go on",
            hint="add an edge from it, to END if it is the last",
            upstream=f"edge with sourceId: '{source}' doesn't exist!",
        )
    if isinstance(edge, Condition):
        return (yield from _ask(source, edge, state, config))
    parallel = plan.parallels.get(edge)
    if parallel is None or parallel.source != source:
        return Way(edge, Route((edge,), "fixed", f"{source} has one edge, to {edge}"))
    return (yield from ask_branches(parallel, state, config))


def ask_branches(parallel: Parallel, state: State, config: Any) -> Effects[Way]:
    """The way into a fan-out: all branches, or those that its router chooses."""
    if parallel.condition is None:
        why = f"{parallel.source} fans out to {len(parallel.branches)} branches"
        return Way(parallel.id, Route(parallel.branches, "fixed", why), targets=parallel.branches)
    condition = parallel.condition
    decision = yield from _decision(parallel.source, condition, state, config)
    keys = [decision.key] if isinstance(decision.key, str) else list(decision.key)
    if not keys:
        raise RouteError(
            f"the router of {parallel.source!r} chose no branch",
            hint=f"it gives one or more of: {', '.join(condition.mapping)}",
            upstream="gotoNodes cannot be empty",
        )
    targets: list[NodeId] = []
    for key in keys:
        # A key that is not in the mapping is taken as a node id, as upstream does.
        target = condition.mapping.get(key) or NodeId(key)
        if target not in parallel.branches:
            raise _no_such_route(parallel.source, key, condition)
        if target not in targets:
            targets.append(target)
    return Way(
        parallel.id,
        _route(tuple(targets), decision, parallel.source),
        decision.skipped,
        decision.update,
        tuple(targets),
    )


def _ask(source: NodeId, condition: Condition, state: State, config: Any) -> Effects[Way]:
    decision = yield from _decision(source, condition, state, config)
    key = decision.key if isinstance(decision.key, str) else _only(source, decision.key)
    target = condition.mapping.get(key)
    if target is None:
        raise _no_such_route(source, key, condition)
    if target == END and condition.onward is not None:
        return (yield from _ask(source, condition.onward, state, config))
    return Way(target, _route((target,), decision, source), decision.skipped, decision.update)


def _decision(source: NodeId, condition: Condition, state: State, config: Any) -> Effects[Decision]:
    args = (state, config) if condition.wants_config else (state,)
    answer = yield Call(condition.router, args)
    decision = answer if isinstance(answer, Decision) else Decision(answer)
    if isinstance(answer, Command):
        decision = Decision(answer.goto, "command", update=answer.update)
    key = decision.key
    several = isinstance(key, (list, tuple)) and all(isinstance(one, str) for one in key)
    if isinstance(key, str) or (several and (condition.many or isinstance(answer, (Command, Decision)))):
        return decision
    raise RouteError(
        f"the router of {source!r} returned {type(key).__name__}, not a route key",
        hint=f"it gives one of: {', '.join(condition.mapping)}",
        upstream=f"cannot find edge mapping for id: '{key}'",
    )


def _only(source: NodeId, keys: Sequence[str]) -> str:
    if len(keys) == 1:
        return keys[0]
    raise RouteError(
        f"the router of {source!r} chose {len(keys)} ways, and its edge takes one",
        hint="use add_parallel_conditional_edges",
    )


def _route(targets: tuple[NodeId, ...], decision: Decision, source: NodeId) -> Route:
    keys = decision.key if isinstance(decision.key, str) else ", ".join(decision.key)
    why = decision.why or f"the router of {source} answered {keys}"
    return Route(targets, decision.rule, why, decision.rules, decision.otherwise)


def _said_by_node(plan: Plan, source: NodeId, edge: EdgeTarget | None, goto: Any) -> Way:
    key = goto if isinstance(goto, str) else _only(source, goto)
    condition = edge if isinstance(edge, Condition) else None
    target = condition.mapping.get(key) if condition is not None else None
    target = target or NodeId(key)
    if target != END and target not in plan.nodes:
        if condition is not None:
            raise _no_such_route(source, key, condition)
        raise RouteError(
            f"node {source!r} says to go to {key!r}, which is no node",
            hint=f"nodes: {', '.join(plan.nodes)}",
            upstream=f"node with id: '{key}' doesn't exist!",
        )
    return Way(target, Route((target,), "command", f"{source} itself said to go to {key}"))


def _no_such_route(source: NodeId, key: str, condition: Condition) -> RouteError:
    return RouteError(
        f"the router of {source!r} answered {key!r}, which its edge does not know",
        hint=f"routes of that edge: {', '.join(condition.mapping)}",
        upstream=f"cannot find edge mapping for id: '{source}' in conditional edge with sourceId: '{key}' ",
    )
