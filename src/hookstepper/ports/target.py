"""The target port: a graph that can be described, run through gates, read, edited and forked.

Every method is called on the host's run thread (its main thread) or in a parked task, never on the
control thread. `capabilities` and the `acts` of each point say what can be done; absent is unsupported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from hookstepper.model.events import RunStatus
from hookstepper.model.gates import Ask, Site
from hookstepper.model.graph import Graph
from hookstepper.model.ids import AskId, CheckpointId, Json, NodeId, TaskId
from hookstepper.ports.probe import Probe
from hookstepper.values.decoding import InvalidValue as InvalidValue

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

CAPABILITIES: frozenset[str] = frozenset(
    {
        "edit",
        "edit_nested",
        "set_next",
        "fork",
        "jump_update",
        "jump_edit",
        "answer",
        "answer_some",
        "layers",
        "calls",
        "predict",
        "tokens",
        "fulfil",
        "lifts_stops",
    }
)
"""Words that a target may claim.

- `answer_some`: of several open questions some can be answered, the others stay open.
- `edit_nested`: the graph that holds the held task can be edited, wherever it is nested.
- `fulfil`: a node can be skipped, with a result in its place.
- `lifts_stops`: stops that were compiled into the graph are left to the debugger while it runs here.
- `jump_update`: a jump by hand is put into the update at the exit gate.
- `jump_edit`: it is made by an edit of the checkpoint.
"""


@dataclass(frozen=True, slots=True)
class Start:
    """A new run from the graph's START, on top of what the thread's last checkpoint holds."""

    input: object
    """Text (a user's message), or a mapping of state keys, or whatever the framework takes."""
    thread: str
    config: Mapping[str, object] = field(default_factory=dict)
    hook_order: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Resume:
    """Answers to all open questions, or to some where the target claims `answer_some`, in the neutral form:
    `{"decisions": [...]}` for approvals, any JSON value for plain questions. The session has checked them;
    they are never sent half right."""

    answers: Mapping[AskId, object]


@dataclass(frozen=True, slots=True)
class From:
    """Go on, or fork, from a checkpoint; what is due there runs next."""

    checkpoint: CheckpointId
    mocks: Mapping[Site, Sequence[object]] | None = None


Entry: TypeAlias = Start | Resume | From


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run came to rest."""

    status: RunStatus
    checkpoint: CheckpointId | None
    """Last checkpoint written, None if there is none."""
    asks: tuple[Ask, ...] = ()
    """Open questions, if interrupted."""
    error: BaseException | None = None
    failed_at: NodeId | None = None
    """The node that failed, or at which the limit was hit."""
    next: tuple[NodeId, ...] = ()
    """What is due at that checkpoint."""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """State at a checkpoint. Never raises: what could not be read is named in `trouble`."""

    values: Mapping[str, object]
    next: tuple[NodeId, ...]
    checkpoint: CheckpointId | None
    trouble: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckpointRow:
    """One saved state, for lists."""

    checkpoint: CheckpointId
    node: NodeId
    """The node that ran before it was saved."""
    next: tuple[NodeId, ...]
    parent: CheckpointId | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of a checkpoint's state and position."""

    values: Mapping[str, object]
    mode: Literal["raw", "reducer"] = "raw"
    """raw: the values replace what is there. reducer: they pass through the key strategies."""
    next: tuple[NodeId, ...] | None = None
    """None: what is due stays due."""
    jump: str | None = None
    """A jump word for targets that claim `jump_edit`: written as if the held node had returned it."""
    task: TaskId | None = None
    """A task of a nested graph, where the target claims `edit_nested`: state and position of that graph are
    meant, at the point where the task was held; the checkpoint stays the root's. None: the root graph."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """Where an edit would lead; made on demand only."""

    next: tuple[NodeId, ...]
    called: tuple[str, ...] = ()
    """The user's own routers that had to be called to find out."""
    trouble: str = ""


class Codec(Protocol):
    """Turns a framework's own types into JSON and back; plain Python is the business of `values`."""

    def encode(self, obj: object) -> Json:
        """The tagged JSON form of one object, children still live and left to the caller; None: not mine.

        A message becomes `{"$": "msg", "role": …, "content": …, "tool_calls": […], "id": …, …}`.
        """
        ...

    def decode(self, value: Json, like: object) -> object:
        """The object that an edited `value` describes, of the type of `like`.

        Raises:
            InvalidValue: it cannot be made; `path` leads to the part that does not fit.
        """
        ...


class Target(Protocol):
    """What is being debugged. One instance serves one host process; one run at a time."""

    capabilities: frozenset[str]
    codec: Codec

    def describe(self) -> Graph:
        """The graph as it is known now; cheap after the first call."""
        ...

    def sample_input(self) -> Json:
        """An input that the target suggests, or None."""
        ...

    def input_schema(self) -> Json:
        """JSON schema of the input, or None if a text will do."""
        ...

    def run(self, entry: Entry, probe: Probe) -> Outcome:
        """Run until the end, a question, a limit, a failure or an `Abort` verdict; blocks.

        A failure of the user's program comes back in the outcome; only errors of ours are raised.
        """
        ...

    def state(self, at: CheckpointId | None = None) -> Snapshot:
        """State at a checkpoint, by default the last; never raises."""
        ...

    def history(self, limit: int) -> Sequence[CheckpointRow]:
        """Saved states of the current thread, newest first."""
        ...

    def edit(self, at: CheckpointId, edit: Edit) -> CheckpointId:
        """A new checkpoint with the change; the old one stays. No task may be alive.

        Raises:
            NotPossibleError: this target or this checkpoint cannot be edited so.
        """
        ...

    def predict(self, at: CheckpointId, edit: Edit | None) -> Prediction:
        """What would be due after `edit`; on demand only, since it may call the user's routers."""
        ...

    def close(self) -> None:
        """Let go of files, loops and connections; may be called twice."""
        ...


class NestedTarget(Protocol):
    """What a target that claims `edit_nested` has beside."""

    def nested_state(self, task: TaskId) -> Snapshot:
        """State of the graph that holds a task that was held; never raises."""
        ...

    def take_back_nested(self, at: CheckpointId) -> CheckpointId:
        """The checkpoint to go on from so that the last change of a nested graph is not made.

        Raises:
            NotPossibleError: there is none.
        """
        ...


@dataclass(frozen=True, slots=True)
class OpenOptions:
    """How a target is to be opened."""

    db: str | None = None
    """File for checkpoints, or None for the memory of the host."""
    thread: str = "main"
    compat: str | None = None
    """`upstream` or `fixed`, None for what the agent itself says."""
    config: Mapping[str, object] = field(default_factory=dict)
    sample_input: object = None
    """Input that the target's own module suggests, or None."""
    loop: AbstractEventLoop | None = None
    """Event loop on which the object was made and on which it must run; None: any will do."""


class Adapter(Protocol):
    """Makes targets out of the objects of one framework."""

    name: str

    def prepare(self) -> None:
        """Before the user's import: may install post-import hooks; imports no framework."""
        ...

    def claims(self, obj: object) -> bool:
        """True if `obj` is of this framework, by the module names in its type's MRO; imports nothing."""
        ...

    def open(self, obj: object, options: OpenOptions) -> Target:
        """A target for `obj`.

        Raises:
            SpecError: the object is of this framework but cannot be opened; the message says why.
        """
        ...

    def versions(self) -> tuple[tuple[str, str], ...]:
        """The framework's packages that are imported, with their versions."""
        ...
