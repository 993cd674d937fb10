"""Events leave the host here, in order, on the thread that makes them.

A step has left the process before the next node begins, so a program that kills its own process loses
nothing of the record. When the screen cannot keep up, tokens are dropped and counted; for everything else
the run waits.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import Protocol

from hookstepper.model.errors import WireError
from hookstepper.model.events import Dropped, Event, Failure, TargetLoaded, TargetNotLoaded, Token
from hookstepper.model.jsonform import to_json
from hookstepper.wire.connection import Connection

EVENT = "event"
"""Name of the one notice that carries events; the event itself is tagged."""


class Outlet(Protocol):
    """Where a host's events go."""

    def put(self, event: Event) -> None:
        """Take an event, after those before it."""
        ...


class Outbox:
    """Any thread may put. After the other end has gone everything is let go without a word."""

    def __init__(self, connection: Connection, on_gone: Callable[[], None] = lambda: None) -> None:
        """
        Args:
            on_gone: called once, when nothing can be sent any more, on the thread that found out.
        """
        self._connection = connection
        self._on_gone = on_gone
        self._order = threading.Lock()
        self._gone = False
        self._dropped = 0

    def put(self, event: Event) -> None:
        """Send an event after those before it; may wait for the other end, unless it may be dropped."""
        with self._order:
            if self._gone:
                return
            if isinstance(event, Token) and not self._connection.has_room():
                self._dropped += 1
                return
            if self._dropped:
                dropped, self._dropped = self._dropped, 0
                self._send(Dropped("token", dropped))
            self._send(event)

    @property
    def gone(self) -> bool:
        """True once the other end does not take anything any more."""
        return self._gone

    def hang_up(self) -> None:
        """Close the wire, so that whoever reads from it here learns that the other end is gone."""
        self._connection.close()

    def abandon(self) -> None:
        """In a forked child: never send; the lock may be held by a thread that does not exist here."""
        self._order = threading.Lock()
        self._gone = True
        self._connection.abandon()

    def _send(self, event: Event) -> None:
        try:
            self._connection.notify(EVENT, to_json(event))
        except WireError as error:
            self._tell_instead(event, error)

    def _tell_instead(self, event: Event, error: WireError) -> None:
        """Tell that an event could not be sent, unless the other end is gone."""
        self._gone = True
        told: Event = Dropped(f"{event.TAG}: {error.message}", 1)
        if isinstance(event, TargetLoaded):
            # Whoever waits for it waits for nothing else.
            told = TargetNotLoaded(Failure(type(error).__name__, error.message, hint=error.hint))
        with contextlib.suppress(WireError):
            self._connection.notify(EVENT, to_json(told))
            self._gone = False
        if self._gone:
            self._on_gone()
