"""Graphs are held node by node, each task by itself, and told step by step."""

from __future__ import annotations

import operator
import threading
from typing import Annotated, Any, Literal

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, RetryPolicy, Send
from typing_extensions import TypedDict

from hookstepper.model.ids import END as OUR_END
from hookstepper.ports.verdict import PROCEED, Abort, Fail, Patch, Point
from support.langgraph_kit import COLOURS, opened, painted, ran
from support.probe import RecordingProbe, ThreadedProbe


class State(TypedDict, total=False):
    n: int
    log: Annotated[list[str], operator.add]
    last: str


def noting(name: str, **more: Any) -> Any:
    def node(state: State) -> dict[str, Any]:
        return {"log": [name], **more}

    node.__name__ = node.__qualname__ = name
    return node


def line(*names: str, colour: str = "sync") -> StateGraph:
    builder = StateGraph(State)
    before = START
    for name in names:
        builder.add_node(name, painted(noting(name), colour))
        builder.add_edge(before, name)
        before = name
    return builder


@COLOURS
def test_every_commit_is_told_before_the_next_node_is_held(colour: str) -> None:
    """A stop sits after the last step and before the next node: the screen shows both."""
    outcome, probe = ran(opened(line("a", "b", colour=colour)), {"n": 1})

    assert outcome.status == "completed"
    assert probe.log == ["hold a", "enter a", "commit a", "hold b", "enter b", "commit b"]


@COLOURS
def test_a_run_begins_with_the_input_merged(colour: str) -> None:
    _, probe = ran(opened(line("a", colour=colour)), {"n": 1, "log": ["x"]})

    assert [(seed.entry, dict(seed.state)) for seed in probe.seeds] == [("start", {"n": 1, "log": ["x"]})]


@COLOURS
def test_a_step_carries_update_state_route_and_checkpoint(colour: str) -> None:
    target = opened(line("a", "b", colour=colour))

    _, probe = ran(target, {"n": 1})
    first, second = probe.steps

    assert first.update == {"log": ["a"]}
    assert first.state == {"n": 1, "log": ["a"]}
    assert first.writes == ("log",)
    assert first.route is not None
    assert (first.route.to, first.route.rule) == (("b",), "fixed")
    assert second.route is not None
    assert second.route.to == (OUR_END,)
    assert second.superstep == first.superstep + 1
    assert target.state(first.checkpoint).values == first.state
    assert target.state(first.checkpoint).next == ("b",)


@COLOURS
def test_watching_changes_nothing(colour: str) -> None:
    """The first law of a debugger."""
    graph = line("a", "b", colour=colour).compile()
    plain = opened(graph)

    outcome, _ = ran(plain, {"n": 1})

    assert outcome.status == "completed"
    assert graph.checkpointer is None
    assert plain.state().values == {"n": 1, "log": ["a", "b"]}


def fan(colour: str = "sync", names: tuple[str, ...] = ("p", "q")) -> StateGraph:
    builder = line("a", colour=colour)
    for name in names:
        builder.add_node(name, painted(noting(name, last=name) if name == "q" else noting(name), colour))
        builder.add_edge("a", name)
    builder.add_node("join", painted(noting("join"), colour))
    builder.add_edge(list(names), "join")
    return builder


@COLOURS
def test_parallel_tasks_are_steps_of_one_superstep_each_with_its_own_change(colour: str) -> None:
    _, probe = ran(opened(fan(colour)), {"n": 1})
    _, p, q, join = probe.steps

    assert (p.site.node, q.site.node, join.site.node) == ("p", "q", "join")
    assert p.superstep == q.superstep
    assert p.task != q.task
    assert p.state == {"n": 1, "log": ["a", "p"]}
    assert q.state == {"n": 1, "log": ["a", "p", "q"], "last": "q"}
    assert (p.update, q.update) == ({"log": ["p"]}, {"log": ["q"], "last": "q"})


@COLOURS
def test_a_join_is_due_only_when_all_have_come(colour: str) -> None:
    _, probe = ran(opened(fan(colour)), {"n": 1})
    routes = {step.site.node: step.route for step in probe.steps}

    assert routes["p"] is not None
    assert routes["p"].to == ("join",)
    assert [step.site.node for step in probe.steps].count("join") == 1


def uneven(colour: str) -> StateGraph:
    builder = fan(colour)
    builder.add_node("slow", painted(noting("slow"), colour))
    builder.add_edge("q", "slow")
    builder.add_node("late", painted(noting("late"), colour))
    builder.add_edge(["p", "slow"], "late")
    return builder


@COLOURS
def test_a_route_to_a_join_that_still_waits_says_so(colour: str) -> None:
    _, probe = ran(opened(uneven(colour)), {"n": 1})
    first = next(step.route for step in probe.steps if step.site.node == "p")

    assert first is not None
    assert first.to == ("join",)
    assert "join" in probe.nodes
    assert probe.nodes.count("late") == 1


@pytest.mark.parametrize("count", [20, 150])
def test_parallel_tasks_are_all_held_at_the_same_time(count: int) -> None:
    """All of them, on a machine whose default pool has room for six."""
    builder = StateGraph(State)
    builder.add_node("one", noting("one"))
    builder.add_conditional_edges(START, lambda state: [Send("one", {"n": i}) for i in range(count)], ["one"])
    probe = ThreadedProbe(expected=count)

    outcome, _ = ran(opened(builder), {"n": 1}, probe)

    assert outcome.status == "completed"
    assert len({point.task for point in probe.points}) == count


def test_a_task_can_be_let_go_while_its_sibling_is_held() -> None:
    left = threading.Event()

    def decide(point: Point) -> Any:
        if point.site.node == "q":
            assert left.wait(timeout=30), "p was not let go while q was held"
        return PROCEED

    builder = fan()
    builder.nodes["p"].runnable.func = lambda state: (left.set(), {"log": ["p"]})[1]

    outcome, probe = ran(opened(builder), {"n": 1}, RecordingProbe(decide))

    assert outcome.status == "completed"
    assert probe.nodes == ["a", "p", "q", "join"]


@COLOURS
def test_sends_see_what_they_were_sent_and_are_told_one_by_one(colour: str) -> None:
    def mapper(state: State) -> list[Send]:
        return [Send("one", {"n": number}) for number in (3, 1, 2)]

    def one(state: State) -> dict[str, Any]:
        return {"log": [str(state["n"])]}

    builder = line("a", colour=colour)
    builder.add_node("one", painted(one, colour))
    builder.add_conditional_edges("a", mapper, ["one"])

    _, probe = ran(opened(builder), {"n": 0})

    assert [point.value for point in probe.points[1:]] == [{"n": 3}, {"n": 1}, {"n": 2}]
    assert [step.state["log"] for step in probe.steps[1:]] == [
        ["a", "3"],
        ["a", "3", "1"],
        ["a", "3", "1", "2"],
    ]
    assert probe.steps[0].route is not None
    assert (probe.steps[0].route.to, probe.steps[0].route.rule) == (("one",), "send")


@COLOURS
def test_a_router_is_named_and_not_called_twice(colour: str) -> None:
    calls: list[int] = []

    def choose(state: State) -> str:
        calls.append(1)
        return "stop"

    builder = line("a", colour=colour)
    builder.add_node("b", painted(noting("b"), colour))
    builder.add_conditional_edges("a", choose, {"go": "b", "stop": END})

    _, probe = ran(opened(builder), {"n": 0})
    route = probe.steps[0].route

    assert route is not None
    assert (route.to, route.rule) == ((OUR_END,), "conditional")
    assert "choose" in route.why
    assert calls == [1]


@COLOURS
def test_goto_and_an_edge_are_both_taken_and_both_told(colour: str) -> None:
    """S07: goto does not cancel the edge."""

    def a(state: State) -> Command:
        return Command(update={"log": ["a"]}, goto="c")

    builder = StateGraph(State)
    builder.add_node("a", painted(a, colour))
    builder.add_node("b", painted(noting("b"), colour))
    builder.add_node("c", painted(noting("c"), colour))
    builder.add_edge(START, "a")
    builder.add_edge("a", "b")

    _, probe = ran(opened(builder), {"n": 0})
    route = probe.steps[0].route

    assert route is not None
    assert set(route.to) == {"b", "c"}
    assert route.rule == "goto"
    assert "does not cancel" in route.why
    assert probe.edges_seen == [("a", "c")]
    assert probe.steps[0].update == {"log": ["a"]}


@COLOURS
def test_a_router_without_declared_targets_teaches_its_edges(colour: str) -> None:
    """S08: unknown before the run, observed after."""
    builder = line("a", colour=colour)
    builder.add_node("x", painted(noting("x"), colour))
    builder.add_conditional_edges("a", lambda state: "x")
    target = opened(builder)
    before = target.describe()
    a = before.node("a")  # type: ignore[arg-type]

    _, probe = ran(target, {"n": 0})
    ran(target, {"n": 0})

    assert a is not None
    assert a.open_ended
    assert list(before.leaving("a")) == []  # type: ignore[arg-type]
    assert probe.edges_seen == [("a", "x")]
    learnt = list(target.describe().leaving("a"))  # type: ignore[arg-type]
    assert [(edge.target, edge.evidence) for edge in learnt] == [("x", "observed")]


@COLOURS
def test_each_attempt_of_a_retried_node_is_held_by_its_number(colour: str) -> None:
    tries: list[int] = []

    def shaky(state: State) -> dict[str, Any]:
        tries.append(1)
        if len(tries) < 3:
            raise ConnectionError("not yet")
        return {"log": ["shaky"]}

    builder = StateGraph(State)
    policy = RetryPolicy(max_attempts=3, initial_interval=0.001, jitter=False, retry_on=ConnectionError)
    builder.add_node("shaky", painted(shaky, colour), retry_policy=policy)
    builder.add_edge(START, "shaky")

    probe = RecordingProbe(holds=lambda site, phase: site.kind == "node")
    outcome, _ = ran(opened(builder), {"n": 0}, probe)

    assert outcome.status == "completed"
    assert [(p.attempt, p.phase, type(p.error).__name__) for p in probe.points] == [
        (1, "enter", "NoneType"),
        (1, "exit", "ConnectionError"),
        (2, "enter", "NoneType"),
        (2, "exit", "ConnectionError"),
        (3, "enter", "NoneType"),
        (3, "exit", "NoneType"),
    ]
    assert probe.nodes == ["shaky"]


@COLOURS
def test_a_patched_input_is_what_the_node_sees_and_the_state_stays(colour: str) -> None:
    def b(state: State) -> dict[str, Any]:
        return {"log": [f"n={state['n']}"]}

    builder = line("a", colour=colour)
    builder.add_node("b", painted(b, colour))
    builder.add_edge("a", "b")
    probe = RecordingProbe([PROCEED, Patch({"n": 99, "log": []})])

    _, probe = ran(opened(builder), {"n": 1}, probe)

    assert "patch" in probe.points[1].acts
    assert probe.steps[1].state == {"n": 1, "log": ["a", "n=99"]}


@COLOURS
def test_a_person_can_fail_a_node(colour: str) -> None:
    target = opened(line("a", "b", colour=colour))

    outcome, probe = ran(target, {"n": 1}, RecordingProbe([PROCEED, Fail(KeyError("by hand"))]))

    assert outcome.status == "failed"
    assert isinstance(outcome.error, KeyError)
    assert probe.nodes == ["a"]
    assert outcome.next == ("b",)


@COLOURS
def test_an_aborted_task_leaves_no_trace_and_can_go_on(colour: str) -> None:
    target = opened(line("a", "b", "c", colour=colour))

    outcome, _ = ran(target, {"n": 1}, RecordingProbe([PROCEED, Abort()]))

    assert (outcome.status, outcome.next, outcome.error) == ("aborted", ("b",), None)
    assert target.state().values == {"n": 1, "log": ["a"]}


@COLOURS
def test_an_abort_at_the_exit_gate_takes_the_node_back(colour: str) -> None:
    target = opened(line("a", "b", colour=colour))
    probe = RecordingProbe(
        lambda point: Abort() if point.phase == "exit" and point.site.node == "b" else PROCEED,
        holds=lambda site, phase: site.kind == "node",
    )

    outcome, _ = ran(target, {"n": 1}, probe)

    assert (outcome.status, outcome.next) == ("aborted", ("b",))
    assert probe.nodes == ["a"]


def test_siblings_of_an_aborted_task_keep_what_they_did() -> None:
    from hookstepper.ports.target import From

    target = opened(fan())
    probe = RecordingProbe(lambda point: Abort() if point.site.node == "q" else PROCEED)

    outcome, _ = ran(target, {"n": 1}, probe)
    again = RecordingProbe()
    assert outcome.checkpoint is not None
    finished = target.run(From(outcome.checkpoint), again)

    assert outcome.status == "aborted"
    assert finished.status == "completed"
    assert again.held == ["q", "join"], "p had finished and must not run again"
    assert [step.site.node for step in again.steps] == ["p", "q", "join"]
    assert target.state().values["log"] == ["a", "p", "q", "join"]


@COLOURS
def test_a_failing_node_is_named_with_its_error_and_can_be_run_again(colour: str) -> None:
    """S24."""
    from hookstepper.ports.target import From

    broken = [True]

    def b(state: State) -> dict[str, Any]:
        if broken:
            raise ValueError("no luck")
        return {"log": ["b"]}

    builder = line("a", colour=colour)
    builder.add_node("b", painted(b, colour))
    builder.add_edge("a", "b")
    target = opened(builder)

    outcome, _ = ran(target, {"n": 1})
    broken.clear()
    assert outcome.checkpoint is not None
    again = target.run(From(outcome.checkpoint), RecordingProbe())

    assert (outcome.status, outcome.failed_at, outcome.next) == ("failed", "b", ("b",))
    assert isinstance(outcome.error, ValueError)
    assert again.status == "completed"
    assert target.state().values["log"] == ["a", "b"]


@COLOURS
def test_the_recursion_limit_is_the_users(colour: str) -> None:
    """The debugger neither spends the budget nor raises it."""
    builder = StateGraph(State)
    builder.add_node("a", painted(noting("a"), colour))
    builder.add_edge(START, "a")
    builder.add_edge("a", "a")

    outcome, probe = ran(opened(builder), {"n": 1}, recursion_limit=5)

    assert outcome.status == "limit"
    assert probe.nodes == ["a"] * 5
    assert outcome.failed_at == "a"


@COLOURS
def test_every_run_has_the_whole_budget(colour: str) -> None:
    """What an earlier turn took is not taken from this one."""
    builder = StateGraph(State)
    builder.add_node("a", painted(lambda state: {"log": ["a"]}, colour))
    builder.add_edge(START, "a")
    builder.add_conditional_edges(
        "a", lambda state: "a" if len(state["log"]) % 5 else "__end__", ["a", "__end__"]
    )
    target = opened(builder)

    outcomes = [ran(target, {"log": []}, recursion_limit=7)[0] for _ in range(4)]

    assert [outcome.status for outcome in outcomes] == ["completed"] * 4


@COLOURS
def test_a_second_input_goes_on_from_what_the_thread_holds(colour: str) -> None:
    target = opened(line("a", colour=colour))

    ran(target, {"n": 1})
    _, probe = ran(target, {"n": 2})

    assert probe.seeds[0].state == {"n": 2, "log": ["a"]}
    assert probe.steps[0].state == {"n": 2, "log": ["a", "a"]}


@COLOURS
def test_a_deferred_node_runs_last_and_is_told_as_deferred(colour: str) -> None:
    builder = line("a", "b", colour=colour)
    builder.add_node("end_note", painted(noting("end_note"), colour), defer=True)
    builder.add_edge("a", "end_note")
    target = opened(builder)
    node = target.describe().node("end_note")  # type: ignore[arg-type]

    _, probe = ran(target, {"n": 1})

    assert node is not None
    assert node.note == "deferred"
    assert probe.nodes == ["a", "b", "end_note"]


@COLOURS
def test_a_cached_node_is_a_step_though_nothing_ran(colour: str) -> None:
    from langgraph.cache.memory import InMemoryCache
    from langgraph.types import CachePolicy

    runs: list[int] = []

    def costly(state: State) -> dict[str, Any]:
        runs.append(1)
        return {"last": "costly"}

    builder = StateGraph(State)
    builder.add_node("costly", painted(costly, colour), cache_policy=CachePolicy())
    builder.add_node("b", painted(noting("b"), colour))
    builder.add_edge(START, "costly")
    builder.add_edge("costly", "b")
    target = opened(builder.compile(cache=InMemoryCache()))

    ran(target, {"n": 1})
    probe = RecordingProbe()
    from hookstepper.ports.target import Start

    target.run(Start({"n": 1}, "other"), probe)

    assert runs == [1]
    assert probe.held == ["b"]
    assert probe.nodes == ["costly", "b"]
    assert probe.steps[0].update == {"last": "costly"}


def test_compile_time_breakpoints_are_left_out_and_said() -> None:
    target = opened(line("a", "b").compile(interrupt_before=["b"]))

    outcome, probe = ran(target, {"n": 1})

    assert outcome.status == "completed"
    assert probe.nodes == ["a", "b"]
    assert any("before b" in note for note in target.describe().notes)


def test_command_to_the_parent_graph_is_a_step_of_both() -> None:
    def inside(state: State) -> Command:
        return Command(goto="after", update={"log": ["inside"]}, graph=Command.PARENT)

    sub = StateGraph(State)
    sub.add_node("inside", inside)
    sub.add_edge(START, "inside")
    builder = StateGraph(State)
    builder.add_node("team", sub.compile())
    builder.add_node("after", noting("after"))
    builder.add_edge(START, "team")

    outcome, probe = ran(opened(builder), {"n": 1})

    assert outcome.status == "completed"
    assert probe.nodes == ["team:inside", "team", "after"]
    assert probe.steps[-1].state["log"] == ["inside", "after"]
    assert probe.steps[-2].route is not None
    assert probe.steps[-2].route.to == ("after",)
    assert probe.steps[-2].update == {"log": ["inside"]}
    assert probe.steps[0].scope == "team"


@pytest.mark.parametrize("name", ["天气", "a node", "x/y", "naïve\nname", "🙂", "__x__", "n" * 200])
def test_any_name_that_langgraph_takes_is_told_as_it_is(name: str) -> None:
    _, probe = ran(opened(line(name, "b")), {"n": 1})

    assert probe.nodes == [name, "b"]
    assert probe.steps[0].route is not None
    assert probe.steps[0].route.to == ("b",)


def test_conditional_start_is_no_step() -> None:
    def first(state: State) -> Literal["a", "b"]:
        return "b"

    builder = StateGraph(State)
    builder.add_node("a", noting("a"))
    builder.add_node("b", noting("b"))
    builder.add_conditional_edges(START, first)

    _, probe = ran(opened(builder), {"n": 1})

    assert probe.log == ["hold b", "enter b", "commit b"]
    assert probe.seeds[0].state == {"n": 1, "log": []}
