"""Where a task's writes lead, and why: read from what the task wrote, so that no router is called twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hookstepper.adapters.langgraph.agent_routes import agent_route
from hookstepper.adapters.langgraph.channels import TASKS, TO
from hookstepper.adapters.langgraph.middleware import is_agent
from hookstepper.adapters.langgraph.names import THEIR_END, node_id
from hookstepper.adapters.langgraph.scopes import Scope
from hookstepper.model.record import Route


@dataclass(frozen=True, slots=True)
class Taken:
    """The ways that one task opened."""

    pulled: tuple[str, ...]
    """Nodes made due, by LangGraph's name."""
    sent: tuple[str, ...]
    """Targets of its Sends, one each."""
    waiting: tuple[str, ...]
    """Targets of joins that wait for other nodes still."""


def taken(writes: Sequence[tuple[str, Any]], scope: Scope | None, joined: Mapping[str, Any]) -> Taken:
    """What the writes make due.

    Args:
        writes: channel and value of each write of the task.
        scope: the graph that the task ran in, None if it is not known.
        joined: channel values after the superstep, where joins tell whom they have seen.
    """
    pulled = [channel.removeprefix(TO) for channel, _ in writes if channel.startswith(TO)]
    sent = [str(value.node) for channel, value in writes if channel == TASKS and hasattr(value, "node")]
    waiting: list[str] = []
    joins = scope.joins if scope is not None else {}
    for channel, _ in writes:
        if channel not in joins:
            continue
        starts, end = joins[channel]
        seen = joined.get(channel)
        # A join that is complete has been emptied when its target became due in an older version.
        (pulled if seen is None or set(starts) <= _names(seen) else waiting).append(end)
    return Taken(tuple(dict.fromkeys(pulled)), tuple(sent), tuple(waiting))


def explain(
    scope: Scope | None, scope_path: str, name: str, ways: Taken, output: object, state: Mapping[str, object]
) -> Route:
    """The route that a node took, with the rule that led there in one sentence.

    Args:
        scope: the graph that the node is in, None if only its path is known.
        scope_path: path of that graph.
        name: LangGraph's name of the node.
        ways: what its writes made due.
        output: what the node returned.
        state: state after the superstep; `jump_to` is in it for exactly this long.
    """
    targets = tuple(dict.fromkeys((*ways.pulled, *ways.sent)))
    to = tuple(node_id(target, scope_path) for target in targets)
    if not to and not ways.waiting:
        to = (node_id(THEIR_END, scope_path),)
    if not to:
        return Route((), "fixed", f"{ways.waiting[0]} waits for the other nodes of its join")
    shown = ", ".join(targets) or "the end"
    goto = goto_of(output)
    if goto and set(goto) & {*targets, THEIR_END}:
        extra = [target for target in targets if target not in goto]
        and_edge = (
            f"; an edge leads to {', '.join(extra)} as well, since goto does not cancel it" if extra else ""
        )
        return Route(to, "goto", f"the node returned Command(goto={', '.join(goto)}){and_edge}")
    if scope is not None and is_agent(scope):
        return agent_route(scope, name, ways.sent, to, state)
    if ways.sent:
        return Route(
            to, "send", f"{len(ways.sent)} Send to {', '.join(dict.fromkeys(ways.sent))}, one task each"
        )
    if scope is None:
        return Route(to, "observed", f"the run went on to {shown}")
    routers = ", ".join(scope.branches.get(name, {}))
    if set(targets) <= {*scope.fixed.get(name, ()), *ways.waiting, *_join_ends(scope, name)} and not routers:
        return Route(to, "fixed", f"an edge without a choice leads to {shown}")
    return Route(to, "conditional", f"router {routers or name} chose {shown}")


def _join_ends(scope: Scope, name: str) -> set[str]:
    return {end for starts, end in scope.joins.values() if name in starts}


def goto_of(output: object) -> list[str]:
    """Names that the Commands of a node's output go to, Sends included."""
    found: list[str] = []
    for one in output if isinstance(output, (list, tuple)) else (output,):
        if type(one).__name__ != "Command":
            continue
        goto = getattr(one, "goto", ())
        for target in goto if isinstance(goto, (list, tuple)) else (goto,):
            name = target if isinstance(target, str) else getattr(target, "node", None)
            if name:
                found.append(str(name))
    return list(dict.fromkeys(found))


def _names(seen: object) -> set[object]:
    """The names in a join's value: a set, or a pair of a set and a flag for deferred targets."""
    if isinstance(seen, (tuple, list)) and seen and isinstance(seen[0], (set, frozenset)):
        seen = seen[0]
    return set(seen) if isinstance(seen, (set, frozenset)) else set()
