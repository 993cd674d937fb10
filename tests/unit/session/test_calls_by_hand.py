"""A held model or tool call: answered, failed or made again by a person."""

from __future__ import annotations

import pytest

from hookstepper.model.commands import AnswerCall, Into, StartRun
from hookstepper.model.errors import NotPossibleError
from hookstepper.model.gates import Act, Phase, Site, Stop
from hookstepper.model.graph import Edge, Graph, Node
from hookstepper.model.ids import END, START, CheckpointId, NodeId, TaskId
from hookstepper.ports.verdict import Fail, Patch, Point, Retry, Verdict
from hookstepper.session.effects import Release
from hookstepper.session.mocking import Typed
from hookstepper.session.session import DebugSession

TOOL = NodeId("tool")
GRAPH = Graph(
    "g",
    (Node(START, "START", "start"), Node(TOOL, "tool", "tool"), Node(END, "END", "end")),
    (Edge(START, TOOL),),
)
ENTER: frozenset[Act] = frozenset({"proceed", "patch", "fulfil", "fail", "abort"})
EXIT: frozenset[Act] = frozenset({"proceed", "patch", "retry", "fail", "abort"})


def held_at(phase: Phase, acts: frozenset[Act]) -> DebugSession:
    """A session with the call of one tool held."""
    session = DebugSession()
    session.loaded(GRAPH, frozenset())
    session.handle(StartRun("hi"))
    session.seeded(CheckpointId("c"))
    node = Point(Site("node", TOOL), "enter", TaskId("t"), 1, None, frozenset({"proceed"}))
    assert isinstance(session.arrive(node, dict), Stop)
    session.handle(Into())
    call = Point(Site("tool", TOOL, "weather"), phase, TaskId("t"), 1, "sunny", acts)
    assert isinstance(session.arrive(call, dict), Stop)
    return session


def verdict_of(session: DebugSession, command: AnswerCall) -> Verdict:
    (found,) = [effect.verdict for effect in session.handle(command) if isinstance(effect, Release)]
    return found


def test_a_call_can_be_failed_before_it_is_made_and_after() -> None:
    for phase, acts in (("enter", ENTER), ("exit", EXIT)):
        verdict = verdict_of(held_at(phase, acts), AnswerCall(error="no network"))  # type: ignore[arg-type]

        assert isinstance(verdict, Fail)
        assert str(verdict.error) == "no network"


def test_a_call_that_was_made_can_be_made_again_or_its_answer_replaced() -> None:
    assert verdict_of(held_at("exit", EXIT), AnswerCall(retry=True)) == Retry()
    assert verdict_of(held_at("exit", EXIT), AnswerCall("rainy")) == Patch(Typed("rainy"))


def test_what_the_engine_or_the_moment_cannot_do_is_refused_and_the_call_stays_held() -> None:
    cases = [
        ("enter", ENTER, AnswerCall(retry=True), "not made yet"),
        ("enter", ENTER, AnswerCall(recorded=True), "the record has no answer"),
        ("exit", EXIT, AnswerCall(recorded=True), "made already"),
        ("exit", frozenset({"proceed"}), AnswerCall(retry=True), "cannot make a call again"),
        ("exit", frozenset({"proceed"}), AnswerCall("x"), "cannot change what a call gave"),
        ("enter", frozenset({"proceed"}), AnswerCall(error="x"), "cannot let a call fail"),
    ]
    for phase, acts, command, why in cases:
        session = held_at(phase, acts)  # type: ignore[arg-type]
        with pytest.raises(NotPossibleError, match=why):
            session.handle(command)
        assert session.handle(Into()), "still held"
