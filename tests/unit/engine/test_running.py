"""Failures, copies, history, edits: what holds for every run."""

import asyncio
import gc
import threading
from contextlib import aclosing

import pytest

from conformance.core.kit import Recorder, chain, says
from hookstepper.engine import (
    APPEND,
    END,
    START,
    Command,
    CompileConfig,
    Interruption,
    MemorySaver,
    RunConfig,
    StateGraph,
    share,
)
from hookstepper.engine.clone import clone
from hookstepper.model.errors import InvalidValueError, NotPossibleError

T = RunConfig("t")


def one_node(action, keys=None, **config):
    graph = StateGraph("one", keys).add_node("A", action)
    return graph.add_edge(START, "A").add_edge("A", END).compile(CompileConfig(**config))


# -------------------------------------------------------------------------------------------- failures


def _raise(*_):
    raise ZeroDivisionError("here")


def in_a_node():
    return one_node(_raise), "A", ("A",)


def in_an_async_node():
    async def node(state):
        _raise()

    return one_node(node), "A", ("A",)


def in_a_router():
    graph = StateGraph().add_node("A", says("A")).add_edge(START, "A")
    return graph.add_conditional_edges("A", _raise, {"x": END}).compile(), "A", ("A",)


def in_the_first_router():
    graph = StateGraph().add_node("A", says("A")).add_edge("A", END)
    return graph.add_conditional_edges(START, _raise, {"x": "A"}).compile(), START, ()


def in_a_reducer():
    return one_node(says(1, "k"), {"k": _raise}), "A", ("A",)


def in_a_reducer_of_inputs():
    return one_node(says(1, "k"), {"input": _raise}), START, ()


def in_an_interrupt():
    class Asks:
        interrupt = staticmethod(_raise)

        def __call__(self, state):
            return {}

    return one_node(Asks()), "A", ("A",)


def in_an_interrupt_after():
    class Asks:
        interrupt_after = staticmethod(_raise)

        def __call__(self, state):
            return {}

    return one_node(Asks()), "A", ("A",)


def in_a_branch():
    graph = StateGraph().add_node("one", says(1)).add_node("two", _raise)
    graph.add_edge(START, ["one", "two"]).add_edge(["one", "two"], END)
    return graph.compile(), "two", ("one", "two")


def in_a_router_of_branches():
    graph = StateGraph().add_node("A", says("A")).add_node("one", says(1)).add_edge(START, "A")
    graph.add_edge("one", END).add_parallel_conditional_edges("A", _raise, {"x": "one"})
    return graph.compile(), "A", ("A",)


def in_a_stream():
    def pieces():
        yield "one"
        _raise()

    return one_node(lambda s: {"k": pieces()}), "A", ("A",)


def in_the_saver():
    class Full(MemorySaver):
        def put(self, thread, checkpoint, retain=None):
            if checkpoint.node_id != START:
                _raise()
            super().put(thread, checkpoint, retain)

    return one_node(says("A"), saver=Full()), "A", ("A",)


FAILURES = [
    in_a_node,
    in_an_async_node,
    in_a_router,
    in_the_first_router,
    in_a_reducer,
    in_a_reducer_of_inputs,
    in_an_interrupt,
    in_an_interrupt_after,
    in_a_branch,
    in_a_router_of_branches,
    in_a_stream,
    in_the_saver,
]


@pytest.mark.parametrize("make", FAILURES, ids=lambda make: make.__name__)
def test_every_failure_is_an_outcome_and_is_told_once(way, make):
    """Wherever user code fails, the error comes back whole, with its place, and listeners hear of it."""
    compiled, place, due = make()
    heard = Recorder()
    compiled.config.listeners.append(heard)

    result = way.run(compiled, {"input": "x"}, T)

    assert (result.status, type(result.error)) == ("failed", ZeroDivisionError)
    assert (result.failed_at, result.next) == (place, due)
    assert heard.errors == [result.error]
    assert heard.of("complete") == []
    assert result.error.__traceback__ is not None


def test_a_failed_node_runs_again_from_its_checkpoint(way):
    calls = []

    def node(state):
        calls.append(dict(state.data))
        if len(calls) == 1:
            raise RuntimeError
        return {"messages": "B"}

    graph = StateGraph("again", {"messages": APPEND}).add_node("A", says("A")).add_node("B", node)
    graph.add_edge(START, "A").add_edge("A", "B").add_edge("B", END)
    compiled = graph.compile()

    failed = way.run(compiled, {}, T)
    result = way.run(compiled, None, T.copy(checkpoint_id=failed.checkpoint))

    assert calls == [{"messages": ["A"]}] * 2
    assert result.state["messages"] == ["A", "B"]


@pytest.mark.parametrize("inputs", ["text", 5, ["x"]])
def test_an_input_that_is_no_mapping_is_refused(way, inputs):
    with pytest.raises(InvalidValueError):
        way.run(chain("A").compile(), inputs, T)


def test_a_generator_that_was_not_marked_gets_a_hint(way):
    def node(state):
        yield {}

    assert "@effectful" in way.run(one_node(node), {}, T).error.hint


def test_a_sync_node_may_run_an_event_loop_of_its_own():
    """Next to async nodes that share the loop of the run."""

    async def anode(state):
        return {"log": "async"}

    def node(state):
        return {"log": asyncio.run(anode(state))["log"] + " inside sync"}

    graph = StateGraph("mixed", {"log": APPEND})
    graph.add_node("A", anode).add_node("B", node).add_node("C", anode)
    graph.add_edge(START, "A").add_edge("A", "B").add_edge("B", "C").add_edge("C", END)

    assert graph.compile().invoke({}, T)["log"] == ["async", "async inside sync", "async"]


@pytest.mark.parametrize("result", [1, "text", [("k", 1)], object()])
def test_a_node_that_returns_no_mapping_fails_with_a_reason(way, result):
    error = way.run(one_node(lambda s: result), {}, T).error

    assert "'A'" in str(error)
    assert type(result).__name__ in str(error)


@pytest.mark.parametrize("answer", [None, 5, ["out"]])
def test_a_router_that_answers_no_key_fails_with_a_reason(way, answer):
    graph = StateGraph().add_node("A", says("A")).add_edge(START, "A")
    graph.add_conditional_edges("A", lambda s: answer, {"out": END})

    error = way.run(graph.compile(), {}, T).error

    assert "out" in error.hint


def test_a_command_of_a_router_may_name_several_only_where_the_edge_takes_several(way):
    graph = StateGraph().add_node("A", says("A")).add_edge(START, "A")
    graph.add_conditional_edges("A", lambda s: Command(["a", "b"]), {"a": END, "b": END})

    assert "2 ways" in str(way.run(graph.compile(), {}, T).error)


def test_a_node_that_says_a_place_that_is_not_there_fails_with_a_reason(way):
    error = way.run(one_node(lambda s: Command("zz")), {}, T).error

    assert "'zz'" in str(error)
    assert error.hint == "nodes: A"


# ---------------------------------------------------------------------------------------------- copies


def test_what_the_caller_gave_is_never_changed(way):
    inputs = {"messages": ["hi"], "deep": {"list": [1]}}
    config = RunConfig("t", metadata={"m": 1}, context={"c": 1})

    def node(state, config):
        state["deep"]["list"].append(2)
        state["messages"].append("in place")
        config.metadata["m"] = config.context["c"] = 2
        return {"messages": "A"}

    result = way.run(one_node(node, {"messages": APPEND}), inputs, config)

    assert result.state == {"messages": ["hi", "in place", "A"], "deep": {"list": [1, 2]}}
    assert inputs == {"messages": ["hi"], "deep": {"list": [1]}}
    assert (config.metadata, config.context, config.checkpoint_id) == ({"m": 1}, {"c": 1}, None)


def test_an_old_checkpoint_is_not_changed_by_what_happens_later(way):
    def node(state):
        state.value("log", []).append("x")
        return {"log": state.value("log", [])}

    graph = StateGraph().add_node("A", node).add_node("B", node)
    graph.add_edge(START, "A").add_edge("A", "B").add_edge("B", END)
    compiled = graph.compile()
    first = way.run(compiled, {"log": []}, T)
    compiled.get_state(T).values["log"].append("by the reader")
    again = way.run(compiled, None, T.copy(checkpoint_id=compiled.history(T)[1].checkpoint))

    assert [row.values["log"] for row in compiled.history(T)] == [["x", "x"], ["x", "x"], ["x"], []]
    assert first.state == again.state == {"log": ["x", "x"]}


def test_a_run_that_goes_on_from_a_checkpoint_does_not_change_it(way):
    """Forking twice from one place must give the same run twice."""

    def node(state):
        state["deep"]["seen"].append({"n": len(state["deep"]["seen"])})

    compiled = one_node(node)
    way.run(compiled, {"deep": {"seen": []}}, T)
    start = compiled.history(T)[-1]
    ends = [way.run(compiled, None, T.copy(checkpoint_id=start.checkpoint)).state for _ in range(2)]
    more = way.run(compiled, {}, T).state

    assert ends == [{"deep": {"seen": [{"n": 0}]}}] * 2
    assert more == {"deep": {"seen": [{"n": 0}, {"n": 1}]}}
    assert [row.values["deep"]["seen"] for row in compiled.history(T)[-2:]] == [[{"n": 0}], []]


def test_outputs_keep_the_state_of_their_moment(way):
    outputs = way.stream(chain("A", "B").compile(), {}, T).outputs

    assert [len(o.state.get("messages", [])) for o in outputs] == [0, 1, 2, 2]


def test_a_state_that_cannot_be_copied_is_shared(way):
    lock = threading.Lock()

    result = way.run(one_node(lambda s: {"seen": s["lock"] is lock}), {"lock": lock}, T)

    assert result.state == {"lock": lock, "seen": True}


def test_copies_keep_shape_and_share_what_never_changes():
    @share
    class Never:
        pass

    never = Never()
    cycle: list = [1]
    cycle.append(cycle)
    twice = [0]
    deep: list = []
    for _ in range(100_000):
        deep = [deep]

    copied = clone([never, cycle, twice, twice, (1, "a"), {"k": {2}}])

    assert copied[0] is never
    assert copied[1] is not cycle
    assert copied[1][1] is copied[1]
    assert copied[2] is copied[3]
    assert copied[2] is not twice
    assert clone(deep) is deep


# --------------------------------------------------------------------------------------------- history


def test_a_run_cannot_be_resumed_from_nothing(way):
    with pytest.raises(NotPossibleError, match="no checkpoint"):
        way.run(chain("A").compile(), None, T.resuming())
    with pytest.raises(NotPossibleError, match="zz"):
        way.run(chain("A").compile(), None, T.copy(checkpoint_id="zz"))
    with pytest.raises(NotPossibleError, match="keeps no checkpoints"):
        way.run(chain("A").compile(CompileConfig(saver=None)), None, T.resuming())


def test_history_of_nothing_is_refused_or_empty():
    compiled = chain("A").compile()
    without = chain("A").compile(CompileConfig(saver=None))

    assert compiled.history(T) == []
    with pytest.raises(NotPossibleError):
        compiled.get_state(T)
    with pytest.raises(NotPossibleError):
        without.history(T)
    with pytest.raises(NotPossibleError):
        compiled.edit("t", None, {})


def choosing():
    graph = StateGraph("choice", {"messages": APPEND})
    for node in ("A", "left", "right"):
        graph.add_node(node, says(node))
    graph.add_edge(START, "A").add_edge(["left", "right"], END)
    graph.add_conditional_edges(
        "A",
        lambda s: s["messages"][-1] if s["messages"][-1] == "left" else "right",
        {"left": "left", "right": "right"},
    )
    return graph.compile(CompileConfig(interrupt_before=["left", "right"]))


def test_as_node_asks_the_edge_of_that_node_and_merges_once(way):
    compiled = choosing()
    way.run(compiled, {}, T)
    config = compiled.update_state(T, {"messages": "left"}, as_node="A")

    result = way.run(compiled, None, config)

    assert config.next_node == "left"
    assert result.state["messages"] == ["A", "left", "left"]
    with pytest.raises(NotPossibleError):
        compiled.update_state(T, {}, as_node="zz")


def test_as_node_works_with_an_async_edge():
    async def router(state):
        return "out"

    graph = StateGraph().add_node("A", says("A")).add_node("B", says("B")).add_edge(START, "A")
    graph.add_edge("B", END).add_conditional_edges("A", router, {"out": END, "b": "B"})
    compiled = graph.compile()
    compiled.run({}, T)

    assert compiled.update_state(T, {}, as_node="A").next_node == END
    assert asyncio.run(compiled.aupdate_state(T, {}, as_node="A")).next_node == END


def test_an_update_replaces_the_checkpoint_that_is_named_else_it_is_added():
    compiled = chain("A", "B").compile()
    compiled.run({}, T)
    names = [row.checkpoint for row in compiled.history(T)]

    replaced = compiled.update_state(T.copy(checkpoint_id=names[1]), {"messages": "x"}).checkpoint_id
    added = compiled.update_state(T, {"messages": "y"}).checkpoint_id

    assert [row.checkpoint for row in compiled.history(T)] == [added, names[0], replaced, names[2]]
    assert compiled.get_state(T.copy(checkpoint_id=replaced)).values["messages"] == ["A", "x"]


@pytest.mark.parametrize(("mode", "messages"), [("raw", ["x"]), ("reducer", ["A", "x"])])
def test_an_edit_makes_a_new_checkpoint_and_keeps_the_old(way, mode, messages):
    compiled = chain("A", "B").compile()
    way.run(compiled, {}, T)
    after_a = compiled.history(T)[1]

    edited = compiled.edit("t", after_a.checkpoint, {"messages": ["x"]}, mode=mode)
    result = way.run(compiled, None, T.copy(checkpoint_id=edited))

    assert result.state["messages"] == [*messages, "B"]
    assert compiled.get_state(T.copy(checkpoint_id=after_a.checkpoint)).values["messages"] == ["A"]
    assert compiled.history(T)[1].parent == after_a.checkpoint


def test_an_edit_may_set_the_next_node(way):
    compiled = chain("A", "B", "C").compile()
    way.run(compiled, {}, T)
    edited = compiled.edit("t", compiled.history(T)[-1].checkpoint, {}, next=["C"])

    assert compiled.get_state(T).due == ("C",)
    assert way.run(compiled, None, T.copy(checkpoint_id=edited)).state["messages"] == ["C"]
    assert compiled.get_state(T).next == END
    with pytest.raises(NotPossibleError):
        compiled.edit("t", None, {}, next=["zz"])
    with pytest.raises(NotPossibleError):
        compiled.edit("t", None, {}, next=["A", "B"])
    compiled.edit("t", None, {}, next=[])
    assert compiled.get_state(T).due == ()


def test_asking_where_a_state_would_lead_changes_nothing():
    compiled = choosing()
    compiled.run({}, T)
    before = compiled.history(T)

    assert compiled.next_of("A", {"messages": ["left"]}).to == ("left",)
    assert compiled.next_of("A", {"messages": ["?"]}).to == ("right",)
    assert compiled.history(T) == before


def test_a_resume_at_the_end_ends_at_once(way):
    compiled = chain("A").compile()
    done = way.run(compiled, {}, T)

    again = way.stream(compiled, None, T.copy(checkpoint_id=done.checkpoint))

    assert again.nodes == [END]


def test_a_question_may_be_asked_again_and_again(way):
    """Until the answer is right: a resume with the wrong feedback asks anew and loses nothing."""

    class Picky:
        def __call__(self, state):
            return {"messages": "A"}

        def interrupt(self, node_id, state, config):
            return None if config.metadata.get("HUMAN_FEEDBACK") == "yes" else Interruption(node_id)

    compiled = one_node(Picky(), {"messages": APPEND})
    results = [way.run(compiled, {"messages": "hi"}, T)]
    results += [way.run(compiled, None, T.with_metadata(HUMAN_FEEDBACK=f)) for f in ("no", "no", "yes")]

    assert [r.status for r in results] == ["interrupted"] * 3 + ["completed"]
    assert results[-1].state["messages"] == ["hi", "A"]
    assert len(compiled.history(T)) == 2


def test_an_action_cannot_change_the_state_through_the_copy_it_is_asked_with(way):
    class Asks:
        def __call__(self, state):
            return {}

        def interrupt(self, node_id, state, config):
            state["deep"].append("changed")
            state.update({"more": 1})

    assert way.run(one_node(Asks()), {"deep": []}, T).state == {"deep": []}


def test_two_threads_of_conversation_may_run_at_once_on_one_graph():
    compiled = chain("A", "B").compile()

    async def main():
        return await asyncio.gather(
            *(compiled.ainvoke({"messages": str(n)}, RunConfig(str(n))) for n in range(5))
        )

    states = asyncio.run(main())

    assert [s["messages"] for s in states] == [[str(n), "A", "B"] for n in range(5)]


def test_a_stream_that_is_left_early_is_closed_on_the_loop():
    closed = []

    async def node(state):
        try:
            return {"messages": "A"}
        finally:
            closed.append(1)

    async def main():
        compiled = one_node(node)
        async with aclosing(compiled.astream({}, T)) as outputs:
            async for output in outputs:
                if output.node == "A":
                    break
        return compiled.get_state(T).next

    assert asyncio.run(main()) == END
    gc.collect()
    assert closed == [1]


def test_a_node_may_take_its_state_with_or_without_the_config():
    class Callable:
        def __call__(self, state, config):
            return {"thread": config.thread}

    class Applies:
        def apply(self, state, config):
            return {"thread": config.thread}

    def with_default(state, config=None):
        return {"thread": config and config.thread}

    def other_default(state, limit=5):
        return {"thread": limit}

    seen = [one_node(a).invoke({}, T)["thread"] for a in (Callable(), Applies(), with_default, other_default)]

    assert seen == ["t", "t", "t", 5]
    assert one_node(lambda *both: {"n": len(both)}).invoke({}, T) == {"n": 1}
