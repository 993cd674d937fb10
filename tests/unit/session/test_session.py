"""The session's decisions, one gate and one command at a time; no thread and no engine."""

from __future__ import annotations

from dataclasses import replace

import pytest

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
    SetBreakpoints,
    SetJump,
    SetMocks,
    SetNext,
    SkipNode,
    StartRun,
    Turn,
    Undo,
)
from hookstepper.model.errors import AnswerError, NotPossibleError
from hookstepper.model.events import RunEnded
from hookstepper.model.gates import Ask, AskCall, Phase, Site, Stop, Unfinished
from hookstepper.model.graph import Anchors, Edge, Graph, Node
from hookstepper.model.ids import END, MAIN, START, AskId, CheckpointId, HostId, Json, NodeId, TaskId
from hookstepper.model.mocks import Mock
from hookstepper.model.record import AddKey, DeleteKey, Delta, Path, SetValue, Splice, StepDone
from hookstepper.ports.target import From, Outcome, Resume, Start
from hookstepper.ports.verdict import PROCEED, Abort, Fail, Fulfil, Patch, Point, Verdict
from hookstepper.session.effects import Amend, Announce, Publish, Release, Run
from hookstepper.session.mocking import Recorded, Replay, Typed
from hookstepper.session.session import DebugSession
from hookstepper.values.step_facts import call_names

A, B, MODEL, TOOL, SAFE = (NodeId(name) for name in ("a", "b", "model", "tool", "safe"))
ALL = frozenset({"edit", "set_next", "fork", "jump_update", "answer", "fulfil"})

GRAPH = Graph(
    "agent",
    (
        Node(START, "START", "start"),
        Node(A, "A.before", "before_model"),
        Node(MODEL, "model", "model"),
        Node(SAFE, "Safe.after", "after_model", jumps=("end",)),
        Node(B, "B.after", "after_model"),
        Node(TOOL, "tool", "tool"),
        Node(END, "END", "end"),
    ),
    (
        Edge(START, A),
        Edge(A, MODEL),
        Edge(MODEL, SAFE),
        Edge(SAFE, B, "conditional"),
        Edge(SAFE, END, "jump", "jump end"),
        Edge(B, TOOL, "conditional", "tool calls"),
        Edge(B, END, "conditional", "done"),
        Edge(TOOL, A, "fixed"),
    ),
    Anchors(A, A, B, END),
)


def point(
    node: NodeId, phase: Phase = "enter", *, kind: str = "node", superstep: int = 1, value: object = None
) -> Point:
    site = Site(kind, node, name="" if kind in ("node", "route") else "x")  # type: ignore[arg-type]
    acts = frozenset({"proceed", "fulfil"}) if phase == "enter" else frozenset({"proceed", "patch"})
    return Point(site, phase, TaskId(f"t{superstep}:{node}"), superstep, value, acts)  # type: ignore[arg-type]


def step(index: int, kind: str = "plain", delta: Delta = ()) -> StepDone:
    site = Site("node", NodeId("x"))
    checkpoint = CheckpointId(f"c{index}")
    return StepDone(
        index,
        MAIN,
        index,
        TaskId("t"),
        site,
        kind,
        delta,
        None,
        checkpoint,
        HostId("h"),
        1,  # type: ignore[arg-type]
    )


class Drive:
    """A session with a run, driven by hand: `arrive` plays the engine."""

    def __init__(self, capabilities: frozenset[str] = ALL, *, guard: int = 1_000) -> None:
        self.session = DebugSession(guard=guard)
        self.session.loaded(GRAPH, capabilities)
        self.capabilities = capabilities
        self.steps = 0

    def start(self, *, hold: bool = True) -> None:
        (run,) = self.session.handle(StartRun("hi", hold=hold))
        assert isinstance(run, Run)
        assert isinstance(run.entry, Start)
        self.session.seeded(CheckpointId("c-1"))

    def arrive(self, node: NodeId, phase: Phase = "enter", **more: object) -> Stop | Verdict:
        return self.session.arrive(point(node, phase, **more), lambda: {"turn": 2, "node": node})  # type: ignore[arg-type]

    def stepped(self) -> None:
        self.session.stepped(step(self.steps), dict)
        self.steps += 1

    def held(self, node: NodeId) -> Stop:
        stop = self.arrive(node)
        assert isinstance(stop, Stop)
        return stop


def released(effects: object) -> list[Verdict]:
    return [effect.verdict for effect in effects if isinstance(effect, Release)]  # type: ignore[attr-defined]


def test_a_run_starts_held_before_its_first_node() -> None:
    run = Drive()
    run.start()

    stop = run.held(A)

    assert stop.reasons == ("entry",)
    assert stop.posture == "held"
    assert stop.next == (A,)


def test_next_stops_before_the_node_that_follows_and_not_at_other_gates() -> None:
    run = Drive()
    run.start()
    run.held(A)

    effects = run.session.handle(Next())

    assert released(effects) == [PROCEED]
    assert run.arrive(A, "exit") is PROCEED
    assert run.arrive(MODEL, kind="model") is PROCEED
    stop = run.arrive(MODEL)
    assert isinstance(stop, Stop)
    assert stop.reasons == ("step",)


def test_next_steps_over_a_nested_graph() -> None:
    run = Drive()
    run.start()
    run.held(A)
    run.session.handle(Next())

    assert run.arrive(NodeId("a:inner")) is PROCEED
    assert isinstance(run.arrive(MODEL), Stop)


def test_into_stops_at_the_gates_inside_a_node() -> None:
    run = Drive()
    run.start()
    run.held(MODEL)
    run.session.handle(Into())

    stop = run.arrive(MODEL, kind="model")

    assert isinstance(stop, Stop)
    assert stop.site is not None
    assert stop.site.kind == "model"


def test_continue_runs_to_the_end_without_a_stop() -> None:
    run = Drive()
    run.start()
    run.held(A)
    run.session.handle(Continue())

    assert not run.session.wants(Site("node", MODEL), "enter")
    assert run.arrive(MODEL) is PROCEED


def test_run_to_takes_a_shown_name_and_refuses_an_unknown_one_with_near_matches() -> None:
    run = Drive()
    run.start()
    run.held(A)

    with pytest.raises(NotPossibleError, match=r"no node named Saf; near: .*Safe\.after"):
        run.session.handle(RunTo("Saf"))
    run.session.handle(RunTo("Safe.after"))

    assert run.arrive(MODEL) is PROCEED
    assert isinstance(run.arrive(SAFE), Stop)


def test_turn_stops_at_the_loop_entry() -> None:
    run = Drive()
    run.start()
    run.held(MODEL)
    run.session.handle(Turn())

    assert run.arrive(SAFE) is PROCEED
    assert isinstance(run.arrive(A), Stop)


def test_a_breakpoint_tells_its_number_and_hit_and_all_reasons_are_kept() -> None:
    run = Drive()
    run.session.handle(SetBreakpoints((Breakpoint(7, node="model"),)))
    run.start()
    run.held(A)
    run.session.handle(Next())

    stop = run.held(MODEL)

    assert stop.reasons == ("breakpoint", "step")
    assert stop.detail == "breakpoint 7 (hit 1)"


def test_a_condition_decides_and_a_failing_one_is_told_and_does_not_stop() -> None:
    run = Drive()
    run.session.handle(
        SetBreakpoints(
            (
                Breakpoint(1, node="model", condition="turn == 3"),
                Breakpoint(2, node="b", condition="len(turn) > 1"),
            )
        )
    )
    run.start(hold=False)

    assert run.arrive(MODEL) is PROCEED
    assert run.arrive(B) is PROCEED
    assert dict(run.session.breakpoints_changed().problems).keys() == {2}


def test_an_unknown_node_of_a_breakpoint_is_told_with_near_matches() -> None:
    run = Drive()

    (told,) = run.session.handle(SetBreakpoints((Breakpoint(1, node="modle"),)))

    assert isinstance(told, Publish)
    assert told.event.problems[0][1].startswith("no node named modle; near: model")  # type: ignore[union-attr]


@pytest.mark.parametrize(("hit", "stops"), [("", [1, 2, 3]), (">= 2", [2, 3]), ("== 2", [2]), ("% 3", [3])])
def test_hit_counts_choose_which_arrivals_stop(hit: str, stops: list[int]) -> None:
    run = Drive()
    run.session.handle(SetBreakpoints((Breakpoint(1, node="model", hit=hit),)))
    run.start(hold=False)
    found = []

    for arrival in (1, 2, 3):
        if isinstance(run.arrive(MODEL), Stop):
            found.append(arrival)
            run.session.handle(Continue())

    assert found == stops


def test_a_jump_is_put_into_what_the_node_returns_and_marked() -> None:
    run = Drive()
    run.start()
    run.held(SAFE)

    effects = run.session.handle(SetJump("end"))
    assert [e.stop.pending_jump for e in effects if isinstance(e, Announce)] == ["end"]
    run.session.handle(Next())
    assert run.session.wants(Site("node", SAFE), "exit")
    verdict = run.arrive(SAFE, "exit", value={"log": ["x"]})

    assert verdict == Patch({"log": ["x"], "jump_to": "end"})
    assert run.session.marks(TaskId("t1:safe")) == ("jump end",)
    assert run.arrive(SAFE, "exit", value={}) is PROCEED


def test_a_jump_is_refused_where_none_is_declared_and_the_next_reader_is_named() -> None:
    run = Drive()
    run.start()
    run.held(A)

    with pytest.raises(NotPossibleError, match=r"A\.before declares no jump") as refused:
        run.session.handle(SetJump("end"))

    assert "Safe.after" in refused.value.hint


def test_an_undeclared_word_is_refused_and_at_the_loop_exit_all_words_are_legal() -> None:
    run = Drive()
    run.start()
    run.held(SAFE)
    with pytest.raises(NotPossibleError, match="declares only end, not model"):
        run.session.handle(SetJump("model"))
    run.session.handle(Continue())
    run.session.handle(SetBreakpoints((Breakpoint(1, node="b"),)))
    run.held(B)

    for word in ("model", "tool", "end", "clear"):
        run.session.handle(SetJump(word))  # type: ignore[arg-type]

    run.session.handle(Next())
    assert run.arrive(B, "exit", value={}) == Patch({"jump_to": None})


def test_a_jump_inside_a_nested_graph_is_refused_where_only_the_roots_state_takes_one() -> None:
    """It would be written into the state of another graph."""
    run = Drive((ALL - {"jump_update"}) | {"jump_edit"})
    inner = (
        Node(NodeId("team:safe"), "safe", "after_model", jumps=("end",)),
        Node(NodeId("team:model"), "model", "model"),
    )
    run.session.loaded(replace(GRAPH, nodes=(*GRAPH.nodes, *inner)), run.capabilities)
    run.start()
    run.held(NodeId("team:safe"))

    with pytest.raises(NotPossibleError, match="no jump by hand inside a nested graph"):
        run.session.handle(SetJump("end"))


def test_a_jump_can_be_taken_back_until_the_node_has_run() -> None:
    run = Drive()
    run.start()
    run.held(SAFE)
    run.session.handle(SetJump("end"))

    run.session.handle(Undo())
    run.session.handle(Next())

    assert run.arrive(SAFE, "exit", value={}) is PROCEED
    run.stepped()
    run.held(B)
    with pytest.raises(NotPossibleError, match="nothing to take back"):
        run.session.handle(Undo())


def test_setting_the_next_node_leaves_the_run_and_begins_from_the_changed_checkpoint() -> None:
    run = Drive()
    run.start()
    run.held(A)
    run.session.handle(Next())
    run.arrive(A, "exit", value={})
    run.stepped()
    run.held(MODEL)

    effects = run.session.handle(SetNext((TOOL,)))
    assert released(effects) == [Abort()]
    (follow,) = run.session.ended(Outcome("aborted", CheckpointId("c0")))

    assert isinstance(follow, Run)
    assert follow.amend is not None
    assert follow.amend.next == (TOOL,)
    stop = run.held(TOOL)
    assert stop.reasons == ("jump",)


def test_an_edit_needs_a_target_that_can_be_edited_and_a_run_that_is_held() -> None:
    run = Drive(frozenset())
    run.start()
    run.held(A)
    with pytest.raises(NotPossibleError, match="cannot be changed"):
        run.session.handle(EditState(("x",), 1))

    other = Drive()
    other.start(hold=False)
    with pytest.raises(NotPossibleError, match="running"):
        other.session.handle(EditState(("x",), 1))


def test_a_change_that_cannot_be_made_comes_back_to_where_it_was() -> None:
    run = Drive()
    run.start()
    run.held(A)
    run.session.handle(EditState(("messages", 3), 1))
    run.session.ended(Outcome("aborted", None))
    run.session.amend_failed()

    stop = run.held(A)

    assert stop.detail == "not changed"
    with pytest.raises(NotPossibleError):
        run.session.handle(Undo())


SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}}
ASK = Ask(
    AskId("q1"),
    "approval",
    B,
    calls=(
        AskCall(
            "c1",
            "write",
            {"text": "x"},
            schema={"type": "object", "properties": {"text": {"type": "string"}}},
        ),
        AskCall("c2", "look", {}, needs_approval=False),
    ),
    allowed=("approve", "edit", "reject"),
)


def asked(run: Drive) -> None:
    effects = run.session.ended(Outcome("interrupted", CheckpointId("c9"), asks=(ASK,), next=(B,)))
    assert any(isinstance(e, Publish) and isinstance(e.event, RunEnded) for e in effects)


def test_an_open_question_is_passed_by_no_motion() -> None:
    run = Drive()
    run.start(hold=False)
    asked(run)

    for command in (Next(), Continue(), Into(), StartRun("again")):
        with pytest.raises(NotPossibleError, match="question is open"):
            run.session.handle(command)


def test_an_answer_goes_to_the_target_whole_and_a_stepper_is_held_before_the_asking_node() -> None:
    run = Drive()
    run.start()
    run.held(A)
    run.session.handle(Next())
    asked(run)

    _, resume = run.session.handle(Answer({"": {"all": {"type": "approve"}}}))

    assert isinstance(resume, Run)
    assert isinstance(resume.entry, Resume)
    assert resume.entry.answers == {"q1": {"decisions": [{"type": "approve"}]}}
    assert run.held(B).detail == "answered"


def amended(effects: object) -> Amend:
    (run,) = [one for one in effects if isinstance(one, Run)]  # type: ignore[attr-defined]
    assert run.amend is not None
    return run.amend


@pytest.mark.parametrize(
    ("capable", "path", "changed", "inside"),
    [
        (True, ("team:n", 0), ("n", 0), True),
        (True, ("n",), ("n",), False),
        (True, ("other:n",), ("other:n",), False),
        (False, ("team:n",), ("team:n",), False),
    ],
)
def test_a_path_that_names_the_held_graph_means_its_state(
    capable: bool, path: Path, changed: Path, inside: bool
) -> None:
    run = Drive(ALL | {"edit_nested"} if capable else ALL)
    run.start()
    run.held(NodeId("team:x"))

    run.session.handle(EditState(path, 7))
    change = amended(run.session.ended(Outcome("aborted", None)))

    assert change.path == changed
    assert (change.task is not None) == inside


def test_the_next_node_is_set_in_the_graph_that_holds_it() -> None:
    for node, inside in ((NodeId("team:y"), True), (B, False)):
        run = Drive(ALL | {"edit_nested"})
        run.start()
        run.held(NodeId("team:x"))

        run.session.handle(SetNext((node,)))
        change = amended(run.session.ended(Outcome("aborted", None)))

        assert change.next == (node,)
        assert (change.task is not None) == inside


def test_a_change_inside_a_nested_graph_is_taken_back_inside_of_it() -> None:
    """Its checkpoints are its own: going back to the root's alone would bring nothing back."""
    run = Drive(ALL | {"edit_nested"})
    run.start()
    run.held(NodeId("team:x"))
    run.session.handle(EditState(("team:n",), 7))
    run.session.ended(Outcome("aborted", None))

    run.session.handle(Undo())
    (follow,) = run.session.ended(Outcome("aborted", None))

    assert isinstance(follow, Run)
    assert follow.entry == From(CheckpointId("c-1"))
    assert follow.amend == Amend(CheckpointId("c-1"), "back")


@pytest.mark.parametrize("some", [False, True])
def test_several_questions_are_answered_singly_where_the_target_takes_it(some: bool) -> None:
    """S14: by id, never plain, and never none."""
    run = Drive(ALL | {"answer_some"} if some else ALL)
    run.start(hold=False)
    asks = (Ask(AskId("q1"), "input", A), Ask(AskId("q2"), "input", B))
    run.session.ended(Outcome("interrupted", CheckpointId("c9"), asks))

    with pytest.raises(AnswerError, match="needs its id"):
        run.session.handle(Answer({"": 1}))
    with pytest.raises(AnswerError, match="not answered yet"):
        run.session.handle(Answer({}))
    if some:
        _, resume = run.session.handle(Answer({"q2": 2}))
        assert isinstance(resume, Run)
        assert resume.entry == Resume({AskId("q2"): 2})
    else:
        with pytest.raises(AnswerError, match="not answered yet: q1"):
            run.session.handle(Answer({"q2": 2}))


def test_who_ran_on_runs_on_after_an_answer() -> None:
    run = Drive()
    run.start(hold=False)
    asked(run)
    run.session.handle(Answer({"q1": {"decisions": [{"type": "reject", "reason": "no"}]}}))

    assert run.arrive(B) is PROCEED


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ({"": {"decisions": []}}, "0 decisions for 1 calls"),
        ({"": {"decisions": [{"type": "approve"}, {"type": "approve"}]}}, "2 decisions for 1 calls"),
        ({"": {"decisions": [{"type": "maybe"}]}}, "a decision has a type"),
        ({"": {"decisions": [{"type": "respond", "text": "x"}]}}, "respond is not offered"),
        ({"": {"decisions": [{"type": "edit"}]}}, "an edit needs args"),
        ({"": {"decisions": [{"type": "edit", "args": {"text": 5}}]}}, "text must be string, not int"),
        ({"": {"decisions": [{"type": "edit", "args": [1]}]}}, "must be object"),
        ({"other": {"all": {"type": "approve"}}}, "no open question has the id"),
        ("approve", "answers come by question"),
        ({"": 3}, "an approval is answered by"),
    ],
)
def test_a_wrong_answer_is_refused_and_the_question_stays_open(answer: object, why: str) -> None:
    run = Drive()
    run.start(hold=False)
    asked(run)

    with pytest.raises(AnswerError, match=why):
        run.session.handle(Answer(answer))  # type: ignore[arg-type]

    run.session.handle(Answer({"": {"all": {"type": "approve"}}}))


def test_an_answer_can_be_taken_back_until_the_node_has_run() -> None:
    run = Drive()
    run.start()
    run.held(A)
    run.session.handle(Next())
    asked(run)
    run.session.handle(Answer({"": {"all": {"type": "approve"}}}))
    run.held(B)

    run.session.handle(Undo())
    (again,) = run.session.ended(Outcome("aborted", None))

    assert isinstance(again, Run)
    assert again.entry == From(CheckpointId("c9"))
    asked(run)
    run.session.handle(Answer({"": {"all": {"type": "reject"}}}))


def test_after_a_failure_the_node_can_be_run_again_or_skipped_with_an_update() -> None:
    for command, first in ((RetryNode(), PROCEED), (SkipNode({"x": 1}), Fulfil(Typed({"x": 1})))):
        run = Drive()
        run.start(hold=False)
        run.session.ended(
            Outcome("failed", CheckpointId("c3"), error=ValueError("no"), failed_at=MODEL, next=(MODEL,))
        )
        with pytest.raises(NotPossibleError, match="node failed"):
            run.session.handle(Next())

        effects = run.session.handle(command)

        assert isinstance(effects[-1], Run)
        assert effects[-1].entry == From(CheckpointId("c3"))
        assert run.arrive(MODEL) == first
        assert isinstance(run.arrive(SAFE), Stop)


def test_a_fork_starts_a_new_branch_from_the_checkpoint_of_its_step() -> None:
    run = Drive()
    run.start()
    run.held(A)
    run.session.handle(Next())
    run.stepped()
    run.held(MODEL)

    run.session.handle(Fork(0))
    (follow,) = run.session.ended(Outcome("aborted", None))

    assert isinstance(follow, Run)
    assert (follow.branch, follow.entry, follow.from_step) == ("b2", From(CheckpointId("c0")), 0)
    with pytest.raises(NotPossibleError, match="there is no step 17: the last one is 0"):
        run.session.handle(Fork(17))


def test_a_fork_from_a_step_without_a_checkpoint_names_the_one_before() -> None:
    run = Drive()
    run.start()
    run.stepped()
    run.session.stepped(replace(step(1), checkpoint=None), dict)

    with pytest.raises(NotPossibleError, match="no checkpoint was saved after step 1") as refused:
        run.session.handle(Fork(1))

    assert refused.value.hint == "time.fork 0 begins at the last checkpoint before it"


def test_pause_holds_at_the_next_node() -> None:
    run = Drive()
    run.start(hold=False)
    run.session.handle(Pause())

    assert run.arrive(MODEL, kind="layer") is PROCEED
    stop = run.arrive(SAFE)

    assert isinstance(stop, Stop)
    assert stop.reasons == ("pause",)


@pytest.mark.parametrize("phase", ["enter", "exit"])
def test_pause_holds_at_a_call_too(phase: Phase) -> None:
    """Whoever pauses does not want five more tools to run first."""
    run = Drive()
    run.start(hold=False)
    run.session.handle(Pause())

    assert run.session.wants(Site("tool", TOOL, "x"), phase)
    stop = run.arrive(TOOL, phase, kind="tool")

    assert isinstance(stop, Stop)
    assert stop.reasons == ("pause",)


INNER = NodeId("a:inner")


def overtaken(command: Next | Out | RunTo | Turn) -> tuple[Drive, Stop]:
    """A step that a breakpoint inside of a nested graph has overtaken."""
    run = Drive()
    run.session.handle(SetBreakpoints((Breakpoint(1, node=INNER),)))
    run.start()
    run.held(A)
    run.session.handle(command)
    return run, run.held(INNER)


@pytest.mark.parametrize(
    ("command", "left", "end"),
    [
        (Next(), Unfinished("run.next", A), MODEL),
        (RunTo("b"), Unfinished("run.to", B), B),
        (Turn(), Unfinished("run.turn", A), A),
    ],
)
def test_a_step_that_another_stop_overtakes_is_named_and_can_be_finished(
    command: Next | RunTo | Turn, left: Unfinished, end: NodeId
) -> None:
    run, stop = overtaken(command)
    assert (stop.reasons, stop.unfinished) == (("breakpoint",), left)

    run.session.handle(Next())
    run.session.handle(SetBreakpoints(()))
    second = run.held(NodeId("a:other"))
    assert second.unfinished == left
    run.session.handle(CompleteStep())
    assert run.arrive(NodeId("a:third")) is PROCEED
    stop = run.held(end)

    assert (stop.reasons, stop.unfinished) == (("step",), None)


def test_a_step_that_ends_where_it_should_leaves_nothing_to_finish() -> None:
    run, _ = overtaken(Next())
    run.session.handle(Next())

    assert run.held(MODEL).unfinished is None
    with pytest.raises(NotPossibleError, match="no step has been overtaken"):
        run.session.handle(CompleteStep())
    assert isinstance(run.session.handle(Next())[0], Release)


def test_whoever_runs_on_gives_an_overtaken_step_up() -> None:
    """It may be passed by unseen."""
    run, _ = overtaken(Next())
    run.session.handle(Continue())

    assert run.held(INNER).unfinished is None


def test_abort_lets_held_and_moving_tasks_leave() -> None:
    run = Drive()
    run.start()
    run.held(A)

    assert released(run.session.handle(AbortRun())) == [Abort()]
    assert run.arrive(MODEL) == Abort()
    run.session.ended(Outcome("aborted", None))
    with pytest.raises(NotPossibleError, match="no run is alive"):
        run.session.handle(AbortRun())


def test_the_guard_asks_after_so_many_steps_and_again_after_as_many() -> None:
    run = Drive(guard=3)
    run.start(hold=False)
    stopped_at = []

    for step in range(8):
        if isinstance(run.arrive(MODEL), Stop):
            stopped_at.append(step)
            run.session.handle(Continue())
        run.stepped()

    assert stopped_at == [3, 6]


def test_parallel_tasks_are_held_one_by_one_and_released_one_by_one() -> None:
    run = Drive()
    run.start()
    run.held(A)
    run.session.handle(Next())
    first = run.held(B)
    second = run.held(TOOL)

    effects = run.session.handle(Next())

    assert [e.stop for e in effects if isinstance(e, Release)] == [second.id]
    assert [(e.stop.id, e.stop.all_stopped) for e in effects if isinstance(e, Announce)] == [
        (first.id, False)
    ]


def test_nothing_is_wanted_once_a_run_goes_on_freely() -> None:
    """The silent gate: a run under the debugger must cost next to nothing when nobody looks."""
    run = Drive()
    run.start(hold=False)
    kinds = ("node", "route", "layer", "model", "tool")

    assert not any(
        run.session.wants(Site(kind, MODEL), phase) for kind in kinds for phase in ("enter", "exit")
    )


CALL: Json = {
    "$": "msg",
    "role": "assistant",
    "tool_calls": [{"id": "c1", "name": "pay", "args": {"amount": 7}}],
}
GROWN: Delta = (SetValue(("x",), 1, 2),)
ASKED: Delta = (Splice(("messages",), 1, (), (CALL,)),)


@pytest.mark.parametrize(
    ("breakpoint_", "kind", "delta", "stops"),
    [
        (Breakpoint(1, on="tool_request", node="pay"), "model", ASKED, True),
        (Breakpoint(1, on="tool_request", node="look*"), "model", ASKED, False),
        (
            Breakpoint(1, on="tool_request", node="pay", condition="call.args.amount > 5"),
            "model",
            ASKED,
            True,
        ),
        (
            Breakpoint(1, on="tool_request", node="pay", condition="call.args.amount > 9"),
            "model",
            ASKED,
            False,
        ),
        (Breakpoint(1, on="tool_request", node="pay"), "plain", ASKED, True),
        (Breakpoint(1, on="tool_request", node="pay"), "after_model", ASKED, False),
        (Breakpoint(1, on="state", key="messages"), "plain", ASKED, True),
        (Breakpoint(1, on="state", key="messages", change="grows"), "plain", ASKED, True),
        (Breakpoint(1, on="state", key="messages", change="removed"), "plain", ASKED, False),
        (Breakpoint(1, on="state", key="mess*"), "plain", ASKED, True),
        (Breakpoint(1, on="state", key="x", change="removed"), "plain", (DeleteKey(("x",), 1),), True),
        (Breakpoint(1, on="state", key="x", condition="new > old"), "plain", GROWN, True),
        (
            Breakpoint(1, on="state", key="x", condition="new > old"),
            "plain",
            (SetValue(("x",), 2, 1),),
            False,
        ),
        (Breakpoint(1, on="jump"), "plain", (AddKey(("jump_to",), "end"),), True),
        (Breakpoint(1, on="jump"), "plain", (SetValue(("jump_to",), "end", None),), False),
        (Breakpoint(1, on="jump", enabled=False), "plain", (AddKey(("jump_to",), "end"),), False),
    ],
)
def test_breakpoints_on_what_a_step_did_hold_before_the_node_that_follows(
    breakpoint_: Breakpoint, kind: str, delta: Delta, *, stops: bool
) -> None:
    drive = Drive()
    drive.session.handle(SetBreakpoints((breakpoint_,)))
    drive.start(hold=False)
    drive.session.stepped(step(0, kind, delta), dict)

    assert drive.session.wants(Site("node", MODEL), "enter") is stops
    assert isinstance(drive.arrive(MODEL), Stop) is stops


def test_asking_for_the_same_tool_with_the_same_arguments_again_is_a_repeat_within_one_run() -> None:
    drive = Drive()
    drive.session.handle(SetBreakpoints((Breakpoint(1, on="repeat"),)))
    drive.start(hold=False)
    drive.session.stepped(step(0, "model", ASKED), dict)
    assert drive.arrive(MODEL) is PROCEED

    drive.session.stepped(step(1, "model", ASKED), dict)

    assert isinstance(drive.arrive(MODEL), Stop)


def test_an_exception_is_held_at_the_gate_where_it_was_raised() -> None:
    drive = Drive()
    drive.session.handle(SetBreakpoints((Breakpoint(3, on="exception"),)))
    drive.start(hold=False)
    failing = replace(point(TOOL, "exit", kind="tool"), error=ValueError("no"))

    assert drive.session.wants(failing.site, "exit")
    assert drive.session.arrive(point(TOOL, "exit", kind="tool"), dict) is PROCEED
    stop = drive.session.arrive(failing, dict)

    assert isinstance(stop, Stop)
    assert stop.reasons == ("exception",)


def test_a_log_point_logs_and_does_not_stop() -> None:
    drive = Drive()
    drive.session.handle(
        SetBreakpoints((Breakpoint(1, node="model", log="turn {turn}, hit {hits}, {len(turn)}"),))
    )
    drive.start(hold=False)

    assert drive.arrive(MODEL) is PROCEED
    assert [text[:14] for text in drive.session.take_logged()] == ["turn 2, hit 1,"]
    assert drive.session.take_logged() == ()


def test_a_breakpoint_for_once_is_spent_and_told_so() -> None:
    drive = Drive()
    drive.session.handle(SetBreakpoints((Breakpoint(1, node="model", once=True),)))
    drive.start(hold=False)

    assert isinstance(drive.arrive(MODEL), Stop)
    drive.session.handle(Continue())
    assert drive.arrive(MODEL) is PROCEED
    assert drive.session.breakpoints_changed().spent == (1,)


def test_a_turn_breakpoint_counts_entries_of_the_loop() -> None:
    drive = Drive()
    drive.session.handle(SetBreakpoints((Breakpoint(1, on="loop", hit="== 3"),)))
    drive.start(hold=False)

    found = [isinstance(drive.arrive(A), Stop) for _ in range(3)]

    assert found == [False, False, True]


def test_a_breakpoint_on_questions_is_among_the_reasons() -> None:
    drive = Drive()
    drive.session.handle(SetBreakpoints((Breakpoint(4, on="interrupt"),)))
    drive.start(hold=False)

    asked(drive)

    assert drive.session.breakpoints_changed().hits == ((4, 1),)


def call(name: str, value: str, *, can: bool = True) -> Point:
    acts = frozenset({"proceed", "fulfil"}) if can else frozenset({"proceed"})
    return Point(Site("tool", TOOL, name), "enter", TaskId("t9"), 9, value, acts)  # type: ignore[arg-type]


def test_a_mock_answers_one_call_and_a_lasting_one_answers_all() -> None:
    for always, second in ((False, PROCEED), (True, Fulfil(Typed("sunny")))):
        drive = Drive()
        drive.session.handle(SetMocks((Mock(1, "tool", "weather", "sunny", always=always),)))
        drive.start(hold=False)
        weather = call("weather", "x")

        assert drive.session.wants(weather.site, "enter")
        assert drive.session.arrive(call("other", "x"), dict) is PROCEED
        assert drive.session.arrive(weather, dict) == Fulfil(Typed("sunny"))
        assert drive.session.arrive(weather, dict) == second


def test_a_mock_that_has_answered_stays_spent_when_another_is_added_and_problems_are_told() -> None:
    drive = Drive()
    once = Mock(1, "tool", "weather", "sunny")
    drive.session.handle(SetMocks((once,)))
    drive.start(hold=False)
    assert isinstance(drive.session.arrive(call("weather", "x"), dict), Fulfil)
    assert drive.session.take_mock_news()
    assert not drive.session.take_mock_news()

    broken = Mock(2, "tool", "weather", "rain", condition="len(turn) > 1")
    (told,) = drive.session.handle(SetMocks((once, broken)))
    assert isinstance(told, Publish)
    assert told.event.used_mocks == (1,)  # type: ignore[union-attr]
    assert drive.session.arrive(call("weather", "x"), lambda: {"turn": 2}) is PROCEED
    assert drive.session.take_mock_news()
    assert dict(drive.session.breakpoints_changed().mock_problems).keys() == {2}


def test_a_mock_can_fail_a_call_and_is_not_asked_where_the_engine_cannot() -> None:
    drive = Drive()
    drive.session.handle(SetMocks((Mock(1, "tool", error="no network"),)))
    drive.start(hold=False)

    assert drive.session.arrive(call("weather", "x", can=False), dict) is PROCEED
    verdict = drive.session.arrive(call("weather", "x"), dict)

    assert isinstance(verdict, Fail)
    assert str(verdict.error) == "no network"


def test_a_held_call_can_be_answered_by_hand() -> None:
    drive = Drive()
    drive.start()
    drive.held(TOOL)
    with pytest.raises(NotPossibleError, match="no model or tool call is held"):
        drive.session.handle(AnswerCall("x"))
    drive.session.handle(Into())
    assert isinstance(drive.session.arrive(call("weather", "x"), dict), Stop)

    effects = drive.session.handle(AnswerCall("rainy"))

    assert released(effects) == [Fulfil(Typed("rainy"))]


def test_a_replayed_call_is_answered_from_the_record_until_something_differs() -> None:
    drive = Drive()
    drive.start(hold=False)
    site = call("weather", "x").site
    drive.session.replay(Replay([Recorded(site, "Beijing", "sunny"), Recorded(site, "Paris", "rainy")]))

    first = drive.session.arrive(call("weather", "Beijing"), lambda: call_names("tool", "weather", "Beijing"))
    second = drive.session.arrive(call("weather", "Rome"), lambda: call_names("tool", "weather", "Rome"))

    assert first == Fulfil("sunny")
    assert isinstance(second, Stop)
    assert second.reasons == ("diverged",)
    assert released(drive.session.handle(AnswerCall(recorded=True))) == [Fulfil("rainy")]


def test_a_replayed_call_may_come_in_another_order_and_with_other_message_ids() -> None:
    drive = Drive()
    drive.start(hold=False)
    site = call("weather", "x").site

    def asked(town: str, identity: str) -> Json:
        return [{"$": "msg", "role": "user", "content": town, "id": identity}]

    recorded = [Recorded(site, asked("Rome", "1"), "sunny"), Recorded(site, asked("Paris", "2"), "rainy")]
    drive.session.replay(Replay(recorded))

    def arrive(town: str) -> object:
        request = asked(town, "new")
        return drive.session.arrive(call("weather", request), lambda: {"request": request})

    assert arrive("Paris") == Fulfil("rainy")
    assert arrive("Rome") == Fulfil("sunny")
    assert arrive("Rome") is PROCEED


def test_a_call_made_for_real_ends_the_replay() -> None:
    drive = Drive()
    drive.start(hold=False)
    site = call("weather", "x").site
    drive.session.replay(Replay([Recorded(site, "Beijing", "sunny", 1), Recorded(site, "Rome", "rainy", 2)]))
    drive.session.arrive(call("weather", "Rome"), lambda: call_names("tool", "weather", "Rome"))

    drive.session.handle(Continue())

    assert (
        drive.session.arrive(call("weather", "Rome"), lambda: call_names("tool", "weather", "Rome"))
        is PROCEED
    )


def test_out_leaves_a_chain_of_hooks_and_the_rings_of_a_call() -> None:
    drive = Drive()
    drive.start()
    drive.held(SAFE)
    drive.session.handle(Out())
    assert drive.arrive(B) is PROCEED
    assert isinstance(drive.arrive(TOOL), Stop)

    drive.session.handle(Into())
    outer, inner = (Site("layer", TOOL, name, ring) for ring, name in enumerate(("outer", "inner")))
    at_inner = replace(point(TOOL), site=inner)
    assert isinstance(drive.session.arrive(at_inner, dict), Stop)
    drive.session.handle(Out())
    assert drive.session.arrive(replace(at_inner, phase="exit"), dict) is PROCEED
    stop = drive.session.arrive(replace(at_inner, site=outer, phase="exit"), dict)

    assert isinstance(stop, Stop)
    assert stop.site == outer


def test_out_of_a_subgraph_runs_to_the_node_after_it() -> None:
    drive = Drive()
    drive.start()
    drive.held(NodeId("sub:one"))
    drive.session.handle(Out())

    assert drive.arrive(NodeId("sub:two")) is PROCEED
    assert isinstance(drive.arrive(MODEL), Stop)
