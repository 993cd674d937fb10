"""What a session asks of the host that owns it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from hookstepper.model.events import Event
from hookstepper.model.gates import Stop
from hookstepper.model.ids import BranchId, CheckpointId, Json, NodeId, StopId, TaskId
from hookstepper.model.record import Path
from hookstepper.ports.target import Entry
from hookstepper.ports.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Release:
    """Let a held task go with this verdict."""

    stop: StopId
    verdict: Verdict
    how: str = ""
    """Id of the command, for the `Resumed` event."""


@dataclass(frozen=True, slots=True)
class Amend:
    """A change of a checkpoint, made before a run goes on from it."""

    at: CheckpointId
    by: str
    """`edit`, `jump` or `next`, for the record; `back` takes the last change of a nested graph back."""
    path: Path = ()
    """Value to replace; empty for none."""
    value: Json = None
    mode: Literal["raw", "reducer"] = "raw"
    next: tuple[NodeId, ...] | None = None
    jump: str | None = None
    task: TaskId | None = None
    """A held task of a nested graph whose own state or position is changed; None: the root's."""


@dataclass(frozen=True, slots=True)
class Run:
    """Start the target on its run thread; every task of the last run is gone by then."""

    entry: Entry
    branch: BranchId
    amend: Amend | None = None
    """If set, the entry is `From` and its checkpoint is replaced by what the change gives."""
    from_step: int | None = None
    replay: bool = False
    """Give the session a `Replay` of the calls that were recorded after `from_step`."""


@dataclass(frozen=True, slots=True)
class Publish:
    """Tell the screen."""

    event: Event


@dataclass(frozen=True, slots=True)
class Announce:
    """Tell the screen of a stop; the host adds what is at the gate, encoded."""

    stop: Stop


Effect: TypeAlias = Release | Run | Publish | Announce
