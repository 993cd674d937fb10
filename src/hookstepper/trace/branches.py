"""Branches: lines of history. A fork makes a new one, the old one stays."""

from __future__ import annotations

from dataclasses import dataclass, field

from hookstepper.model.ids import BranchId, Json
from hookstepper.trace.history import PointId


@dataclass(slots=True)
class Branch:
    """One line of history; read-only outside the trace."""

    id: BranchId
    parent: BranchId | None
    """The branch that it was forked from; None for the first."""
    from_step: int
    """Index of the step after which it begins; -1 for the input."""
    point: PointId
    """Where its next step starts from."""
    last: int
    """Index of the newest step on its line, its own or inherited; -1 if there is none."""
    run: int = 0
    steps: list[int] = field(default_factory=list)
    """Indices of its own steps."""


@dataclass(frozen=True, slots=True)
class Cause:
    """What made a point of the history: a step, or something between two steps."""

    by: str
    """`step`, or as `StateChanged.by` says: `edit`, `input`, `answer`, `program`; `start` for a new run."""
    step: int
    """The step, or the one after which the change stands; -1 for the input."""


@dataclass(frozen=True, slots=True)
class Write:
    """Who gave a value the form that it has."""

    step: int
    """Index of the step, or of the step after which it was written from outside; -1 for the input."""
    by: str
    """As `Cause.by`."""
    old: Json = None
    """What was there before, None if nothing was or if that is not known."""
