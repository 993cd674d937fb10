"""What happened: deltas, routes and the step that the record is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from hookstepper.model.gates import Site
from hookstepper.model.graph import NodeKind
from hookstepper.model.ids import BranchId, CheckpointId, HostId, Json, NodeId, TaskId

Path: TypeAlias = tuple[str | int, ...]
"""Keys and list indices from the root of the state down to a value."""


@dataclass(frozen=True, slots=True)
class SetValue:
    """The value at `path` became another one."""

    TAG: ClassVar[str] = "set"
    path: Path
    old: Json
    new: Json


@dataclass(frozen=True, slots=True)
class AddKey:
    """A key appeared; the last part of `path` is its name."""

    TAG: ClassVar[str] = "add"
    path: Path
    new: Json


@dataclass(frozen=True, slots=True)
class DeleteKey:
    """A key went away."""

    TAG: ClassVar[str] = "del"
    path: Path
    old: Json


@dataclass(frozen=True, slots=True)
class Splice:
    """In the list at `path`, `removed` items at `index` gave way to `inserted` ones; either may be empty."""

    TAG: ClassVar[str] = "splice"
    path: Path
    index: int
    removed: tuple[Json, ...]
    inserted: tuple[Json, ...]


DeltaOp: TypeAlias = SetValue | AddKey | DeleteKey | Splice
Delta: TypeAlias = tuple[DeltaOp, ...]
"""Changes in the order in which they apply; old values are kept, so a delta can be taken back."""


@dataclass(frozen=True, slots=True)
class RuleSeen:
    """One rule of a router as it was read in this decision."""

    rule: str
    """Stable word: `jump_to`, `no_messages`, `tool_calls`, `no_tool_calls`, `answered`, `partly_answered`,
    `otherwise`, `declared_jump`, `default`; other engines use words of their own."""
    saw: str
    """The value that the rule looked at, in short; empty if it was not reached."""
    fired: bool
    to: NodeId | None = None
    """Where the rule leads, None if that depends."""


@dataclass(frozen=True, slots=True)
class Route:
    """Where a run went after a node, and why."""

    to: tuple[NodeId, ...]
    rule: str
    """The rule that fired; `fixed` for an edge without a choice."""
    why: str = ""
    """One English sentence."""
    rules: tuple[RuleSeen, ...] = ()
    """All rules in the order in which they are read; empty for a fixed edge."""
    otherwise: NodeId | None = None
    """Where it would have gone without the rule that fired, if that can be told without running code."""
    by_hand: bool = False
    """True if a person set the jump or the next node."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that a step's model calls took, as the model reported them."""

    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def total(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One model or tool call inside a step."""

    kind: str
    """`model` or `tool`."""
    name: str
    call_id: str = ""
    request: Json = None
    """Arguments of a tool call as it ran, or messages and tools of a model call; encoded and cut."""
    response: Json = None
    error: str = ""
    duration_us: int = 0
    mocked: bool = False
    """True if it was not made: a person, a mock or the record answered it, or let it fail."""


@dataclass(frozen=True, slots=True)
class LayerRecord:
    """What one interceptor saw and passed on in one call, encoded and cut."""

    name: str
    ring: int
    kind: str
    request: Json = None
    response: Json = None


@dataclass(frozen=True, slots=True)
class StepDone:
    """One node execution, sent when its writes are committed: the one fact that a trace is built from."""

    TAG: ClassVar[str] = "step"
    index: int
    """From 0, over the whole thread as this debugger saw it; branches share the count."""
    branch: BranchId
    superstep: int
    task: TaskId
    site: Site
    kind: NodeKind
    delta: Delta
    route: Route | None
    checkpoint: CheckpointId | None
    host: HostId
    duration_us: int
    usage: Usage | None = None
    reads: tuple[str, ...] = ()
    """State keys that the node is known to have read; empty if not known."""
    writes: tuple[str, ...] = ()
    """Keys of the update that the node returned, also when the value stayed the same."""
    update: Json = None
    """The update itself, encoded and cut."""
    calls: tuple[CallRecord, ...] = ()
    layers: tuple[LayerRecord, ...] = ()
    by_hand: tuple[str, ...] = ()
    """What a person did to this step: `jump end`, `approved`, `edited`, `rejected`, `patched`, `skipped`."""
    skipped: tuple[NodeId, ...] = ()
    """Hooks that the route jumped over."""
    error: str = ""
    """`ErrorType: message` if the node failed and its error was recorded as its result."""
    scope: NodeId | None = None
    """The subgraph node whose own state `delta` changes; None for the root state."""
