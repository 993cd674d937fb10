"""State and position of a nested graph can be changed where one of its nodes is held."""

from __future__ import annotations

import operator
from typing import Annotated, Any

import pytest
from langgraph.graph import START, StateGraph
from langgraph.types import Send
from typing_extensions import TypedDict

from hookstepper.adapters.langgraph.target import LangGraphTarget
from hookstepper.model.errors import InvalidValueError, NotPossibleError
from hookstepper.model.ids import CheckpointId, NodeId, TaskId
from hookstepper.ports.facts import Seeded
from hookstepper.ports.target import Edit, From
from hookstepper.ports.verdict import PROCEED, Abort, Point, Verdict
from support.langgraph_kit import COLOURS, in_a_row, opened, painted, ran
from support.probe import RecordingProbe

RUNS: list[str] = []


class State(TypedDict, total=False):
    n: int
    log: Annotated[list[str], operator.add]


class Inside(TypedDict, total=False):
    n: int
    notes: Annotated[list[str], operator.add]
    log: Annotated[list[str], operator.add]


@pytest.fixture(autouse=True)
def nothing_ran() -> None:
    RUNS.clear()


def noting(name: str) -> Any:
    def node(state: Inside) -> dict[str, Any]:
        RUNS.append(name)
        return {"notes": [f"{name}{state.get('n')}"], "log": [name]}

    return node


def team(colour: str) -> Any:
    return in_a_row(Inside, {name: noting(name) for name in "xyz"}, colour).compile()


def program(colour: str = "sync", *, called: bool = False) -> StateGraph:
    inner = team(colour)
    builder = StateGraph(State)
    builder.add_node("a", painted(lambda state: {"log": ["a"]}, colour))
    builder.add_node("team", (lambda state: inner.invoke(state)) if called else inner)
    builder.add_edge(START, "a")
    builder.add_edge("a", "team")
    return builder


def held_at(node: str) -> tuple[RecordingProbe, list[Point]]:
    found: list[Point] = []

    def decide(point: Point) -> Verdict:
        if point.site.node != node:
            return PROCEED
        found.append(point)
        return Abort()

    return RecordingProbe(decide), found


def left_at_y(target: LangGraphTarget) -> tuple[CheckpointId, TaskId]:
    """A run that was left where a node of the nested graph was held: its checkpoint, and the held task."""
    probe, found = held_at("team:y")
    left, _ = ran(target, {"n": 1}, probe)
    assert left.checkpoint is not None
    return left.checkpoint, found[0].task


@COLOURS
def test_the_state_of_a_nested_graph_is_changed_in_place(colour: str) -> None:
    target = opened(program(colour))
    at, task = left_at_y(target)

    before = target.nested_state(task)
    made = target.edit(at, Edit({"n": 7, "notes": ["mine"]}, task=task))
    after = target.nested_state(task)
    again = RecordingProbe()
    done = target.run(From(made), again)

    assert "edit_nested" in target.capabilities
    assert before.values == {"n": 1, "notes": ["x1"], "log": ["a", "x"]}
    assert before.next == ("y",)
    assert after.values == {"n": 7, "notes": ["mine"], "log": ["a", "x"]}
    assert done.status == "completed"
    assert RUNS == ["x", "y", "z"]
    assert again.held == ["team:y", "team:z"]
    inside = [step.state for step in again.steps if step.scope == "team"]
    assert inside[-1]["notes"] == ["mine", "y7", "z7"]
    assert target.state().values["n"] == 7
    told = [fact for fact in again.of(Seeded) if fact.scope == "team"]
    assert [fact.state["notes"] for fact in told] == [["mine"]]


@COLOURS
def test_the_next_node_of_a_nested_graph_can_be_set(colour: str) -> None:
    target = opened(program(colour))
    at, task = left_at_y(target)

    made = target.edit(at, Edit({}, next=(NodeId("team:z"),), task=task))
    again = RecordingProbe()
    target.run(From(made), again)

    assert RUNS == ["x", "z"]
    assert again.held == ["team:z"]


def test_a_nested_graph_can_be_ended() -> None:
    target = opened(program())
    at, task = left_at_y(target)

    made = target.edit(at, Edit({}, next=(NodeId("team:__END__"),), task=task))
    done = target.run(From(made), RecordingProbe())

    assert done.status == "completed"
    assert RUNS == ["x"]


def test_of_graphs_side_by_side_the_one_that_is_held_is_changed() -> None:
    """The same node, sent three times: only the task tells them apart."""
    builder = StateGraph(State)
    builder.add_node("a", lambda state: {"log": ["a"]})
    builder.add_node("team", team("sync"))
    builder.add_edge(START, "a")
    builder.add_conditional_edges(
        "a", lambda state: [Send("team", {"n": number}) for number in (1, 2, 3)], ["team"]
    )
    target = opened(builder)
    found: list[Point] = []

    def decide(point: Point) -> Verdict:
        if point.site.node == "team:y":
            found.append(point)
            return Abort()
        return PROCEED

    left, _ = ran(target, {"n": 0}, RecordingProbe(decide))
    assert left.checkpoint is not None
    task = next(point.task for point in found if point.value["n"] == 2)  # type: ignore[index]
    made = target.edit(left.checkpoint, Edit({"n": 20}, task=task))
    again = RecordingProbe()
    target.run(From(made), again)

    seen = sorted(
        step.update["notes"][0]  # type: ignore[index]
        for step in again.steps
        if step.site.node == "team:z"
    )
    assert seen == ["z1", "z20", "z3"]


def test_where_the_programs_own_code_would_run_again_it_is_refused() -> None:
    target = opened(program(called=True))
    at, task = left_at_y(target)

    with pytest.raises(NotPossibleError, match="cannot be changed here"):
        target.edit(at, Edit({"n": 7}, task=task))
    assert target.nested_state(task).trouble


def test_an_unknown_key_of_a_nested_graph_is_refused() -> None:
    target = opened(program())
    at, task = left_at_y(target)

    with pytest.raises(InvalidValueError, match="no key 'other'"):
        target.edit(at, Edit({"other": 7}, task=task))
    with pytest.raises(InvalidValueError, match="no node"):
        target.edit(at, Edit({}, next=(NodeId("team:q"),), task=task))


@COLOURS
def test_changes_of_a_nested_graph_are_taken_back_one_by_one(colour: str) -> None:
    target = opened(program(colour))
    at, task = left_at_y(target)
    target.edit(at, Edit({"n": 7}, task=task))
    left, found = held_at("team:y")
    ran_again = target.run(From(at), left)
    target.edit(ran_again.checkpoint or at, Edit({"notes": ["mine"]}, task=found[0].task))

    once = target.take_back_nested(at)
    first = dict(target.nested_state(found[0].task).values)
    twice = target.take_back_nested(once)
    second = target.nested_state(found[0].task)
    again = RecordingProbe()
    target.run(From(twice), again)

    assert first == {"n": 7, "notes": ["x1"], "log": ["a", "x"]}
    assert second.values == {"n": 1, "notes": ["x1"], "log": ["a", "x"]}
    assert second.next == ("y",)
    assert RUNS == ["x", "y", "z"]
    assert again.held == ["team:y", "team:z"]
    assert [step.state for step in again.steps if step.scope == "team"][-1]["notes"] == ["x1", "y1", "z1"]
    with pytest.raises(NotPossibleError, match="no nested graph was changed"):
        target.take_back_nested(twice)
