"""State and position can be changed by hand; what is due stays due unless it is meant to change."""

from __future__ import annotations

import operator
from typing import Annotated, Any

import pytest
from langgraph.channels import UntrackedValue
from langgraph.graph import START, StateGraph
from langgraph.types import Send
from typing_extensions import TypedDict

from hookstepper.model.errors import InvalidValueError, NotPossibleError
from hookstepper.model.ids import END, CheckpointId, NodeId
from hookstepper.ports.target import Edit, From
from hookstepper.ports.verdict import PROCEED, Abort
from support.langgraph_kit import COLOURS, in_a_row, opened, painted, ran
from support.probe import RecordingProbe


class State(TypedDict, total=False):
    n: int
    log: Annotated[list[str], operator.add]


def line(*names: str, colour: str = "sync") -> StateGraph:
    builder = StateGraph(State)
    before = START
    for name in names:

        def node(state: State, name: str = name) -> dict[str, Any]:
            return {"log": [f"{name}{state['n']}"]}

        node.__name__ = name
        builder.add_node(name, painted(node, colour))
        builder.add_edge(before, name)
        before = name
    return builder


def stopped(builder: StateGraph, at: int = 1) -> tuple[Any, CheckpointId]:
    """A target whose run was aborted at its `at`-th held node, and its checkpoint there."""
    target = opened(builder)
    outcome, _ = ran(target, {"n": 1}, RecordingProbe([PROCEED] * at + [Abort()] * 50))
    assert outcome.status == "aborted"
    assert outcome.checkpoint is not None
    return target, outcome.checkpoint


@COLOURS
def test_a_raw_edit_replaces_a_value_past_its_reducer_and_the_run_goes_on(colour: str) -> None:
    target, at = stopped(line("a", "b", "c", colour=colour))

    made = target.edit(at, Edit({"n": 7, "log": ["only"]}))
    probe = RecordingProbe()
    outcome = target.run(From(made), probe)

    assert target.state(made).next == ("b",)
    assert target.state(made).values == {"n": 7, "log": ["only"]}
    assert probe.nodes == ["b", "c"]
    assert outcome.status == "completed"
    assert target.state().values == {"n": 7, "log": ["only", "b7", "c7"]}
    assert target.state(at).values == {"n": 1, "log": ["a1"]}


def test_a_reducer_edit_passes_through_the_reducer() -> None:
    target, at = stopped(line("a", "b"))

    made = target.edit(at, Edit({"log": ["more"]}, mode="reducer"))

    assert target.state(made).values == {"n": 1, "log": ["a1", "more"]}


@COLOURS
def test_the_next_node_can_be_set_and_no_router_is_asked(colour: str) -> None:
    target, at = stopped(line("a", "b", "c", "d", colour=colour))

    made = target.edit(at, Edit({}, next=(NodeId("d"),)))
    probe = RecordingProbe()
    target.run(From(made), probe)

    assert target.state(made).next == ("d",)
    assert probe.nodes == ["d"]


def test_setting_the_end_next_ends_the_run() -> None:
    target, at = stopped(line("a", "b"))

    made = target.edit(at, Edit({}, next=(END,)))
    outcome = target.run(From(made), RecordingProbe())

    assert target.state(made).next == ()
    assert outcome.status == "completed"
    assert target.state().values["log"] == ["a1"]


@COLOURS
def test_a_fork_runs_an_older_state_again_and_the_old_line_stays(colour: str) -> None:
    target = opened(line("a", "b", "c", colour=colour))
    _, probe = ran(target, {"n": 1})
    first = probe.steps[0].checkpoint
    last = probe.steps[-1].checkpoint
    assert first is not None

    made = target.edit(first, Edit({"n": 5}))
    again = RecordingProbe()
    target.run(From(made), again)

    assert again.nodes == ["b", "c"]
    assert target.state().values["log"] == ["a1", "b5", "c5"]
    assert target.state(last).values["log"] == ["a1", "b1", "c1"]


@COLOURS
def test_a_fork_without_a_change_begins_at_that_very_checkpoint(colour: str) -> None:
    target = opened(line("a", "b", "c", colour=colour))
    _, probe = ran(target, {"n": 1})
    first = probe.steps[0].checkpoint
    assert first is not None

    again = RecordingProbe()
    target.run(From(first), again)

    assert again.nodes == ["b", "c"]
    assert again.seeds[0].state == {"n": 1, "log": ["a1"]}


def test_an_edit_keeps_parallel_tasks_and_sends_due() -> None:
    def one(state: State) -> dict[str, Any]:
        return {"log": [f"one{state['n']}"]}

    builder = line("a", "p")
    builder.add_node("one", one)
    builder.add_conditional_edges("a", lambda state: [Send("one", {"n": 3}), Send("one", {"n": 4})], ["one"])
    target, at = stopped(builder)

    made = target.edit(at, Edit({"n": 9}))
    probe = RecordingProbe()
    target.run(From(made), probe)

    assert sorted(target.state(made).next) == ["one", "one", "p"]
    assert sorted(probe.nodes) == ["one", "one", "p"]
    assert sorted(target.state().values["log"][1:]) == ["one3", "one4", "p9"]


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (Edit({"nope": 1}), "no key 'nope'"),
        (Edit({}, next=(NodeId("nope"),)), "no node 'nope'"),
    ],
)
def test_an_impossible_edit_is_refused_before_anything_is_saved(edit: Edit, words: str) -> None:
    target, at = stopped(line("a", "b"))
    before = target.history(100)

    with pytest.raises(InvalidValueError, match=words):
        target.edit(at, edit)

    assert target.history(100) == before


def test_an_unknown_checkpoint_is_refused() -> None:
    target, _ = stopped(line("a", "b"))

    with pytest.raises(NotPossibleError):
        target.edit(CheckpointId("nope"), Edit({"n": 1}))
    with pytest.raises(NotPossibleError):
        target.run(From(CheckpointId("nope")), RecordingProbe())
    assert target.state(CheckpointId("nope")).trouble


def test_history_tells_who_ran_and_what_is_due_newest_first() -> None:
    target = opened(line("a", "b"))
    ran(target, {"n": 1})

    rows = target.history(10)

    assert [(row.node, row.next) for row in rows[:3]] == [("b", ()), ("a", ("b",)), ("__START__", ("a",))]
    assert rows[0].parent == rows[1].checkpoint
    assert len(target.history(1)) == 1


def test_the_users_saver_is_not_written_to() -> None:
    from langgraph.checkpoint.memory import InMemorySaver

    mine = InMemorySaver()
    graph = line("a", "b").compile(checkpointer=mine)

    outcome, _ = ran(opened(graph), {"n": 1})

    assert outcome.status == "completed"
    assert not any(saved for spaces in mine.storage.values() for saved in spaces.values())
    assert not mine.writes
    assert graph.checkpointer is mine


def test_what_cannot_be_serialised_survives_as_it_is() -> None:
    """A graph that needs no saver must not fail because the debugger brings one."""
    import threading

    class Odd(TypedDict, total=False):
        lock: Any
        pair: tuple[int, int]
        fn: Any
        err: Any
        big: int

    values = {"lock": threading.Lock(), "pair": (1, 2), "fn": len, "err": ValueError("x"), "big": 1 << 80}

    builder = StateGraph(Odd)
    builder.add_node("make", lambda state: values)
    builder.add_node("keep", lambda state: {"pair": (*state["pair"], 3)})
    builder.add_edge(START, "make")
    builder.add_edge("make", "keep")

    outcome, probe = ran(opened(builder), {"big": 0})

    assert outcome.status == "completed"
    for name, value in values.items():
        assert probe.steps[0].state[name] is value
    assert probe.steps[1].state["pair"] == (1, 2, 3)


def test_lists_changed_in_place_do_not_change_saved_history() -> None:
    class Held(TypedDict, total=False):
        items: list[int]

    def push(state: Held) -> Held:
        state["items"].append(1)
        return {"items": state["items"]}

    builder = StateGraph(Held)
    builder.add_node("push", push)
    builder.add_node("again", push)
    builder.add_edge(START, "push")
    builder.add_edge("push", "again")
    target = opened(builder)

    _, probe = ran(target, {"items": []})

    assert target.state(probe.steps[0].checkpoint).values == {"items": [1]}
    assert target.state(probe.steps[1].checkpoint).values == {"items": [1, 1]}


def test_a_state_that_its_schema_refuses_can_still_be_read() -> None:
    """LangGraph itself can neither read nor edit such a thread."""
    from pydantic import BaseModel

    class Strict(BaseModel):
        n: int = 0

    builder = StateGraph(Strict)
    builder.add_node("bad", lambda state: {"n": "not a number"})
    builder.add_node("after", lambda state: {"n": 1})
    builder.add_edge(START, "bad")
    builder.add_edge("bad", "after")
    target = opened(builder)

    outcome, probe = ran(target, {"n": 1})
    snapshot = target.state()

    assert outcome.status == "failed"
    assert snapshot.values == {"n": "not a number"}
    assert snapshot.trouble
    assert probe.nodes == ["bad"]
    repaired = target.edit(probe.seeds[0].checkpoint, Edit({"n": 5}, next=(NodeId("after"),)))
    assert target.run(From(repaired), RecordingProbe()).status == "completed"


def test_two_writers_of_one_key_leave_the_state_before_them() -> None:
    """S11."""
    builder = line("a")
    builder.add_node("l", lambda state: {"n": 2})
    builder.add_node("r", lambda state: {"n": 3})
    builder.add_edge("a", "l")
    builder.add_edge("a", "r")
    target = opened(builder)

    outcome, _ = ran(target, {"n": 1})

    assert outcome.status == "failed"
    assert "InvalidUpdateError" in type(outcome.error).__name__
    assert target.state().values == {"n": 1, "log": ["a1"]}


class Counted(TypedDict, total=False):
    log: Annotated[list[str], operator.add]
    tries: Annotated[int, UntrackedValue]


@COLOURS
def test_values_that_no_checkpoint_holds_are_told_with_the_steps_and_not_editable(colour: str) -> None:
    """LangChain's run limits count in such keys."""

    def count(state: Counted) -> dict[str, Any]:
        return {"log": ["count"], "tries": state.get("tries", 0) + 1}

    target = opened(in_a_row(Counted, {"a": count, "b": lambda state: {"log": ["b"]}, "c": count}, colour))

    outcome, probe = ran(target, {"log": []})

    assert [step.state.get("tries") for step in probe.steps] == [1, 1, 2]
    assert ["tries" in step.writes for step in probe.steps] == [True, False, True]
    assert "tries" not in target.state().values
    assert outcome.checkpoint is not None
    with pytest.raises(NotPossibleError, match="untracked"):
        target.edit(outcome.checkpoint, Edit({"tries": 5}))
