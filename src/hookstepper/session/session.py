"""DebugSession: the one place that decides whether a task is held and what a command does to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from hookstepper.model import jumps
from hookstepper.model.breakpoints import Breakpoint
from hookstepper.model.commands import (
    AbortRun,
    Answer,
    AnswerCall,
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
    SetMocks,
    SetNext,
    SkipNode,
    StartRun,
    Superstep,
    Turn,
    Undo,
)
from hookstepper.model.errors import NotPossibleError
from hookstepper.model.events import BreakpointsChanged, PersonActed, RunEnded
from hookstepper.model.gates import Phase, Reason, Site, Stop
from hookstepper.model.graph import Graph
from hookstepper.model.ids import AskId, CheckpointId, Json, NodeId, TaskId
from hookstepper.model.record import StepDone
from hookstepper.ports.target import Entry, From, Outcome, Resume, Start
from hookstepper.ports.verdict import PROCEED, Abort, Fulfil, Point, Verdict
from hookstepper.session import refusals
from hookstepper.session.answers import checked
from hookstepper.session.breaks import Names, unknown_node
from hookstepper.session.byhand import ByHand, Undoable
from hookstepper.session.effects import Amend, Announce, Effect, Publish, Run
from hookstepper.session.holding import GUARD, Held, Holding
from hookstepper.session.mocking import Mocks, Replay, Typed
from hookstepper.session.motion import RUN, Motion
from hookstepper.session.position import Position
from hookstepper.session.rest import reasons_of, resting_stop

_CALLS = ("model", "tool")
_AGAIN = Motion("step", fresh=True)
"""Run the first node, then stop: for what goes on by itself after a change by hand."""


class DebugSession:
    """The debugging of one target in one host process.

    Not safe for several threads by itself: the host calls every method under one lock, except that
    `wants` reads parts that are replaced as a whole and may be called from any thread at any time.
    """

    def __init__(self, *, guard: int = GUARD) -> None:
        self.graph: Graph | None = None
        self.capabilities: frozenset[str] = frozenset()
        self._holding = Holding(guard)
        self._by_hand = ByHand()
        self._at = Position()
        self._resting: Stop | None = None
        self._running = False
        self._after_abort: Run | None = None
        self._mocks = Mocks()
        self.replay = Replay()
        """Answers of the record for the run that is alive; the host fills it for a fork."""
        self._ask: frozenset[str] = frozenset()

    # ------------------------------------------------------------------ what the host tells

    def loaded(self, graph: Graph, capabilities: frozenset[str]) -> None:
        """Take note of the target's graph and what it can do."""
        self.graph = graph
        self.capabilities = capabilities
        self._set_breakpoints(self._holding.breaks.breakpoints)

    def wants(self, site: Site, phase: Phase) -> bool:
        """True if `arrive` may hold or change a task here; no lock, no side effect."""
        if site.kind == "node" and self._by_hand.concerns(site.node):
            return True
        if site.kind in _CALLS and phase == "enter" and self._may_answer(site):
            return True
        return self._holding.wants(site, phase, self._at.run_steps)

    def arrive(self, point: Point, names: Names) -> Stop | Verdict:
        """A task is at a gate: the stop that holds it, or the verdict with which it goes on at once."""
        if self._holding.aborting:
            return Abort()
        decided = self._by_hand.verdict(point) or self._mocks.verdict(point, names)
        if decided is not None:
            self._holding.motion = self._holding.motion.begun()
            return decided
        if point.site.kind in _CALLS and point.phase == "enter":
            replayed = self._replayed(point, names)
            if replayed is not None:
                return replayed
        return self._holding.arrived(point, names, self._at.run_steps) or PROCEED

    def stepped(self, step: StepDone, names: Names) -> None:
        """A step was recorded: what was done by hand before it can no longer be taken back."""
        self._at.stepped(step.index, step.checkpoint)
        self._by_hand.undo.clear()
        hits = self._holding.breaks.after(step, names)
        self._holding.due += [("watch" if h.breakpoint.on == "state" else "breakpoint", str(h)) for h in hits]

    def seeded(self, checkpoint: CheckpointId) -> None:
        """A run stands at its beginning."""
        self._at.seeded(checkpoint)

    def marks(self, task: TaskId) -> tuple[str, ...]:
        """What a person did to this task; forgotten once given."""
        return self._by_hand.marks(task)

    def ended(self, outcome: Outcome, names: Names = dict) -> tuple[Effect, ...]:
        """The run came to rest: at its end, a question, a failure, a limit or by abort."""
        self._running = False
        stop_id = self._holding.rest()
        if outcome.checkpoint is not None:
            self._at.checkpoint = outcome.checkpoint
        follow, self._after_abort = self._after_abort, None
        if follow is not None and outcome.status == "aborted":
            return (self._begin(follow),)
        self._holding.due = []
        self._by_hand.forget()
        reasons, details = reasons_of(outcome), [outcome.detail] if outcome.detail else []
        if outcome.asks:
            hits = self._holding.breaks.asked(names)
            reasons = (*reasons, "breakpoint") if hits else reasons
            details += [str(hit) for hit in hits]
        stop = resting_stop(stop_id, outcome, reasons, self.capabilities)
        stop = replace(stop, detail=", ".join(details))
        self._resting = stop
        ended = RunEnded(
            outcome.status,
            self._at.branch,
            outcome.checkpoint,
            self._at.run_steps,
            failed_at=outcome.failed_at,
        )
        return (Publish(ended), Announce(stop))

    def amend_failed(self) -> None:
        """A change by hand could not be made: the run goes back to where it was held."""
        self._holding.due = [("entry", "not changed")]
        if self._by_hand.undo:
            self._by_hand.undo.pop()

    def give_up(self) -> tuple[Effect, ...]:
        """The end of the session: whatever is held or still moving is to leave its run."""
        self._after_abort = None
        return self._holding.abort_all()

    def breakpoints_changed(self) -> BreakpointsChanged:
        """The breakpoints' problems and hits, for the screen."""
        breaks = self._holding.breaks
        return BreakpointsChanged(
            tuple(sorted(breaks.problems.items())),
            tuple(sorted(breaks.hits.items())),
            tuple(sorted(breaks.spent)),
        )

    def take_logged(self) -> tuple[str, ...]:
        """Texts of log points since the last call."""
        breaks = self._holding.breaks
        texts, breaks.logged = tuple(breaks.logged), []
        return texts

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
                return self._abort()
            case SetBreakpoints(breakpoints):
                self._set_breakpoints(breakpoints)
                return (Publish(self.breakpoints_changed()),)
            case SetMocks(mocks):
                self._mocks = Mocks(mocks)
                return ()
            case AnswerCall():
                return self._answer_call(command)
            case SetJump(word):
                return self._jump(word)
            case SetNext(nodes):
                return self._set_next(nodes)
            case Answer(answers):
                return self._answer(answers)
            case EditState(path, value, mode):
                return self._amend(Amend(self._checkpoint(), "edit", path=path, value=value, mode=mode))
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

    def _set_breakpoints(self, breakpoints: tuple[Breakpoint, ...]) -> None:
        self._holding.breaks = self._holding.breaks.replaced(breakpoints, self.graph)

    # -- runs

    def _start(self, command: StartRun) -> tuple[Effect, ...]:
        if self.graph is None:
            raise NotPossibleError("the target is not loaded")
        if self._running:
            raise NotPossibleError("a run is alive", hint="abort it first")
        if self._resting is not None and self._resting.asks:
            raise NotPossibleError("a question is open", hint="answer it, or abort the run")
        config = command.config if isinstance(command.config, dict) else {}
        entry = Start(command.input, command.thread, config)
        return (self._go(entry, _AGAIN if command.hold else RUN, ("entry", "") if command.hold else None),)

    def _go(self, entry: Entry, motion: Motion, first: tuple[Reason, str] | None = None) -> Run:
        """A run on the current branch, with how it is to move."""
        self._holding.motion = motion
        self._holding.due = [first] if first is not None else []
        return self._begin(Run(entry, self._at.branch))

    def _begin(self, run: Run) -> Run:
        self._running = True
        self._resting = None
        self._at.branch = run.branch
        if isinstance(run.entry, Start) or run.from_step is not None:
            self.replay = Replay()
        if isinstance(run.entry, Start):
            self._ask = frozenset()
            self._at.run_steps = 0
            self._holding.new_run()
        return run

    def _instead(self, run: Run, first: tuple[Reason, str] | None) -> tuple[Effect, ...]:
        """Leave the run that is alive, if one is, and begin another in its place."""
        self._holding.motion = _AGAIN
        if not self._running:
            self._holding.due = [first] if first is not None else []
            return (self._begin(run),)
        self._after_abort = run
        effects = self._holding.abort_all()
        self._holding.due = [first] if first is not None else []
        return effects

    def _abort(self) -> tuple[Effect, ...]:
        if self._running:
            return self._holding.abort_all()
        if self._resting is None or not self._resting.acts & {"proceed", "retry"}:
            raise NotPossibleError("no run is alive")
        return self.ended(Outcome("aborted", self._at.checkpoint, next=self._resting.next))

    # -- moving

    def _move(self, command: Next | Into | Out | Continue | RunTo | Superstep | Turn) -> tuple[Effect, ...]:
        current = self._holding.current
        if current is None:
            raise refusals.cannot_move(self._resting, running=self._running)
        self._holding.motion = self._motion_of(command, current.point)
        one = isinstance(command, (Next, Into, Out))
        going = (current,) if one else self._holding.all
        if "diverged" in current.stop.reasons:
            # The call is made for real, so what the record says of later calls no longer fits.
            self.replay.end()
        releases = tuple(self._holding.release(held, PROCEED) for held in going)
        left = self._holding.current
        return (*releases, Announce(replace(left.stop, all_stopped=False))) if left is not None else releases

    def _motion_of(self, command: object, point: Point) -> Motion:
        superstep = point.superstep
        match command:
            case Next():
                return Motion("step", depth=point.site.depth, superstep=superstep)
            case Into():
                return Motion("into", superstep=superstep)
            case Out():
                return Motion("out", depth=point.site.depth, superstep=superstep)
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

    def _pause(self) -> tuple[Effect, ...]:
        if not self._running or self._holding.current is not None:
            raise NotPossibleError("nothing is running")
        self._holding.pausing = True
        return ()

    # -- acting

    def _checkpoint(self) -> CheckpointId:
        if self._running and self._holding.current is None:
            raise NotPossibleError("the program is running", hint="pause it first")
        if "edit" not in self.capabilities:
            raise NotPossibleError("this target cannot be changed at a stop")
        if self._at.checkpoint is None:
            raise NotPossibleError("there is no saved state to change yet", hint="run one node first")
        return self._at.checkpoint

    def _held_node(self) -> Held:
        held = self._holding.current
        if held is None or held.point.site.kind != "node" or held.point.phase != "enter":
            raise NotPossibleError("this belongs to ▶, a node that is held before it runs")
        return held

    def _jump(self, word: str) -> tuple[Effect, ...]:
        held = self._held_node()
        node = held.point.site.node
        if self.graph is None or not self.capabilities & {"jump_update", "jump_edit"}:
            raise NotPossibleError("this target takes no jumps by hand", hint="set the next node instead")
        for choice in jumps.choices(self.graph, node):
            if choice.word == word and not choice.offered:
                raise refusals.cannot_jump(self.graph, node, choice)
        if "jump_update" not in self.capabilities:
            return self._amend(Amend(self._checkpoint(), "jump", jump=word))
        self._by_hand.set_jump(node, word)
        self._by_hand.undo.append(Undoable("jump.set"))
        stop = replace(held.stop, pending_jump=word)
        self._holding.amend(stop)
        return (self._acted("jump.set", f"{word} after {node}"), Announce(stop))

    def _set_next(self, nodes: tuple[NodeId, ...]) -> tuple[Effect, ...]:
        if "set_next" not in self.capabilities:
            raise NotPossibleError("this target's next node cannot be set")
        known = tuple(self._node_named(node) for node in nodes)
        return self._amend(Amend(self._checkpoint(), "next", next=known))

    def _amend(self, amend: Amend) -> tuple[Effect, ...]:
        what, detail, reason = _AMENDS[amend.by]
        effects = self._instead(Run(From(amend.at), self._at.branch, amend), (reason, detail))
        self._by_hand.undo.append(Undoable(what, Run(From(amend.at), self._at.branch)))
        return (self._acted(what, _amend_told(amend)), *effects)

    def _answer(self, answers: Json) -> tuple[Effect, ...]:
        resting = self._resting
        if resting is None or not resting.asks:
            raise NotPossibleError("no question is open")
        complete = checked(resting.asks, answers)
        if self._at.checkpoint is not None:
            back = Run(From(self._at.checkpoint), self._at.branch)
            self._by_hand.undo.append(Undoable("answer.send", back))
        # Whoever was stepping is held before the node that asked; whoever ran on runs on.
        stepping = self._holding.motion.kind != "run"
        run = self._go(
            Resume(complete), _AGAIN if stepping else RUN, ("entry", "answered") if stepping else None
        )
        return (self._acted("answer.send", _decisions_told(complete)), run)

    def _fork(self, command: Fork) -> tuple[Effect, ...]:
        if "fork" not in self.capabilities:
            raise NotPossibleError("this target cannot go back to an older state")
        checkpoint = self._at.after(command.step)
        if checkpoint is None:
            raise NotPossibleError(
                f"the state after step {command.step} is not kept by this process",
                hint="a process forgets its checkpoints when it ends",
            )
        next_ = None if command.node is None else (self._node_named(command.node),)
        branch = command.branch or self._at.new_branch()
        amend = None if next_ is None else Amend(checkpoint, "next", next=next_)
        run = Run(From(checkpoint), branch, amend, command.step, command.replay)
        self._ask = frozenset(command.ask)
        effects = self._instead(run, ("entry", f"forked from step {command.step}"))
        return (self._acted("time.fork", f"{branch} from step {command.step}"), *effects)

    def _retry(self) -> tuple[Effect, ...]:
        resting = self._failed()
        run = self._go(From(self._checkpoint()), _AGAIN)
        return (self._acted("fail.retry", ", ".join(resting.next)), run)

    def _skip(self, value: Json) -> tuple[Effect, ...]:
        if self._holding.current is not None:
            held = self._held_node()
            if "fulfil" not in held.stop.acts:
                raise NotPossibleError("this engine cannot skip a node", hint="set the next node instead")
            self._holding.motion = Motion("step", depth=held.point.site.depth)
            self._by_hand.mark(held.point.task, "skipped")
            node = held.point.site.node
            return (self._acted("fail.skip", node), self._holding.release(held, Fulfil(Typed(value))))
        resting = self._failed()
        if "fulfil" not in resting.acts:
            raise NotPossibleError("this engine cannot skip a node", hint="set the next node instead")
        for name in resting.next:
            self._by_hand.set_skip(name, value)
        run = self._go(From(self._checkpoint()), _AGAIN)
        return (self._acted("fail.skip", ", ".join(resting.next)), run)

    def _may_answer(self, site: Site) -> bool:
        return self.replay.concerns(site) or self._mocks.concern(site) or site.name in self._ask

    def _replayed(self, point: Point, names: Names) -> Verdict | None:
        """The record's answer to a call; one that differs, or is to be asked about, is made to stop."""
        recorded = self.replay.next(point.site)
        if recorded is not None and "fulfil" in point.acts:
            request = names().get(point.site.kind)
            if request == recorded.request:
                self.replay.use(point.site)
                self._by_hand.mark(point.task, "recorded")
                return Fulfil(recorded.response)
            self._holding.here.append(("diverged", f"{point.site.name} was asked otherwise in the record"))
        elif point.site.name in self._ask and point.site.kind == "tool":
            self._holding.here.append(("breakpoint", f"{point.site.name} would run for real"))
        return None

    def _answer_call(self, command: AnswerCall) -> tuple[Effect, ...]:
        held = self._holding.current
        if held is None or held.point.site.kind not in _CALLS or held.point.phase != "enter":
            raise NotPossibleError("no model or tool call is held", hint="s goes into one, before it is made")
        if "fulfil" not in held.stop.acts:
            raise NotPossibleError("this engine cannot answer a call here")
        value: object = Typed(command.value)
        if command.recorded:
            recorded = self.replay.use(held.point.site)
            if recorded is None:
                raise NotPossibleError("the record has no answer for this call")
            value = recorded.response
        self._by_hand.mark(held.point.task, "recorded" if command.recorded else "answered by hand")
        told = self._acted("mock.open", f"{held.point.site.kind} {held.point.site.name}")
        return (told, self._holding.release(held, Fulfil(value)))

    def _failed(self) -> Stop:
        if self._resting is None or "exception" not in self._resting.reasons:
            raise NotPossibleError("no node has failed")
        return self._resting

    def _take_back(self) -> tuple[Effect, ...]:
        if not self._by_hand.undo:
            raise NotPossibleError("there is nothing to take back", hint="only until the next node runs")
        last = self._by_hand.undo.pop()
        if last.back is None:
            held = self._held_node()
            self._by_hand.set_jump(held.point.site.node, "")
            stop = replace(held.stop, pending_jump="")
            self._holding.amend(stop)
            return (self._acted(last.what, "taken back", undone=True), Announce(stop))
        effects = self._instead(last.back, None if last.what == "answer.send" else ("entry", "taken back"))
        return (self._acted(last.what, "taken back", undone=True), *effects)

    def _acted(self, what: str, detail: str, *, undone: bool = False) -> Publish:
        return Publish(PersonActed(what, detail, self._at.steps - 1, undone))


_AMENDS: Mapping[str, tuple[str, str, Reason]] = {
    "edit": ("state.edit", "edited", "entry"),
    "next": ("jump.set", "next node set", "jump"),
    "jump": ("jump.set", "jump set", "jump"),
}


def _amend_told(amend: Amend) -> str:
    if amend.next is not None:
        return f"next {', '.join(amend.next)}"
    return amend.jump if amend.jump is not None else ".".join(map(str, amend.path))


def _decisions_told(answers: Mapping[AskId, object]) -> str:
    told = []
    for answer in answers.values():
        decisions = answer.get("decisions") if isinstance(answer, dict) else None
        if isinstance(decisions, list):
            told += [str(decision.get("type")) for decision in decisions if isinstance(decision, dict)]
        else:
            told.append("answered")
    return ", ".join(told)
