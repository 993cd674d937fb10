"""What a probe sees at the gates of a run, and what its verdicts do."""

import asyncio

import pytest

from conformance.core.kit import chain, says
from hookstepper.engine import (
    APPEND,
    END,
    START,
    Branches,
    Command,
    CompileConfig,
    Decision,
    Interruption,
    Pass,
    RunConfig,
    StateGraph,
    effectful,
)
from hookstepper.model.errors import NotPossibleError
from hookstepper.model.gates import Site
from hookstepper.model.graph import Edge
from hookstepper.model.record import RuleSeen, Usage
from hookstepper.ports.facts import Committed, EdgesSeen, Entered, Seeded
from hookstepper.ports.verdict import Abort, Fail, Fulfil, Patch, Retry, RunAborted
from unit.engine.probes import TableProbe

T = RunConfig("t")


def counting():
    """A node that counts its calls, and the list of inputs that it saw."""
    seen = []

    def node(state):
        seen.append(dict(state.data))
        return {"messages": f"A{len(seen)}"}

    return node, seen


def one_node(action, **config):
    graph = StateGraph("one", {"messages": APPEND}).add_node("A", action)
    return graph.add_edge(START, "A").add_edge("A", END).compile(CompileConfig(**config))


def test_the_order_of_a_step(way):
    """Views are built on this order; DESIGN promises it for the built-in engine."""
    probe = TableProbe()
    way.run(chain("A", "B").compile(), {}, T, probe)

    assert probe.log == [
        "Seeded",
        "node A enter",
        "Entered A",
        "node A exit",
        "route A exit",
        "Committed A",
        "node B enter",
        "Entered B",
        "node B exit",
        "route B exit",
        "Committed B",
    ]


def test_gates_carry_input_update_and_route(way):
    probe = TableProbe()
    way.run(chain("A").compile(), {"messages": "hi"}, T, probe)
    enter, leave, route = probe.points

    assert probe.values[:2] == [{"messages": ["hi"]}, {"messages": "A"}]
    assert (route.value.to, route.value.rule) == ((END,), "fixed")
    assert enter.acts == {"proceed", "patch", "fulfil", "fail", "abort"}
    assert leave.acts == {"proceed", "patch", "retry", "fail", "abort"}
    assert route.acts == {"proceed", "patch", "abort"}
    assert {p.task for p in probe.points} == {"main/1:A"}
    assert [p.attempt for p in probe.points] == [1, 1, 1]


def test_holding_uses_the_call_of_its_own_world():
    graph = chain("A").compile()

    calls = []

    class Probe(TableProbe):
        def hold(self, point):
            calls.append("hold")
            return super().hold(point)

        async def ahold(self, point):
            calls.append("ahold")
            return await super().ahold(point)

    graph.run({}, T, probe=Probe())
    asyncio.run(graph.arun({}, T, probe=Probe()))

    assert calls == ["hold"] * 3 + ["ahold"] * 3


def test_a_patch_at_enter_is_another_input_and_no_change_of_the_state(way):
    node, seen = counting()
    probe = TableProbe({"node A enter": Patch({"messages": ["other"], "extra": 1})})

    result = way.run(one_node(node), {"messages": "hi"}, T, probe)

    assert seen == [{"messages": ["other"], "extra": 1}]
    assert result.state == {"messages": ["hi", "A1"]}


def test_a_fulfilled_node_does_not_run(way):
    node, seen = counting()
    probe = TableProbe({"node A enter": Fulfil({"messages": "made up"})})

    result = way.run(one_node(node), {}, T, probe)

    assert seen == []
    assert result.state == {"messages": ["made up"]}
    assert not [f for f in probe.facts if isinstance(f, Entered)]
    assert probe.steps[0].update == {"messages": "made up"}


@pytest.mark.parametrize("phase", ["enter", "exit"])
def test_a_fail_verdict_is_like_an_error_of_the_node(way, phase):
    failure = ValueError("by hand")
    probe = TableProbe({f"node A {phase}": Fail(failure)})

    result = way.run(one_node(says("A")), {}, T, probe)

    assert (result.status, result.error, result.failed_at) == ("failed", failure, "A")
    assert result.next == ("A",)
    assert probe.steps == []


def test_a_patch_at_exit_is_another_update(way):
    probe = TableProbe({"node A exit": Patch({"messages": "B", "k": 1})})

    result = way.run(one_node(says("A")), {}, T, probe)

    assert result.state == {"messages": ["B"], "k": 1}
    assert probe.steps[0].writes == ("messages", "k")


def test_a_retry_runs_the_body_again_and_counts_attempts(way):
    node, seen = counting()
    probe = TableProbe({"node A exit": [Retry(), Retry({"messages": ["third"]})]})

    result = way.run(one_node(node), {"messages": "hi"}, T, probe)

    assert [s["messages"] for s in seen] == [["hi"], ["hi"], ["third"]]
    assert result.state == {"messages": ["hi", "A3"]}
    assert [p.attempt for p in probe.points if p.phase == "exit" and p.site.kind == "node"] == [1, 2, 3]
    assert len(probe.steps) == 1


def test_a_fulfilled_node_can_still_be_run_at_its_exit(way):
    """A person who skipped a node may think again."""
    node, seen = counting()
    probe = TableProbe({"node A enter": Fulfil({"messages": "made up"}), "node A exit": Retry()})

    result = way.run(one_node(node), {}, T, probe)

    assert len(seen) == 1
    assert result.state == {"messages": ["A1"]}


class Flaky:
    """Fails at first, then works."""

    def __init__(self, failures=1):
        self.failures = failures
        self.error = RuntimeError("flaky")

    def __call__(self, state):
        if self.failures:
            self.failures -= 1
            raise self.error
        return {"messages": "ok"}


def test_the_exit_gate_is_passed_with_the_error_and_proceed_raises_it(way):
    probe = TableProbe()
    node = Flaky()

    result = way.run(one_node(node), {}, T, probe)

    leave = probe.points[-1]
    assert (leave.phase, leave.error, leave.value) == ("exit", node.error, None)
    assert result.error is node.error


@pytest.mark.parametrize(
    ("verdict", "messages"), [(Retry(), ["ok"]), (Patch({"messages": "by hand"}), ["by hand"])]
)
def test_an_error_at_the_exit_gate_can_be_repaired(way, verdict, messages):
    result = way.run(one_node(Flaky()), {}, T, TableProbe({"node A exit": verdict}))

    assert (result.status, result.state) == ("completed", {"messages": messages})


@pytest.mark.parametrize("gate", ["node B enter", "node B exit", "route B exit"])
def test_an_abort_leaves_the_run_and_records_nothing_of_the_task(way, gate):
    compiled = chain("A", "B", "C").compile()
    probe = TableProbe({gate: Abort()})

    with pytest.raises(RunAborted):
        way.run(compiled, {}, T, probe)

    assert [s.site.node for s in probe.steps] == ["A"]
    assert [row.node for row in compiled.history(T)] == ["A", START]
    assert compiled.get_state(T).next == "B"


def test_no_code_of_the_user_can_swallow_an_abort(way):
    def node(state, config):
        raise AssertionError("not reached")

    with pytest.raises(RunAborted):
        way.run(one_node(node), {}, T, TableProbe({"node A enter": Abort()}))


def test_a_patched_route_sets_the_next_node(way):
    probe = TableProbe({"route A exit": Patch(("C",))})

    result = way.run(chain("A", "B", "C").compile(), {}, T, probe)

    assert result.state["messages"] == ["A", "C"]
    route = probe.steps[0].route
    assert (route.to, route.rule, route.by_hand, route.otherwise) == (("C",), "by_hand", True, "B")


def test_a_route_cannot_be_patched_to_nothing_that_is_there(way):
    result = way.run(chain("A").compile(), {}, T, TableProbe({"route A exit": Patch(("zz",))}))

    assert isinstance(result.error, NotPossibleError)
    assert "zz" in str(result.error)


def test_a_verdict_that_a_gate_does_not_take_is_refused(way):
    result = way.run(chain("A").compile(), {}, T, TableProbe({"node A enter": Retry()}))

    assert isinstance(result.error, NotPossibleError)


def test_a_question_comes_before_the_enter_gate(way):
    """An open question needs no stop of its own; it must not look as if the node had begun."""

    class Asks:
        def __call__(self, state):
            return {"messages": "A"}

        async def interrupt(self, node_id, state, config):
            return None if state.value("answered") else Interruption(node_id)

    compiled = one_node(Asks())
    probe = TableProbe()

    first = way.run(compiled, {}, T, probe)
    second = way.run(compiled, {"answered": True}, T.copy(checkpoint_id=first.checkpoint), probe)
    third = way.run(compiled, {"input": "x"}, compiled.update_state(T, {"answered": 1}), probe)

    assert (first.status, first.next, first.interruption.asked) == ("interrupted", ("A",), True)
    assert second.status == "interrupted"
    assert third.status == "completed"
    assert next(e for e in probe.log if "A" in e) == "node A enter"
    assert len(probe.points) == 3


def test_facts_of_a_step(way):
    ticks = iter(range(0, 10**9, 1000))

    def node(state):
        state["messages"]
        state.value("absent")
        return {"messages": "A", "_TOKEN_USAGE_": Usage(3, 4)}

    compiled = one_node(node, clock=ticks.__next__, new_id=iter(["c0", "c1"]).__next__)
    probe = TableProbe()
    way.run(compiled, {"messages": "hi"}, T, probe)
    (step,) = probe.steps

    assert step.reads == ("absent", "messages")
    assert step.writes == ("messages",)
    assert step.usage == Usage(3, 4)
    assert step.update == {"messages": "A"}
    assert step.checkpoint == "c1"
    assert step.duration_us == 1
    assert (step.superstep, step.task, step.kind, step.scope) == (1, "main/1:A", "plain", None)


def test_what_only_looks_like_usage_is_a_key_like_others(way):
    assert way.run(one_node(lambda s: {"_TOKEN_USAGE_": 5}), {}, T).state == {"_TOKEN_USAGE_": 5}


def test_the_time_for_which_a_node_was_held_does_not_count():
    """A person thinks for minutes; the model did not."""
    now = [0]

    class Slow(TableProbe):
        def hold(self, point):
            now[0] += 10_000_000 if point.site.kind == "model" else 0
            return super().hold(point)

    @effectful
    def node(state, config):
        now[0] += 5_000
        yield Pass(Site("model", "A", "m"), "enter", "request")
        now[0] += 2_000
        return {}

    probe = Slow()
    one_node(node, clock=lambda: now[0]).run({}, T, probe=probe)

    assert probe.steps[0].duration_us == 7


def test_an_edge_that_is_asked_late_belongs_to_the_task_of_its_node(way):
    compiled = chain("A", "B").compile(CompileConfig(interrupt_after=["A"], interrupt_before_edge=True))
    probe = TableProbe({"route A exit": Patch((END,))})

    first = way.run(compiled, {}, T, probe)
    second = way.run(compiled, None, T.copy(checkpoint_id=first.checkpoint), probe)

    assert first.next == ()
    assert [(p.site.kind, p.task) for p in probe.points][-1] == ("route", "main/1:A")
    assert second.state["messages"] == ["A"]


def test_the_time_for_which_branches_of_a_node_were_held_does_not_count(way):
    now = [0]

    class Slow(TableProbe):
        def _answer(self, point):
            now[0] += 10_000_000 if point.site.kind == "tool" else 0
            return super()._answer(point)

    def call():
        now[0] += 1_000
        yield Pass(Site("tool", "A", "t"), "enter", "request")

    @effectful
    def node(state, config):
        yield Branches([call()])

    probe = Slow()
    way.run(one_node(node, clock=lambda: now[0]), {}, T, probe)

    assert probe.steps[0].duration_us == 1


def test_supersteps_count_on_after_a_resume(way):
    compiled = chain("A", "B", "C").compile(CompileConfig(interrupt_before=["C"]))
    probe = TableProbe()

    first = way.run(compiled, {}, T, probe)
    way.run(compiled, None, T.copy(checkpoint_id=first.checkpoint), probe)

    assert [(s.superstep, s.task) for s in probe.steps] == [(1, "main/1:A"), (2, "main/2:B"), (3, "main/3:C")]
    seeds = [f for f in probe.facts if isinstance(f, Seeded)]
    assert [(f.entry, f.thread, f.scope) for f in seeds] == [("start", "t", None), ("from", "t", None)]
    assert seeds[1].checkpoint == first.checkpoint


def test_a_router_may_explain_itself(way):
    rules = (RuleSeen("jump_to", "", False), RuleSeen("tool_calls", "2 calls", True, "B"))

    def router(state, config):
        return Decision("b", "tool_calls", "two calls are open", rules, otherwise="C", skipped=("H",))

    graph = StateGraph().add_node("A", says("A")).add_node("B", says("B")).add_node("C", says("C"))
    graph.add_edge(START, "A").add_edge(["B", "C"], END)
    graph.add_conditional_edges("A", router, {"b": "B", "c": "C"}, rules=["jump_to", "tool_calls"])
    probe = TableProbe()
    way.run(graph.compile(), {}, T, probe)
    step = probe.steps[0]

    assert (step.route.to, step.route.rule, step.route.why) == (("B",), "tool_calls", "two calls are open")
    assert (step.route.rules, step.route.otherwise, step.skipped) == (rules, "C", ("H",))


def test_a_node_may_say_itself_where_to_go(way):
    graph = StateGraph("go", {"messages": APPEND})
    graph.add_node("A", lambda s: Command("C", {"messages": "A"})).add_node("B", says("B"))
    graph.add_node("C", lambda s: Command("end", {"messages": "C"}))
    graph.add_edge(START, "A").add_edge("A", "B").add_edge("B", END)
    graph.add_conditional_edges("C", lambda s: "b", {"b": "B", "end": END})
    probe = TableProbe()

    result = way.run(graph.compile(), {}, T, probe)

    assert result.state["messages"] == ["A", "C"]
    seen = [f.edges for f in probe.facts if isinstance(f, EdgesSeen)]
    assert seen == [(Edge("A", "C", "conditional", evidence="observed"),)]
    assert [(s.route.to, s.route.rule) for s in probe.steps] == [(("C",), "command"), ((END,), "command")]


def test_branches_are_steps_of_one_superstep_with_gates_of_their_own(way):
    graph = StateGraph("fan", {"messages": APPEND})
    for name in ("A", "one", "two", "J"):
        graph.add_node(name, says(name))
    graph.add_edge(START, "A").add_edge("A", ["one", "two"]).add_edge(["one", "two"], "J").add_edge("J", END)
    compiled = graph.compile()
    probe = TableProbe({"node one exit": Patch({"messages": "patched"})})

    way.run(compiled, {}, T, probe)

    tasks = {p.site.node: p.task for p in probe.points if p.site.kind == "node"}
    assert tasks["one"] == "main/2:__PARALLEL__(A)/one"
    steps = probe.steps
    assert [(s.site.node, s.superstep) for s in steps] == [("A", 1), ("one", 2), ("two", 2), ("J", 3)]
    assert [s.route.to for s in steps] == [("one", "two"), ("J",), ("J",), (END,)]
    assert steps[1].checkpoint == steps[2].checkpoint == compiled.history(T)[1].checkpoint
    committed = [v["messages"] for f, v in zip_states(probe) if isinstance(f, Committed)]
    assert committed == [
        ["A"],
        ["A", "patched"],
        ["A", "patched", "two"],
        ["A", "patched", "two", "J"],
    ]


def test_usage_of_a_branch_is_told_and_kept_out_of_the_state(way):
    graph = StateGraph("fan", {"messages": APPEND}).add_node("two", says("two"))
    graph.add_node("one", lambda s: {"messages": "one", "_TOKEN_USAGE_": Usage(1, 2)})
    graph.add_edge(START, ["one", "two"]).add_edge(["one", "two"], END)
    probe = TableProbe()

    result = way.run(graph.compile(), {}, T, probe)

    assert [s.usage for s in probe.steps] == [Usage(1, 2), None]
    assert result.state == {"messages": ["one", "two"]}


def zip_states(probe):
    """Facts that carry a state, with what it was."""
    facts = [f for f in probe.facts if isinstance(f, (Committed, Seeded))]
    told = iter(probe.told)
    return [(fact, next(told)) for fact in facts]


def test_one_branch_can_be_skipped_failed_and_retried(way):
    graph = StateGraph("fan", {"messages": APPEND}).add_node("A", says("A"))
    graph.add_node("one", Flaky()).add_node("two", says("two"))
    graph.add_edge(START, "A").add_edge("A", ["one", "two"]).add_edge(["one", "two"], END)

    result = way.run(
        graph.compile(), {}, T, TableProbe({"node one exit": Retry(), "node two enter": Fulfil({})})
    )

    assert result.state["messages"] == ["A", "ok"]


def test_an_abort_in_a_branch_leaves_the_whole_run(way):
    graph = StateGraph("fan", {"messages": APPEND}).add_node("A", says("A"))
    graph.add_node("one", says("one")).add_node("two", says("two"))
    graph.add_edge(START, "A").add_edge("A", ["one", "two"]).add_edge(["one", "two"], END)
    compiled = graph.compile()

    with pytest.raises(RunAborted):
        way.run(compiled, {}, T, TableProbe({"node two enter": Abort()}))

    assert compiled.get_state(T).due == ("one", "two")


def test_a_fan_out_by_hand_may_take_some_of_the_branches(way):
    graph = StateGraph("fan", {"messages": APPEND}).add_node("A", says("A"))
    for name in ("one", "two", "three"):
        graph.add_node(name, says(name))
    graph.add_edge(START, "A").add_edge("A", ["one", "two", "three"]).add_edge(["one", "two", "three"], END)

    probe = TableProbe({"route A exit": Patch(("three", "one"))})
    result = way.run(graph.compile(), {}, T, probe)

    assert result.state["messages"] == ["A", "three", "one"]


def nested():
    inner = StateGraph("inner", {"messages": APPEND}).add_node("x", says("x")).add_node("y", says("y"))
    inner.add_edge(START, "x").add_edge("x", "y").add_edge("y", END)
    graph = StateGraph("outer", {"messages": APPEND}).add_node("A", says("A"))
    graph.add_node("S", inner.compile(CompileConfig(compat="fixed"))).add_node("B", says("B"))
    graph.add_edge(START, "A").add_edge("A", "S").add_edge("S", "B").add_edge("B", END)
    return graph.compile(CompileConfig(compat="fixed"))


def test_a_compiled_subgraph_is_told_by_path_and_with_its_own_state(way):
    probe = TableProbe()
    way.run(nested(), {}, T, probe)

    assert [(s.site.node, s.scope, s.superstep, s.task) for s in probe.steps] == [
        ("A", None, 1, "main/1:A"),
        ("S:x", "S", 3, "main/2:S/3:x"),
        ("S:y", "S", 4, "main/2:S/4:y"),
        ("S", None, 2, "main/2:S"),
        ("B", None, 5, "main/5:B"),
    ]
    assert [s.route.to for s in probe.steps] == [("S",), ("S:y",), ("S:__END__",), ("B",), (END,)]
    seeds = [f for f in probe.facts if isinstance(f, Seeded)]
    assert [f.scope for f in seeds] == [None, "S"]
    assert [p.task for p in probe.points if p.site.node == "S"] == ["main/2:S"] * 3


def calling(call):
    """A -> B, where the code of A runs a graph of its own."""
    inner = StateGraph("inner", {"messages": APPEND}).add_node("x", says("x")).add_node("y", says("y"))
    sub = inner.add_edge(START, "x").add_edge("x", "y").add_edge("y", END).compile()
    graph = StateGraph("outer", {"messages": APPEND}).add_node("A", call(sub)).add_node("B", says("B"))
    return graph.add_edge(START, "A").add_edge("A", "B").add_edge("B", END).compile()


def by_invoke(sub):
    return lambda state: {"messages": sub.invoke({"messages": "in"})["messages"]}


def by_stream(sub):
    return lambda state: {"messages": list(sub.stream({"messages": "in"}))[-1].state["messages"]}


def by_await(sub):
    async def node(state):
        return {"messages": (await sub.ainvoke({"messages": "in"}))["messages"]}

    return node


def by_async_for(sub):
    async def node(state):
        outputs = [output async for output in sub.astream({"messages": "in"})]
        return {"messages": outputs[-1].state["messages"]}

    return node


@pytest.mark.parametrize("call", [by_invoke, by_stream, by_await, by_async_for])
def test_a_graph_that_the_code_of_a_node_runs_is_watched_inside_that_node(way, call):
    """People call graphs from functions and tools; a debugger that goes blind there is of little use."""
    probe = TableProbe({"node A:x exit": Patch({"messages": "patched"})})

    result = way.run(calling(call), {}, T, probe)

    assert result.state["messages"] == ["in", "patched", "y", "B"]
    assert [(s.site.node, s.scope) for s in probe.steps] == [
        ("A:x", "A"),
        ("A:y", "A"),
        ("A", None),
        ("B", None),
    ]
    tasks = [p.task for p in probe.points if p.site.kind == "node"]
    assert tasks == ["main/1:A", *["main/1:A/2:x"] * 2, *["main/1:A/3:y"] * 2, "main/1:A", *["main/4:B"] * 2]
    with pytest.raises(RunAborted):
        way.run(calling(call), {}, T, TableProbe({"node A:y enter": Abort()}))
    assert way.run(calling(call), {}, T).state["messages"] == ["in", "x", "y", "B"]


def test_the_next_node_can_be_set_inside_a_subgraph_by_path(way):
    result = way.run(nested(), {}, T, TableProbe({"route S:x exit": Patch(("S:__END__",))}))

    assert result.state["messages"] == ["A", "x", "B"]


def test_a_failure_inside_a_subgraph_names_the_path(way):
    failure = RuntimeError("deep")
    probe = TableProbe({"node S:y enter": Fail(failure)})

    result = way.run(nested(), {}, T, probe)

    assert (result.error, result.failed_at, result.next) == (failure, "S:y", ("S",))
    assert next(p for p in probe.points if p.error is not None).site.node == "S"


def test_watching_changes_nothing(way):
    """With and without a probe: equal states, checkpoints and outputs."""

    def run(probe):
        ids = iter(range(1000))
        compiled = nested()
        for graph in (compiled, compiled.plan.nodes["S"].action):
            graph.config.new_id = lambda: f"c{next(ids)}"
        result = way.run(compiled, {"messages": "hi"}, T, probe)
        return result, compiled.history(T)

    assert run(None) == run(TableProbe())
