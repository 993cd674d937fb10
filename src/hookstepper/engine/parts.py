"""The engine's own work around a node, one piece at a time, for who wants to watch it.

Nobody asks in most runs: then each place costs one question to the probe, and no value is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hookstepper.engine.effects import PART_ACTS, Call, Effects, Pass, Wants
from hookstepper.engine.strategies import MARK_FOR_REMOVAL, prepared, strategy_name
from hookstepper.model.ids import NodeId

if TYPE_CHECKING:
    from hookstepper.engine.bodies import Body
    from hookstepper.engine.loop import Run
    from hookstepper.engine.state import State

INTERRUPT, INPUT, BODY, MERGE, CHECKPOINT = "interrupt check", "input", "body", "merge", "checkpoint"


def wanted(run: Run, node: NodeId, part: str) -> Wants:
    """The question whether anybody wants to be held before a part of a node."""
    return Wants(run.scope.part(node, part))


def held(run: Run, node: NodeId, part: str, value: Any) -> Pass:
    """The place before a part of a node, with what the part works on."""
    return Pass(run.scope.part(node, part), "enter", value, None, PART_ACTS)


def before_body(body: Body, state: State) -> Effects[None]:
    """The input that the node sees, then the call of what it runs."""
    run, node = body.run_of, body.spec.id
    yield held(run, node, INPUT, dict(state.data))
    yield held(run, node, BODY, {"attempt": body.attempts})


def merge(run: Run, node: NodeId, update: Mapping[str, Any], *, raw: bool) -> Effects[None]:
    """Merge an update, held at each of its keys: what the state has, what the node gave, what that makes.

    A strategy is called once, as without anybody watching; nothing is in the state before the last key.
    """
    data, strategies = run.state.data, {} if raw else run.plan.keys
    ready: dict[str, Any] = yield Call(prepared, (data, update, strategies))
    for key, given in update.items():
        strategy = strategies.get(key)
        value: dict[str, Any] = {"strategy": "replace" if strategy is None else strategy_name(strategy)}
        if key in data:
            value["old"] = data[key]
        if given is not MARK_FOR_REMOVAL:
            value |= {"update": given, "new": ready[key]}
        yield held(run, node, f"{MERGE} {key}", value)
    yield Call(run.state.put, (ready,))
