"""What reader threads deliver and the screen's own thread takes out, a batch at a time."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")
ROOM = 2_000
"""Items that may wait; a reader that brings more waits, so a flood slows its source and not the screen."""
_PATIENCE = 0.1
"""Seconds between two looks at whether the inbox was closed."""


class Inbox(Generic[T]):
    """A bounded queue that wakes its owner once for a batch, not once for an item."""

    def __init__(self, wake: Callable[[], None], room: int = ROOM) -> None:
        """
        Args:
            wake: called on a reader thread when there is something to take; must not block.
        """
        self._items: queue.Queue[T] = queue.Queue(room)
        self._wake = wake
        self._closed = False

    def deliver(self, item: T) -> None:
        """Put an item in, on any thread but the owner's; waits while there is no room, lost once closed."""
        while not self._closed:
            try:
                self._items.put(item, timeout=_PATIENCE)
            except queue.Full:
                continue
            self._wake()
            return

    def take(self, most: int) -> Iterator[T]:
        """Up to `most` items, oldest first, without waiting."""
        for _ in range(most):
            try:
                yield self._items.get_nowait()
            except queue.Empty:
                return

    @property
    def is_empty(self) -> bool:
        """True if nothing waits."""
        return self._items.empty()

    def close(self) -> None:
        """Let go of readers that wait and of all that comes later."""
        self._closed = True
