"""Graph-core cases 21 to 33 and 36 to 44: interrupts, resume, history, subgraphs, streams, limits."""

import contextlib

import pytest

from conformance.core.kit import Recorder, Way, chain, says
from hookstepper.engine import (
    APPEND,
    APPEND_UNIQUE,
    END,
    START,
    CompileConfig,
    Interruption,
    Listener,
    MemorySaver,
    NodeOutput,
    RunConfig,
    StateGraph,
    StreamingOutput,
    VersionedMemorySaver,
)
from hookstepper.engine.checkpoints import Checkpoint

T = RunConfig("t")


def going_on(compiled, config: RunConfig = T) -> RunConfig:
    """The config that goes on from the newest checkpoint."""
    return config.copy(checkpoint_id=compiled.get_state(config).checkpoint)


def test_21_interrupt_before_a_node_and_resume(way: Way):
    compiled = chain("A", "B", "C").compile(CompileConfig(interrupt_before=["B"]))

    first = way.stream(compiled, {}, T)
    due = compiled.get_state(T).next
    second = way.stream(compiled, None, going_on(compiled))

    assert first.nodes == [START, "A", "[A]"]
    assert due == "B"
    assert second.nodes == ["B", "C", END]
    assert second.state["messages"] == ["A", "B", "C"]


def choosing(config: CompileConfig):
    """A -> B -> C or D by the last message -> END."""
    graph = StateGraph("choice", {"messages": APPEND})
    for node in ("A", "B", "C", "D"):
        graph.add_node(node, says(node))
    graph.add_edge(START, "A").add_edge("A", "B").add_edge(["C", "D"], END)
    graph.add_conditional_edges("B", lambda s: "c" if s["messages"][-1] == "C" else "d", {"c": "C", "d": "D"})
    return graph.compile(config)


def test_22_interrupt_after_a_node_comes_when_its_way_is_decided(way: Way):
    compiled = choosing(CompileConfig(interrupt_after=["B"]))

    first = way.stream(compiled, {}, T)
    compiled.update_state(T, {"messages": "C"})
    second = way.stream(compiled, None, going_on(compiled))

    assert first.nodes == [START, "A", "B", "[B]"]
    assert second.nodes == ["D", END]


def test_23_interrupt_before_the_edge_lets_an_update_decide(way: Way):
    compiled = choosing(CompileConfig(interrupt_after=["B"], interrupt_before_edge=True))

    way.stream(compiled, {}, T)
    due = compiled.get_state(T).next
    compiled.update_state(T, {"messages": "C"})
    second = way.stream(compiled, None, going_on(compiled))

    assert due == "__INTERRUPTED__"
    assert second.nodes == ["C", END]


class AsksAfter:
    """Appends its name; asks when it has run."""

    def __call__(self, state):
        return {"messages": "B"}

    def interrupt(self, node_id, state, config):
        return None

    def interrupt_after(self, node_id, state, update, config):
        return Interruption(node_id, metadata={"update": update})


def test_24_an_action_may_interrupt_after_itself(way: Way):
    graph = chain("A", "C")
    graph.add_node("B", AsksAfter())
    graph.edges["A"] = ["B"]
    graph.add_edge("B", "C")
    compiled = graph.compile()

    first = way.stream(compiled, {}, T)
    second = way.stream(compiled, None, going_on(compiled))

    assert first.nodes == [START, "A", "[B]"]
    assert first.interruption.metadata == {"update": {"messages": "B"}}
    assert second.nodes == ["C", END]
    assert second.state["messages"] == ["A", "B", "C"]


class AsksFirst:
    """Asks until there is feedback; then appends its name."""

    def __call__(self, state):
        return {"messages": "B"}

    def interrupt(self, node_id, state, config):
        return None if "HUMAN_FEEDBACK" in config.metadata else Interruption(node_id)


def asking_graph(listeners=()):
    graph = chain("A", "C")
    graph.add_node("B", AsksFirst())
    graph.edges["A"] = ["B"]
    graph.add_edge("B", "C")
    return graph.compile(CompileConfig(listeners=list(listeners)))


def test_25_feedback_may_bring_a_state_update(way: Way):
    heard = Recorder()
    compiled = asking_graph([heard])

    first = way.stream(compiled, {}, T)
    second = way.stream(compiled, None, T.resuming().with_state_update({"messages": "human"}))

    assert first.nodes == [START, "A", "[B]"]
    assert heard.states[heard.events.index(("before", "B"))]["messages"] == ["A", "human"]
    assert second.state["messages"] == ["A", "human", "B", "C"]


def test_26_an_agent_that_stops_before_its_tools(way: Way):
    graph = StateGraph("weather", {"messages": APPEND})
    graph.add_node("agent", lambda s: {"messages": "call" if len(s["messages"]) == 1 else "sunny"})
    graph.add_node("tools", says("25 degrees"))
    graph.add_edge(START, "agent").add_edge("tools", "agent")
    graph.add_conditional_edges(
        "agent", lambda s: "tools" if s["messages"][-1] == "call" else "end", {"tools": "tools", "end": END}
    )
    compiled = graph.compile(CompileConfig(interrupt_before=["tools"]))

    way.stream(compiled, {"messages": "weather?"}, T)
    due = compiled.get_state(T).next
    second = way.stream(compiled, None, going_on(compiled))

    assert due == "tools"
    assert second.nodes == ["tools", "agent", END]


def test_27_a_run_goes_on_from_an_old_checkpoint_again_and_again(way: Way):
    graph = StateGraph().add_node("node1", says(1, "k1")).add_node("node2", says(2, "k2"))
    graph.add_edge(START, "node1").add_edge("node1", "node2").add_edge("node2", END)
    compiled = graph.compile()
    way.run(compiled, {}, T)
    old = next(row for row in compiled.history(T) if row.node == "node1")

    for _ in range(3):
        seen = way.stream(compiled, None, T.copy(checkpoint_id=old.checkpoint))

        assert seen.nodes == ["node2", END]
        assert seen.state == {"k1": 1, "k2": 2}
    assert compiled.get_state(T).parent == old.checkpoint


def test_28_a_state_update_on_the_first_checkpoint_is_seen_by_the_first_node(way: Way):
    graph = StateGraph("hello", {"messages": APPEND})
    graph.add_node("agent", lambda s: {"messages": f"hello {s['messages'][-1].split()[-1]}"})
    graph.add_edge(START, "agent").add_edge("agent", END)
    compiled = graph.compile(CompileConfig(interrupt_before=["agent"]))
    way.stream(compiled, {"messages": "hi"}, T)

    config = compiled.update_state(going_on(compiled), {"messages": "i'm bartolo"})
    seen = way.stream(compiled, None, config)

    assert seen.nodes == ["agent", END]
    assert seen.state["messages"][-1] == "hello bartolo"


def test_29_new_input_at_a_resume_comes_behind_the_history(way: Way):
    graph = StateGraph("resume", {"messages": APPEND})
    graph.add_node("A", says("assistant:history")).add_node("B", says("assistant:resume"))
    graph.add_edge(START, "A").add_edge("A", "B").add_edge("B", END)
    compiled = graph.compile(CompileConfig(interrupt_after=["A"]))
    way.stream(compiled, {"messages": ["user:initial"]}, T)

    seen = way.stream(compiled, {"messages": ["user:resume"], "unknown": 1}, going_on(compiled))

    assert seen.state == {
        "messages": ["user:initial", "assistant:history", "user:resume", "assistant:resume"]
    }


def test_30_the_same_thread_starts_again_on_its_state(way: Way):
    graph = StateGraph("loop", {"messages": APPEND})

    def agent(state):
        step = state.value("steps", 0) + 1
        return {"steps": step, "messages": f"agent_1:step {step}"}

    graph.add_node("agent_1", agent).add_edge(START, "agent_1")
    graph.add_conditional_edges(
        "agent_1", lambda s: "on" if s["steps"] < 5 else "out", {"on": "agent_1", "out": END}
    )
    compiled = graph.compile()

    first = way.run(compiled, {}, T).state
    second = way.run(compiled, {}, T).state

    assert first["messages"] == [f"agent_1:step {n}" for n in range(1, 6)]
    assert (second["steps"], len(second["messages"])) == (6, 6)


def test_31_a_versioned_saver_keeps_each_release(way: Way):
    saver = VersionedMemorySaver()
    compiled = chain("A").compile(CompileConfig(saver=saver, release_thread=True))

    first = way.run(compiled, {}, T).released
    versions = saver.versions("t")
    way.run(compiled, {}, T)

    assert versions == [1]
    assert [row.node_id for row in first.checkpoints] == ["A", START]
    assert saver.version("t", 1) == first
    assert saver.versions("t") == [1, 2]
    with pytest.raises(AttributeError):
        first.thread = "other"


def test_32_retention_keeps_the_newest():
    saver = MemorySaver()
    for number in range(3):
        saver.put("t", Checkpoint(f"c{number}", START, END, {}), retain=2)

    assert [row.id for row in saver.history("t")] == ["c2", "c1"]


@pytest.mark.parametrize(("limit", "nodes"), [(4, [START, "A", "B", "C"]), (5, [START, "A", "B", "C", END])])
def test_33_the_limit_counts_start_nodes_and_end(way: Way, limit, nodes):
    heard = Recorder()
    compiled = chain("A", "B", "C").compile(CompileConfig(recursion_limit=limit, listeners=[heard]))

    assert way.stream(compiled, {}, T).nodes == nodes
    result = way.run(compiled, {}, RunConfig("u"))
    assert result.status == ("limit" if limit == 4 else "completed")
    assert heard.of("error") == []
    assert len(heard.of("complete")) == (0 if limit == 4 else 2)


def test_36_a_compiled_child_that_was_interrupted_sees_the_update(way: Way):
    saver = MemorySaver()
    keys = {"messages": APPEND_UNIQUE}
    seen = {}

    def noting(name):
        def node(state):
            seen[name] = state.value("newAttribute")
            return {"messages": name}

        return node

    child = StateGraph("child", keys)
    inner = ("NODE3.1", "NODE3.2", "NODE3.3", "NODE3.4")
    for node in inner:
        child.add_node(node, noting(node))
    for one, two in zip((START, *inner), (*inner, END), strict=True):
        child.add_edge(one, two)
    compiled_child = child.compile(CompileConfig(saver=saver, interrupt_after=["NODE3.2"]))
    graph = StateGraph("parent", keys)
    outer = ("NODE1", "NODE2", "NODE3", "NODE4", "NODE5")
    for node in outer:
        graph.add_node(node, compiled_child if node == "NODE3" else noting(node))
    for one, two in zip((START, *outer), (*outer, END), strict=True):
        graph.add_edge(one, two)
    compiled = graph.compile(CompileConfig(saver=saver))

    first = way.run(compiled, {}, T)
    compiled.update_state(T, {"newAttribute": "<myNewValue>"})
    second = way.run(compiled, None, going_on(compiled))

    assert first.status == "interrupted"
    assert saver.threads() == ["t", "t_subgraph_NODE3"]
    assert second.state["messages"] == ["NODE1", "NODE2", *inner, "NODE4", "NODE5"]
    assert (seen["NODE3.1"], seen["NODE3.4"], seen["NODE5"]) == (None, "<myNewValue>", "<myNewValue>")


def test_37_a_compiled_child_gets_a_copy_of_the_context(way: Way):
    def parent(state, config):
        config.context["key"] = "context-value"
        return {"messages": "parent"}

    def child(state, config):
        config.context["child only"] = True
        return {"messages": f"child:{config.context['key']}"}

    def after(state, config):
        return {"messages": f"after:{config.context.get('child only', False)}"}

    inner = StateGraph("child", {"messages": APPEND_UNIQUE}).add_node("child", child)
    inner.add_edge(START, "child").add_edge("child", END)
    graph = StateGraph("parent", {"messages": APPEND_UNIQUE})
    graph.add_node("parent", parent).add_node("sub", inner.compile()).add_node("after", after)
    graph.add_edge(START, "parent").add_edge("parent", "sub").add_edge("sub", "after").add_edge("after", END)
    mine = RunConfig("t")

    state = way.run(graph.compile(), {}, mine).state

    assert state["messages"] == ["parent", "child:context-value", "after:False"]
    assert mine.context == {}


def test_38_a_failing_node_is_told_once_and_comes_out_as_it_was_raised(way: Way):
    failure = RuntimeError("broken")

    async def broken(state):
        raise failure

    heard = Recorder()
    graph = StateGraph().add_node("A", broken).add_edge(START, "A").add_edge("A", END)
    compiled = graph.compile(CompileConfig(listeners=[heard]))

    seen = way.stream(compiled, {}, T)

    assert seen.error is failure
    assert heard.errors == [failure]
    assert heard.of("after") == []
    result = way.run(compiled, {}, T)
    assert (result.status, result.failed_at, result.error) == ("failed", "A", failure)


def test_39_a_listener_that_raises_changes_nothing(way: Way):
    class Broken(Listener):
        def before(self, node, state, config, at_ms):
            raise ValueError("not today")

    heard = Recorder()
    compiled = chain("A", "B").compile(CompileConfig(listeners=[Broken(), heard]))

    assert way.stream(compiled, {}, T).nodes == [START, "A", "B", END]
    assert heard.of("before") == ["A", "B"]


def _pieces():
    yield "chunk1"
    yield "chunk2"
    yield "chunk3"
    yield {"messages": "B"}


async def _async_pieces():
    for piece in _pieces():
        yield piece


@pytest.mark.parametrize("pieces", [_pieces, _async_pieces])
def test_40_a_stream_in_an_update_is_handed_out_piece_by_piece(way: Way, pieces):
    graph = chain("A")
    graph.add_node("B", lambda s: {"stream": pieces(), "other": 1})
    graph.edges["A"] = ["B"]
    graph.add_edge("B", END)

    seen = way.stream(graph.compile(), {}, T)

    chunks = [o for o in seen.outputs if isinstance(o, StreamingOutput)]
    assert [o.chunk for o in chunks] == ["chunk1", "chunk2", "chunk3"]
    assert all(o.subgraph and o.node == "B" for o in chunks)
    assert seen.state == {"messages": ["A", "B"], "other": 1}


def test_41_an_empty_stream_is_an_error(way: Way):
    graph = StateGraph().add_node("A", lambda s: {"k": iter(())}).add_edge(START, "A").add_edge("A", END)

    error = way.stream(graph.compile(), {}, T).error

    assert error.upstream.startswith("Empty flux detected for key 'k'")


def test_42_outputs_tell_the_checkpoint_and_what_is_due(way: Way):
    compiled = chain("A", "B").compile()

    outputs = [o for o in way.stream(compiled, {}, T).outputs if isinstance(o, NodeOutput)]

    rows = compiled.history(T)
    assert [(o.checkpoint, o.next) for o in outputs[:-1]] == [(r.checkpoint, r.next) for r in reversed(rows)]
    assert outputs[-1].next is None
    assert len(rows) == 3


def test_44_a_long_loop_needs_no_stack(way: Way):
    graph = StateGraph().add_node("A", lambda s: {"n": s.value("n", 0) + 1}).add_edge(START, "A")
    graph.add_conditional_edges("A", lambda s: "on" if s["n"] < 3000 else "out", {"on": "A", "out": END})

    result = way.run(graph.compile(CompileConfig(saver=None, recursion_limit=3010)), {}, T)

    assert (result.status, result.state["n"]) == ("completed", 3000)


def test_a_closed_stream_leaves_the_run_where_it_is():
    """A consumer that stops reading must not make the engine run on."""
    compiled = chain("A", "B").compile()
    outputs = compiled.stream({}, T)

    next(outputs)
    next(outputs)
    with contextlib.closing(outputs):
        pass

    assert compiled.get_state(T).next == "B"
