"""Where a run went, and why: held at as a decision, told with every rule that was read."""

from __future__ import annotations

import inspect
import operator
from typing import Annotated, Any

from support.langgraph_kit import COLOURS, opened, painted, ran  # isort: skip - before langchain
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware, after_model
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool
from langchain_scripted import ScriptedChat, call, calls
from langgraph.graph import START, MessagesState, StateGraph
from typing_extensions import TypedDict

from hookstepper.model.ids import END
from hookstepper.model.record import Route
from hookstepper.ports.target import Resume
from hookstepper.ports.verdict import PROCEED, Abort
from support.probe import RecordingProbe


class State(TypedDict, total=False):
    n: int
    log: Annotated[list[str], operator.add]


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def noting(name: str) -> Any:
    def node(state: State) -> dict[str, Any]:
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


@COLOURS
def test_decisions_are_gates_between_the_commit_and_the_next_node(colour: str) -> None:
    probe = RecordingProbe(holds=lambda site, phase: site.kind in ("node", "route") and phase != "never")

    ran(opened(line("a", "b", colour=colour)), {"n": 1}, probe)
    seen = [(point.site.kind, point.site.node, point.phase) for point in probe.points]

    assert seen == [
        ("node", "a", "enter"),
        ("node", "a", "exit"),
        ("route", "a", "exit"),
        ("node", "b", "enter"),
        ("node", "b", "exit"),
        ("route", "b", "exit"),
    ]
    routes = [point.value for point in probe.points if point.site.kind == "route"]
    assert all(isinstance(route, Route) for route in routes)
    assert [route.to for route in routes if isinstance(route, Route)] == [("b",), (END,)]
    assert probe.log.index("commit a") < [*probe.log].index("hold b")


@COLOURS
def test_a_run_can_be_left_at_a_decision(colour: str) -> None:
    probe = RecordingProbe([Abort()], holds=lambda site, phase: site.kind == "route")
    target = opened(line("a", "b", colour=colour))

    outcome, _ = ran(target, {"n": 1}, probe)

    assert (outcome.status, outcome.next) == ("aborted", ("b",))
    assert target.state().values["log"] == ["a"]


def agent(*middleware: Any, replies: Any = None) -> Any:
    script = replies or [calls(call("add", "c1", a=1, b=2)), "done"]
    return create_agent(ScriptedChat(replies=script), [add], middleware=list(middleware), name="boss")


def test_the_router_at_the_loop_exit_tells_every_rule_that_it_read() -> None:
    _, probe = ran(opened(agent()), "hi")
    first, last = (step.route for step in probe.steps if step.site.node == "model")

    assert first is not None
    assert [(rule.rule, rule.saw, rule.fired) for rule in first.rules] == [
        ("jump_to", "unset", False),
        ("no_messages", "an answer", False),
        ("no_tool_calls", "1 call", False),
        ("tool_calls", "1 call without an answer", True),
        ("structured_response", "unset", False),
        ("answered", "otherwise", False),
    ]
    assert first.why == "1 tool call is pending, one task each"
    assert last is not None
    assert [rule.rule for rule in last.rules if rule.fired] == ["no_tool_calls"]


def test_a_jump_at_the_loop_exit_tells_where_it_would_have_gone_without() -> None:
    @after_model(can_jump_to=["end"])
    def stop(state: Any, runtime: Any) -> Any:
        return {"jump_to": "end"}

    _, probe = ran(opened(agent(stop)), "hi")
    route = probe.steps[-1].route

    assert route is not None
    assert (route.rule, route.to, route.otherwise) == ("jump_to", (END,), "tools")


def test_artificial_tool_answers_lead_back_to_the_model() -> None:
    @after_model
    def answer(state: Any, runtime: Any) -> Any:
        last = state["messages"][-1]
        if isinstance(last, AIMessage) and last.tool_calls:
            return {"messages": [ToolMessage("made up", tool_call_id=last.tool_calls[0]["id"])]}
        return None

    _, probe = ran(opened(agent(answer)), "hi")
    routes = [step.route for step in probe.steps if step.site.node == "answer.after_model"]

    assert [route.rule for route in routes if route] == ["answered", "no_tool_calls"]


def test_returning_directly_is_a_rule_of_its_own() -> None:
    @tool(return_direct=True)
    def final(text: str) -> str:
        """Say it."""
        return text

    built = create_agent(ScriptedChat(replies=[calls(call("final", "c1", text="bye"))]), [final], name="f")

    _, probe = ran(opened(built), "hi")
    route = probe.steps[-1].route

    assert route is not None
    assert (route.rule, route.to) == ("return_direct", (END,))


def test_an_error_that_a_handler_takes_is_a_step_with_its_error() -> None:
    def bad(state: State) -> dict[str, Any]:
        raise ValueError("oops")

    has_handlers = "error_handler" in inspect.signature(StateGraph.add_node).parameters
    builder = StateGraph(State)
    builder.add_node("bad", bad, **({"error_handler": noting("fix")} if has_handlers else {}))
    builder.add_edge(START, "bad")

    outcome, probe = ran(opened(builder), {"n": 1})

    if not has_handlers:
        assert (outcome.status, probe.nodes) == ("failed", [])
        return
    assert outcome.status == "completed"
    assert [(step.site.node, type(step.error).__name__) for step in probe.steps] == [
        ("bad", "ValueError"),
        ("__error_handler__bad", "NoneType"),
    ]
    assert probe.steps[-1].state["log"] == ["fix"]


def test_one_graph_object_can_be_two_nodes() -> None:
    inner = line("x").compile()
    builder = StateGraph(State)
    builder.add_node("one", inner)
    builder.add_node("two", inner)
    builder.add_edge(START, "one")
    builder.add_edge("one", "two")
    target = opened(builder)

    _, probe = ran(target, {"n": 1})

    assert probe.nodes == ["one:x", "one", "two:x", "two"]
    assert {node.id for node in target.describe().nodes} >= {"one:x", "two:x"}


def test_graphs_that_nothing_refers_to_are_stepped_when_they_are_called() -> None:
    hidden = {"saved": line("x").compile(), "unsaved": line("y").compile(checkpointer=False)}

    def caller(state: State) -> dict[str, Any]:
        return {"log": [*hidden["saved"].invoke({"n": 1})["log"], *hidden["unsaved"].invoke({"n": 2})["log"]]}

    builder = StateGraph(State)
    builder.add_node("caller", caller)
    builder.add_edge(START, "caller")

    outcome, probe = ran(opened(builder), {"n": 1})

    assert outcome.status == "completed"
    assert probe.held == ["caller", "caller:x", "caller:y"]
    assert probe.nodes == ["caller:x", "caller:y", "caller"]
    assert [step.update for step in probe.steps[:2]] == [{"log": ["x"]}, {"log": ["y"]}]


def test_an_approval_inside_a_nested_agent_is_told_and_answered() -> None:
    builder = StateGraph(MessagesState)
    builder.add_node("team", agent(HumanInTheLoopMiddleware({"add": True})))
    builder.add_edge(START, "team")
    target = opened(builder)

    outcome, _ = ran(target, "hi")
    (ask,) = outcome.asks
    decision = {"decisions": [{"type": "edit", "args": {"a": 20, "b": 2}}]}
    done = target.run(Resume({ask.id: decision}), RecordingProbe(lambda point: PROCEED))

    assert ask.node == "team:HumanInTheLoopMiddleware.after_model"
    assert [(one.id, one.tool) for one in ask.calls] == [("c1", "add")]
    assert done.status == "completed"
    results = [m.content for m in target.state().values["messages"] if isinstance(m, ToolMessage)]  # type: ignore[attr-defined]
    assert results[0].endswith("22")


def test_a_branch_value_without_a_target_is_the_nodes_failure() -> None:
    """S09."""
    builder = line("a")
    builder.add_node("b", noting("b"))
    builder.add_conditional_edges("a", lambda state: "maybe", {"yes": "b"})

    outcome, _ = ran(opened(builder), {"n": 1})

    assert (outcome.status, outcome.failed_at) == ("failed", "a")
    assert isinstance(outcome.error, KeyError)
