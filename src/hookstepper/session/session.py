"""DebugSession: the one place that decides whether a task is held and what a command does to it."""

from __future__ import annotations

from typing import assert_never

from hookstepper.model.breakpoints import Breakpoint
from hookstepper.model.commands import (
    AbortRun,
    Answer,
    AnswerCall,
    CompleteStep,
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
    SetGuard,
    SetJump,
    SetMocks,
    SetNext,
    SkipNode,
    StartRun,
    StepLine,
    Superstep,
    Turn,
    Undo,
)
from hookstepper.model.errors import NotPossibleError
from hookstepper.model.events import BreakpointsChanged
from hookstepper.model.gates import Phase, Reason, Site, Stop
from hookstepper.model.graph import Graph
from hookstepper.model.ids import CheckpointId, TaskId
from hookstepper.model.record import StepDone
from hookstepper.ports.target import Entry, Outcome, Start
from hookstepper.ports.verdict import PROCEED, Abort, Point, Verdict
from hookstepper.session import acting
from hookstepper.session.breaks import Names
from hookstepper.session.calls import answer_call, may_answer, replayed
from hookstepper.session.course import AGAIN, Course
from hookstepper.session.effects import Effect, Publish
from hookstepper.session.holding import GUARD
from hookstepper.session.mocking import Mocks, Replay
from hookstepper.session.motion import RUN
from hookstepper.session.moving import move, pause


class DebugSession:
    """The debugging of one target in one host process.

    Not safe for several threads by itself: the host calls every method under one lock, except that
    `wants` reads parts that are replaced as a whole and may be called from any thread at any time.
    """

    def __init__(self, *, guard: int = GUARD) -> None:
        self._course = Course(guard)
        self._wished: tuple[Breakpoint, ...] = ()
        """The whole set as it was given."""

    # ------------------------------------------------------------------ what the host tells

    @property
    def graph(self) -> Graph | None:
        """The target's graph; None before it is loaded."""
        return self._course.graph

    def loaded(self, graph: Graph, capabilities: frozenset[str]) -> None:
        """Take note of the target's graph and what it can do."""
        self._course.graph = graph
        self._course.capabilities = capabilities
        self._set_breakpoints(self._wished)

    def replay(self, replay: Replay) -> None:
        """Answer the calls of the run that is about to start from the record, until something differs."""
        self._course.replay = replay

    def wants(self, site: Site, phase: Phase) -> bool:
        """True if `arrive` may hold or change a task here; no lock, no side effect."""
        course = self._course
        if site.kind == "node" and course.by_hand.concerns(site.node):
            return True
        return may_answer(course, site, phase) or course.holding.wants(site, phase, course.at.run_steps)

    def arrive(self, point: Point, names: Names) -> Stop | Verdict:
        """A task is at a gate: the stop that holds it, or the verdict with which it goes on at once."""
        course = self._course
        if course.holding.aborting:
            return Abort()
        decided = course.by_hand.verdict(point) or course.mocks.verdict(point, names)
        decided = decided or replayed(course, point, names)
        if decided is not None:
            course.holding.motion = course.holding.motion.begun()
            return decided
        return course.holding.arrived(point, names, course.at.run_steps) or PROCEED

    def stepped(self, step: StepDone, names: Names) -> None:
        """A step was recorded: what was done by hand before it can no longer be taken back."""
        course = self._course
        course.at.stepped(step.index, step.checkpoint)
        course.by_hand.undo.clear()
        for hit in course.holding.breaks.after(step, names):
            reason: Reason = "watch" if hit.breakpoint.on == "state" else "breakpoint"
            course.holding.due.append((reason, str(hit)))

    def seeded(self, checkpoint: CheckpointId) -> None:
        """A run stands at its beginning."""
        self._course.at.seeded(checkpoint)

    def marks(self, task: TaskId) -> tuple[str, ...]:
        """What a person did to this task; forgotten once given."""
        return self._course.by_hand.marks(task)

    def ended(self, outcome: Outcome, names: Names = dict) -> tuple[Effect, ...]:
        """The run came to rest: at its end, a question, a failure, a limit or by abort."""
        return self._course.ended(outcome, names)

    def amend_failed(self) -> None:
        """A change by hand could not be made: the run goes back to where it was held."""
        self._course.holding.due = [("entry", "not changed")]
        if self._course.by_hand.undo:
            self._course.by_hand.undo.pop()

    def began(self, entry: Entry, hold: Reason | None = None) -> None:
        """The program itself began a run; it goes on freely unless its first node is to be held, and why."""
        if hold is not None:
            self._course.go(entry, AGAIN, (hold, ""))
        else:
            self._course.go(entry, RUN)

    @property
    def pausing(self) -> bool:
        """True if a pause was asked for and no node has been reached since."""
        return self._course.holding.pausing

    def at_line(self, point: Point, names: Names, reason: Reason, detail: str) -> Stop | Verdict:
        """A task is at a line of the program's own code, and is to be held there."""
        holding = self._course.holding
        if holding.aborting:
            return Abort()
        holding.here.append((reason, detail))
        return holding.arrived(point, names, self._course.at.run_steps) or PROCEED

    def leave_alone(self) -> tuple[Effect, ...]:
        """Nobody watches any more: whatever is held goes on, and nothing holds or answers from now on."""
        course = self._course
        course.holding.motion, course.holding.pausing, course.holding.due = RUN, False, []
        course.mocks, course.replay = Mocks(), Replay()
        course.by_hand.forget()
        self._set_breakpoints(())
        return tuple(course.holding.release(held, PROCEED) for held in course.holding.all)

    def give_up(self) -> tuple[Effect, ...]:
        """The end of the session: whatever is held or still moving is to leave its run."""
        return self._course.leave()

    def breakpoints_changed(self) -> BreakpointsChanged:
        """Problems and hits of the breakpoints, and what is known of the mocks, for the screen."""
        breaks, mocks = self._course.holding.breaks, self._course.mocks
        return BreakpointsChanged(
            tuple(sorted(breaks.problems.items())),
            tuple(sorted(breaks.hits.items())),
            tuple(sorted(breaks.spent)),
            tuple(sorted(mocks.spent)),
            tuple(sorted(mocks.problems.items())),
        )

    def take_mock_news(self) -> bool:
        """True if a mock was spent or began to fail since the last call."""
        mocks = self._course.mocks
        news, mocks.news = mocks.news, False
        return news

    def take_logged(self) -> tuple[str, ...]:
        """Texts of log points since the last call."""
        breaks = self._course.holding.breaks
        texts, breaks.logged = tuple(breaks.logged), []
        return texts

    # ------------------------------------------------------------------ wishes

    def handle(self, command: SessionCommand) -> tuple[Effect, ...]:
        """Carry out a command.

        Raises:
            HookstepperError: it cannot be done here and now; the message says why, and nothing changed.
        """
        course = self._course
        match command:
            case StartRun():
                return self._start(command)
            case Next() | Into() | Out() | StepLine() | Continue() | RunTo() | Superstep() | Turn():
                return move(course, command)
            case CompleteStep():
                return move(course, command)
            case Pause():
                return pause(course)
            case SetGuard(steps):
                course.holding.guard(steps, course.at.run_steps)
                return ()
            case AbortRun():
                return self._abort()
            case SetBreakpoints(breakpoints):
                self._set_breakpoints(breakpoints)
                return (Publish(self.breakpoints_changed()),)
            case SetMocks(mocks):
                course.mocks = course.mocks.replaced(mocks)
                return (Publish(self.breakpoints_changed()),)
            case AnswerCall():
                return answer_call(course, command)
            case SetJump(word):
                return acting.jump(course, word)
            case SetNext(nodes):
                return acting.set_next(course, nodes)
            case Answer(answers):
                return acting.answer(course, answers)
            case EditState():
                return acting.edit(course, command)
            case Fork():
                return acting.fork(course, command)
            case RetryNode():
                return acting.retry(course)
            case SkipNode(value):
                return acting.skip(course, value)
            case Undo():
                return acting.take_back(course)
            case _:
                assert_never(command)

    def _set_breakpoints(self, breakpoints: tuple[Breakpoint, ...]) -> None:
        course, self._wished = self._course, breakpoints
        # Where the engine stops by itself, only what is muted matters here.
        held = tuple(b for b in breakpoints if b.origin == "person" or "lifts_stops" in course.capabilities)
        course.muted = frozenset(
            (b.phase, b.node) for b in breakpoints if b.origin == "graph" and not b.enabled
        )
        course.holding.breaks = course.holding.breaks.replaced(held, course.graph)

    def _start(self, command: StartRun) -> tuple[Effect, ...]:
        course = self._course
        if course.graph is None:
            raise NotPossibleError("the target is not loaded")
        if course.running:
            raise NotPossibleError("a run is alive", hint="abort it first")
        if course.resting is not None and course.resting.asks:
            raise NotPossibleError("a question is open", hint="answer it, or abort the run")
        config = command.config if isinstance(command.config, dict) else {}
        entry = Start(command.input, command.thread, config)
        return (course.go(entry, AGAIN, ("entry", "")) if command.hold else course.go(entry, RUN),)

    def _abort(self) -> tuple[Effect, ...]:
        course = self._course
        if course.running:
            return course.leave()
        if course.resting is None or not course.resting.acts & {"proceed", "retry"}:
            raise NotPossibleError("no run is alive")
        return course.ended(Outcome("aborted", course.at.checkpoint, next=course.resting.next), dict)
