"""What a body asks its driver for, so that the run loop is written once for sync and async.

A body is a generator that yields effects and gets their results back. The two drivers are in
`hookstepper.engine.driver`. Effects never leave the process and are made in the hot path, so they are
plain slotted classes.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from hookstepper.engine.scope import Scope
from hookstepper.model.gates import Act, Phase, Site
from hookstepper.model.ids import NodeId, TaskId
from hookstepper.ports.facts import Fact
from hookstepper.ports.verdict import Fail, Fulfil, Patch, Retry, Verdict

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

Effects: TypeAlias = Generator["Effect", Any, T]
"""A body: yields effects, gets their results sent in, returns a `T`."""

ENTER_ACTS: frozenset[Act] = frozenset({"proceed", "patch", "fulfil", "fail", "abort"})
EXIT_ACTS: frozenset[Act] = frozenset({"proceed", "patch", "retry", "fail", "abort"})
ROUTE_ACTS: frozenset[Act] = frozenset({"proceed", "patch", "abort"})
PART_ACTS: frozenset[Act] = frozenset({"proceed", "abort"})


@dataclass(slots=True)
class Call:
    """Call user code; an awaitable result is awaited. The result is what it returned.

    What it raises is raised in the generator at the `yield`.
    """

    fn: Callable[..., Any]
    args: tuple[Any, ...] = ()


@dataclass(slots=True)
class Pass:
    """Arrive at a gate. The result is a `Verdict`, `Proceed` if nobody wants the gate; `Abort` is raised."""

    site: Site
    phase: Phase
    value: Any
    error: BaseException | None = None
    acts: frozenset[Act] = ROUTE_ACTS
    attempt: int = 1


@dataclass(slots=True)
class Wants:
    """Ask whether anybody may want to be held at the enter of a place. The result is a bool."""

    site: Site


@dataclass(slots=True)
class Branches:
    """Run several bodies, each with its own place in the record. The result is a tuple of `Ended | None`.

    In an async call stack they run concurrently on the event loop. In a sync one they run one after
    another in the order given, or on `executor` if there is one.
    """

    bodies: Sequence[Effects[Any]]
    first: bool = False
    """Stop at the first success: the others are cancelled, or not begun, and give None."""
    tasks: Sequence[TaskId] = ()
    """Their task ids; empty: they are all part of the current task."""
    executor: Executor | None = None
    limit: int | None = None
    """Most bodies that may run at once; None for no limit."""


@dataclass(slots=True)
class Ended:
    """How one branch ended."""

    value: Any = None
    error: BaseException | None = None


@dataclass(slots=True)
class Tell:
    """Give a fact to the probe. No result."""

    fact: Fact


@dataclass(slots=True)
class Emit:
    """Give an output to whoever reads the stream. No result."""

    output: Any


@dataclass(slots=True)
class At:
    """What follows belongs to this task. No result."""

    task: TaskId
    superstep: int
    scope: Scope | None = None
    """Of the run that the task is part of."""
    node: NodeId | None = None
    """The node that the task executes; graphs that its code runs are told as if they were inside it."""


@dataclass(slots=True)
class Here:
    """Ask for the driver itself: for code that must drive nested bodies later. The result is a `Driver`."""


Effect: TypeAlias = Call | Pass | Wants | Branches | Tell | Emit | At | Here

ACT_OF: Mapping[type, Act] = {Patch: "patch", Fulfil: "fulfil", Fail: "fail", Retry: "retry"}
"""The act that a verdict carries out; verdicts that are not named are always possible."""


def effectful(fn: F) -> F:
    """Mark a generator function as a body: the engine drives it instead of calling it.

    It takes `(state, config)` and returns the node's update; see `hookstepper.engine.effects`.
    """
    fn.__effectful__ = True  # type: ignore[attr-defined]
    return fn


def is_effectful(action: object) -> bool:
    """True if `action`, or its `__call__`, is marked with `@effectful`."""
    return bool(
        getattr(action, "__effectful__", False) or getattr(type(action).__call__, "__effectful__", False)
    )


def gated(
    site: Site,
    value: Any,
    body: Callable[[Any], Effects[Any]],
    *,
    at_enter: frozenset[Act] = ENTER_ACTS,
    at_exit: frozenset[Act] = EXIT_ACTS,
) -> Effects[Any]:
    """Run `body(value)` between the two gates of `site` and return its result.

    The verdicts are carried out here, for nodes, layers, models and tools alike: another input, a result
    without running the body, an error, another result, a further attempt. The exit gate is also passed
    when the body raised; then `Proceed` raises on, `Patch` takes the value instead of the error.

    Raises:
        Exception: what the body raised, or what a `Fail` verdict holds.
        RunAborted: a verdict was `Abort`.
    """
    error: Exception | None = None
    result: Any = None
    verdict: Verdict = yield Pass(site, "enter", value, None, at_enter)
    kind = type(verdict)
    fulfilled = kind is Fulfil
    if kind is Patch:
        value = verdict.value  # type: ignore[union-attr]
    elif kind is Fulfil:
        result = verdict.value  # type: ignore[union-attr]
    elif kind is Fail:
        raise verdict.error  # type: ignore[union-attr]
    attempt = 1
    while True:
        if not fulfilled:
            error = None
            try:
                result = yield from body(value)
            except Exception as raised:
                error, result = raised, None
        verdict = yield Pass(site, "exit", result, error, at_exit, attempt)
        kind = type(verdict)
        if kind is Retry:
            value = value if verdict.value is None else verdict.value  # type: ignore[union-attr]
            attempt, fulfilled = attempt + 1, False
            continue
        if kind is Patch:
            return verdict.value  # type: ignore[union-attr]
        if kind is Fail:
            raise verdict.error  # type: ignore[union-attr]
        if error is not None:
            raise error
        return result
