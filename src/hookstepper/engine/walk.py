"""A generator that asks for things, taken from step to step: what every driver's loop has in common."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, Generic, TypeVar

S = TypeVar("S")
T = TypeVar("T")


class Walk(Generic[S, T]):
    """One walk through a generator; whoever drives it carries out its steps.

    ```python
    walk = Walk(body)
    while walk.goes_on():
        try:
            walk.give(perform(walk.step))
        except BaseException as error:
            walk.fail(error)
    return walk.result
    ```
    """

    __slots__ = ("_resume", "_value", "body", "result", "step")

    def __init__(self, body: Generator[S, Any, T]) -> None:
        self.body = body
        self.step: S
        """What the generator asks for now; there is none before it has begun."""
        self.result: T
        """What the generator returned; there is none before its end."""
        self._resume: Callable[[Any], S] = body.send
        self._value: Any = None

    def goes_on(self) -> bool:
        """Take the generator to what it asks for next; False at its end.

        Raises:
            BaseException: what the generator raised.
        """
        try:
            self.step = self._resume(self._value)
        except StopIteration as end:
            self.result = end.value
            return False
        return True

    def give(self, value: Any) -> None:
        """The generator gets `value` for what it asked."""
        self._value, self._resume = value, self.body.send

    def fail(self, error: BaseException) -> None:
        """What the generator asked for raises `error` there."""
        self._value, self._resume = error, self.body.throw
