"""The record: states after any step on any branch, and where each step belongs."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from hookstepper.model.events import EdgesObserved, NodeEntered, TargetLoaded
from hookstepper.model.gates import Site
from hookstepper.model.graph import Edge, Graph, Node
from hookstepper.model.ids import NodeId, TaskId
from hookstepper.model.record import AddKey, SetValue, Splice, StepDone
from hookstepper.trace.history import KEYFRAME_EVERY
from hookstepper.trace.trace import Trace
from hookstepper.values import same
from support.trace_events import GRAPH, Script, fed, message, recorded


def test_an_empty_trace_answers_every_question() -> None:
    trace = Trace()

    assert (trace.last, trace.state(-1), trace.turns, trace.marks(0)) == (-1, {}, (), ())
    assert (trace.calls(), trace.search("x"), trace.branches, trace.line()) == ((), (), (), [])
    assert trace.write(("a",), -1) is None
    assert trace.jump(-1).word == ""
    assert trace.onion(1).layers == ()
    assert trace.turn_of(-1) == 0
    assert trace.changes(-1) == ()


def test_the_state_after_each_step_is_that_of_the_run() -> None:
    script = Script().start({"n": 0, "messages": []})
    for i in range(3 * KEYFRAME_EVERY):
        script.step("model", {"n": i}, append=[message("user", f"{i}", f"m{i}")])

    for index in (0, 1, KEYFRAME_EVERY - 1, KEYFRAME_EVERY, 2 * KEYFRAME_EVERY + 17, script.trace.last):
        assert same(script.trace.state(index), script.states[index])
    assert script.trace.state(-1) == {"n": 0, "messages": []}


def test_states_share_what_did_not_change() -> None:
    script = Script().start({"n": 0, "messages": [message("user", "hi", "1")]}).step("model", {"n": 1})
    first: Any = script.trace.state(-1)
    second: Any = script.trace.state(0)

    assert first["messages"][0] is second["messages"][0]


def test_turns_begin_at_the_loop_entry_and_setup_and_end_stand_apart() -> None:
    script = Script().start({"messages": []}).step("Audit.before_agent")
    for _ in range(2):
        for node in ("Log.before_model", "model", "Log.after_model", "tool"):
            script.step(node)
    script.step("Audit.after_agent")

    assert [(turn.kind, turn.number, turn.steps) for turn in script.trace.turns] == [
        ("setup", 0, (0,)),
        ("turn", 1, (1, 2, 3, 4)),
        ("turn", 2, (5, 6, 7, 8)),
        ("end", 0, (9,)),
    ]
    assert [script.trace.turn_of(index) for index in (0, 1, 4, 5, 9)] == [0, 1, 1, 2, 0]


def test_a_second_run_begins_with_setup_again_and_its_turns_count_on() -> None:
    script = Script().start({}).step("Audit.before_agent").step("Log.before_model").end()
    script.start({"input": "next"}, run=2).step("Audit.before_agent").step("Log.before_model")

    assert [(turn.kind, turn.number, turn.run) for turn in script.trace.turns] == [
        ("setup", 0, 1),
        ("turn", 1, 1),
        ("setup", 0, 2),
        ("turn", 2, 2),
    ]


def test_going_on_after_a_question_stays_in_the_same_turn() -> None:
    script = Script().start({}).step("Log.before_model").step("model")
    script.ask("Edit.after_model", ("c1", "pay", {})).start(entry="resume").step("Edit.after_model")

    assert [turn.number for turn in script.trace.turns] == [1]


def test_a_nested_node_of_the_same_name_begins_no_turn() -> None:
    script = Script().start({}).step("Log.before_model").step("sub:Log.before_model", kind="before_model")

    assert len(script.trace.turns) == 1


def test_a_graph_without_a_loop_has_one_turn_a_run() -> None:
    graph = Graph("g", (Node(NodeId("a"), "a"), Node(NodeId("b"), "b")), ())
    script = Script(graph).start({}).step("a").step("b").end().start({}, run=2).step("a")

    assert [(turn.kind, turn.number, turn.steps) for turn in script.trace.turns] == [
        ("turn", 1, (0, 1)),
        ("turn", 2, (2,)),
    ]


def test_a_fork_makes_a_new_line_and_keeps_the_old_one() -> None:
    script = Script().start({"n": 0}).step("Log.before_model", {"n": 1}).step("model", {"n": 2})
    script.step("tool", {"n": 3})
    script.start(branch="b2", entry="from", from_step=0).step("model", {"n": 20}).step("tool", {"n": 30})
    trace = script.trace

    assert trace.branch == "b2"
    assert trace.line() == [0, 3, 4]
    assert trace.line(script.events[1].branch) == [0, 1, 2]  # type: ignore[union-attr]
    assert [trace.state(index) for index in range(5)] == [{"n": n} for n in (1, 2, 3, 20, 30)]
    assert trace.previous(3) == 0
    assert trace.turns[0].steps == (0, 3, 4)
    assert [(b.id, b.parent, b.from_step) for b in trace.branches] == [("main", None, -1), ("b2", "main", 0)]


def test_a_fork_from_the_input_begins_with_it() -> None:
    script = Script().start({"n": 0}).step("model", {"n": 1})
    script.start({"n": 0}, branch="b2", entry="from", from_step=-1).step("model", {"n": 5})

    assert script.trace.line() == [1]
    assert script.trace.state(1) == {"n": 5}


def test_an_edit_before_a_fork_stays_on_the_fork() -> None:
    script = Script().start({"n": 0}).step("model", {"n": 1}).step("tool", {"n": 2})
    script.start({"n": 100}, branch="b2", entry="from", from_step=0).step("tool", {"m": 1})

    assert script.trace.state(0) == {"n": 1}
    assert script.trace.state(2) == {"n": 100, "m": 1}


def test_an_edit_by_hand_shows_at_the_step_after_which_it_was_made() -> None:
    script = Script().start({"n": 0}).step("model", {"n": 1}).edit({"n": 7})
    assert script.trace.state(0) == {"n": 7}
    script.step("tool", {"m": 1})

    assert script.trace.state(0) == {"n": 7}
    assert script.trace.state(1) == {"n": 7, "m": 1}
    assert script.trace.after(0) == {"n": 1}


def test_an_edit_before_the_first_step_changes_the_input() -> None:
    script = Script().start({"n": 0}).edit({"n": 1}).step("model", {"m": 1})

    assert script.trace.state(-1) == {"n": 1}


def test_the_input_of_a_next_run_shows_at_the_live_end_only_until_it_runs() -> None:
    script = Script().start({"n": 0}).step("model", {"n": 1}).end().start({"n": 1, "input": "next"}, run=2)
    assert script.trace.state(0) == {"n": 1, "input": "next"}
    script.step("model", {"n": 2})

    assert script.trace.state(0) == {"n": 1}
    assert script.trace.state(1) == {"n": 2, "input": "next"}


def test_a_subgraph_has_a_state_of_its_own() -> None:
    script = Script().start({"n": 0})
    inner = (AddKey(("draft",), "a"),)
    script.step("sub:write", delta=inner, scope=NodeId("sub"))
    script.step("sub:check", delta=(SetValue(("draft",), "a", "b"),), scope=NodeId("sub"))
    script.step("sub", {"n": 1})
    trace = script.trace

    assert trace.state(1, NodeId("sub")) == {"draft": "b"}
    assert trace.state(0, NodeId("sub")) == {"draft": "a"}
    assert trace.state(1) == {"n": 0}
    assert trace.state(2) == {"n": 1}
    assert trace.before(1) == {"draft": "a"}


def test_a_lost_step_is_noted_and_the_rest_goes_on() -> None:
    _, started, stepped = Script().start({"n": 0}).step("model", {"n": 1}).events
    assert isinstance(stepped, StepDone)
    lost = replace(stepped, delta=(Splice(("gone",), 5, (1,), ()),))
    trace = fed([started, lost, stepped])

    assert trace.last == 1
    assert len(trace.misfits) == 1
    assert trace.state(1) == {"n": 1}


def test_a_record_that_begins_in_the_middle_is_taken_as_it_comes() -> None:
    script = Script().start({}).step("model", {"n": 1})
    trace = Trace()
    trace.add(script.events[-1])

    assert trace.last == 0
    assert trace.state(0) == {"n": 1}


def test_edges_that_a_run_took_become_part_of_the_graph() -> None:
    trace = Trace()
    trace.add(TargetLoaded(GRAPH, "agent"))
    trace.add(EdgesObserved((Edge(NodeId("model"), NodeId("tool"), "conditional", evidence="observed"),)))
    trace.add(EdgesObserved((Edge(NodeId("model"), NodeId("tool"), "conditional", evidence="observed"),)))

    assert trace.graph is not None
    new = trace.graph.edges[len(GRAPH.edges) :]
    assert [(edge.source, edge.target, edge.evidence) for edge in new] == [("model", "tool", "observed")]


def test_an_edge_that_could_never_be_taken_and_was_is_observed() -> None:
    graph = Graph("g", GRAPH.nodes, (Edge(NodeId("tool"), NodeId("model"), evidence="never"),))
    script = Script(graph).send(EdgesObserved((Edge(NodeId("tool"), NodeId("model"), evidence="observed"),)))

    assert script.trace.graph is not None
    assert [edge.evidence for edge in script.trace.graph.edges] == ["observed"]


def test_who_acts_is_told_by_the_kind_of_the_node() -> None:
    script = Script().start({}).step("Log.before_model").step("model").step("tool").step("Log.after_model")

    assert [script.trace.lane(i) for i in range(4)] == ["framework", "model", "tool", "framework"]


def test_visits_are_the_steps_of_a_node() -> None:
    script = Script().start({}).step("model").step("tool").step("model")

    assert list(script.trace.visits(NodeId("model"))) == [0, 2]
    assert list(script.trace.visits(NodeId("nowhere"))) == []


def test_a_node_that_was_entered_is_live_until_its_step_is_done() -> None:
    script = Script().start({})
    script.send(NodeEntered(Site("node", NodeId("model")), TaskId("t0"), 0))
    assert list(script.trace.live) == ["t0"]

    script.step("model")
    assert script.trace.live == {}


@pytest.mark.parametrize("name", ["weather", "weather_zh"])
def test_the_demonstration_run_has_its_turns(name: str) -> None:
    trace = Trace()
    for event in recorded(name):
        trace.add(event)

    assert trace.last == 22
    assert trace.misfits == ()
    assert [(turn.kind, len(turn.steps)) for turn in trace.turns] == [
        ("setup", 2),
        ("turn", 7),
        ("turn", 7),
        ("turn", 6),
        ("end", 1),
    ]


class Histories(RuleBasedStateMachine):
    """Whatever order of steps, edits, forks and runs: every state that was is found again."""

    def __init__(self) -> None:
        super().__init__()
        self.script = Script()
        self.script.start({"n": 0, "messages": []})
        self.forks = 1
        self.runs = 1

    @rule(n=st.integers(0, 3), texts=st.lists(st.text("ab", max_size=2), max_size=3))
    def step(self, n: int, texts: list[str]) -> None:
        count = len(self.script.states)
        added = [message("user", text, f"m{count}-{i}") for i, text in enumerate(texts)]
        self.script.step("model", {"n": n}, append=added)

    @rule(data=st.data())
    def trim(self, data: st.DataObject) -> None:
        state: Any = self.script.now[self.script.branch]
        keep = data.draw(st.integers(0, len(state["messages"])))
        self.script.step("Log.before_model", {"messages": state["messages"][keep:]})

    @rule(n=st.integers(0, 9))
    @precondition(lambda self: self.script.states)
    def edit(self, n: int) -> None:
        self.script.edit({"n": n})
        if self.script.trace.branch_of(self.script.trace.last) == self.script.branch:
            self.script.states[-1] = self.script.now[self.script.branch]

    @rule(data=st.data())
    @precondition(lambda self: self.script.states)
    def fork(self, data: st.DataObject) -> None:
        self.forks += 1
        origin = data.draw(st.integers(0, len(self.script.states) - 1))
        state = self.script.trace.after(origin)
        self.script.start(state, branch=f"b{self.forks}", entry="from", from_step=origin)
        self.script.step("tool", {"n": self.forks})

    @invariant()
    def every_state_is_found_again(self) -> None:
        for index, state in enumerate(self.script.states):
            assert same(self.script.trace.state(index), state)

    @invariant()
    def turns_hold_every_step_of_the_line_once(self) -> None:
        steps = [step for turn in self.script.trace.turns for step in turn.steps]
        assert steps == self.script.trace.line()


TestHistories = Histories.TestCase
TestHistories.settings = settings(
    max_examples=150 if os.environ.get("HOOKSTEPPER_THOROUGH") else 15, stateful_step_count=25, deadline=None
)
