"""How a run begins: on a thread's saved state with new inputs, or at a checkpoint where it stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hookstepper.engine import subgraph
from hookstepper.engine.actions import Compiled
from hookstepper.engine.checkpoints import Checkpoint
from hookstepper.engine.clone import clone_state
from hookstepper.engine.state import State
from hookstepper.engine.strategies import merged
from hookstepper.model.errors import NotPossibleError

if TYPE_CHECKING:
    from hookstepper.engine.loop import Run

EXECUTION_ID = "_graph_execution_id_"


def saved(run: Run) -> Checkpoint | None:
    """The checkpoint that the run begins on; None for a new thread.

    Raises:
        NotPossibleError: the run is to be resumed, and there is nothing to resume.
    """
    saver = run.setup.saver
    wanted = run.config.checkpoint_id
    if run.resuming and saver is None:
        raise NotPossibleError(
            "the run cannot be resumed: the graph keeps no checkpoints",
            hint="compile it with a saver",
        )
    found = None if saver is None else saver.get(run.thread, wanted if run.resuming else None)
    if run.resuming and found is None:
        raise NotPossibleError(
            f"the run cannot be resumed: thread {run.thread!r} has no checkpoint"
            + ("" if wanted is None else f" {wanted}"),
            hint="start it without a checkpoint id and without feedback",
        )
    return found


def take_up(run: Run, checkpoint: Checkpoint) -> None:
    """Stand where the checkpoint was saved; inputs are merged behind it, declared keys only."""
    run.next, run.resume_from = checkpoint.next_node_id, checkpoint.node_id
    data = clone_state(checkpoint.state)
    declared = {key: value for key, value in run.inputs.items() if key in run.plan.keys}
    if declared:
        data = merged(data, clone_state(declared), run.plan.keys)
    run.state = State(data, run.plan.keys, run.config.store)
    if not run.scope.path:
        run.scope.steps[0] = checkpoint.step
    for due in run.plan.due(run.next):
        spec = run.plan.nodes.get(due)
        if spec is not None and isinstance(spec.action, Compiled):
            run.config.metadata[subgraph.resume_key(due)] = True


def fill(run: Run, checkpoint: Checkpoint | None) -> None:
    """Merge the inputs over what the thread holds."""
    inputs = clone_state(run.inputs)
    if run.setup.execution_id:
        inputs.setdefault(EXECUTION_ID, run.setup.new_id())
    before = {} if checkpoint is None else clone_state(checkpoint.state)
    strategies = {} if run.raw_inputs else run.plan.keys
    run.state = State(merged(before, inputs, strategies), run.plan.keys, run.config.store)
