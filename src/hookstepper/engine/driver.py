"""Drives bodies: one driver object, with a sync and an async way to go.

User code is called here and nowhere else in the engine. No thread is made here: a sync run that wants its
branches on threads brings its own executor.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from hookstepper.engine.effects import (
    ACT_OF,
    At,
    Branches,
    Call,
    Effect,
    Effects,
    Emit,
    Ended,
    Here,
    Pass,
    Tell,
    Wants,
)
from hookstepper.engine.scope import Scope
from hookstepper.engine.together import Handing, on_threads, settled
from hookstepper.engine.walk import Walk
from hookstepper.model.errors import NotPossibleError
from hookstepper.model.ids import TaskId
from hookstepper.ports.probe import Probe, SilentProbe
from hookstepper.ports.verdict import PROCEED, Abort, Point, RunAborted, Verdict

T = TypeVar("T")

_PLAIN: frozenset[type] = frozenset({type(None), dict, str, bool})
"""Types of results that need not be looked at: nobody can await them."""

_CURRENT: contextvars.ContextVar[Driver | None] = contextvars.ContextVar("hookstepper_driver", default=None)


class Driver:
    """Carries a body's effects out; knows the task it is in and how long it was held.

    One driver serves one call stack; branches get children. Sync code goes through `drive` and `pump`,
    async code through `adrive` and `apump`; a sync driver may be entered by async code that it runs itself.
    """

    def __init__(
        self,
        probe: Probe | None = None,
        *,
        clock: Callable[[], int] = time.perf_counter_ns,
        outputs: deque[Any] | None = None,
    ) -> None:
        self.probe: Probe = SilentProbe() if probe is None else probe
        self.clock = clock
        self.place = At(TaskId(""), 0)
        """The task that effects belong to now."""
        self.held_ns = 0
        self.outputs: deque[Any] = deque() if outputs is None else outputs
        """Outputs that the reader of the stream has not got yet."""
        self.has_reader = False
        """False: outputs are dropped."""
        self.handing: Handing | None = None
        """How outputs reach a reader on the same event loop."""
        self._runner: asyncio.Runner | None = None
        self._owner: Driver = self
        self.awaits = False
        """True if the body that last asked `Here` is driven on an event loop: it may then call async code."""

    def __enter__(self) -> Driver:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the event loop of this run, if it had one; may be called twice."""
        runner, self._runner = self._runner, None
        if runner is not None:
            runner.close()

    # ------------------------------------------------------------------------------------------ sync

    @property
    def task(self) -> TaskId:
        """The task that effects belong to now."""
        return self.place.task

    @task.setter
    def task(self, task: TaskId) -> None:
        self.place = replace(self.place, task=task)

    @property
    def superstep(self) -> int:
        """Its superstep."""
        return self.place.superstep

    @superstep.setter
    def superstep(self, superstep: int) -> None:
        self.place = replace(self.place, superstep=superstep)

    def inner_scope(self) -> Scope | None:
        """Where a graph stands that the running node's own code runs; None outside of nodes."""
        place = self.place
        if place.scope is None or place.node is None:
            return None
        return place.scope.within(place.node, place.task)

    def drive(self, body: Effects[T]) -> T:
        """The result of `body`, driven to its end on this thread; the task is the same afterwards."""
        place, walk = self.place, Walk(body)
        try:
            while walk.goes_on():
                try:
                    walk.give(self._perform(walk.step))
                except BaseException as error:
                    walk.fail(error)
            return walk.result
        finally:
            self.place = place
            body.close()

    def pump(self, body: Effects[T]) -> Generator[Any, None, T]:
        """Drive `body` and yield its outputs; the result is the value of the `StopIteration`."""
        walk = Walk(body)
        self.has_reader = True
        try:
            while walk.goes_on():
                try:
                    walk.give(self._perform(walk.step))
                except BaseException as error:
                    walk.fail(error)
                yield from self._drain()
            yield from self._drain()
            return walk.result
        finally:
            body.close()

    def _perform(self, effect: Effect) -> Any:
        kind = type(effect)
        if kind is Call:
            return self._call(effect)  # type: ignore[arg-type]
        if kind is Pass:
            return self._pass(effect)  # type: ignore[arg-type]
        if kind is Wants:
            return self.probe.wants(effect.site, "enter")  # type: ignore[union-attr]
        if kind is Branches:
            return self._branches(effect)  # type: ignore[arg-type]
        return self._note(effect)

    def _call(self, effect: Call) -> Any:
        token = _CURRENT.set(self)
        try:
            result = effect.fn(*effect.args)
            if type(result) in _PLAIN or not inspect.isawaitable(result):
                return result
            return self._wait_for(result)
        finally:
            _CURRENT.reset(token)

    def _wait_for(self, awaitable: Awaitable[T]) -> T:
        if in_event_loop():
            if isinstance(awaitable, Coroutine):
                awaitable.close()
            raise NotPossibleError(
                "async code was reached through sync code that runs inside an event loop",
                hint="make the interceptor or the function around it async",
            )
        if self._owner._runner is None:
            self._owner._runner = asyncio.Runner()
        return self._owner._runner.run(_awaited(awaitable), context=contextvars.copy_context())

    def _pass(self, effect: Pass) -> Verdict:
        if not self.probe.wants(effect.site, effect.phase):
            return PROCEED
        began = self.clock()
        verdict = self.probe.hold(self._point(effect))
        return self._judged(effect, verdict, began)

    def _branches(self, effect: Branches) -> tuple[Ended | None, ...]:
        drivers = [self._child(effect, index) for index in range(len(effect.bodies))]
        if effect.executor is None:
            ends = self._one_by_one(effect, drivers)
            self.held_ns += sum(driver.held_ns for driver in drivers)
            return ends
        ends = on_threads(effect, drivers)
        self.held_ns += max((driver.held_ns for driver in drivers), default=0)
        return ends

    def _one_by_one(self, effect: Branches, drivers: list[Driver]) -> tuple[Ended | None, ...]:
        ends: list[Ended | None] = [None] * len(drivers)
        for index, (driver, body) in enumerate(zip(drivers, effect.bodies, strict=True)):
            driver._owner = self._owner
            ends[index] = ended = driver._attempt(body)
            if effect.first and ended.error is None:
                break
        return tuple(ends)

    def _attempt(self, body: Effects[Any]) -> Ended:
        try:
            return Ended(self.drive(body))
        except Exception as error:
            return Ended(error=error)

    def attempt_and_close(self, body: Effects[Any]) -> Ended:
        """How `body` ended on a thread of its own, with its own event loop if it needs one."""
        try:
            return self._attempt(body)
        finally:
            self.close()

    # ----------------------------------------------------------------------------------------- async

    async def adrive(self, body: Effects[T]) -> T:
        """The result of `body`, driven to its end on this event loop; the task is the same afterwards."""
        place, walk = self.place, Walk(body)
        try:
            while walk.goes_on():
                try:
                    walk.give(await self._aperform(walk.step))
                except BaseException as error:
                    walk.fail(error)
            return walk.result
        finally:
            self.place = place
            body.close()

    async def apump(self, body: Effects[T], done: Callable[[T], None]) -> AsyncGenerator[Any, None]:
        """Drive `body` and yield its outputs; `done` gets the result.

        The body waits while an output is being read, also one of a nested body. Closing the generator
        cancels it where it stands.
        """
        self.has_reader = True
        self.handing = Handing()
        task = asyncio.ensure_future(self.adrive(body))
        try:
            async for output in self.handing.until(task):
                yield output
            while self.outputs:
                yield self.outputs.popleft()
            done(task.result())
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _aperform(self, effect: Effect) -> Any:
        kind = type(effect)
        if kind is Call:
            token = _CURRENT.set(self)
            try:
                result = effect.fn(*effect.args)  # type: ignore[union-attr]
                return await result if inspect.isawaitable(result) else result
            finally:
                _CURRENT.reset(token)
        if kind is Pass:
            if not self.probe.wants(effect.site, effect.phase):  # type: ignore[union-attr]
                return PROCEED
            began = self.clock()
            verdict = await self.probe.ahold(self._point(effect))  # type: ignore[arg-type]
            return self._judged(effect, verdict, began)  # type: ignore[arg-type]
        if kind is Wants:
            return self.probe.wants(effect.site, "enter")  # type: ignore[union-attr]
        if kind is Branches:
            return await self._abranches(effect)  # type: ignore[arg-type]
        found = self._note(effect, awaits=True)
        if kind is Emit and self.handing is not None:
            while self.outputs:
                await self.handing.give(self.outputs.popleft())
        return found

    async def _abranches(self, effect: Branches) -> tuple[Ended | None, ...]:
        room = asyncio.Semaphore(effect.limit or len(effect.bodies) or 1)
        drivers = [self._child(effect, index) for index in range(len(effect.bodies))]

        async def attempt(driver: Driver, body: Effects[Any]) -> Ended:
            async with room:
                try:
                    return Ended(await driver.adrive(body))
                except Exception as error:
                    return Ended(error=error)

        pairs = zip(drivers, effect.bodies, strict=True)
        tasks = [asyncio.ensure_future(attempt(driver, body)) for driver, body in pairs]
        try:
            await settled(tasks, effect.first)
            return tuple(task.result() if task.done() else None for task in tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self.held_ns += max((driver.held_ns for driver in drivers), default=0)

    # ---------------------------------------------------------------------------------------- shared

    def _note(self, effect: Effect, *, awaits: bool = False) -> Any:
        if type(effect) is Tell:
            self.probe.emit(effect.fact)
            return None
        if type(effect) is Emit:
            if self.has_reader:
                self.outputs.append(effect.output)
            return None
        if type(effect) is At:
            self.place = effect
            return None
        if type(effect) is Here:
            self.awaits = awaits
            return self
        raise TypeError(f"not an effect: {effect!r}")

    def _drain(self) -> Iterator[Any]:
        while self.outputs:
            yield self.outputs.popleft()

    def _point(self, effect: Pass) -> Point:
        return Point(
            site=effect.site,
            phase=effect.phase,
            task=self.task,
            superstep=self.superstep,
            value=effect.value,
            acts=effect.acts,
            attempt=effect.attempt,
            error=effect.error,
        )

    def _judged(self, effect: Pass, verdict: Verdict, began: int) -> Verdict:
        self.held_ns += self.clock() - began
        if isinstance(verdict, Abort):
            raise RunAborted
        act = ACT_OF.get(type(verdict))
        if act is not None and act not in effect.acts:
            raise NotPossibleError(f"{act} cannot be done at the {effect.phase} of {effect.site.node}")
        return verdict

    def _child(self, effect: Branches, index: int) -> Driver:
        child = Driver(self.probe, clock=self.clock, outputs=self.outputs)
        child.has_reader, child.handing = self.has_reader, self.handing
        child.place = replace(self.place, task=effect.tasks[index]) if effect.tasks else self.place
        return child


def current() -> Driver | None:
    """The driver whose user code is calling, or None outside of a run."""
    return _CURRENT.get()


def in_event_loop() -> bool:
    """True if the calling code runs inside an event loop: it may return an awaitable, and must not block."""
    return asyncio._get_running_loop() is not None


def drive(body: Effects[T], driver: Driver | None = None) -> T:
    """Run a nested body synchronously, under the driver of the run that is calling.

    Args:
        driver: as `Here` gave it; needed where the caller is on a thread of its own.
    """
    driver = driver or _CURRENT.get()
    if driver is not None:
        return driver.drive(body)
    with Driver() as alone:
        return alone.drive(body)


async def adrive(body: Effects[T], driver: Driver | None = None) -> T:
    """Run a nested body on the current event loop, under the driver of the run that is calling."""
    return await (driver or _CURRENT.get() or Driver()).adrive(body)


async def _awaited(awaitable: Awaitable[T]) -> T:
    return await awaitable
