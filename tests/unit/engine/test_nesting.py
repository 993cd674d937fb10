"""Graphs inside graphs, in every way and depth: who is asked, where it stops, how it goes on."""

import pytest

from conformance.core.kit import says
from hookstepper.engine import (
    APPEND,
    END,
    START,
    CompileConfig,
    Interruption,
    MemorySaver,
    RunConfig,
    StateGraph,
)
from hookstepper.engine.errors import SubgraphError
from hookstepper.engine.sqlite import SqliteSaver
from unit.engine.probes import TableProbe

T = RunConfig("t")
KEYS = {"messages": APPEND}


@pytest.fixture(params=["upstream", "fixed"])
def compat(request):
    """The mode under test."""
    return request.param


class Asks:
    """Asks until there is feedback for it."""

    def __init__(self, name):
        self.name = name
        self.ran = 0

    def __call__(self, state):
        self.ran += 1
        return {"messages": self.name}

    def interrupt(self, node_id, state, config):
        return (
            None if "HUMAN_FEEDBACK" in config.metadata else Interruption(node_id, metadata={"by": self.name})
        )


def line(*pairs, keys=KEYS):
    graph = StateGraph("line", keys)
    for name, action in pairs:
        graph.add_node(name, action)
    names = [name for name, _ in pairs]
    for one, two in zip((START, *names), (*names, END), strict=True):
        graph.add_edge(one, two)
    return graph


def nest(innermost, depth, compat, savers):
    """A graph in a graph in a graph; each level is compiled with the saver of its turn."""
    graph = innermost
    for level in range(depth, 0, -1):
        config = CompileConfig(saver=savers[level], compat=compat)
        graph = line(
            (f"a{level}", says(f"a{level}")), ("S", graph.compile(config)), (f"z{level}", says(f"z{level}"))
        )
    return graph.compile(CompileConfig(saver=savers[0], compat=compat))


@pytest.mark.parametrize("shared", [True, False], ids=["one saver", "a saver each"])
def test_a_question_three_graphs_deep_is_asked_answered_and_the_run_goes_on(way, shared):
    one = MemorySaver()
    savers = [one if shared else MemorySaver() for _ in range(4)]
    asks = Asks("deep")
    compiled = nest(line(("x", says("x")), ("ask", asks), ("y", says("y"))), 3, "fixed", savers)
    probe = TableProbe()

    first = way.run(compiled, {"messages": "in"}, T, probe)
    second = way.run(compiled, None, T.resuming(), probe)

    assert (first.status, first.next, first.interruption.node) == ("interrupted", ("S",), "S:S:S:ask")
    assert first.interruption.state["messages"] == ["in", "a1", "a2", "a3", "x"]
    assert second.status == "completed"
    assert second.state["messages"] == ["in", "a1", "a2", "a3", "x", "deep", "y", "z3", "z2", "z1"]
    assert asks.ran == 1
    assert [s.site.node for s in probe.steps] == [
        *("a1", "S:a2", "S:S:a3", "S:S:S:x"),
        *("S:S:S:ask", "S:S:S:y", "S:S:S", "S:S:z3", "S:S", "S:z2", "S", "z1"),
    ]


def test_a_deep_question_survives_the_process(tmp_path):
    """All levels keep their place in one file."""

    def build():
        saver = SqliteSaver(tmp_path / "c.db")
        graph = line(("x", says("x")), ("ask", Asks("deep")))
        return nest(graph, 2, "fixed", [saver] * 3), saver

    compiled, saver = build()
    compiled.run({}, T)
    saver.close()
    again, saver = build()
    result = again.run(None, T.resuming())
    saver.close()

    assert result.state["messages"] == ["a1", "a2", "x", "deep", "z2", "z1"]


def test_a_question_in_a_flattened_graph_in_a_compiled_one(way, compat):
    flat = line(("ask", Asks("q")))
    middle = line(("F", flat), ("after", says("after")))
    compiled = nest(middle, 1, compat, [MemorySaver(), MemorySaver()])

    first = way.run(compiled, {}, T)
    second = way.run(compiled, None, T.resuming())

    assert first.interruption.node == "S:F-ask"
    assert second.status == "completed"
    assert second.state["messages"][-3:] == ["q", "after", "z1"]


def test_a_question_in_a_branch_that_is_a_graph(way):
    """The other branch runs again, as upstream has it; the graph that asked goes on where it stood."""
    asks, other = Asks("q"), Asks("other")
    other.interrupt = None
    inner = line(("x", says("x")), ("ask", asks)).compile(CompileConfig(compat="fixed"))
    graph = StateGraph("fan", KEYS).add_node("S", inner).add_node("other", lambda s: other(s))
    graph.add_edge(START, ["S", "other"]).add_edge(["S", "other"], END)
    compiled = graph.compile(CompileConfig(compat="fixed"))

    first = way.run(compiled, {}, T)
    second = way.run(compiled, None, T.resuming())

    assert (first.status, first.next) == ("interrupted", ("S", "other"))
    assert second.status == "completed"
    assert asks.ran == 1
    assert second.state["messages"] == ["x", "q", "other"]


def test_feedback_for_the_parent_does_not_resume_a_subgraph_that_comes_later(way, compat):
    """The subgraph has nothing to go on from: it starts, and asks its own question."""
    inner = line(("ask", Asks("inner")))
    child = inner.compile(CompileConfig(compat=compat))
    compiled = line(("first", Asks("outer")), ("S", child)).compile(CompileConfig(compat=compat))

    rounds = [way.run(compiled, {}, T)]
    rounds += [way.run(compiled, None, T.resuming()) for _ in range(2)]

    assert [r.interruption.node for r in rounds[:2]] == ["first", "S:ask"]
    assert rounds[2].status == "completed"
    assert rounds[2].state["messages"][-1] == "inner"


def test_two_nodes_may_hold_the_same_compiled_graph(way):
    inner = line(("x", says("x"))).compile(CompileConfig(saver=None, compat="fixed"))
    compiled = line(("one", inner), ("two", inner)).compile(CompileConfig(compat="fixed"))
    probe = TableProbe()

    result = way.run(compiled, {}, T, probe)

    assert result.state["messages"] == ["x", "x"]
    assert [s.site.node for s in probe.steps] == ["one:x", "one", "two:x", "two"]


def test_a_subgraph_in_a_loop_keeps_no_memory_of_the_last_round_without_a_saver(way):
    inner = line(("x", lambda s: {"seen": len(s.value("messages", [])), "messages": "x"}))
    graph = StateGraph("loop", KEYS).add_node("S", inner.compile(CompileConfig(saver=None, compat="fixed")))
    graph.add_edge(START, "S")
    graph.add_conditional_edges(
        "S", lambda s: "on" if len(s["messages"]) < 3 else "out", {"on": "S", "out": END}
    )

    result = way.run(graph.compile(CompileConfig(compat="fixed")), {}, T)

    assert result.state == {"seen": 2, "messages": ["x", "x", "x"]}


def test_a_subgraph_in_a_loop_with_a_saver_each_is_given_the_state_of_now(way):
    """Its own thread holds the last round; repaired, the parent's state takes its place and is not added."""
    inner = line(("x", lambda s: {"messages": f"x{len(s.value('messages', []))}"}))
    graph = StateGraph("loop", KEYS).add_node("S", inner.compile(CompileConfig(compat="fixed")))
    graph.add_edge(START, "S")
    graph.add_conditional_edges(
        "S", lambda s: "on" if len(s["messages"]) < 3 else "out", {"on": "S", "out": END}
    )

    result = way.run(graph.compile(CompileConfig(compat="fixed")), {}, T)

    assert result.state["messages"] == ["x0", "x1", "x2"]


def test_a_child_with_a_saver_needs_a_parent_with_one(way):
    compiled = nest(line(("x", says("x"))), 1, "upstream", [None, MemorySaver()])

    result = way.run(compiled, {}, T)

    assert isinstance(result.error, SubgraphError)
    assert result.error.upstream == "Missing CheckpointSaver in parent graph!"


def test_outputs_of_a_subgraph_come_through_with_their_path(way):
    compiled = nest(line(("x", says("x"))), 1, "fixed", [MemorySaver(), MemorySaver()])

    outputs = way.stream(compiled, {}, T).outputs

    assert [(o.node, o.subgraph) for o in outputs] == [
        (START, False),
        ("a1", False),
        ("S:__START__", True),
        ("S:x", True),
        ("S:__END__", True),
        ("S", False),
        ("z1", False),
        (END, False),
    ]


def test_a_key_that_a_subgraph_removes_is_removed_in_the_parent(way):
    from hookstepper.engine import MARK_FOR_REMOVAL

    inner = line(("x", lambda s: {"gone": MARK_FOR_REMOVAL, "kept": None}))
    compiled = nest(inner, 1, "fixed", [MemorySaver(), MemorySaver()])

    state = way.run(compiled, {"gone": 1, "kept": 2}, T).state

    assert "gone" not in state
    assert state["kept"] is None
