"""Gates around the `wrap_model_call` and `wrap_tool_call` methods of middleware: the rings.

While `create_agent` compiles, each middleware object carries its own wrapped methods as attributes; the
compiled chain keeps them, and the object is then as it was. Outside of a debugged run a wrapped method
calls the user's at once.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from hookstepper.model.gates import Site
from hookstepper.model.graph import RingKind
from hookstepper.ports.verdict import Point

if TYPE_CHECKING:
    from hookstepper.adapters.langgraph.gates import Gate
    from hookstepper.adapters.langgraph.tasks import LiveTask

ACTIVE_GATE: ContextVar[Gate | None] = ContextVar("hookstepper_gate", default=None)
"""The gate of the run that is alive in this context; threads and tasks of the run inherit it."""

_KINDS: tuple[RingKind, ...] = ("model", "tool")
_Asks = Generator["Point | Inner", Any, Any]


class Inner:
    """A request to call the user's method with `request`; its result, or its error, is sent back."""

    __slots__ = ("request",)

    def __init__(self, request: Any) -> None:
        self.request = request


@contextmanager
def gated_methods(middleware: Sequence[Any]) -> Iterator[None]:
    """While entered, the `wrap_*` methods found on the objects are those with gates."""
    placed: list[tuple[Any, str]] = []
    try:
        for kind in _KINDS:
            wrapping = [one for one in middleware if defines(one, f"wrap_{kind}_call")]
            for ring, one in enumerate(wrapping):
                for name in (f"wrap_{kind}_call", f"awrap_{kind}_call"):
                    if name not in getattr(one, "__dict__", {name: None}) and hasattr(one, name):
                        setattr(one, name, _gated(getattr(one, name), one, ring))
                        placed.append((one, name))
        yield
    finally:
        for one, name in placed:
            delattr(one, name)


def defines(middleware: Any, method: str) -> bool:
    """True if the middleware's own class, or a user's base of it, defines the method or its async twin."""
    return any(
        name in kind.__dict__
        for kind in type(middleware).__mro__
        if kind.__name__ != "AgentMiddleware" and kind is not object
        for name in (method, f"a{method}")
    )


def name_of(middleware: Any) -> str:
    """The name that the middleware's nodes begin with."""
    try:
        return str(middleware.name)
    except Exception:
        return type(middleware).__name__


def _gated(method: Callable[..., Any], owner: Any, ring: int) -> Callable[..., Any]:
    if method.__name__.startswith("awrap"):

        @functools.wraps(method)
        async def awrapped(request: Any, handler: Any) -> Any:
            passage = _Passage.here(owner, ring, request)
            if passage is None:
                return await method(request, handler)
            while not passage.over:
                try:
                    answer = await passage.asked_later(method, handler)
                except BaseException as error:
                    passage.broke(error)
                else:
                    passage.answered(answer)
            return passage.result

        return awrapped

    @functools.wraps(method)
    def wrapped(request: Any, handler: Any) -> Any:
        passage = _Passage.here(owner, ring, request)
        if passage is None:
            return method(request, handler)
        while not passage.over:
            try:
                answer = passage.asked(method, handler)
            except BaseException as error:
                passage.broke(error)
            else:
                passage.answered(answer)
        return passage.result

    return wrapped


class _Passage:
    """One pass through a ring: its enter gate, the user's method, its exit gate."""

    def __init__(self, gate: Gate, steps: _Asks) -> None:
        self._probe = gate.recorder.probe
        self._steps = steps
        self._next: Point | Inner | None = None
        self.result: Any = None
        self.over = False
        self._go(lambda: next(steps))

    @classmethod
    def here(cls, owner: Any, ring: int, request: Any) -> _Passage | None:
        """The passage of the task that calls this, or None if no debugged run does."""
        gate = ACTIVE_GATE.get()
        task = None if gate is None else _task_here(gate)
        if gate is None or task is None:
            return None
        site = Site("layer", task.path, name_of(owner), ring)
        return cls(gate, gate.layer_passed(task, site, request))

    def asked(self, method: Callable[..., Any], handler: Any) -> Any:
        """The answer to what the gate asks for now: a verdict, or the method's result."""
        if isinstance(self._next, Inner):
            return method(self._next.request, handler)
        assert self._next is not None
        return self._probe.hold(self._next)

    async def asked_later(self, method: Callable[..., Any], handler: Any) -> Any:
        """The same for the asynchronous method."""
        if isinstance(self._next, Inner):
            return await method(self._next.request, handler)
        assert self._next is not None
        return await self._probe.ahold(self._next)

    def answered(self, answer: Any) -> None:
        """Go on with an answer."""
        self._go(lambda: self._steps.send(answer))

    def broke(self, error: BaseException) -> None:
        """Go on with an error; what the gate makes of it may be raised here."""
        self._go(lambda: self._steps.throw(error))

    def _go(self, step: Callable[[], Point | Inner]) -> None:
        try:
            self._next = step()
        except StopIteration as done:
            self.result, self.over = done.value, True


def _task_here(gate: Gate) -> LiveTask | None:
    """The task whose node runs this code."""
    from langgraph.config import get_config

    try:
        metadata = get_config().get("metadata") or {}
    except RuntimeError:
        return None
    return gate.recorder.task_at(str(metadata.get("langgraph_checkpoint_ns", "")))
