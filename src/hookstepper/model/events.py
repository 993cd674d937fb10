"""What a host tells the screen. Past tense: each one has happened when it is sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from hookstepper.model.gates import Site, Stop
from hookstepper.model.graph import Edge, Graph, SourcePlace
from hookstepper.model.ids import BranchId, CheckpointId, HostId, Json, NodeId, StopId, TaskId
from hookstepper.model.record import Delta, StepDone

RunStatus = Literal["completed", "interrupted", "failed", "limit", "aborted"]


@dataclass(frozen=True, slots=True)
class TraceLine:
    """One line of a traceback."""

    place: SourcePlace
    code: str = ""
    mine: bool = True
    """True for the user's own code; False for frameworks and hookstepper."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception of the user's program, told in full and never raised here."""

    kind: str
    """Class name of the exception."""
    message: str
    lines: tuple[TraceLine, ...] = ()
    """Outermost first, as Python prints them."""
    hint: str = ""

    @property
    def title(self) -> str:
        """`Kind: message`, on one line."""
        return f"{self.kind}: {self.message}".splitlines()[0] if self.message else self.kind

    @property
    def place(self) -> SourcePlace | None:
        """The innermost line of the user's own code, or None."""
        return next((line.place for line in reversed(self.lines) if line.mine), None)


@dataclass(frozen=True, slots=True)
class TargetLoaded:
    """The target is there and described; nothing has run."""

    TAG: ClassVar[str] = "targetLoaded"
    graph: Graph
    attr: str
    """Name of the attribute that was opened."""
    capabilities: frozenset[str] = frozenset()
    sample_input: Json = None
    """An input that the target itself suggests, or None."""
    input_schema: Json = None
    interpreter: str = ""
    """`Python 3.12.1 (.venv)`."""
    versions: tuple[tuple[str, str], ...] = ()
    """Frameworks in the target's interpreter and their versions."""
    duration_us: int = 0


@dataclass(frozen=True, slots=True)
class TargetNotLoaded:
    """The target could not be loaded; the host stays alive to say why."""

    TAG: ClassVar[str] = "targetNotLoaded"
    failure: Failure
    choices: tuple[str, ...] = ()
    """Attributes that could be meant, if the trouble is that there are several."""


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A run began or went on; `state` is what its first node will see."""

    TAG: ClassVar[str] = "runStarted"
    run: int
    """Counts the runs of one host, from 1; going on after a question is the same run."""
    branch: BranchId
    thread: str
    entry: Literal["start", "resume", "from"]
    state: Json
    from_step: int | None = None
    """Index of the step that a fork starts from."""


@dataclass(frozen=True, slots=True)
class NodeEntered:
    """A node began to run."""

    TAG: ClassVar[str] = "nodeEntered"
    site: Site
    task: TaskId
    superstep: int


@dataclass(frozen=True, slots=True)
class NodeRan:
    """A task of a superstep is over and its writes are pending: they wait for the other tasks."""

    TAG: ClassVar[str] = "nodeRan"
    site: Site
    task: TaskId
    superstep: int
    update: Json
    """What it gave, encoded and cut; committed state does not have it yet."""


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A model or tool call began."""

    TAG: ClassVar[str] = "callStarted"
    site: Site
    task: TaskId
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of text that a model streamed; may be dropped and is then counted in `Dropped`."""

    TAG: ClassVar[str] = "token"
    task: TaskId
    text: str


@dataclass(frozen=True, slots=True)
class Output:
    """Text that the program wrote to its standard output or error; may be dropped."""

    TAG: ClassVar[str] = "output"
    stream: Literal["stdout", "stderr", "debugger"]
    text: str


@dataclass(frozen=True, slots=True)
class Dropped:
    """So many events of a kind were left out because the screen could not keep up."""

    TAG: ClassVar[str] = "dropped"
    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class StateChanged:
    """A person changed the state between two steps, or the run began from another one."""

    TAG: ClassVar[str] = "stateChanged"
    branch: BranchId
    delta: Delta
    checkpoint: CheckpointId | None
    by: str
    """`edit`, `input`, `answer`, or `program` for a change found outside any update."""
    next: tuple[NodeId, ...] = ()
    after_step: int = -1
    """Index of the step after which the change stands."""
    scope: NodeId | None = None
    """The subgraph node whose own state it is; None for the root state."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """A run is held or at rest."""

    TAG: ClassVar[str] = "stopped"
    stop: Stop
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class Resumed:
    """A stop was released."""

    TAG: ClassVar[str] = "resumed"
    stop: StopId
    how: str
    """Id of the command that released it."""


@dataclass(frozen=True, slots=True)
class RunEnded:
    """A run came to rest: at its end, a question, a failure, a limit, or by abort."""

    TAG: ClassVar[str] = "runEnded"
    status: RunStatus
    branch: BranchId
    checkpoint: CheckpointId | None
    steps: int
    """Steps of this run."""
    failure: Failure | None = None
    failed_at: NodeId | None = None


@dataclass(frozen=True, slots=True)
class EdgesObserved:
    """A run took ways that the graph did not declare."""

    TAG: ClassVar[str] = "edgesObserved"
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class PersonActed:
    """A person did something by hand; shown in the human lane."""

    TAG: ClassVar[str] = "personActed"
    what: str
    """Command id, such as `jump.set` or `answer.send`."""
    detail: str
    after_step: int
    undone: bool = False


@dataclass(frozen=True, slots=True)
class Noted:
    """A wish could not be carried out after all, or something is worth a word; nothing is lost."""

    TAG: ClassVar[str] = "noted"
    text: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class BreakpointsChanged:
    """What the host knows of breakpoints and mocks; `problems` pairs an id with what is wrong."""

    TAG: ClassVar[str] = "breakpointsChanged"
    problems: tuple[tuple[int, str], ...] = ()
    hits: tuple[tuple[int, int], ...] = ()
    spent: tuple[int, ...] = ()
    """Breakpoints that were to stop once, and have."""
    used_mocks: tuple[int, ...] = ()
    """Mocks that were to answer once, and have."""
    mock_problems: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class HostGone:
    """Made on the screen side: the agent process is no more."""

    TAG: ClassVar[str] = "hostGone"
    host: HostId
    how: str
    """`exit 0`, `signal 9`, `closed the wire`."""
    expected: bool


Event: TypeAlias = (
    TargetLoaded
    | TargetNotLoaded
    | RunStarted
    | NodeEntered
    | NodeRan
    | CallStarted
    | Token
    | Output
    | Dropped
    | StateChanged
    | StepDone
    | Stopped
    | Resumed
    | RunEnded
    | EdgesObserved
    | PersonActed
    | Noted
    | BreakpointsChanged
    | HostGone
)
