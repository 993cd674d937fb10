"""Where the thread stands: what a change by hand, a retry or a fork starts from."""

from __future__ import annotations

from hookstepper.model.ids import MAIN, BranchId, CheckpointId


class Position:
    """The last checkpoint, the branch, and the checkpoint of every step that this host recorded."""

    def __init__(self) -> None:
        self.checkpoint: CheckpointId | None = None
        self.branch: BranchId = MAIN
        self.steps = 0
        """Steps of this host."""
        self.run_steps = 0
        """Steps of the current run."""
        self._branches = 1
        self._by_step: dict[int, CheckpointId] = {}

    def stepped(self, index: int, checkpoint: CheckpointId | None) -> None:
        """A step was recorded."""
        self.steps = index + 1
        self.run_steps += 1
        if checkpoint is not None:
            self.checkpoint = checkpoint
            self._by_step[index] = checkpoint

    def seeded(self, checkpoint: CheckpointId) -> None:
        """A run stands at its beginning; a change by hand gives the step before it a newer checkpoint."""
        self.checkpoint = checkpoint
        self._by_step.setdefault(self.steps - 1, checkpoint)

    def after(self, step: int) -> CheckpointId | None:
        """The checkpoint after a step, -1 for the input; None if this process does not have it."""
        return self._by_step.get(step)

    def last_kept(self, step: int) -> int | None:
        """The last step before that one whose checkpoint is there; None if there is none."""
        return max((known for known in self._by_step if known < step), default=None)

    def new_branch(self) -> BranchId:
        """A name that no branch has yet: b2, b3 and so on."""
        self._branches += 1
        return BranchId(f"b{self._branches}")
