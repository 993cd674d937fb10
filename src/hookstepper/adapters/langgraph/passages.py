"""Generators that ask for verdicts and for calls of the user's code, and how they are driven in both colours.

A gate around a method is written once: it yields a `Point` where the task may be held and an `Inner`
where the method is to be called, and is sent the verdict or the method's result.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from typing import Any, TypeAlias

from hookstepper.ports.probe import Probe
from hookstepper.ports.verdict import Point


class Inner:
    """A request to call the user's method with `request`; its result, or its error, is sent back."""

    __slots__ = ("request",)

    def __init__(self, request: Any) -> None:
        self.request = request


Asks: TypeAlias = Generator[Point | Inner, Any, Any]


def passed(steps: Asks, probe: Probe, method: Callable[[Any], Any]) -> Any:
    """What a passage gives in the end; a held task blocks this thread.

    Raises:
        BaseException: whatever the gate makes of the verdicts and of the method's errors.
    """
    try:
        asked = next(steps)
        while True:
            try:
                answer = method(asked.request) if isinstance(asked, Inner) else probe.hold(asked)
            except BaseException as error:
                asked = steps.throw(error)
            else:
                asked = steps.send(answer)
    except StopIteration as done:
        return done.value


async def apassed(steps: Asks, probe: Probe, method: Callable[[Any], Awaitable[Any]]) -> Any:
    """The same on an event loop: a held task awaits, and its loop goes on.

    Raises:
        BaseException: whatever the gate makes of the verdicts and of the method's errors.
    """
    try:
        asked = next(steps)
        while True:
            try:
                if isinstance(asked, Inner):
                    answer = await method(asked.request)
                else:
                    answer = await probe.ahold(asked)
            except BaseException as error:
                asked = steps.throw(error)
            else:
                asked = steps.send(answer)
    except StopIteration as done:
        return done.value
