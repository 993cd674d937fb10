"""What an engine tells a probe. Facts hold live objects: the probe encodes them before `emit` returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from hookstepper.model.gates import Site
from hookstepper.model.graph import Edge, NodeKind
from hookstepper.model.ids import CheckpointId, NodeId, TaskId
from hookstepper.model.record import Route, Usage


@dataclass(frozen=True, slots=True)
class Seeded:
    """A run begins or goes on; `state` is what its first node will see (input already merged)."""

    state: Mapping[str, object]
    thread: str
    entry: Literal["start", "resume", "from"]
    checkpoint: CheckpointId | None = None
    scope: NodeId | None = None
    """The subgraph node whose own state this is; None for the root graph."""


@dataclass(frozen=True, slots=True)
class Entered:
    """A node's body is about to run (after its enter gate)."""

    site: Site
    kind: NodeKind
    task: TaskId
    superstep: int


@dataclass(frozen=True, slots=True)
class Ran:
    """A node of a superstep is over; what it gave waits until the others are, and is in no state yet."""

    site: Site
    task: TaskId
    superstep: int
    update: object


@dataclass(frozen=True, slots=True)
class Committed:
    """The writes of one node execution are in the state: this becomes one recorded step."""

    site: Site
    kind: NodeKind
    task: TaskId
    superstep: int
    state: Mapping[str, object]
    """Committed state after the step, of the graph named by `scope`."""
    update: object
    """What the node returned, as the engine took it."""
    route: Route | None
    checkpoint: CheckpointId | None
    duration_us: int
    writes: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    usage: Usage | None = None
    skipped: tuple[NodeId, ...] = ()
    scope: NodeId | None = None
    error: BaseException | None = None
    """Set if the node failed and the engine recorded the failure as its result."""


@dataclass(frozen=True, slots=True)
class CallBegan:
    """A model or tool call begins (after its enter gate)."""

    site: Site
    task: TaskId
    call_id: str = ""
    request: object = None


@dataclass(frozen=True, slots=True)
class CallEnded:
    """A model or tool call is over (after its exit gate)."""

    site: Site
    task: TaskId
    call_id: str = ""
    request: object = None
    response: object = None
    error: BaseException | None = None
    duration_us: int = 0
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class LayerPassed:
    """An interceptor saw a request and passed a response on."""

    site: Site
    task: TaskId
    request: object
    response: object
    around: Literal["model", "tool"] = "model"
    """What it wraps a call of."""


@dataclass(frozen=True, slots=True)
class TextStreamed:
    """A piece of text of a model answer."""

    task: TaskId
    text: str


@dataclass(frozen=True, slots=True)
class EdgesSeen:
    """A run took ways that `describe` had not declared."""

    edges: tuple[Edge, ...]


Fact: TypeAlias = (
    Seeded | Entered | Ran | Committed | CallBegan | CallEnded | LayerPassed | TextStreamed | EdgesSeen
)
