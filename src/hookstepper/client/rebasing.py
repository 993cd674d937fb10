"""Events of a later agent process, put behind the record of those before it: a restart loses nothing.

Every process counts its steps from 0 and calls its first branch `main`. In the record its steps go on
counting, and its branches are named after the process: `r2`, `r2.b2`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hookstepper.model.commands import Fork, SessionCommand
from hookstepper.model.errors import NotPossibleError
from hookstepper.model.events import Event, PersonActed, RunEnded, RunStarted, StateChanged
from hookstepper.model.ids import MAIN, BranchId
from hookstepper.model.record import StepDone


@dataclass(frozen=True, slots=True)
class Rebase:
    """How the numbers of one agent process become those of the record, and back."""

    process: int = 1
    """Counts agent processes, from 1."""
    offset: int = 0
    """Steps of the record before its first."""

    def event(self, event: Event) -> Event:
        """The event in the numbers of the record."""
        if self.process == 1:
            return event
        match event:
            case StepDone():
                return replace(event, index=self.offset + event.index, branch=self._branch(event.branch))
            case RunStarted():
                # A run of its own begins at the input, and not after what another process did last.
                first = -1 if event.entry == "start" and event.from_step is None else event.from_step
                return replace(
                    event,
                    branch=self._branch(event.branch),
                    from_step=self._step(first) if first is not None else None,
                )
            case StateChanged():
                after = self._step(event.after_step)
                return replace(event, branch=self._branch(event.branch), after_step=after)
            case PersonActed():
                return replace(event, after_step=self._step(event.after_step))
            case RunEnded():
                return replace(event, branch=self._branch(event.branch))
        return event

    def command(self, command: SessionCommand) -> SessionCommand:
        """The command in the numbers of the process.

        Raises:
            NotPossibleError: it is about a step of a process that has ended.
        """
        if not isinstance(command, Fork) or self.process == 1:
            return command
        if 0 <= command.step < self.offset:
            raise NotPossibleError(
                f"step {command.step} was made by a process that has ended; its state can only be looked at",
                hint=f"time.fork -1 begins at the input again; steps from {self.offset} on can be forked",
            )
        return replace(command, step=max(command.step - self.offset, -1))

    def _step(self, step: int) -> int:
        return step + self.offset if step >= 0 else -1

    def _branch(self, branch: BranchId) -> BranchId:
        name = f"r{self.process}"
        return BranchId(name if branch == MAIN else f"{name}.{branch}")
