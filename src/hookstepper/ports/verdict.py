"""What a held task is told; live objects, never on the wire."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from hookstepper.model.gates import Act, Phase, Site
from hookstepper.model.ids import TaskId


@dataclass(frozen=True, slots=True)
class Proceed:
    """Go on as if nobody had looked."""


@dataclass(frozen=True, slots=True)
class Patch:
    """Go on with another value: at enter the new input, at exit the new update or response, at a route
    the new targets (a tuple of node ids)."""

    value: object


@dataclass(frozen=True, slots=True)
class Fulfil:
    """At enter: skip the body; this is its result."""

    value: object


@dataclass(frozen=True, slots=True)
class Fail:
    """Raise this at the gate, as if the body had."""

    error: BaseException


@dataclass(frozen=True, slots=True)
class Retry:
    """At exit: run the body again, with this input if it is not None."""

    value: object = None


@dataclass(frozen=True, slots=True)
class Abort:
    """Leave the run here; nothing of this task is recorded."""


Verdict: TypeAlias = Proceed | Patch | Fulfil | Fail | Retry | Abort
PROCEED = Proceed()


@dataclass(frozen=True, slots=True)
class Point:
    """One arrival at a gate."""

    site: Site
    phase: Phase
    task: TaskId
    superstep: int
    value: object
    """enter: node input, request; exit: update, response; route: a `hookstepper.model.record.Route`."""
    acts: frozenset[Act]
    """What THIS engine can do HERE."""
    attempt: int = 1
    error: BaseException | None = None
    """At exit: what the body raised, if it did; the verdict decides what becomes of it."""


class RunAborted(BaseException):
    """Thrown through the engine after an `Abort` verdict; never swallowed, never recorded."""
