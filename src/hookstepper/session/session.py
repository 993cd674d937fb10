"""DebugSession: the one place that decides whether a task is held and what a command does to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from hookstepper.model import jumps
from hookstepper.model.breakpoints import Breakpoint
from hookstepper.model.commands import (
    AbortRun,
    Answer,
    Continue,
    EditState,
    Fork,
    Into,
    Next,
    Out,
    Pause,
    RetryNode,
    RunTo,
    SessionCommand,
    SetBreakpoints,
    SetJump,
    SetNext,
    SkipNode,
    StartRun,
    Superstep,
    Turn,
    Undo,
)
from hookstepper.model.errors import HookstepperError, NotPossibleError
from hookstepper.model.events import BreakpointsChanged, PersonActed, RunEnded
from hookstepper.model.gates import Act, Phase, Reason, Site, Stop
from hookstepper.model.graph import Graph
from hookstepper.model.ids import MAIN, AskId, BranchId, CheckpointId, Json, NodeId, StopId, TaskId
from hookstepper.ports.target import From, Outcome, Resume, Start
from hookstepper.ports.verdict import PROCEED, Abort, Fulfil, Patch, Point, Proceed, Verdict
from hookstepper.session.answers import checked
from hookstepper.session.breaks import BreakSet, Facts, unknown_node
from hookstepper.session.effects import Amend, Announce, Effect, Publish, Release, Run
from hookstepper.session.motion import RUN, Motion
from hookstepper.session.rest import reasons_of, resting_stop

GUARD = 1_000
"""Steps of one run after which the session asks instead of going on; engines have no such limit."""


@dataclass(slots=True)
class Held:
    """One task that is parked at a gate."""

    stop: Stop
    point: Point
    jump: str = ""


@dataclass(slots=True)
class _Position:
    """Where the thread stands: what a change by hand starts from."""

    checkpoint: CheckpointId | None = None
    branch: BranchId = MAIN
    branches: int = 1
    steps: int = 0
    run_steps: int = 0
    by_step: dict[int, CheckpointId] = field(default_factory=dict)
    """Checkpoint after each recorded step of this host; -1 is the input."""


class DebugSession:
    """The debugging of one target in one host process.

    Not safe for several threads by itself: the host calls every method under one lock, except that
    `wants` reads immutable parts only and may be called from any thread at any time.
    """

    def __init__(self, *, guard: int = GUARD) -> None:
        self.graph: Graph | None = None
        self.capabilities: frozenset[str] = frozenset()
        self.breaks = BreakSet()
        self._guard = guard
        self._guard_at = guard
        self._motion = RUN
        self._pausing = False
        self._aborting = False
        self._held: dict[StopId, Held] = {}
        self._resting: Stop | None = None
        self._running = False
        self._stops = 0
        self._at = _Position()
        self._jump_at: dict[NodeId, str] = {}
        self._fulfil_at: dict[NodeId, object] = {}
        self._marks: dict[TaskId, list[str]] = {}
        self._hold_first: tuple[Reason, str] | None = None
        self._after_abort: Run | None = None
        self._undo: list[tuple[str, CheckpointId | None, Run | None]] = []
        self._thread = "main"

    # ------------------------------------------------------------------ the target

    def loaded(self, graph: Graph, capabilities: frozenset[str]) -> None:
        """Take note of the target's graph and what it can do."""
        self.graph = graph
        self.capabilities = capabilities
        self.breaks = self.breaks.replaced(self.breaks.breakpoints, graph)

    # ------------------------------------------------------------------ gates

    def wants(self, site: Site, phase: Phase) -> bool:
        """True if `arrive` may hold or change a task here; no lock, no side effect."""
        if self._pausing or self._aborting or self._hold_first is not None:
            return True
        if site.kind == "node" and (site.node in self._jump_at or site.node in self._fulfil_at):
            return True
        if site.kind == "node" and phase == "enter" and self._at.run_steps >= self._guard_at:
            return True
        if self._motion.may_stop(site, phase):
            return True
        return bool(self.breaks.at(site, phase))

    def arrive(self, point: Point, facts: Facts) -> Stop | Verdict:
        """A task is at a gate: the stop that holds it, or the verdict with which it goes on at once."""
        if self._aborting:
            return Abort()
        automatic = self._automatic(point)
        if automatic is not None:
            return automatic
        reasons, detail = self._reasons(point, facts)
        motion, self._motion = self._motion, self._motion.begun()
        if not reasons:
            return PROCEED
        return self._hold(point, reasons, detail, motion)

    def _automatic(self, point: Point) -> Verdict | None:
        """What a person decided beforehand for this node."""
        if point.site.kind != "node":
            return None
        node = point.site.node
        if point.phase == "enter" and node in self._fulfil_at:
            self._mark(point.task, "skipped")
            return Fulfil(self._fulfil_at.pop(node))
        if point.phase == "exit" and node in self._jump_at and point.error is None:
            word = self._jump_at.pop(node)
            self._mark(point.task, f"jump {word}")
            update = dict(point.value) if isinstance(point.value, Mapping) else {}
            update["jump_to"] = None if word == "clear" else word
            return Patch(update)
        return None

    def _reasons(self, point: Point, facts: Facts) -> tuple[tuple[Reason, ...], str]:
        reasons: list[Reason] = []
        details: list[str] = []
        at_node = point.site.kind == "node" and point.phase == "enter"
        if self._hold_first is not None and at_node:
            reason, detail = self._hold_first
            self._hold_first = None
            reasons.append(reason)
            details.append(detail)
        for breakpoint_, count in self.breaks.reached(point.site, point.phase, facts):
            reasons.append("breakpoint")
            details.append(_told(breakpoint_, count))
        if self._motion.arrived(point.site, point.phase, point.superstep):
            reasons.append("step")
        if self._pausing and at_node:
            self._pausing = False
            reasons.append("pause")
        if at_node and self._at.run_steps >= self._guard_at:
            self._guard_at = self._at.run_steps + self._guard
            reasons.append("limit")
            details.append(f"{self._at.run_steps:,} steps")
        return tuple(dict.fromkeys(reasons)), ", ".join(filter(None, details))

    def _hold(self, point: Point, reasons: tuple[Reason, ...], detail: str, motion: Motion) -> Stop:
        self._stops += 1
        stop = Stop(
            id=StopId(self._stops),
            epoch=self._stops,
            posture="held",
            reasons=reasons,
            acts=point.acts | self._acts_by_edit(),
            site=point.site,
            phase=point.phase,
            task=point.task,
            superstep=point.superstep,
            next=(point.site.node,),
            detail=detail,
        )
        self._held[stop.id] = Held(stop, point)
        if motion.kind in ("to", "turn", "out", "step", "into"):
            # One motion makes one stop; siblings that are on their way are held at their next gate.
            self._motion = replace(
                motion, kind="into" if motion.kind == "into" else "step", depth=point.site.depth
            )
        return stop

    def _acts_by_edit(self) -> frozenset[Act]:
        return frozenset({"abort"})

    def parked(self, task: TaskId) -> bool:
        """True if the task is held."""
        return any(held.point.task == task for held in self._held.values())

    # ------------------------------------------------------------------ what happened

    def stepped(self, index: int, checkpoint: CheckpointId | None) -> None:
        """A step was recorded: what was done by hand before it can no longer be taken back."""
        self._at.steps = index + 1
        self._at.run_steps += 1
        if checkpoint is not None:
            self._at.checkpoint = checkpoint
            self._at.by_step[index] = checkpoint
        self._undo.clear()

    def seeded(self, checkpoint: CheckpointId | None) -> None:
        """A run stands at its beginning."""
        if checkpoint is not None:
            self._at.checkpoint = checkpoint
            self._at.by_step.setdefault(self._at.steps - 1, checkpoint)

    def marks(self, task: TaskId) -> tuple[str, ...]:
        """What a person did to this task, once."""
        return tuple(self._marks.pop(task, ()))

    @property
    def branch(self) -> BranchId:
        """The branch that steps are recorded on now."""
        return self._at.branch

    def ended(self, outcome: Outcome) -> tuple[Effect, ...]:
        """The run came to rest: at its end, a question, a failure, a limit or by abort."""
        self._running = False
        self._held.clear()
        self._pausing = self._aborting = False
        if outcome.checkpoint is not None:
            self._at.checkpoint = outcome.checkpoint
        follow, self._after_abort = self._after_abort, None
        if follow is not None and outcome.status == "aborted":
            return (self._begin(follow),)
        self._hold_first = None
        self._jump_at.clear()
        self._fulfil_at.clear()
        self._stops += 1
        stop = resting_stop(StopId(self._stops), outcome, reasons_of(outcome), self.capabilities)
        self._resting = stop
        ended = RunEnded(
            outcome.status, self._at.branch, outcome.checkpoint, self._at.run_steps, None, outcome.failed_at
        )
        return (Publish(ended), Announce(stop))

    # ------------------------------------------------------------------ wishes

    def handle(self, command: SessionCommand) -> tuple[Effect, ...]:
        """Carry out a command.

        Raises:
            HookstepperError: it cannot be done here and now; the message says why, and nothing changed.
        """
        match command:
            case StartRun():
                return self._start(command)
            case Next() | Into() | Out() | Continue() | RunTo() | Superstep() | Turn():
                return self._move(command)
            case Pause():
                return self._pause()
            case AbortRun():
                return self._abort(None)
            case SetBreakpoints(breakpoints):
                self.breaks = self.breaks.replaced(breakpoints, self.graph)
                return (Publish(self.breakpoints_changed()),)
            case SetJump(word):
                return self._jump(word)
            case SetNext(nodes):
                return self._set_next(nodes)
            case Answer(answers):
                return self._answer(answers)
            case EditState(path, value, mode):
                return self._amend(
                    Amend(self._checkpoint(), "edit", path=path, value=value, mode=mode), "edited"
                )
            case Fork():
                return self._fork(command)
            case RetryNode():
                return self._retry()
            case SkipNode(value):
                return self._skip(value)
            case Undo():
                return self._take_back()
            case _:
                assert_never(command)

    def give_up(self) -> tuple[Effect, ...]:
        """The end of the session: whatever is held or still moving is to leave its run."""
        self._aborting = True
        self._after_abort = None
        return tuple(self._release(held, Abort()) for held in list(self._held.values()))

    def breakpoints_changed(self) -> BreakpointsChanged:
        """The breakpoints' problems and hits, for the screen."""
        return BreakpointsChanged(
            tuple(sorted(self.breaks.problems.items())), tuple(sorted(self.breaks.hits.items()))
        )

    def _start(self, command: StartRun) -> tuple[Effect, ...]:
        if self.graph is None:
            raise NotPossibleError("the target is not loaded")
        if self._running:
            raise NotPossibleError("a run is alive", hint="abort it first")
        if self._resting is not None and self._resting.asks:
            raise NotPossibleError("a question is open", hint="answer it, or abort the run")
        self._thread = command.thread
        config = command.config if isinstance(command.config, dict) else {}
        self._motion = RUN if not command.hold else Motion("step", fresh=True)
        run = Run(Start(command.input, command.thread, config), self._at.branch)
        return (self._begin(run, hold=("entry", "") if command.hold else None),)

    def _begin(self, run: Run, hold: tuple[Reason, str] | None = None) -> Run:
        self._running = True
        self._resting = None
        if isinstance(run.entry, Start):
            self._at.run_steps = 0
            self._guard_at = self._guard
        self._hold_first = hold if hold is not None else self._hold_first
        self._at.branch = run.branch
        return run

    # -- moving

    def _move(self, command: Next | Into | Out | Continue | RunTo | Superstep | Turn) -> tuple[Effect, ...]:
        current = self.current
        if current is None:
            raise self._cannot_move()
        self._motion = self._motion_of(command, current)
        if isinstance(command, (Continue, RunTo, Turn, Superstep)):
            going = list(self._held.values())
        else:
            going = [self._held[current.stop.id]]
        releases = tuple(self._release(held, PROCEED) for held in going)
        left = self.current
        return (*releases, Announce(replace(left.stop, all_stopped=False))) if left is not None else releases

    def _motion_of(self, command: object, current: Held) -> Motion:
        site, superstep = current.point.site, current.point.superstep
        match command:
            case Next():
                return Motion("step", depth=site.depth, superstep=superstep)
            case Into():
                return Motion("into", superstep=superstep)
            case Out():
                return Motion("out", depth=site.depth, superstep=superstep)
            case Superstep():
                return Motion("superstep", superstep=superstep)
            case Turn():
                entry = self.graph.anchors.loop_entry if self.graph is not None else None
                if entry is None:
                    raise NotPossibleError("this graph has no turns", hint="only an agent has a loop entry")
                return Motion("turn", node=entry)
            case RunTo(node):
                return Motion("to", node=self._node_named(node))
        return RUN

    def _node_named(self, name: str) -> NodeId:
        nodes = self.graph.nodes if self.graph is not None else ()
        for node in nodes:
            if name in (node.id, node.label):
                return node.id
        if ":" in name:
            return NodeId(name)
        raise NotPossibleError(unknown_node(name, {node.id: node.label for node in nodes}))

    def _cannot_move(self) -> HookstepperError:
        if self._running:
            return NotPossibleError("the program is running", hint="pause it first")
        if self._resting is not None and self._resting.asks:
            return NotPossibleError("a question is open", hint="answer it first")
        if self._resting is not None and "exception" in self._resting.reasons:
            return NotPossibleError("the node failed", hint="retry it, skip it, or fork")
        return NotPossibleError("no run is alive", hint="start one with an input")

    def _release(self, held: Held, verdict: Verdict) -> Release:
        del self._held[held.stop.id]
        how = self._motion.command if isinstance(verdict, Proceed) else type(verdict).__name__.lower()
        return Release(held.stop.id, verdict, how)

    def _pause(self) -> tuple[Effect, ...]:
        if not self._running or self._held:
            raise NotPossibleError("nothing is running")
        self._pausing = True
        return ()

    def _abort(self, follow: Run | None) -> tuple[Effect, ...]:
        if self._resting is not None and self._resting.asks and follow is None:
            outcome = Outcome("aborted", self._at.checkpoint, next=self._resting.next)
            return self.ended(outcome)
        if not self._running:
            if follow is None:
                raise NotPossibleError("no run is alive")
            return (self._begin(follow),)
        self._aborting = True
        self._after_abort = follow
        return tuple(self._release(held, Abort()) for held in list(self._held.values()))

    # -- acting

    @property
    def current(self) -> Held | None:
        """The held task that commands mean: the one that stopped last."""
        return next(reversed(self._held.values()), None) if self._held else None

    @property
    def resting(self) -> Stop | None:
        """The stop of a run at rest; None while a run is alive or before the first."""
        return self._resting

    def _checkpoint(self) -> CheckpointId:
        if self._running and not self._held:
            raise NotPossibleError("the program is running", hint="pause it first")
        if "edit" not in self.capabilities:
            raise NotPossibleError("this target cannot be changed at a stop")
        if self._at.checkpoint is None:
            raise NotPossibleError("there is no saved state to change yet", hint="run one node first")
        return self._at.checkpoint

    def _held_node(self) -> Held:
        held = self.current
        if held is None or held.point.site.kind != "node" or held.point.phase != "enter":
            raise NotPossibleError("a jump belongs to ▶, a node that is held before it runs")
        return held

    def _jump(self, word: str) -> tuple[Effect, ...]:
        held = self._held_node()
        node = held.point.site.node
        if self.graph is None or not self.capabilities & {"jump_update", "jump_edit"}:
            raise NotPossibleError("this target takes no jumps by hand", hint="set the next node instead")
        if word != "clear":
            choice = next(c for c in jumps.choices(self.graph, node) if c.word == word)
            if not choice.offered:
                raise NotPossibleError(_refusal(self.graph, node, word, choice.why_not))
        if "jump_update" not in self.capabilities:
            run = Run(From(self._checkpoint()), self._at.branch, Amend(self._checkpoint(), "jump", jump=word))
            self._hold_first = ("jump", f"jump {word}")
            return (self._acted("jump.set", f"{word} after {node}"), *self._abort(run))
        self._jump_at = {**self._jump_at, node: word}
        self._undo.append(("jump", None, None))
        stop = replace(held.stop, pending_jump=word)
        self._held[stop.id] = Held(stop, held.point)
        return (self._acted("jump.set", f"{word} after {node}"), Announce(stop))

    def _set_next(self, nodes: tuple[NodeId, ...]) -> tuple[Effect, ...]:
        if "set_next" not in self.capabilities:
            raise NotPossibleError("this target's next node cannot be set")
        known = tuple(self._node_named(node) for node in nodes)
        return self._amend(Amend(self._checkpoint(), "next", next=known), "next node set")

    def _amend(self, amend: Amend, detail: str) -> tuple[Effect, ...]:
        back = Run(From(amend.at), self._at.branch)
        run = Run(From(amend.at), self._at.branch, amend)
        self._motion = Motion("step", fresh=True)
        effects = self._abort(run)
        self._hold_first = ("jump" if amend.by == "next" else "step", detail)
        self._undo.append((amend.by, amend.at, back))
        what = "jump.set" if amend.by == "next" else "state.edit"
        return (self._acted(what, detail), *effects)

    def _answer(self, answers: Json) -> tuple[Effect, ...]:
        resting = self._resting
        if resting is None or not resting.asks:
            raise NotPossibleError("no question is open")
        complete = checked(resting.asks, answers)
        hold = self._motion.kind != "run"
        if hold:
            self._motion = Motion("step", fresh=True)
        if self._at.checkpoint is not None:
            self._undo.append(
                ("answer", self._at.checkpoint, Run(From(self._at.checkpoint), self._at.branch))
            )
        run = self._begin(Run(Resume(complete), self._at.branch), ("entry", "answered") if hold else None)
        told = self._acted("answer.send", _decisions_told(complete))
        return (told, run)

    def _fork(self, command: Fork) -> tuple[Effect, ...]:
        if "fork" not in self.capabilities:
            raise NotPossibleError("this target cannot go back to an older state")
        checkpoint = self._at.by_step.get(command.step)
        if checkpoint is None:
            raise NotPossibleError(
                f"the state of step {command.step} is not kept by this process",
                hint="a restart forgets older checkpoints unless --db names a file",
            )
        self._at.branches += 1
        branch = command.branch or BranchId(f"b{self._at.branches}")
        next_ = None if command.node is None else (self._node_named(command.node),)
        amend = None if next_ is None else Amend(checkpoint, "next", next=next_)
        self._motion = Motion("step", fresh=True)
        effects = self._abort(Run(From(checkpoint), branch, amend, from_step=command.step))
        self._hold_first = ("entry", f"forked from step {command.step}")
        return (self._acted("time.fork", f"{branch} from step {command.step}"), *effects)

    def _retry(self) -> tuple[Effect, ...]:
        resting = self._failed()
        self._motion = Motion("step", fresh=True)
        run = Run(From(self._checkpoint()), self._at.branch)
        return (self._acted("fail.retry", ", ".join(resting.next)), self._begin(run))

    def _skip(self, value: Json) -> tuple[Effect, ...]:
        if self.current is not None:
            held = self._held_node()
            if "fulfil" not in held.stop.acts:
                raise NotPossibleError("this engine cannot skip a node", hint="set the next node instead")
            self._motion = Motion("step", depth=held.point.site.depth)
            self._mark(held.point.task, "skipped")
            return (self._acted("fail.skip", held.point.site.node), self._release(held, Fulfil(value)))
        resting = self._failed()
        if "fulfil" not in resting.acts:
            raise NotPossibleError("this engine cannot skip a node", hint="set the next node instead")
        for node in resting.next:
            self._fulfil_at = {**self._fulfil_at, node: value}
        self._motion = Motion("step", fresh=True)
        run = Run(From(self._checkpoint()), self._at.branch)
        return (self._acted("fail.skip", ", ".join(resting.next)), self._begin(run))

    def _failed(self) -> Stop:
        if self._resting is None or "exception" not in self._resting.reasons:
            raise NotPossibleError("no node has failed")
        return self._resting

    def _take_back(self) -> tuple[Effect, ...]:
        if not self._undo:
            raise NotPossibleError("there is nothing to take back", hint="only until the next node runs")
        what, _, back = self._undo.pop()
        if back is None:
            held = self._held_node()
            self._jump_at = {n: w for n, w in self._jump_at.items() if n != held.point.site.node}
            stop = replace(held.stop, pending_jump="")
            self._held[stop.id] = Held(stop, held.point)
            return (self._acted("jump.set", "taken back", undone=True), Announce(stop))
        effects = self._abort(back)
        if what != "answer":
            self._hold_first = ("entry", "taken back")
        return (self._acted("edit.undo", what, undone=True), *effects)

    def _acted(self, what: str, detail: str, *, undone: bool = False) -> Publish:
        return Publish(PersonActed(what, detail, self._at.steps - 1, undone))

    def _mark(self, task: TaskId, what: str) -> None:
        self._marks.setdefault(task, []).append(what)


def _told(breakpoint_: Breakpoint, count: int) -> str:
    condition = f": {breakpoint_.condition}" if breakpoint_.condition else ""
    return f"breakpoint {breakpoint_.id} (hit {count}{condition})"


def _decisions_told(answers: Mapping[AskId, object]) -> str:
    told = []
    for answer in answers.values():
        decisions = answer.get("decisions") if isinstance(answer, dict) else None
        if isinstance(decisions, list):
            told += [str(decision.get("type")) for decision in decisions if isinstance(decision, dict)]
        else:
            told.append("answered")
    return ", ".join(told)


def _refusal(graph: Graph, node: NodeId, word: str, why: str) -> str:
    label = next((n.label for n in graph.nodes if n.id == node), node)
    reader = jumps.next_reader(graph, node)
    match why:
        case "no_tools":
            return "the agent has no tools, so there is no tool node to jump to"
        case "not_declared":
            declared = graph.node(node)
            return f"{label} declares only {', '.join(declared.jumps) if declared else 'nothing'}, not {word}"
        case "reads_no_jump":
            place = f"; the next place that takes one is {reader}" if reader else ""
            return f"{label} declares no jump: its edge never reads jump_to{place}"
        case "own_node":
            return f"{label} is the loop entry itself; a jump to it from here is no edge of this graph"
    return f"{word} leads nowhere in this graph"
