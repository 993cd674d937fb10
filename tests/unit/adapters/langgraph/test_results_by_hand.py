"""A person can give a node's result, change it, or have the node run again; the run goes on from there."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Annotated, Any

import pytest
from langgraph.graph import START, StateGraph
from langgraph.types import Send, interrupt
from typing_extensions import TypedDict

from hookstepper.model.gates import Site
from hookstepper.model.ids import END, NodeId
from hookstepper.ports.target import From, Resume
from hookstepper.ports.verdict import PROCEED, Abort, Fulfil, Patch, Point, Retry, Verdict
from support.langgraph_kit import COLOURS, opened, painted, ran
from support.probe import RecordingProbe


class State(TypedDict, total=False):
    n: int
    log: Annotated[list[str], operator.add]


RUNS: list[str] = []


@pytest.fixture(autouse=True)
def _no_runs() -> None:
    RUNS.clear()


def noting(name: str) -> Callable[[State], dict[str, Any]]:
    def node(state: State) -> dict[str, Any]:
        RUNS.append(name)
        return {"log": [name]}

    node.__name__ = name
    return node


def line(*names: str, colour: str = "sync") -> StateGraph:
    builder = StateGraph(State)
    before = START
    for name in names:
        builder.add_node(name, painted(noting(name), colour))
        builder.add_edge(before, name)
        before = name
    return builder


def at(node: str, phase: str, verdict: Verdict, times: int = 1) -> RecordingProbe:
    """A probe that gives one verdict at one gate, as often as told, and else lets all go on."""
    left = [times]

    def decide(point: Point) -> Verdict:
        if (point.site.node, point.phase) == (node, phase) and left[0]:
            left[0] -= 1
            return verdict
        return PROCEED

    return RecordingProbe(decide, holds=lambda site, phase: site.kind == "node")


@COLOURS
def test_a_skipped_node_is_a_step_with_the_given_result(colour: str) -> None:
    probe = at("b", "enter", Fulfil({"log": ["by hand"]}))

    outcome, _ = ran(opened(line("a", "b", "c", colour=colour)), {"n": 1}, probe)
    step = probe.steps[1]

    assert outcome.status == "completed"
    assert RUNS == ["a", "c"]
    assert probe.nodes == ["a", "b", "c"]
    assert (step.update, step.writes) == ({"log": ["by hand"]}, ("log",))
    assert step.state == {"n": 1, "log": ["a", "by hand"]}
    assert step.route is not None
    assert (step.route.to, step.route.by_hand) == (("c",), True)
    assert step.checkpoint is not None
    assert probe.steps[-1].superstep == step.superstep + 1


@COLOURS
def test_a_changed_result_is_what_is_committed_and_the_node_ran_once(colour: str) -> None:
    probe = at("b", "exit", Patch({"log": ["changed"], "n": 5}))

    outcome, _ = ran(opened(line("a", "b", "c", colour=colour)), {"n": 1}, probe)

    assert outcome.status == "completed"
    assert RUNS == ["a", "b", "c"]
    assert probe.steps[-1].state == {"n": 5, "log": ["a", "changed", "c"]}


@COLOURS
def test_a_node_can_be_run_again_though_it_returned(colour: str) -> None:
    probe = at("b", "exit", Retry(), times=2)

    outcome, _ = ran(opened(line("a", "b", "c", colour=colour)), {"n": 1}, probe)

    assert outcome.status == "completed"
    assert RUNS == ["a", "b", "b", "b", "c"]
    assert probe.nodes == ["a", "b", "c"]
    assert [point.attempt for point in probe.points if point.site.node == "b"] == [1, 1, 2, 2, 3, 3]


@COLOURS
@pytest.mark.parametrize("verdict", [Patch({"log": ["instead"]}), Retry()])
def test_a_failed_node_can_be_helped_before_the_run_fails(colour: str, verdict: Verdict) -> None:
    tries: list[int] = []

    def shaky(state: State) -> dict[str, Any]:
        tries.append(1)
        if len(tries) == 1:
            raise OSError("once")
        return {"log": ["second try"]}

    builder = line("a", colour=colour)
    builder.add_node("shaky", painted(shaky, colour))
    builder.add_edge("a", "shaky")
    probe = at("shaky", "exit", verdict)

    outcome, _ = ran(opened(builder), {"n": 1}, probe)

    assert outcome.status == "completed"
    assert outcome.error is None
    assert probe.steps[-1].state["log"] == ["a", "instead" if isinstance(verdict, Patch) else "second try"]


@COLOURS
def test_siblings_of_a_replaced_task_run_once_and_commit_with_it(colour: str) -> None:
    builder = line("a", colour=colour)
    for name in ("p", "q", "r"):
        builder.add_node(name, painted(noting(name), colour))
        builder.add_edge("a", name)
    builder.add_node("join", painted(noting("join"), colour))
    builder.add_edge(["p", "q", "r"], "join")
    probe = at("q", "enter", Fulfil({"log": ["hand"]}))

    outcome, _ = ran(opened(builder), {"n": 1}, probe)

    assert outcome.status == "completed"
    assert sorted(RUNS) == ["a", "join", "p", "r"]
    assert probe.nodes == ["a", "p", "q", "r", "join"]
    assert [step.state["log"] for step in probe.steps] == [
        ["a"],
        ["a", "p"],
        ["a", "p", "hand"],
        ["a", "p", "hand", "r"],
        ["a", "p", "hand", "r", "join"],
    ]
    assert len({step.superstep for step in probe.steps[1:4]}) == 1


def test_one_of_several_sent_tasks_can_be_skipped() -> None:
    def one(state: State) -> dict[str, Any]:
        return {"log": [f"one{state['n']}"]}

    builder = line("a")
    builder.add_node("one", one)
    builder.add_conditional_edges("a", lambda state: [Send("one", {"n": n}) for n in (1, 2, 3)], ["one"])
    probe = RecordingProbe(lambda point: Fulfil({"log": ["skipped"]}) if point.value == {"n": 2} else PROCEED)

    outcome, _ = ran(opened(builder), {"n": 0}, probe)

    assert outcome.status == "completed"
    assert probe.steps[-1].state["log"] == ["a", "one1", "skipped", "one3"]


@COLOURS
@pytest.mark.parametrize(
    ("phase", "verdict", "log"),
    [
        ("enter", Fulfil({"log": ["hand"]}), ["x", "hand", "z"]),
        ("exit", Patch({"log": ["hand"]}), ["x", "hand", "z"]),
        ("exit", Retry(), ["x", "y", "z"]),
    ],
)
def test_a_node_of_a_nested_graph_can_be_replaced_too(
    colour: str, phase: str, verdict: Verdict, log: list[str]
) -> None:
    inner = line("x", "y", "z", colour=colour)
    middle = StateGraph(State)
    middle.add_node("inner", inner.compile())
    middle.add_edge(START, "inner")
    builder = line("a", colour=colour)
    builder.add_node("team", middle.compile())
    builder.add_edge("a", "team")
    probe = at("team:inner:y", phase, verdict)

    outcome, _ = ran(opened(builder), {"n": 1}, probe)
    inside = [step for step in probe.steps if step.scope == "team:inner"]

    assert outcome.status == "completed"
    assert [step.site.node for step in inside] == ["team:inner:x", "team:inner:y", "team:inner:z"]
    assert inside[-1].state["log"][-3:] == log
    assert RUNS.count("x") == 1
    held = [point.site.node for point in probe.points if point.phase == "enter"]
    assert (held.count("team"), held.count("team:inner")) == (1, 1), "the way back in is not held again"


def test_what_cannot_be_replaced_is_not_offered() -> None:
    inner = line("x").compile()
    builder = StateGraph(State)
    builder.add_node("caller", lambda state: {"log": inner.invoke({"n": 1})["log"]})
    builder.add_edge(START, "caller")
    probe = RecordingProbe(holds=lambda site, phase: site.kind == "node")

    ran(opened(builder), {"n": 1}, probe)
    acts = {(point.site.node, point.phase): point.acts for point in probe.points}

    assert "fulfil" in acts["caller", "enter"]
    assert "fulfil" not in acts["caller:x", "enter"]
    assert not acts["caller:x", "exit"] & {"patch", "retry"}


def test_the_budget_of_steps_is_not_filled_up_by_hand() -> None:
    builder = StateGraph(State)
    builder.add_node("a", noting("a"))
    builder.add_edge(START, "a")
    builder.add_edge("a", "a")
    probe = at("a", "enter", Fulfil({"log": ["hand"]}), times=3)

    outcome, _ = ran(opened(builder), {"n": 1}, probe, recursion_limit=8)

    assert outcome.status == "limit"
    assert len(probe.steps) == 8


def test_a_waiting_sibling_still_asks_after_a_result_by_hand() -> None:
    def ask(state: State) -> dict[str, Any]:
        return {"log": [interrupt("?")]}

    builder = line("a")
    builder.add_node("ask", ask)
    builder.add_node("q", noting("q"))
    builder.add_edge("a", "ask")
    builder.add_edge("a", "q")
    target = opened(builder)
    probe = at("q", "enter", Fulfil({"log": ["hand"]}))

    outcome, _ = ran(target, {"n": 1}, probe)
    done = target.run(Resume({outcome.asks[0].id: "yes"}), RecordingProbe())

    assert outcome.status == "interrupted"
    assert done.status == "completed"
    assert target.state().values["log"] == ["a", "hand", "yes"]


def test_an_impossible_result_is_the_nodes_failure() -> None:
    probe = at("b", "enter", Fulfil(5))

    outcome, _ = ran(opened(line("a", "b")), {"n": 1}, probe)

    assert outcome.status == "failed"
    assert "InvalidUpdateError" in type(outcome.error).__name__
    assert outcome.next == ("b",)


def test_an_abort_wins_over_a_result_by_hand() -> None:
    builder = line("a")
    for name in ("p", "q"):
        builder.add_node(name, noting(name))
        builder.add_edge("a", name)
    verdicts = {"p": Fulfil({"log": ["hand"]}), "q": Abort()}
    target = opened(builder)

    outcome, _ = ran(target, {"n": 1}, RecordingProbe(lambda point: verdicts.get(point.site.node, PROCEED)))

    assert outcome.status == "aborted"
    assert sorted(outcome.next) == ["p", "q"]
    assert target.state().values["log"] == ["a"]


@COLOURS
def test_a_router_decides_on_the_result_that_was_given(colour: str) -> None:
    builder = line("a", colour=colour)
    builder.add_node("b", painted(noting("b"), colour))
    builder.add_conditional_edges("a", lambda state: "b" if state["n"] > 5 else "__end__", ["b", "__end__"])
    probe = at("a", "exit", Patch({"n": 9}))

    ran(opened(builder), {"n": 1}, probe)

    assert probe.nodes == ["a", "b"]
    assert probe.steps[0].route is not None
    assert probe.steps[0].route.to == ("b",)
    assert probe.steps[1].route is not None
    assert probe.steps[1].route.to == (END,)


def test_nodes_can_be_answered_from_a_record() -> None:
    target = opened(line("a", "b", "c"))
    _, probe = ran(target, {"n": 1})
    first = probe.steps[0].checkpoint
    assert first is not None
    RUNS.clear()

    again = RecordingProbe()
    done = target.run(From(first, {Site("node", NodeId("b")): [{"log": ["recorded"]}]}), again)

    assert done.status == "completed"
    assert RUNS == ["c"]
    assert target.state().values["log"] == ["a", "recorded", "c"]


@COLOURS
@pytest.mark.parametrize("verdict", [Fulfil({"log": ["hand"]}), Abort()])
def test_what_is_done_at_the_first_node_of_a_fork_belongs_to_the_fork(colour: str, verdict: Verdict) -> None:
    """Older LangGraphs save nothing before that node has run: the thread's newest state is another line's."""
    target = opened(line("a", "b", "c", colour=colour))
    _, probe = ran(target, {"n": 1})
    first = probe.steps[0].checkpoint
    assert first is not None

    outcome = target.run(From(first), at("b", "enter", verdict))
    if outcome.status == "aborted":
        assert outcome.next == ("b",)
        assert outcome.checkpoint is not None
        outcome = target.run(From(outcome.checkpoint), RecordingProbe())

    assert outcome.status == "completed"
    assert outcome.checkpoint is not None
    expected = ["a", "hand", "c"] if isinstance(verdict, Fulfil) else ["a", "b", "c"]
    assert target.state(outcome.checkpoint).values["log"] == expected
