"""Several bodies at once, on threads or on an event loop; and a body together with its reader."""

from __future__ import annotations

import asyncio
import contextvars
from collections import deque
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import TYPE_CHECKING, Any

from hookstepper.engine.effects import Branches, Ended

if TYPE_CHECKING:
    from hookstepper.engine.driver import Driver


async def settled(tasks: Sequence[asyncio.Future[Ended]], first: bool) -> None:
    """Wait for all tasks; for the first success if `first`; or for the first that left the run."""
    pending = set(tasks)
    while pending:
        done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            ended = task.result()  # an abort is raised here, and the caller cancels the others
            if first and ended.error is None:
                return


def on_threads(effect: Branches, drivers: Sequence[Driver]) -> tuple[Ended | None, ...]:
    """How each body ended on the effect's executor; None for those that a first success left behind."""
    executor = effect.executor
    assert executor is not None
    waiting = deque(enumerate(zip(drivers, effect.bodies, strict=True)))
    running: dict[Future[Ended], int] = {}
    ends: list[Ended | None] = [None] * len(drivers)
    won = False
    while (waiting and not won) or running:
        while waiting and not won and len(running) < (effect.limit or len(drivers)):
            index, (driver, body) = waiting.popleft()
            context = contextvars.copy_context()
            running[executor.submit(context.run, driver.attempt_and_close, body)] = index
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            index = running.pop(future)
            ended = future.result()
            if not won:
                ends[index] = ended
            won = won or (effect.first and ended.error is None)
        if won:
            # A thread cannot be stopped: its branch goes on alone and what it returns is dropped.
            return tuple(ends)
    return tuple(ends)


class Handing:
    """Hands outputs from a running body to its reader, one at a time: the body waits until one is read."""

    def __init__(self) -> None:
        self._outputs: asyncio.Queue[Any] = asyncio.Queue()

    async def give(self, output: Any) -> None:
        """Hand out one output; returns when the reader asks for the next."""
        self._outputs.put_nowait(output)
        await self._outputs.join()

    async def until(self, task: asyncio.Future[Any]) -> AsyncIterator[Any]:
        """What is given until the task has ended, however it ended."""
        while True:
            output = asyncio.ensure_future(self._outputs.get())
            try:
                await asyncio.wait({output, task}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                if not output.done():
                    output.cancel()
            if not output.done() or output.cancelled():
                return
            try:
                yield output.result()
            finally:
                self._outputs.task_done()
