"""Parked tasks: a task that is held waits for its verdict and meanwhile runs closures posted to it."""

from __future__ import annotations

import asyncio
import queue
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from hookstepper.ports.verdict import Verdict

Closure: TypeAlias = Callable[[], None]


@dataclass(frozen=True, slots=True)
class _Post:
    closure: Closure


class ParkedThread:
    """A task held in a synchronous call stack: its thread sleeps here."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[_Post | Verdict] = queue.SimpleQueue()

    def wait(self) -> Verdict:
        """Sleep until the verdict; closures run here, on the task's own thread."""
        while True:
            item = self._queue.get()
            if not isinstance(item, _Post):
                return item
            item.closure()

    def post(self, closure: Closure) -> None:
        """Run a closure on the parked thread."""
        self._queue.put(_Post(closure))

    def release(self, verdict: Verdict) -> None:
        """Let the task go."""
        self._queue.put(verdict)


class ParkedCoroutine:
    """A task held in an asynchronous call stack: its event loop goes on, only the task waits."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[_Post | Verdict] = asyncio.Queue()

    async def wait(self) -> Verdict:
        """Wait for the verdict; closures run here, on the loop's thread."""
        while True:
            item = await self._queue.get()
            if not isinstance(item, _Post):
                return item
            item.closure()

    def post(self, closure: Closure) -> None:
        """Run a closure on the loop's thread."""
        self._put(_Post(closure))

    def release(self, verdict: Verdict) -> None:
        """Let the task go."""
        self._put(verdict)

    def _put(self, item: _Post | Verdict) -> None:
        self._loop.call_soon_threadsafe(self._queue.put_nowait, item)


Parked: TypeAlias = ParkedThread | ParkedCoroutine
