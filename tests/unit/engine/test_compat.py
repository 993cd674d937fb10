"""Each row of the compat table that depends on the mode, in both modes."""

import pytest

from conformance.core.kit import Recorder, Way, chain, says
from hookstepper.engine import (
    APPEND,
    END,
    MARK_FOR_REMOVAL,
    START,
    Command,
    CompileConfig,
    Interruption,
    Listener,
    MemorySaver,
    RunConfig,
    StateGraph,
)
from hookstepper.engine.compat import COMPAT, row
from hookstepper.engine.errors import LimitReachedError, ParallelError

T = RunConfig("t")
BY_MODE = {found.id for found in COMPAT if found.treatment == "by mode"}


@pytest.fixture(params=["upstream", "fixed"])
def compat(request):
    """The mode under test."""
    return request.param


@pytest.fixture(params=["sync", "async"])
def way(request):
    """How it is run."""
    return Way(request.param)


def going_on(compiled):
    return T.copy(checkpoint_id=compiled.get_state(T).checkpoint)


def test_every_row_that_depends_on_the_mode_has_a_test():
    """A row without a test is a claim."""
    tested = {
        name.removeprefix("test_").split("_")[0].upper() for name in globals() if name.startswith("test_")
    }

    assert tested >= BY_MODE
    assert len({found.id for found in COMPAT}) == len(COMPAT)
    assert row("Q1").treatment == "kept"
    with pytest.raises(KeyError):
        row("Q99")


@pytest.mark.parametrize("before_edge", [False, True])
def test_q2_interrupt_after_the_last_node(way, compat, before_edge):
    compiled = chain("A", "B").compile(
        CompileConfig(interrupt_after=["B"], interrupt_before_edge=before_edge, compat=compat)
    )

    first = way.stream(compiled, {}, T)
    if compat == "upstream" and not before_edge:
        assert first.nodes == [START, "A", "B", END]
        return
    assert first.nodes == [START, "A", "B", "[B]"]
    second = way.stream(compiled, None, going_on(compiled))
    if compat == "upstream":
        assert second.error.upstream == "node with id: '__END__' doesn't exist!"
    else:
        assert second.nodes == [END]


def nested(keys, compat, **child_config):
    child = StateGraph("child", keys)
    for node in ("b1", "b2"):
        child.add_node(node, says(node))
    child.add_edge(START, "b1").add_edge("b1", "b2").add_edge("b2", END)
    graph = StateGraph("parent", keys).add_node("A", says("A"))
    graph.add_node("S", child.compile(CompileConfig(compat=compat, **child_config)))
    graph.add_edge(START, "A").add_edge("A", "S").add_edge("S", END)
    return graph.compile(CompileConfig(compat=compat))


def test_q7_a_compiled_subgraph_and_appended_lists(way, compat):
    state = way.run(nested({"messages": APPEND}, compat), {}, T).state

    expected = ["A", "A", "b1", "b2"] if compat == "upstream" else ["A", "b1", "b2"]
    assert state["messages"] == expected


def test_q7_a_compiled_subgraph_that_is_resumed(way, compat):
    compiled = nested({"messages": APPEND}, compat, interrupt_before=["b2"])
    way.run(compiled, {}, T)
    compiled.update_state(T, {"note": "new"})

    state = way.run(compiled, None, going_on(compiled)).state

    assert state["note"] == "new"
    expected = ["A", "A", "b1", "A", "b2"] if compat == "upstream" else ["A", "b1", "b2"]
    assert state["messages"] == expected


def branching(first, second, compat):
    graph = StateGraph("fan", {"messages": APPEND}).add_node("A", lambda s: {"gone": 1})
    graph.add_node("one", first).add_node("two", second)
    graph.add_edge(START, "A").add_edge("A", ["one", "two"]).add_edge(["one", "two"], END)
    return graph.compile(CompileConfig(compat=compat))


def test_q8_none_in_a_branch(way, compat):
    result = way.run(branching(lambda s: {"x": None}, says("two"), compat), {}, T)

    if compat == "upstream":
        assert isinstance(result.error, ParallelError)
        assert result.failed_at == "__PARALLEL__(A)"
    else:
        assert result.state == {"gone": 1, "x": None, "messages": ["two"]}


def test_q8_a_removal_in_a_branch(way, compat):
    result = way.run(branching(lambda s: {"gone": MARK_FOR_REMOVAL}, says("two"), compat), {}, T)

    assert ("gone" in result.state) == (compat == "upstream")


def test_q14_the_order_of_listeners_in_branches(way, compat):
    order = []

    class Named(Listener):
        def __init__(self, name):
            self.name = name

        def before(self, node, state, config, at_ms):
            if node in ("A", "one"):
                order.append((node, self.name))

    compiled = branching(says(1), says(2), compat)
    compiled.config.listeners += [Named("x"), Named("y")]
    way.run(compiled, {}, T)

    assert order[:2] == [("A", "x"), ("A", "y")]
    names = "yx" if compat == "upstream" else "xy"
    assert order[2:] == [("one", name) for name in names]


def test_q14_a_listener_that_raises_in_a_branch(way, compat):
    class Broken(Listener):
        def before(self, node, state, config, at_ms):
            raise ValueError(node)

    heard = Recorder()
    compiled = branching(says(1), says(2), compat)
    compiled.config.listeners += [heard, Broken()] if compat == "upstream" else [Broken(), heard]
    result = way.run(compiled, {}, T)

    assert result.status == "completed"
    assert ("one" in heard.of("before")) == (compat == "fixed")
    assert "A" in heard.of("before")


def test_q14_listeners_beyond_25_are_not_called(way, compat):
    heard = [Recorder() for _ in range(26)]
    compiled = chain("A").compile(CompileConfig(listeners=list(heard), compat=compat))
    way.run(compiled, {}, T)

    assert [bool(one.events) for one in heard] == [True] * 25 + [False]


class Asks:
    def __init__(self, name):
        self.name = name

    def __call__(self, state):
        return {"messages": self.name}

    def interrupt(self, node_id, state, config):
        return None if "HUMAN_FEEDBACK" in config.metadata else Interruption(node_id)


def test_q17_a_state_update_at_resume(way, compat):
    graph = StateGraph("ask", {"messages": APPEND}).add_node("A", Asks("A")).add_node("B", Asks("B"))
    graph.add_edge(START, "A").add_edge("A", "B").add_edge("B", END)
    compiled = graph.compile(CompileConfig(compat=compat))
    way.run(compiled, {}, T)

    state = way.run(compiled, None, T.resuming().with_state_update({"messages": "human"})).state

    expected = ["human", "A", "human", "B"] if compat == "upstream" else ["human", "A", "B"]
    assert state["messages"] == expected


def test_e1_interrupt_after_a_node_that_leads_to_itself(way, compat):
    graph = StateGraph().add_node("A", lambda s: {"n": s.value("n", 0) + 1}).add_edge(START, "A")
    graph.add_conditional_edges("A", lambda s: "on" if s["n"] < 2 else "out", {"on": "A", "out": END})
    compiled = graph.compile(CompileConfig(interrupt_after=["A"], compat=compat))

    seen = way.stream(compiled, {}, T).nodes

    assert seen == ([START, "A", "A", END] if compat == "upstream" else [START, "A", "[A]"])


def test_e2_interrupt_before_a_branch(way, compat):
    graph = StateGraph().add_node("one", says(1)).add_node("two", says(2)).add_node("A", says("A"))
    graph.add_edge(START, "A").add_edge("A", ["one", "two"]).add_edge(["one", "two"], END)
    compiled = graph.compile(CompileConfig(interrupt_before=["two"], compat=compat))

    result = way.run(compiled, {}, T)

    assert result.status == ("completed" if compat == "upstream" else "interrupted")
    if compat == "fixed":
        assert result.next == ("one", "two")


def test_e3_the_update_of_a_router_that_chooses_branches(way, compat):
    graph = StateGraph("choice", {"messages": APPEND}).add_node("S", says("S"))
    graph.add_node("a", says("a")).add_node("b", says("b"))
    graph.add_edge(START, "S").add_edge(["a", "b"], END)
    graph.add_parallel_conditional_edges(
        "S", lambda s: Command(["a", "b"], {"messages": "cmd", "other": 1}), {"a": "a", "b": "b"}
    )

    state = way.run(graph.compile(CompileConfig(compat=compat)), {}, T).state

    assert state["other"] == 1
    assert state["messages"] == (["S", "a", "b"] if compat == "upstream" else ["S", "cmd", "a", "b"])


def test_e4_a_flattened_choice_of_end_before_a_choice(way, compat):
    child = StateGraph("child").add_node("c1", says("c1")).add_node("c2", says("c2"))
    child.add_edge(START, "c1").add_edge("c2", END)
    child.add_conditional_edges("c1", lambda s: "out", {"out": END, "on": "c2"})
    graph = StateGraph("parent").add_node("S", child).add_node("B", says("B"))
    graph.add_edge(START, "S").add_edge("B", END)
    graph.add_conditional_edges("S", lambda s: "b", {"b": "B"})

    seen = way.stream(graph.compile(CompileConfig(compat=compat)), {}, T).nodes

    assert seen == ([START, "S-c1", END] if compat == "upstream" else [START, "S-c1", "B", END])


def test_e6_a_subgraph_that_uses_up_its_limit(way, compat):
    result = way.run(nested({}, compat, recursion_limit=2), {}, T)

    if compat == "upstream":
        assert result.status == "completed"
        assert result.state["messages"] == "b1"
    else:
        assert isinstance(result.error, LimitReachedError)
        assert result.failed_at == "S:b2"


def test_e7_the_execution_id_is_there_on_request():
    compiled = chain("A").compile(CompileConfig(execution_id=True, new_id=iter("abcdefg").__next__))

    assert compiled.invoke({}, T)["_graph_execution_id_"] == "a"
    assert "_graph_execution_id_" not in chain("A").compile().invoke({}, T)


def test_e9_a_subgraph_that_has_not_begun_starts_when_its_parent_is_resumed(way, compat):
    saver = MemorySaver()
    child = chain("b1").compile(CompileConfig(saver=saver, compat=compat))
    graph = StateGraph("parent").add_node("A", says("A")).add_node("S", child)
    graph.add_edge(START, "A").add_edge("A", "S").add_edge("S", END)
    compiled = graph.compile(CompileConfig(saver=saver, interrupt_before=["S"], compat=compat))
    way.run(compiled, {}, T)

    result = way.run(compiled, None, going_on(compiled))

    assert result.status == "completed"
    assert "b1" in result.state["messages"]


def test_q9_a_jump_is_read_again_and_again_upstream(compat):
    """The rows of the agent tell what comes of it."""
    from hookstepper.agent import ReactAgent, ScriptedModel, after_model

    @after_model(can_jump_to=["model"])
    def once_more(state):
        answers = [message for message in state["messages"] if message.role == "assistant"]
        return {"jump_to": "model"} if len(answers) == 1 else {}

    config = CompileConfig(recursion_limit=40, compat=compat)
    result = ReactAgent(
        "a", ScriptedModel(["x"] * 40), hooks=[once_more], compat=compat, compile_config=config
    ).run("hi")

    assert result.status == ("limit" if compat == "upstream" else "completed")
    assert ("jump_to" in result.state) == (compat == "upstream")


def test_q15_choices_stand_in_the_order_of_declaration():
    """A picture that changes from run to run cannot be compared."""
    graph = StateGraph("g")
    names = [f"n{number}" for number in range(20)]
    for name in names:
        graph.add_node(name, says(name)).add_edge(name, END)
    graph.add_conditional_edges(START, lambda state: "n7", names)

    drawn = [edge.target for edge in graph.compile().describe().edges if edge.source == START]

    assert drawn == names


def test_q16_resuming_without_feedback_fails_at_an_approval_and_a_checkpoint_does_not():
    from hookstepper.agent import HumanInTheLoopHook, ReactAgent, ScriptedModel, ToolCall, tool

    @tool
    def pay() -> str:
        return "paid"

    agent = ReactAgent(
        "a",
        ScriptedModel([ToolCall("1", "pay"), "x"]),
        tools=[pay],
        hooks=[HumanInTheLoopHook("pay")],
        saver=MemorySaver(),
    )
    agent.run("hi", T)

    assert "hook 'HITL' was resumed with str" in str(agent.run({}, T.resuming()).error)
    assert agent.run({}, going_on(agent.compiled())).interruption is not None
