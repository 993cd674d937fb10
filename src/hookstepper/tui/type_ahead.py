"""Steps that are typed while a step is under way wait for it, as they would in a debugger that blocks."""

from __future__ import annotations

from collections import deque

from hookstepper.client.view import View
from hookstepper.model.commands import Command, Into, Next, Out, Superstep, Turn
from hookstepper.model.ids import StopId

MOST = 50
"""Steps that may wait; a key that somebody leans on does not run the whole program."""


class TypeAhead:
    """Keeps steps back until the one before has stopped. Any other stop than that of a step forgets them."""

    def __init__(self) -> None:
        self._waiting: deque[Command] = deque(maxlen=MOST)
        self._sent_at: StopId | None = None
        """The stop that the step under way began from; None if none is under way."""

    def holds_back(self, command: Command, view: View) -> bool:
        """True if the command has to wait and is kept; False if it is to be sent now."""
        if not isinstance(command, Next | Into | Out | Superstep | Turn):
            self.forget()
            return False
        if self._is_under_way(view):
            self._waiting.append(command)
            return True
        self._sent_at = view.stop.id if view.stop is not None else None
        return False

    def due(self, view: View) -> Command | None:
        """The next step to send now that the view has changed, None if there is none."""
        if self._sent_at is None or self._is_under_way(view):
            return None
        self._sent_at = None
        stop = view.stop
        if (
            not self._waiting
            or stop is None
            or stop.reasons != ("step",)
            or view.notice
            or view.cursor is not None
        ):
            self.forget()
            return None
        self._sent_at = stop.id
        return self._waiting.popleft()

    def forget(self) -> None:
        """Let go of everything that waits."""
        self._waiting.clear()

    def _is_under_way(self, view: View) -> bool:
        if self._sent_at is None or view.notice or view.phase in ("gone", "not_loaded", "loading"):
            return False
        return view.stop is None or view.stop.id == self._sent_at
