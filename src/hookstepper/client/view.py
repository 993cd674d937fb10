"""What a screen draws: one immutable picture of where a conversation stands."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from hookstepper.model.breakpoints import Breakpoint
from hookstepper.model.events import (
    CallStarted,
    Failure,
    HostGone,
    NodeEntered,
    NodeRan,
    Output,
    RunEnded,
    TargetLoaded,
    TargetNotLoaded,
)
from hookstepper.model.gates import Stop
from hookstepper.model.graph import Graph
from hookstepper.model.ids import BranchId, Json, NodeId
from hookstepper.model.mocks import Mock
from hookstepper.trace.trace import Trace

Phase = Literal[
    "loading",
    "not_loaded",
    "ready",
    "running",
    "pausing",
    "stopped",
    "waiting",
    "failed",
    "ended",
    "limit",
    "aborted",
    "gone",
    "recording",
]
"""loading, not_loaded: the target. ready: loaded, and no run yet, or held before the first node.
stopped: held at a gate. waiting: the program asks. gone: no agent process. recording: a file is looked at."""


@dataclass(frozen=True, slots=True)
class View:
    """Everything that panes draw. Made anew after each change; `version` tells two apart."""

    version: int
    phase: Phase
    target: str
    """As the user wrote it."""
    thread: str
    trace: Trace
    """The record so far; panes only read it."""
    run: int = 0
    graph: Graph | None = None
    loaded: TargetLoaded | None = None
    not_loaded: TargetNotLoaded | None = None
    input: Json = None
    """What the run was started with; None before the first start."""
    cursor: int | None = None
    """Index of the step looked back at; -1 is the input; None means the live end."""
    branch: BranchId | None = None
    """The branch on whose line the cursor walks; None means the live one."""
    stop: Stop | None = None
    """The current stop, held or resting; None while running."""
    held: tuple[Stop, ...] = ()
    """All held tasks, the current one first."""
    failure: Failure | None = None
    failed_at: NodeId | None = None
    ended: RunEnded | None = None
    live: tuple[NodeEntered, ...] = ()
    """Tasks whose node is running now, or ran and is not committed yet."""
    ran: tuple[NodeRan, ...] = ()
    """Those of them that are over: their writes wait for the other tasks of their superstep."""
    calling: tuple[CallStarted, ...] = ()
    """The model or tool call that each running task made last."""
    breakpoints: tuple[Breakpoint, ...] = ()
    compiled: tuple[Breakpoint, ...] = ()
    """Stops that the graph brings along; disabled if they are muted."""
    problems: tuple[tuple[int, str], ...] = ()
    """Breakpoint id and what is wrong with it."""
    hits: tuple[tuple[int, int], ...] = ()
    """Breakpoint id and how often it was reached."""
    mocks: tuple[Mock, ...] = ()
    used_mocks: tuple[int, ...] = ()
    """Mocks that were to answer once, and have."""
    mock_problems: tuple[tuple[int, str], ...] = ()
    """Mock id and what is wrong with it."""
    watches: tuple[str, ...] = ()
    """Expressions in the condition language, shown with their value at the step in view."""
    recording: str = ""
    """Name of the file that is being written, empty if none."""
    watching: bool = False
    """True if a change of one of the program's files starts it again."""
    recording_lost: str = ""
    """Why nothing is written any more, one sentence; the run goes on without."""
    output: tuple[Output, ...] = ()
    """What the program printed, oldest first, cut to the newest lines."""
    dropped: int = 0
    gone: HostGone | None = None
    playing: bool = False
    speed: float = 2.0
    """Steps a second while playing."""
    busy_since: float | None = None
    """Seconds on the caller's clock since which the agent process has not answered, None if it answers."""
    started_at: float = 0.0
    """Seconds on the caller's clock at which the current phase began."""
    notice: str = ""
    """Last refusal or remark, shown until the next key."""
    hint: str = ""
    remark: str = ""
    """What the last command found, no refusal; empty if there is nothing to say."""

    def changed(self, **changes: object) -> View:
        """The same view with other fields, one version on."""
        return replace(self, version=self.version + 1, **changes)  # type: ignore[arg-type]

    def in_phase(self, phase: Phase, now: float, **changes: object) -> View:
        """The view in a phase that began at `now` seconds on the caller's clock."""
        return self.changed(phase=phase, started_at=now, busy_since=None, **changes)

    def started_again(self, target: str, now: float) -> View:
        """The view while a new process of the program loads: the record, the lists and the place stay."""
        return View(
            version=self.version + 1,
            phase="loading",
            target=target,
            thread=self.thread,
            trace=self.trace,
            graph=self.graph,
            cursor=self.cursor,
            branch=self.branch or (self.trace.branch if self.cursor is not None else None),
            breakpoints=self.breakpoints,
            compiled=self.compiled,
            mocks=self.mocks,
            watches=self.watches,
            watching=self.watching,
            recording=self.recording,
            recording_lost=self.recording_lost,
            started_at=now,
            input=self.input,
        )

    @property
    def refusal(self) -> str:
        """Why the last command was not carried out; empty if it was."""
        return self.notice if self.notice != self.recording_lost else ""

    @property
    def looking_back(self) -> bool:
        """True if the cursor is on a step and not at the live end."""
        return self.cursor is not None

    @property
    def at(self) -> int:
        """Index of the step in view; -1 before the first step."""
        return self.trace.head if self.cursor is None else self.cursor

    @property
    def places(self) -> tuple[Breakpoint, ...]:
        """Every place where a run may be held: a person's breakpoints, then the graph's own stops."""
        return (*self.breakpoints, *self.compiled)

    @property
    def next_nodes(self) -> tuple[NodeId, ...]:
        """Nodes that run next (▶), at the live end; empty while looking back or after the end."""
        return self.stop.next if self.stop is not None and self.cursor is None else ()
