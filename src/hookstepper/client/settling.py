"""When a command has been carried out: the host has answered, and what moved is held or at rest again."""

from __future__ import annotations

from typing import Protocol

from hookstepper.client.view import View
from hookstepper.model.commands import AbortRun, Command, Screen
from hookstepper.model.events import Event, Noted, Resumed, RunEnded, Stopped


class Steered(Protocol):
    """What takes commands and shows where it stands: a conversation, or a recording."""

    @property
    def view(self) -> View:
        """Where it stands."""
        ...

    @property
    def unanswered(self) -> bool:
        """True as long as a command has not been answered."""
        ...

    def act(self, command: Command) -> None:
        """Carry out a command; a refusal shows in the view."""
        ...


_MOTIONS = frozenset(
    {"next", "into", "out", "continue", "runTo", "superstep", "turn", "stepLine", "completeStep"}
)
"""Of those that move a run: a stop that was on its way before it moved is an older one."""
_MOVES = _MOTIONS | {
    "start", "abort", "setJump", "setNext", "answer", "answerCall", "editState", "fork", "retry", "skip",
    "undo",
}  # fmt: skip


def moves(command: Command) -> bool:
    """True if a stop follows the command, unless it is refused."""
    return command.id == "run.restart" if isinstance(command, Screen) else command.TAG in _MOVES


class Settling:
    """One command on its way. Made before it is sent; told every event that follows."""

    def __init__(self, command: Command) -> None:
        self.moves = moves(command)
        self._aborts = isinstance(command, AbortRun)
        self._counts = isinstance(command, Screen) or (command.TAG not in _MOTIONS and not self._aborts)
        self._stopped = False
        self._noted = False

    def saw(self, event: Event) -> None:
        """Take note of an event."""
        if isinstance(event, Stopped):
            self._stopped |= self._counts
        elif isinstance(event, RunEnded) or (isinstance(event, Resumed) and not self._aborts):
            self._counts = True
        elif isinstance(event, Noted):
            # What was refused late is followed by the stop at which everything is as before.
            self._noted = True

    def is_over(self, conversation: Steered) -> bool:
        """True if nothing more is to come of the command."""
        view = conversation.view
        if conversation.unanswered or view.phase == "loading":
            return False
        if view.phase in ("gone", "not_loaded"):
            return True
        if not self.moves or self._stopped:
            return True
        idle = view.phase == "ready" and view.stop is None and view.input is None
        return idle or (bool(view.refusal) and not self._noted)
