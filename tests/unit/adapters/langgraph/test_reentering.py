"""A run can go back into the middle of a nested graph; what ran before in it does not run again."""

from __future__ import annotations

import operator
from typing import Annotated, Any

import pytest
from langgraph.graph import START, StateGraph
from langgraph.types import Send
from typing_extensions import TypedDict

from hookstepper.model.errors import NotPossibleError
from hookstepper.model.ids import CheckpointId
from hookstepper.ports.target import Edit, From
from support.langgraph_kit import COLOURS, in_a_row, opened, painted, ran
from support.probe import RecordingProbe

RUNS: list[str] = []


class State(TypedDict, total=False):
    n: int
    log: Annotated[list[str], operator.add]


class Inside(TypedDict, total=False):
    n: int
    notes: Annotated[list[str], operator.add]


@pytest.fixture(autouse=True)
def nothing_ran() -> None:
    RUNS.clear()


def noting(name: str, key: str = "notes") -> Any:
    def node(state: Any) -> dict[str, Any]:
        RUNS.append(name)
        return {key: [f"{name}{state.get('n')}"]}

    return node


def team(colour: str) -> Any:
    return in_a_row(Inside, {name: noting(name) for name in "xyz"}, colour).compile()


def program(colour: str = "sync", *, called: bool = False) -> StateGraph:
    inner = team(colour)
    builder = StateGraph(State)
    builder.add_node("a", painted(noting("a", "log"), colour))
    builder.add_node("team", (lambda state: {"log": inner.invoke(state)["notes"]}) if called else inner)
    builder.add_node("b", painted(noting("b", "log"), colour))
    builder.add_edge(START, "a")
    builder.add_edge("a", "team")
    builder.add_edge("team", "b")
    return builder


def after(probe: RecordingProbe, node: str) -> CheckpointId | None:
    return next(step.checkpoint for step in probe.steps if step.site.node == node)


@COLOURS
@pytest.mark.parametrize(("node", "rest"), [("team:x", ["y", "z", "b"]), ("team:y", ["z", "b"])])
def test_what_is_left_of_the_nested_graph_runs_and_nothing_else(
    colour: str, node: str, rest: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """S20: newer LangGraphs begin the nested graph anew when they are asked for that."""
    target = opened(program(colour))
    done, probe = ran(target, {"n": 1})
    at = after(probe, node)
    assert at is not None
    old = target.state(done.checkpoint).values
    RUNS.clear()

    again = RecordingProbe()
    outcome = target.run(From(at), again)

    assert outcome.status == "completed"
    assert rest == RUNS
    assert again.held == [f"team:{name}" if name != "b" else "b" for name in rest]
    assert target.state().values == old
    inside = [step.state["notes"] for step in again.steps if step.scope == "team"]
    assert inside[-1] == ["x1", "y1", "z1"]
    assert "runs again" not in capsys.readouterr().err


def test_it_can_be_done_again_from_what_that_gave() -> None:
    target = opened(program())
    _, probe = ran(target, {"n": 1})
    for _ in range(3):
        at = after(probe, "team:y" if probe.nodes[0] == "a" else "team:z")
        assert at is not None
        probe = RecordingProbe()
        RUNS.clear()
        target.run(From(at), probe)
        assert RUNS in (["z", "b"], ["b"])
        if RUNS == ["b"]:
            return
    pytest.fail("the nested graph never came to its end")


def test_an_edit_at_such_a_place_is_one_of_the_root() -> None:
    target = opened(program())
    _, probe = ran(target, {"n": 1})
    at = after(probe, "team:y")
    assert at is not None
    RUNS.clear()

    made = target.edit(at, Edit({"n": 5}))
    target.run(From(made), RecordingProbe())

    assert target.state(at).next == ("team",)
    assert RUNS == ["x", "y", "z", "b"]
    assert target.state().values["n"] == 5


def test_of_graphs_side_by_side_the_one_that_was_meant_goes_on() -> None:
    builder = StateGraph(State)
    builder.add_node("a", noting("a", "log"))
    builder.add_node("team", team("sync"))
    builder.add_edge(START, "a")
    builder.add_conditional_edges(
        "a", lambda state: [Send("team", {"n": number}) for number in (1, 2, 3)], ["team"]
    )
    target = opened(builder)
    _, probe = ran(target, {"n": 0})
    at = next(step.checkpoint for step in probe.steps if step.site.node == "team:y" and step.state["n"] == 2)
    assert at is not None
    RUNS.clear()

    again = RecordingProbe()
    target.run(From(at), again)

    assert sorted(RUNS) == ["x", "x", "y", "y", "z", "z", "z"]
    two = [step.site.node for step in again.steps if step.scope == "team" and step.state["n"] == 2]
    assert two == ["team:z"]


def test_where_the_programs_own_code_calls_the_graph_no_such_place_is_told() -> None:
    _, probe = ran(opened(program(called=True)), {"n": 1})

    assert after(probe, "team:x") is None
    assert after(probe, "team") is not None


def test_a_place_that_is_not_kept_is_refused() -> None:
    target = opened(program())
    _, probe = ran(target, {"n": 1})
    at = after(probe, "team:y")
    assert at is not None
    root, _, rest = at.partition("@")

    with pytest.raises(NotPossibleError):
        target.run(From(CheckpointId(f"{root}@{rest.partition('@')[0]}@gone")), RecordingProbe())
    with pytest.raises(NotPossibleError):
        target.run(From(CheckpointId(f"gone@{rest}")), RecordingProbe())


def deep_program(colour: str) -> StateGraph:
    """a, then a graph that holds `first` and, in the node `team`, the graph of x, y and z."""
    middle = StateGraph(Inside)
    middle.add_node("first", painted(noting("first"), colour))
    middle.add_node("team", team(colour))
    middle.add_node("last", painted(noting("last"), colour))
    middle.add_edge(START, "first")
    middle.add_edge("first", "team")
    middle.add_edge("team", "last")
    builder = StateGraph(State)
    builder.add_node("a", painted(noting("a", "log"), colour))
    builder.add_node("middle", middle.compile())
    builder.add_edge(START, "a")
    builder.add_edge("a", "middle")
    return builder


@COLOURS
@pytest.mark.parametrize(
    ("node", "rest"),
    [
        ("middle:team:x", ["y", "z", "last"]),
        ("middle:team:z", ["last"]),
        ("middle:first", ["x", "y", "z", "last"]),
    ],
)
def test_a_graph_in_a_nested_graph_is_gone_back_into_too(
    colour: str, node: str, rest: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    target = opened(deep_program(colour))
    done, probe = ran(target, {"n": 1})
    at = after(probe, node)
    assert at is not None
    old = target.state(done.checkpoint).values
    deepest = [step.state for step in probe.steps if step.scope == "middle:team"][-1]
    RUNS.clear()

    again = RecordingProbe()
    outcome = target.run(From(at), again)

    assert outcome.status == "completed"
    assert rest == RUNS
    assert target.state().values == old
    scopes = [step.state for step in again.steps if step.scope == "middle:team"]
    assert not scopes or scopes[-1] == deepest
    middle = [step.state["notes"] for step in again.steps if step.scope == "middle"][-1]
    assert middle == [step.state["notes"] for step in probe.steps if step.scope == "middle"][-1]
    assert "runs again" not in capsys.readouterr().err
