"""What a run leaves behind: checkpoints, facts, outputs and its result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hookstepper.engine.bodies import Body
from hookstepper.engine.checkpoints import Checkpoint
from hookstepper.engine.clone import clone_state
from hookstepper.engine.config import RETAINED
from hookstepper.engine.effects import Call, Effects, Emit
from hookstepper.engine.outputs import NodeOutput, RunResult
from hookstepper.engine.scope import Scope
from hookstepper.model.events import RunStatus
from hookstepper.model.ids import END, CheckpointId, NodeId
from hookstepper.model.record import Route
from hookstepper.ports.facts import Committed

if TYPE_CHECKING:
    from hookstepper.engine.loop import Run


def save(run: Run, node: NodeId, next_node: NodeId) -> Effects[None]:
    """Write a checkpoint, if the graph keeps any."""
    saver = run.setup.saver
    if saver is None:
        return
    checkpoint_id = CheckpointId(run.setup.new_id())
    steps = run.scope.steps[0]
    checkpoint = Checkpoint(checkpoint_id, node, next_node, run.state.data, run.checkpoint, steps)
    yield Call(saver.put, (run.thread, checkpoint, run.config.metadata.get(RETAINED)))
    run.checkpoint = run.config.checkpoint_id = checkpoint_id
    run.config.next_node = next_node


def committed(
    run: Run,
    body: Body,
    update: Mapping[str, Any],
    state: Mapping[str, Any],
    route: Route | None,
    skipped: tuple[NodeId, ...] = (),
) -> Committed:
    """The fact that a node's writes are in the state; `route` and `skipped` without the graph's path."""
    return Committed(
        site=body.site,
        kind=body.spec.kind,
        task=body.task,
        superstep=body.superstep,
        state=state,
        update=update,
        route=None if route is None else placed(route, run.scope),
        checkpoint=run.checkpoint,
        duration_us=body.duration_us,
        writes=tuple(update),
        reads=body.reads(),
        usage=body.usage,
        skipped=tuple(run.scope.place(node) for node in skipped),
        scope=run.scope.owner,
    )


def placed(route: Route, scope: Scope) -> Route:
    """A route with its nodes as paths."""
    if not scope.path:
        return route
    otherwise = None if route.otherwise is None else scope.place(route.otherwise)
    rules = tuple(seen if seen.to is None else replace(seen, to=scope.place(seen.to)) for seen in route.rules)
    to = tuple(scope.place(node) for node in route.to)
    return replace(route, to=to, otherwise=otherwise, rules=rules)


def emit(run: Run, node: NodeId, body: Body | None = None) -> Effects[None]:
    """Hand out an output, if somebody reads the stream."""
    if not run.scope.streaming:
        return
    run.output = NodeOutput(
        run.scope.place(node),
        clone_state(run.state.data),
        str(run.config.metadata.get("_AGENT_", "")),
        None if body is None else body.usage,
        bool(run.scope.path),
        run.checkpoint,
        None if node == END else run.next,
    )
    yield Emit(run.output)


def result(run: Run, status: RunStatus, **more: Any) -> RunResult:
    """How the run came to rest; releases its thread if it is to."""
    saver = run.setup.saver
    state = clone_state(run.state.data)
    released = None
    if status in ("completed", "limit") and run.setup.release_thread and saver is not None:
        released = saver.release(run.thread)
    due = run.current if status == "failed" and run.just_ran else run.next
    return RunResult(
        status,
        state,
        run.thread,
        run.checkpoint,
        () if status == "completed" else run.plan.due(due),
        output=run.output,
        released=released,
        **more,
    )
