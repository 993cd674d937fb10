"""What a run hands out: an output per node, interruptions, and how it came to rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, get_args

from hookstepper.model.errors import SpecError
from hookstepper.model.events import RunStatus
from hookstepper.model.gates import Phase
from hookstepper.model.ids import CheckpointId, NodeId
from hookstepper.model.record import Usage

FeedbackResult = Literal["APPROVED", "EDITED", "REJECTED"]


@dataclass(frozen=True, slots=True)
class NodeOutput:
    """What one node left behind. START and END have one too, an interrupted node has none."""

    node: NodeId
    state: Mapping[str, Any]
    """A copy of the state after the node."""
    agent: str = ""
    usage: Usage | None = None
    subgraph: bool = False
    """True if it comes from inside the node of a compiled subgraph, or from a stream in a node."""
    checkpoint: CheckpointId | None = None
    next: NodeId | None = None
    """What is due after it; None after END."""


@dataclass(frozen=True, slots=True)
class StreamingOutput:
    """One piece of a node's result, before the node has ended."""

    node: NodeId
    chunk: Any
    agent: str = ""
    subgraph: bool = True


@dataclass(frozen=True, slots=True)
class ToolFeedback:
    """One tool call that an interruption is about, and what a person decided."""

    id: str
    name: str
    arguments: str
    """JSON text."""
    result: FeedbackResult | None = None
    """May be given in small letters; None: not decided."""
    description: str = ""

    def __post_init__(self) -> None:
        if self.result is None:
            return
        word = str(self.result).upper()
        # A word that means nothing must not count as a decision: a refused call would run.
        if word not in get_args(FeedbackResult):
            raise SpecError(
                f"{self.result!r:.60} is no decision about the call {self.id!r} of {self.name}",
                hint=f"one of: {', '.join(get_args(FeedbackResult))}",
            )
        object.__setattr__(self, "result", word)


@dataclass(frozen=True, slots=True)
class Interruption:
    """A run stopped to ask, or because it was compiled to stop there.

    An interruptable action makes one with `node`, `metadata` and its calls; the engine adds the state.
    """

    node: NodeId
    state: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    tool_feedbacks: Sequence[ToolFeedback] = ()
    approved: Sequence[Any] = ()
    """Tool calls that need no person."""
    asked: bool = True
    """False if no action asked: the graph was compiled to stop there."""
    stops: tuple[tuple[Phase, NodeId], ...] = ()
    """Before (enter) and after (exit) which nodes it was compiled to stop there."""

    def answered(self, feedbacks: Sequence[ToolFeedback]) -> Interruption:
        """The same interruption with a person's decisions, to resume with."""
        return replace(self, tool_feedbacks=tuple(feedbacks))


Output: TypeAlias = NodeOutput | StreamingOutput | Interruption


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run came to rest."""

    status: RunStatus
    state: Mapping[str, Any]
    """A copy of the last committed state."""
    thread: str
    checkpoint: CheckpointId | None = None
    """The last one that was written; if none was, the one it went on from."""
    next: tuple[NodeId, ...] = ()
    """What is due: empty at the end."""
    interruption: Interruption | None = None
    error: Exception | None = None
    failed_at: NodeId | None = None
    """Path of the node that failed, or that the limit kept from running."""
    output: Output | None = None
    """The last output."""
    released: Any = None
    """The `Tag` of the thread if it was released."""


@dataclass(frozen=True, slots=True)
class StateSnapshot:
    """A saved state and where the run stood."""

    values: Mapping[str, Any]
    node: NodeId
    """The node that ran before it was saved."""
    next: NodeId | None
    due: tuple[NodeId, ...]
    """`next` as nodes of the graph: the branches where it is a fan-out; empty at the end."""
    checkpoint: CheckpointId
    thread: str
    parent: CheckpointId | None = None
