"""Gates and stops: the places where a task can be held, and what is told when one is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hookstepper.model.graph import SourcePlace
from hookstepper.model.ids import AskId, Json, NodeId, StopId, TaskId

GateKind = Literal["node", "route", "layer", "model", "tool", "line", "part"]
"""A hook is a node; its NodeKind tells which. A route has an exit only.
part: a piece of the engine's own work around a node, such as `merge messages`; it has an enter only.
line: a line of the program's own code, inside of a node; it has an enter only."""

Phase = Literal["enter", "exit"]
Act = Literal["proceed", "patch", "fulfil", "fail", "retry", "abort"]
Reason = Literal[
    "entry",
    "step",
    "breakpoint",
    "watch",
    "pause",
    "jump",
    "exception",
    "interrupt",
    "limit",
    "diverged",
    "exit",
    "code",
]
"""code: the program's own `breakpoint()`."""
FrameKind = Literal["run", "graph", "subgraph", "node", "layer", "model", "tool", "attempt", "line", "part"]
AskKind = Literal["approval", "input"]
Decision = Literal["approve", "edit", "reject", "respond"]


@dataclass(frozen=True, slots=True)
class Site:
    """A static place in a graph; equal across runs, processes and recordings."""

    kind: GateKind
    node: NodeId
    """Path of the node, `outer:inner` when nested."""
    name: str = ""
    """The interceptor, model or tool; empty for nodes and routes."""
    ring: int = 0
    """Depth of an interceptor; 0 is the outermost."""

    @property
    def depth(self) -> int:
        """How many graphs hold the node: 0 at the top."""
        return self.node.count(":")


@dataclass(frozen=True, slots=True)
class Frame:
    """One level of nesting of a stop; frames are listed innermost first."""

    kind: FrameKind
    name: str
    site: Site | None = None
    source: SourcePlace | None = None
    """For a `line` frame: where the program's own function is now."""
    detail: str = ""
    locals: Json = None
    """For a `line` frame: local variables by name, encoded and cut; no code of theirs was called."""


@dataclass(frozen=True, slots=True)
class AskCall:
    """One tool call that a question is about."""

    id: str
    tool: str
    arguments: Json
    """Decoded arguments, or the raw text if it was no JSON object."""
    needs_approval: bool = True
    schema: Json = None
    """JSON schema of the arguments, or None if the tool has none."""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Ask:
    """One open question of the program; the run waits until it is answered."""

    id: AskId
    kind: AskKind
    node: NodeId
    prompt: str = ""
    calls: tuple[AskCall, ...] = ()
    """In the order of the request; empty for a plain question."""
    allowed: tuple[Decision, ...] = ()
    """Decisions that this question takes; per call if `allowed_by_call` names the call."""
    allowed_by_call: tuple[tuple[str, tuple[Decision, ...]], ...] = ()
    schema: Json = None
    """JSON schema of the answer to a plain question, or None if any JSON value will do."""
    payload: Json = None
    """The question as the program gave it, encoded."""
    stops: tuple[tuple[Phase, NodeId], ...] = ()
    """Places where the graph was compiled to stop, if that is all that it is: any answer goes on."""
    again: tuple[NodeId, ...] = ()
    """Nodes whose bodies run again from their first line once it is answered; empty if none does."""


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A step that another stop has overtaken; `run.complete` goes on to where it was to end."""

    command: str
    """Id of the command that began it, such as `run.next`."""
    node: NodeId
    """Where it began; for `run.to` and `run.turn`, where it was to end."""


@dataclass(frozen=True, slots=True)
class Stop:
    """A run held at a gate, or at rest after it asked, failed, ended or hit a limit."""

    id: StopId
    epoch: int
    """References from an older epoch are stale."""
    posture: Literal["held", "resting"]
    """held: a task is parked at a gate. resting: no task is alive (entry, interrupt, failed, limit, end)."""
    reasons: tuple[Reason, ...]
    acts: frozenset[Act]
    """What can be done here; the screen greys the rest."""
    site: Site | None = None
    phase: Phase | None = None
    task: TaskId | None = None
    superstep: int = 0
    frames: tuple[Frame, ...] = ()
    asks: tuple[Ask, ...] = ()
    all_stopped: bool = True
    """False while another task of the run is still moving."""
    next: tuple[NodeId, ...] = ()
    """Nodes that run next: the held node, or what the last checkpoint says is due."""
    detail: str = ""
    """Which breakpoint, which error: one line that belongs to the reasons."""
    value: Json = None
    """What is at the gate, encoded and cut: node input, update, request, response or route."""
    error: str = ""
    """`ErrorType: message` at an exit gate after an exception, else empty."""
    unfinished: Unfinished | None = None
    pending_jump: str = ""
    """`model`, `tool`, `end` or `clear`: a jump that a person set and that waits for the held node."""
