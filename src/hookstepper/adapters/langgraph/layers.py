"""Gates around the `wrap_model_call` and `wrap_tool_call` methods of middleware: the rings.

While `create_agent` compiles, each middleware object carries its own wrapped methods as attributes; the
compiled chain keeps them, and the object is then as it was. Outside of a debugged run a wrapped method
calls the user's at once.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from hookstepper.adapters.langgraph.passages import apassed, passed
from hookstepper.model.gates import Site
from hookstepper.model.graph import RingKind

if TYPE_CHECKING:
    from hookstepper.adapters.langgraph.gates import Gate
    from hookstepper.adapters.langgraph.tasks import LiveTask

ACTIVE_GATE: ContextVar[Gate | None] = ContextVar("hookstepper_gate", default=None)
"""The gate of the run that is alive in this context; threads and tasks of the run inherit it."""

_KINDS: tuple[RingKind, ...] = ("model", "tool")


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
                        setattr(one, name, gated(getattr(one, name), one, ring, kind))
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


def gated(method: Callable[..., Any], owner: Any, ring: int, around: RingKind) -> Callable[..., Any]:
    """The method with a gate around it; outside of a debugged run it is called at once."""
    if inspect.iscoroutinefunction(inspect.unwrap(method)):

        @functools.wraps(method)
        async def awrapped(request: Any, handler: Any) -> Any:
            found = _gate_here()
            if found is None:
                return await method(request, handler)
            gate, task = found
            site = Site("layer", task.path, name_of(owner), ring)
            steps = gate.layer_passed(task, site, request, around)
            return await apassed(steps, gate.recorder.probe, lambda given: method(given, handler))

        return awrapped

    @functools.wraps(method)
    def wrapped(request: Any, handler: Any) -> Any:
        found = _gate_here()
        if found is None:
            return method(request, handler)
        gate, task = found
        site = Site("layer", task.path, name_of(owner), ring)
        steps = gate.layer_passed(task, site, request, around)
        return passed(steps, gate.recorder.probe, lambda given: method(given, handler))

    return wrapped


def _gate_here() -> tuple[Gate, LiveTask] | None:
    """The gate of the run and the task that calls this, or None if no debugged run does."""
    gate = ACTIVE_GATE.get()
    task = None if gate is None else task_here(gate)
    return (gate, task) if gate is not None and task is not None else None


def task_here(gate: Gate) -> LiveTask | None:
    """The task whose node runs this code."""
    from langgraph.config import get_config

    try:
        metadata = get_config().get("metadata") or {}
    except RuntimeError:
        return None
    return gate.recorder.task_at(str(metadata.get("langgraph_checkpoint_ns", "")))
