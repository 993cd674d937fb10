"""The writer: events leave the host in order, from one thread, through a bounded queue.

Tokens may be dropped and are counted; steps and stops never are: then the run waits.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque

from hookstepper.model.errors import WireError
from hookstepper.model.events import Dropped, Event, Token
from hookstepper.model.jsonform import to_json
from hookstepper.wire.connection import Connection

CAPACITY = 4_096
"""Events that may wait; beyond it tokens are dropped and everything else makes its sender wait."""

EVENT = "event"
"""Name of the one notice that carries events; the event itself is tagged."""


class Outbox:
    """Any thread may put; one thread of its own sends."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._queue: deque[Event] = deque()
        self._changed = threading.Condition()
        self._sending = False
        self._closed = False
        self._dropped = 0
        self._thread = threading.Thread(target=self._run, name="hookstepper-writer", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def put(self, event: Event) -> None:
        """Send an event after those before it; waits while the queue is full, unless it may be dropped."""
        with self._changed:
            if self._closed:
                return
            if len(self._queue) >= CAPACITY:
                if isinstance(event, Token):
                    self._dropped += 1
                    return
                self._changed.wait_for(lambda: len(self._queue) < CAPACITY or self._closed)
            if self._dropped:
                self._queue.append(Dropped("token", self._dropped))
                self._dropped = 0
            self._queue.append(event)
            self._changed.notify_all()

    def flush(self, timeout: float) -> None:
        """Wait until all that was put is sent, at most so many seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or not (self._queue or self._sending), timeout)

    def abandon(self) -> None:
        """In a forked child: forget the queue and never send; the lock may be held by a thread that is not there."""
        self._changed = threading.Condition()
        self._queue = deque()
        self._closed = True
        self._connection.abandon()

    def close(self) -> None:
        """Stop; what is still queued is let go."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._queue or self._closed)
                if self._closed:
                    return
                event = self._queue.popleft()
                self._sending = True
                self._changed.notify_all()
            try:
                self._connection.notify(EVENT, to_json(event))
            except WireError as error:
                if not self._tell_instead(event, error):
                    self.close()
                    return
            with self._changed:
                self._sending = False
                self._changed.notify_all()

    def _tell_instead(self, event: Event, error: WireError) -> bool:
        """Tell that an event could not be sent; False if the other end is gone."""
        with contextlib.suppress(WireError):
            self._connection.notify(EVENT, to_json(Dropped(f"{event.TAG}: {error.message}", 1)))
            return True
        return False
