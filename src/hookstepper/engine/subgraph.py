"""A compiled graph as a node: it runs as a graph of its own, inside the task of that node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hookstepper.engine.checkpoints import Checkpoint, renumbered
from hookstepper.engine.clone import clone_state
from hookstepper.engine.config import HUMAN_FEEDBACK, RunConfig
from hookstepper.engine.effects import At, Effects
from hookstepper.engine.errors import LimitReachedError, SubgraphError
from hookstepper.engine.outputs import Interruption
from hookstepper.engine.state import State
from hookstepper.engine.strategies import MARK_FOR_REMOVAL, apply_update, merged
from hookstepper.model.ids import END, START, CheckpointId, NodeId

if TYPE_CHECKING:
    from hookstepper.engine.bodies import Body
    from hookstepper.engine.run import CompiledGraph


class Interrupted(BaseException):
    """Leaves the body of a subgraph's node when the subgraph stopped to ask; caught by the parent's loop."""

    def __init__(self, interruption: Interruption) -> None:
        super().__init__()
        self.interruption = interruption


def resume_key(node: NodeId) -> str:
    """Metadata key that says that the subgraph in `node` goes on instead of starting."""
    return f"resume_subgraph_{node}"


def run_child(body: Body, state: State) -> Effects[dict[str, Any]]:
    """Run the compiled graph of a node on the parent's state; the result is the node's update.

    Raises:
        SubgraphError: the child keeps checkpoints and the parent does not.
        Interrupted: the child stopped to ask.
        Exception: what made the child fail.
    """
    from hookstepper.engine.loop import Run

    parent, node = body.run_of, body.spec.id
    child: CompiledGraph = body.spec.action
    config = _config_of_child(body, child)
    inputs = given = state.data
    if parent.config.metadata.pop(resume_key(node), False):
        due = _point_to_resume(child, config)
        if due is not None:
            config.checkpoint_id = _brought_up_to_date(child, config, due, state.data, parent.fixed)
            inputs = {}
    if config.checkpoint_id is None:
        if not child.keeps_feedback:
            config.metadata.pop(HUMAN_FEEDBACK, None)
        inputs = child.inputs_in_parent(inputs)
    config = child.config_in_parent(config, node)
    run = Run(child, inputs, config, parent.scope.within(node, body.task))
    # Repaired, the parent's state is not added to what the child kept of its last round: it is the newer one.
    run.raw_inputs = parent.fixed and inputs is given
    result = yield from run.go()
    yield At(body.task, body.superstep, parent.scope, node)
    if result.status == "interrupted" and result.interruption is not None:
        raise Interrupted(result.interruption)
    if result.status == "failed" and result.error is not None:
        parent.failed_place = result.failed_at
        raise result.error
    if result.status == "limit" and parent.fixed:
        parent.failed_place = result.failed_at
        raise LimitReachedError(
            f"subgraph {node!r} used up its {child.config.recursion_limit} iterations",
            hint="compile it with a higher recursion limit, or look for a loop",
        )
    given_back = child.update_for_parent(result.state, state.data)
    if given_back is not None:
        return given_back
    body.raw = parent.fixed
    return _update(result.state, state.data if parent.fixed else {})


def _update(result: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    gone = {key: MARK_FOR_REMOVAL for key, value in before.items() if key not in result and value is not None}
    return {**result, **gone}


def _config_of_child(body: Body, child: CompiledGraph) -> RunConfig:
    parent = body.run_of
    ours, theirs = parent.setup.saver, child.config.saver
    if theirs is not None and ours is None:
        raise SubgraphError(
            f"subgraph {body.spec.id!r} keeps checkpoints, and the graph around it does not",
            hint="compile both with a saver, or the subgraph with saver=None",
            upstream="Missing CheckpointSaver in parent graph!",
        )
    thread = parent.config.thread_id
    if theirs is not None and theirs is ours:
        suffix = f"subgraph_{body.spec.id}"
        thread = suffix if thread is None else f"{thread}_{suffix}"
    return parent.config.copy(thread_id=thread, checkpoint_id=None)


def _point_to_resume(child: CompiledGraph, config: RunConfig) -> Checkpoint | None:
    """Where the child stopped; None if it has not begun, or had ended, so that it starts afresh."""
    saver = child.config.saver
    latest = None if saver is None else saver.get(config.thread)
    return None if latest is None or latest.next_node_id == END else latest


def _brought_up_to_date(
    child: CompiledGraph, config: RunConfig, latest: Checkpoint, parent: Mapping[str, Any], fixed: bool
) -> CheckpointId:
    """A new checkpoint of the child, with what the parent's state says now.

    Upstream merges all of the parent's state once more, so that lists are appended twice; repaired, only
    what has changed since the child began is taken over.
    """
    saver = child.config.saver
    assert saver is not None
    state = clone_state(latest.state)
    if fixed:
        begun = next((c.state for c in saver.history(config.thread) if c.node_id == START), {})
        changed = {key: value for key, value in parent.items() if begun.get(key) != value}
        apply_update(state, clone_state(changed), {})
    else:
        state = merged(state, clone_state(parent), child.plan.keys)
    fresh = renumbered(latest, CheckpointId(child.config.new_id()), state=state)
    saver.put(config.thread, fresh)
    return fresh.id
