"""A request passes a gate before and a gate after a method: how rings, model calls and tool calls are held.

Here all can be done, since the method is called from in here: another request, an answer without the
method, another answer, or the method once more. What differs between the three is how their requests and
answers look, which a `Shape` tells.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hookstepper.adapters.langgraph.endings import is_control_flow
from hookstepper.adapters.langgraph.passages import Inner
from hookstepper.model.gates import Act, Site
from hookstepper.ports.verdict import Fulfil, Patch, Point, Retry

if TYPE_CHECKING:
    from hookstepper.adapters.langgraph.gates import Gate
    from hookstepper.adapters.langgraph.tasks import LiveTask

AROUND_ENTER: frozenset[Act] = frozenset({"proceed", "patch", "fulfil", "fail", "abort"})
AROUND_EXIT: frozenset[Act] = frozenset({"proceed", "patch", "retry", "fail", "abort"})


class Shape(ABC):
    """How requests and answers of one kind of method look, and what may be made of what a person gives."""

    def shown(self, answer: Any) -> Any:
        """The answer as it is told."""
        return answer

    def tokens(self, _answer: Any) -> tuple[int, int]:
        """What the call took."""
        return (0, 0)

    @abstractmethod
    def changed(self, request: Any, value: Any) -> Any:
        """The request with what a person gives in its place."""

    @abstractmethod
    def answered(self, value: Any, request: Any) -> Any:
        """What a person gives as the framework's own answer to a request."""


@dataclass(frozen=True, slots=True)
class Passage:
    """How a request came through its gates."""

    request: Any
    """As the method was given it last."""
    answer: Any
    error: BaseException | None = None
    """What is to be raised in place of the answer."""
    took_us: int = 0
    tokens: tuple[int, int] = (0, 0)
    made: bool = True
    """False if the answer was given by hand and the method was not called."""


def through(
    gate: Gate,
    task: LiveTask,
    site: Site,
    request: Any,
    shape: Shape,
    begun: Callable[[], object] = lambda: None,
) -> Generator[Point | Inner, Any, Passage]:
    """Hold at the enter gate, have the method called, hold at the exit gate, again as often as is wished.

    Args:
        begun: called when the enter gate is passed.
    """
    verdict = yield from gate.held_at(task, site, "enter", request, AROUND_ENTER)
    begun()
    if isinstance(verdict, Fulfil):
        return Passage(request, shape.answered(verdict.value, request), made=False)
    if isinstance(verdict, Patch):
        request = shape.changed(request, verdict.value)
    attempt = 1
    while True:
        answer: Any = None
        error: BaseException | None = None
        began = time.perf_counter()
        try:
            answer = yield Inner(request)
        except Exception as raised:
            if is_control_flow(raised):
                raise
            error = raised
        took = int((time.perf_counter() - began) * 1e6)
        shown = shape.shown(answer)
        verdict = yield from gate.held_at(task, site, "exit", shown, AROUND_EXIT, error, attempt)
        if isinstance(verdict, Retry):
            if verdict.value is not None:
                request = shape.changed(request, verdict.value)
            attempt += 1
            continue
        tokens = shape.tokens(answer)
        if isinstance(verdict, Patch):
            answer, error = shape.answered(verdict.value, request), None
        return Passage(request, answer, error, took, tokens)
