"""What a host keeps for a client that is not there yet, or comes again.

The newest run is kept, so that whoever attaches in its middle can look back to its first step; older ones
are let go, since a program may run for weeks.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeAlias

from hookstepper.host.outbox import Outbox
from hookstepper.model.events import (
    EdgesObserved,
    Event,
    NodeEntered,
    PersonActed,
    RunEnded,
    RunStarted,
    StateChanged,
    Stopped,
)
from hookstepper.model.ids import Json, TaskId
from hookstepper.model.record import StepDone

KEPT = 20_000
"""Events that are kept; a run that is longer is kept from its middle on."""

_Kept: TypeAlias = RunStarted | StateChanged | StepDone | RunEnded | PersonActed


class Journal:
    """Takes the events of a host; hands them to the client that is attached, if one is.

    Args:
        state: gives the state as last committed, with which a run that is too long begins anew.
    """

    def __init__(self, state: Callable[[], Json] = dict, *, kept: int = KEPT) -> None:
        self._state = state
        self._most = kept
        self._order = threading.RLock()
        self._events: list[_Kept] = []
        self._live: dict[TaskId, NodeEntered] = {}
        self._edges: list[EdgesObserved] = []
        self._rest: Stopped | None = None
        self._outbox: Outbox | None = None

    def put(self, event: Event) -> None:
        """Keep an event as far as it is worth it, and send it; may wait for the client."""
        with self._order:
            self._keep(event)
            if self._outbox is not None:
                self._send(self._outbox, event)

    def attach(self, outbox: Outbox, greeting: Iterable[Event], held: Callable[[], Iterable[Event]]) -> None:
        """Send what is there to a client, and from now on everything.

        Args:
            greeting: what comes first.
            held: gives the stops that stand, which come last.
        """
        with self._order:
            kept = [*self._edges, *self._events, *self._live.values()]
            for event in (*greeting, *kept, *([self._rest] if self._rest is not None else ()), *held()):
                self._send(outbox, event)
            self._outbox = outbox

    def detach(self) -> None:
        """Send nothing any more."""
        with self._order:
            self._outbox = None

    def abandon(self) -> None:
        """In a forked child: neither wait nor send."""
        self._order = threading.RLock()
        self._outbox = None

    def _send(self, outbox: Outbox, event: Event) -> None:
        if outbox.gone:
            return
        outbox.put(event)
        if outbox.gone:
            # It was cut off in the middle of a frame: nothing that it still sends can be trusted.
            outbox.hang_up()

    def _keep(self, event: Event) -> None:
        match event:
            case RunStarted():
                self._live.clear()
                self._rest = None
                if event.entry == "start":
                    self._events.clear()
                self._events.append(event)
            case StepDone():
                self._live.pop(event.task, None)
                self._events.append(event)
            case StateChanged() | RunEnded() | PersonActed():
                self._events.append(event)
            case NodeEntered():
                self._live[event.task] = event
            case EdgesObserved():
                self._edges.append(event)
            case Stopped(stop) if stop.posture == "resting":
                self._live.clear()
                self._rest = event
            case _:
                return
        if len(self._events) > self._most:
            self._shorten()

    def _shorten(self) -> None:
        """Let go of all steps so far: the run is told as if it went on from the state that it has now."""
        newest = next(event for event in reversed(self._events) if isinstance(event, RunStarted))
        self._events[:] = [replace(newest, state=self._state(), from_step=None)]
