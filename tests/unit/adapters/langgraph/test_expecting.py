"""What runs again is said before, and checked against what ran."""

from __future__ import annotations

import operator
from typing import Annotated, Any

import pytest
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict

from hookstepper.adapters.langgraph.expecting import Expectation
from hookstepper.adapters.langgraph.tasks import LiveTask
from hookstepper.model.gates import Site
from hookstepper.model.ids import NodeId, TaskId
from hookstepper.ports.target import From, Resume
from hookstepper.ports.verdict import Abort
from support.langgraph_kit import COLOURS, opened, painted, ran
from support.probe import RecordingProbe


class State(TypedDict, total=False):
    log: Annotated[list[Any], operator.add]


def asking(state: State) -> dict[str, Any]:
    return {"log": [interrupt("well?")]}


def line(colour: str) -> StateGraph:
    builder = StateGraph(State)
    before = START
    for name, node in (("a", lambda state: {"log": ["a"]}), ("ask", asking)):
        builder.add_node(name, painted(node, colour))
        builder.add_edge(before, name)
        before = name
    return builder


@COLOURS
@pytest.mark.parametrize("called", [False, True])
def test_a_question_says_which_bodies_run_again(colour: str, called: bool) -> None:
    """S13: a function that calls the asking graph runs from its first line as well."""
    inner = line(colour).compile()

    def call(state: State) -> Any:
        return inner.invoke(state)

    async def acall(state: State) -> Any:
        return await inner.ainvoke(state)

    builder = StateGraph(State)
    builder.add_node("team", (call if colour == "sync" else acall) if called else inner)
    builder.add_edge(START, "team")
    outcome, _ = ran(opened(builder), {"log": []})

    assert outcome.asks[0].again == (("team", "team:ask") if called else ("team:ask",))


@COLOURS
def test_what_goes_on_as_expected_is_not_remarked_upon(
    colour: str, capsys: pytest.CaptureFixture[str]
) -> None:
    inner = line(colour).compile()
    builder = line(colour)
    builder.add_node("team", inner)
    builder.add_node("beside", painted(lambda state: {"log": ["beside"]}, colour))
    builder.add_edge("ask", "team")
    builder.add_edge("ask", "beside")
    target = opened(builder)

    asked, probe = ran(target, {"log": []})
    asked = target.run(Resume({asked.asks[0].id: 1}), probe)
    left = target.run(Resume({asked.asks[0].id: 2}), RecordingProbe(lambda _: Abort()))
    assert left.checkpoint is not None
    done = target.run(From(left.checkpoint), probe)
    if done.asks:
        done = target.run(Resume({done.asks[0].id: 2}), probe)
    first = probe.steps[0].checkpoint
    assert first is not None
    target.run(From(first), probe)

    assert done.status == "completed"
    assert "runs again" not in capsys.readouterr().err


def task(path: str, superstep: int, attempt: int = 1) -> LiveTask:
    namespace = path.rpartition(":")[0]
    node = NodeId(path)
    return LiveTask(
        TaskId("t"), f"{namespace}|x", node, superstep, "plain", (), Site("node", node), namespace, attempt
    )


def test_a_node_that_was_not_due_is_named() -> None:
    """S20: engines have had regressions of this kind."""
    told: list[str] = []
    expectation = Expectation({"": frozenset({"team"}), "team": frozenset({"z"})}, told.append)

    met = [expectation.meet(one) for one in (task("team", 4), task("team:x", 1), task("team:z", 1))]

    assert met == [True, False, True]
    assert told == ["hookstepper: team:x runs again although it was not due; expected: z\n"]


@pytest.mark.parametrize(
    "later", [task("team:x", 2), task("team:x", 1, attempt=2), task("other:x", 1), task("team:z", 1)]
)
def test_what_the_program_does_afterwards_is_its_own_business(later: LiveTask) -> None:
    told: list[str] = []
    expectation = Expectation({"team": frozenset({"z"})}, told.append)
    expectation.meet(task("team:z", 1))

    assert expectation.meet(later)
    assert told == []
