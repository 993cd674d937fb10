"""Questions of a program are told in full, answered by id, and never half right."""

from __future__ import annotations

import operator
from typing import Annotated, Any

import pytest
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict

from hookstepper.model.errors import AnswerError
from hookstepper.ports.target import From, Resume
from hookstepper.ports.verdict import PROCEED, Patch, Point, Verdict
from support.langgraph_kit import COLOURS, opened, painted, ran
from support.probe import RecordingProbe


class State(TypedDict, total=False):
    log: Annotated[list[Any], operator.add]


def asking(question: Any) -> Any:
    def ask(state: State) -> dict[str, Any]:
        return {"log": [interrupt(question)]}

    return ask


def asker(*questions: Any, colour: str = "sync") -> StateGraph:
    builder = StateGraph(State)
    for number, question in enumerate(questions):
        builder.add_node(f"ask{number}", painted(asking(question), colour))
        builder.add_edge(START, f"ask{number}")
    return builder


@COLOURS
def test_a_plain_question_is_answered_with_any_value(colour: str) -> None:
    target = opened(asker({"question": "how many?"}, colour=colour))

    outcome, probe = ran(target, {"log": []})
    (ask,) = outcome.asks
    again = RecordingProbe()
    done = target.run(Resume({ask.id: 5}), again)

    assert outcome.status == "interrupted"
    assert probe.nodes == []
    assert (ask.kind, ask.node, ask.prompt) == ("input", "ask0", "how many?")
    assert ask.payload == {"question": "how many?"}
    assert done.status == "completed"
    assert again.seeds[0].entry == "resume"
    assert target.state().values == {"log": [5]}


@COLOURS
def test_several_questions_are_answered_by_id(colour: str) -> None:
    """S14: LangGraph refuses one plain answer for two questions."""
    target = opened(asker("a?", "b?", colour=colour))

    outcome, _ = ran(target, {"log": []})
    answers = {ask.id: f"to {ask.prompt}" for ask in reversed(outcome.asks)}
    done = target.run(Resume(answers), RecordingProbe())

    assert [ask.node for ask in outcome.asks] == ["ask0", "ask1"]
    assert done.status == "completed"
    assert target.state().values == {"log": ["to a?", "to b?"]}


@COLOURS
def test_questions_can_be_answered_one_by_one(colour: str) -> None:
    """S14: the first answer is kept, the others stay open under their ids."""
    target = opened(asker("a?", "b?", "c?", colour=colour))

    outcome, _ = ran(target, {"log": []})
    first = target.run(Resume({outcome.asks[1].id: "B"}), RecordingProbe())
    second = target.run(Resume({outcome.asks[2].id: "C"}), RecordingProbe())
    done = target.run(Resume({outcome.asks[0].id: "A"}), RecordingProbe())

    assert "answer_some" in target.capabilities
    assert (first.status, second.status) == ("interrupted", "interrupted")
    assert first.asks == (outcome.asks[0], outcome.asks[2])
    assert second.asks == (outcome.asks[0],)
    assert done.status == "completed"
    assert target.state().values == {"log": ["A", "B", "C"]}


def test_a_missing_or_foreign_answer_changes_nothing() -> None:
    target = opened(asker("a?", "b?"))
    outcome, _ = ran(target, {"log": []})
    before = target.history(100)

    with pytest.raises(AnswerError):
        target.run(Resume({}), RecordingProbe())
    with pytest.raises(AnswerError):
        target.run(Resume({**{ask.id: 1 for ask in outcome.asks}, "other": 2}), RecordingProbe())  # type: ignore[dict-item]

    assert target.history(100) == before


@COLOURS
def test_a_node_that_asks_twice_asks_again(colour: str) -> None:
    def twice(state: State) -> dict[str, Any]:
        return {"log": [interrupt("first"), interrupt("second")]}

    builder = StateGraph(State)
    builder.add_node("twice", painted(twice, colour))
    builder.add_edge(START, "twice")
    target = opened(builder)

    outcome, _ = ran(target, {"log": []})
    second = target.run(Resume({outcome.asks[0].id: 1}), RecordingProbe())
    done = target.run(Resume({second.asks[0].id: 2}), RecordingProbe())

    assert [ask.prompt for ask in second.asks] == ["second"]
    assert done.status == "completed"
    assert target.state().values == {"log": [1, 2]}


@COLOURS
@pytest.mark.parametrize("called", [False, True])
def test_a_question_in_a_nested_graph_is_told_by_path(colour: str, called: bool) -> None:
    inner = asker("inside?", colour=colour).compile()

    def caller(state: State) -> dict[str, Any]:
        return {"log": inner.invoke({"log": []})["log"]}

    async def acaller(state: State) -> dict[str, Any]:
        return {"log": (await inner.ainvoke({"log": []}))["log"]}

    builder = StateGraph(State)
    builder.add_node("team", (caller if colour == "sync" else acaller) if called else inner)
    builder.add_edge(START, "team")
    target = opened(builder)

    outcome, _ = ran(target, {"log": []})
    probe = RecordingProbe()
    done = target.run(Resume({outcome.asks[0].id: "yes"}), probe)

    assert [ask.node for ask in outcome.asks] == ["team:ask0"]
    assert done.status == "completed"
    assert probe.nodes == ["team:ask0", "team"]
    assert target.state().values == {"log": ["yes"]}


def test_an_answer_that_the_program_refuses_can_be_taken_back() -> None:
    """The bad answer is saved with the thread; going on from the same checkpoint asks anew."""

    def strict(state: State) -> dict[str, Any]:
        answer = interrupt("a number?")
        if not isinstance(answer, int):
            raise ValueError("not a number")
        return {"log": [answer]}

    builder = StateGraph(State)
    builder.add_node("strict", strict)
    builder.add_edge(START, "strict")
    target = opened(builder)

    outcome, _ = ran(target, {"log": []})
    failed = target.run(Resume({outcome.asks[0].id: "many"}), RecordingProbe())
    assert failed.checkpoint is not None
    asked = target.run(From(failed.checkpoint), RecordingProbe())
    done = target.run(Resume({asked.asks[0].id: 3}), RecordingProbe())

    assert (failed.status, failed.failed_at) == ("failed", "strict")
    assert asked.status == "interrupted"
    assert done.status == "completed"
    assert target.state().values == {"log": [3]}


def test_a_question_keeps_what_its_siblings_did() -> None:
    builder = asker("a?")
    runs: list[int] = []

    def busy(state: State) -> dict[str, Any]:
        runs.append(1)
        return {"log": ["busy"]}

    builder.add_node("busy", busy)
    builder.add_edge(START, "busy")
    target = opened(builder)

    outcome, first = ran(target, {"log": []})
    again = RecordingProbe()
    target.run(Resume({outcome.asks[0].id: 1}), again)

    assert runs == [1]
    assert first.nodes == []
    assert sorted(again.nodes) == ["ask0", "busy"]
    assert again.held == ["ask0"]


def test_context_is_passed_again_when_a_run_goes_on() -> None:
    """LangGraph keeps no context; without it the second half of a node would see None."""
    from dataclasses import dataclass

    from langgraph.runtime import Runtime

    @dataclass
    class Who:
        name: str

    def node(state: State, runtime: Runtime[Who]) -> dict[str, Any]:
        return {"log": [interrupt("?"), runtime.context.name]}

    builder = StateGraph(State, context_schema=Who)
    builder.add_node("node", node)
    builder.add_edge(START, "node")
    target = opened(builder)

    outcome, _ = ran(target, {"log": []}, context={"name": "me"})
    target.run(Resume({outcome.asks[0].id: 1}), RecordingProbe())

    assert target.state().values == {"log": [1, "me"]}


def test_the_functional_api_is_stepped_task_by_task() -> None:
    from langgraph.func import entrypoint, task

    @task
    def double(number: int) -> int:
        return 2 * number

    @entrypoint()
    def flow(number: int) -> Any:
        first = double(number).result()
        return [first, interrupt("more?"), double(first).result()]

    target = opened(flow)
    outcome, probe = ran(target, 5)
    again = RecordingProbe()
    done = target.run(Resume({outcome.asks[0].id: "yes"}), again)

    assert probe.held == ["flow", "flow:double"]
    assert [(step.site.node, step.update) for step in probe.steps] == [("flow:double", 10)]
    assert done.status == "completed"
    assert [(step.site.node, step.update) for step in again.steps] == [
        ("flow:double", 20),
        ("flow", [10, "yes", 20]),
    ]
    assert "edit" not in target.capabilities
    node = target.describe().node("flow")  # type: ignore[arg-type]
    assert node is not None
    assert node.source is not None
    assert node.source.file == __file__


def test_what_cannot_be_done_in_the_functional_api_is_not_offered() -> None:
    """A changed input that nobody sees would be a lie."""
    from langgraph.func import entrypoint, task

    @task
    def double(number: int) -> int:
        return 2 * number

    @entrypoint()
    def flow(given: dict[str, int]) -> int:
        return double(given["n"]).result()

    def decide(point: Point) -> Verdict:
        return Patch({"n": 50}) if "patch" in point.acts else PROCEED

    probe = RecordingProbe(decide)
    ran(opened(flow), {"n": 5}, probe)

    assert [("patch" in point.acts, "fulfil" in point.acts) for point in probe.points] == [
        (True, False),
        (False, False),
    ]
    assert [step.update for step in probe.steps] == [100, 100]
