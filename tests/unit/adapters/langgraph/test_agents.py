"""`create_agent` is understood: hooks, order, anchors, jumps, rings, tool calls, approvals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from support.langgraph_kit import COLOURS, opened, painted, ran  # isort: skip - before langchain
from langchain.agents import create_agent
from langchain.agents.middleware import (
    AgentMiddleware,
    HumanInTheLoopMiddleware,
    after_model,
    before_model,
    hook_config,
)
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import StructuredTool, tool
from langchain_scripted import ScriptedChat, call, calls
from langgraph.types import Command

from hookstepper.model.gates import Site
from hookstepper.model.ids import END, NodeId
from hookstepper.ports.facts import CallBegan, CallEnded, LayerPassed
from hookstepper.ports.target import Edit, From, Resume
from hookstepper.ports.verdict import PROCEED, Abort, Fail, Fulfil, Patch, Point, Retry
from support.probe import RecordingProbe


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


class Outer(AgentMiddleware):
    def before_agent(self, state: Any, runtime: Any) -> None:
        """Once."""

    def before_model(self, state: Any, runtime: Any) -> None:
        """Every turn."""

    def after_model(self, state: Any, runtime: Any) -> None:
        """Every turn."""

    def after_agent(self, state: Any, runtime: Any) -> None:
        """Once."""

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        return handler(request)

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        return handler(request)


class Guard(AgentMiddleware):
    @hook_config(can_jump_to=["end", "model"])
    def before_model(self, state: Any, runtime: Any) -> Any:
        return None

    def after_model(self, state: Any, runtime: Any) -> Any:
        return None

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        return handler(request)


def agent(*middleware: Any, replies: Any = None, tools: Any = (add,)) -> Any:
    script = replies or [calls(call("add", "c1", a=1, b=2), call("add", "c2", a=3, b=4)), "done"]
    return create_agent(ScriptedChat(replies=script), list(tools), middleware=list(middleware), name="boss")


def test_hooks_carry_their_place_in_the_registration_and_their_jumps() -> None:
    graph = opened(agent(Outer(), Guard())).describe()
    nodes = {node.id: node for node in graph.nodes}

    assert [
        (nodes[NodeId(name)].kind, nodes[NodeId(name)].index, nodes[NodeId(name)].owner) for name in nodes
    ][1:][:-1] == [
        ("model", None, ""),
        ("tool", None, ""),
        ("before_agent", 0, "Outer"),
        ("before_model", 0, "Outer"),
        ("after_model", 0, "Outer"),
        ("after_agent", 0, "Outer"),
        ("before_model", 1, "Guard"),
        ("after_model", 1, "Guard"),
    ]
    assert nodes[NodeId("Guard.before_model")].jumps == ("end", "model")
    assert nodes[NodeId("tools")].tools == ("add",)
    assert [ring.name for ring in nodes[NodeId("model")].rings] == ["Outer", "Guard"]
    assert [ring.name for ring in nodes[NodeId("tools")].rings] == ["Outer"]
    place = nodes[NodeId("Guard.before_model")].source
    assert place is not None
    assert place.file == __file__
    assert place.function.endswith("Guard.before_model")


def test_the_four_anchors_follow_the_rules_of_create_agent() -> None:
    anchors = opened(agent(Outer(), Guard())).describe().anchors

    assert (anchors.entry, anchors.loop_entry) == ("Outer.before_agent", "Outer.before_model")
    assert (anchors.loop_exit, anchors.exit) == ("Outer.after_model", "Outer.after_agent")


@pytest.mark.parametrize(
    ("middleware", "entry", "loop_entry", "loop_exit", "exit_"),
    [
        ((), "model", "model", "model", END),
        ((Guard(),), "Guard.before_model", "Guard.before_model", "Guard.after_model", END),
    ],
)
def test_anchors_of_smaller_agents(
    middleware: Any, entry: str, loop_entry: str, loop_exit: str, exit_: str
) -> None:
    anchors = opened(agent(*middleware)).describe().anchors

    assert (anchors.entry, anchors.loop_entry, anchors.loop_exit, anchors.exit) == (
        entry,
        loop_entry,
        loop_exit,
        exit_,
    )


def test_onion_order_is_seen_in_the_steps() -> None:
    """S01: in by registration, out reversed."""
    _, probe = ran(opened(agent(Outer(), Guard(), replies=["hi"])), "hello")

    assert probe.nodes == [
        "Outer.before_agent",
        "Outer.before_model",
        "Guard.before_model",
        "model",
        "Guard.after_model",
        "Outer.after_model",
        "Outer.after_agent",
    ]


def test_decorated_hooks_are_nodes_named_after_the_function_with_its_source() -> None:
    @before_model(can_jump_to=["end"])
    def quick(state: Any, runtime: Any) -> Any:
        return None

    node = opened(agent(quick)).describe().node(NodeId("quick.before_model"))

    assert node is not None
    assert (node.owner, node.index, node.jumps) == ("quick", 0, ("end",))
    assert node.source is not None
    assert node.source.file == __file__


def test_tool_calls_are_parallel_steps_with_their_own_messages() -> None:
    outcome, probe = ran(opened(agent()), "hi")
    model, one, two, last = probe.steps

    assert outcome.status == "completed"
    assert (one.site.node, two.site.node) == ("tools", "tools")
    assert model.route is not None
    assert (model.route.to, model.route.rule) == (("tools",), "tool_calls")
    assert [len(step.state["messages"]) for step in probe.steps] == [2, 3, 4, 5]
    assert [step.state["messages"][-1].content for step in (one, two)] == ["3", "7"]
    assert last.route is not None
    assert (last.route.to, last.route.rule) == ((END,), "no_tool_calls")
    assert last.usage is not None
    assert last.usage.output_tokens > 0


@COLOURS
def test_model_and_tool_calls_are_gates_and_facts(colour: str) -> None:
    plain = StructuredTool.from_function(
        func=lambda a, b: a + b, name="add", description="Adds.", args_schema=add.args_schema
    )
    later = StructuredTool.from_function(
        coroutine=painted(lambda a, b: a + b, "async"),
        name="add",
        description="Adds.",
        args_schema=add.args_schema,
    )
    target = opened(agent(tools=[plain if colour == "sync" else later]))
    probe = RecordingProbe(holds=lambda site, phase: site.kind in ("model", "tool"))

    outcome, _ = ran(target, "hi", probe)
    began, ended = probe.of(CallBegan), probe.of(CallEnded)

    assert outcome.status == "completed"
    assert {(p.site.kind, p.site.name, p.phase) for p in probe.points} == {
        ("model", "scripted", "enter"),
        ("model", "scripted", "exit"),
        ("tool", "add", "enter"),
        ("tool", "add", "exit"),
    }
    assert sorted(fact.call_id for fact in began if fact.site.kind == "tool") == ["c1", "c2"]
    assert [fact.request for fact in ended if fact.call_id == "c1"] == [{"a": 1, "b": 2}]
    first = next(fact for fact in ended if fact.site.kind == "model")
    assert isinstance(first.response, AIMessage)
    assert first.usage is not None
    assert len(first.request["messages"]) == 1  # type: ignore[index]
    assert first.request["tools"]  # type: ignore[index]


def test_a_failing_tool_call_is_told_with_its_error() -> None:
    @tool
    def broken(a: int) -> int:
        """Fails."""
        raise ZeroDivisionError("oops")

    outcome, probe = ran(opened(agent(replies=[calls(call("broken", "c1", a=1)), "x"], tools=[broken])), "hi")

    assert outcome.status == "failed"
    assert outcome.failed_at == "tools"
    (ended,) = [fact for fact in probe.of(CallEnded) if fact.site.kind == "tool"]
    assert isinstance(ended.error, ZeroDivisionError)


# ------------------------------------------------------------------------------------ rings


def layers(probe: RecordingProbe) -> list[tuple[str, int, str]]:
    return [(p.site.name, p.site.ring, p.phase) for p in probe.points]


def at_layers(site: Site, phase: str) -> bool:
    return site.kind == "layer"


class AsyncOuter(Outer):
    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        return await handler(request)

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        return await handler(request)


class AsyncGuard(Guard):
    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        return await handler(request)


def coloured(colour: str, replies: Any = None) -> Any:
    if colour == "sync":
        return agent(Outer(), Guard(), replies=replies)
    lonely = StructuredTool.from_function(
        coroutine=painted(lambda a, b: a + b, "async"),
        name="add",
        description="Adds.",
        args_schema=add.args_schema,
    )
    return agent(AsyncOuter(), AsyncGuard(), replies=replies, tools=[lonely])


@COLOURS
def test_rings_are_gates_from_the_outermost_in_and_back_out(colour: str) -> None:
    target = opened(coloured(colour, ["hi"]))
    probe = RecordingProbe(holds=at_layers)

    ran(target, "hello", probe)
    outer, inner = ("Outer", "Guard") if colour == "sync" else ("AsyncOuter", "AsyncGuard")

    assert "layers" in target.capabilities
    assert layers(probe) == [(outer, 0, "enter"), (inner, 1, "enter"), (inner, 1, "exit"), (outer, 0, "exit")]
    assert [fact.site.name for fact in probe.of(LayerPassed)] == [inner, outer]


@COLOURS
def test_a_ring_can_be_answered_in_the_models_place(colour: str) -> None:
    target = opened(coloured(colour))

    def decide(point: Point) -> Any:
        return Fulfil(AIMessage("from a person")) if point.site.ring == 1 else PROCEED

    outcome, probe = ran(target, "hello", RecordingProbe(decide, holds=at_layers))

    assert outcome.status == "completed"
    assert target.state().values["messages"][-1].content == "from a person"  # type: ignore[index]
    assert not [fact for fact in probe.of(CallBegan) if fact.site.kind == "model"]


@COLOURS
def test_a_rings_request_can_be_changed_and_its_body_run_again(colour: str) -> None:
    target = opened(coloured(colour, ["hi"]))
    seen: list[int] = []

    def decide(point: Point) -> Any:
        if point.phase == "enter" and point.site.ring == 0:
            return Patch({"messages": [*point.value.messages, AIMessage("put in")]})  # type: ignore[attr-defined]
        if point.phase == "exit" and point.site.ring == 0:
            seen.append(point.attempt)
            return Retry() if point.attempt == 1 else PROCEED
        return PROCEED

    outcome, probe = ran(target, "hello", RecordingProbe(decide, holds=at_layers))
    requests = [fact.request["messages"] for fact in probe.of(CallBegan)]  # type: ignore[index]

    assert outcome.status == "completed"
    assert seen == [1, 2]
    assert [len(messages) for messages in requests] == [2, 2]


@COLOURS
def test_a_ring_around_a_tool_call_can_answer_for_the_tool(colour: str) -> None:
    target = opened(coloured(colour))

    def decide(point: Point) -> Any:
        if point.phase == "enter" and hasattr(point.value, "tool_call"):
            return Fulfil(ToolMessage("mocked", tool_call_id=point.value.tool_call["id"]))
        return PROCEED

    outcome, _ = ran(target, "hello", RecordingProbe(decide, holds=at_layers))
    contents = [m.content for m in target.state().values["messages"] if isinstance(m, ToolMessage)]  # type: ignore[attr-defined]

    assert outcome.status == "completed"
    assert contents == ["mocked", "mocked"]


@COLOURS
@pytest.mark.parametrize("ring", [0, 1])
def test_a_run_can_be_left_from_inside_a_ring(colour: str, ring: int) -> None:
    target = opened(coloured(colour))

    def decide(point: Point) -> Any:
        return Abort() if point.site.ring == ring else PROCEED

    outcome, _ = ran(target, "hello", RecordingProbe(decide, holds=at_layers))
    assert outcome.checkpoint is not None
    again = target.run(From(outcome.checkpoint), RecordingProbe())

    assert (outcome.status, outcome.next) == ("aborted", ("model",))
    assert again.status == "completed"


def test_a_failure_put_in_at_a_ring_is_the_nodes_failure() -> None:
    target = opened(coloured("sync"))

    outcome, _ = ran(target, "hello", RecordingProbe([Fail(OSError("line cut"))], holds=at_layers))

    assert outcome.status == "failed"
    assert outcome.failed_at == "model"


def test_the_users_middleware_object_is_left_as_it_was() -> None:
    mine = Outer()
    before = dict(vars(mine))

    agent(mine)

    assert vars(mine) == before
    assert mine.wrap_model_call.__func__ is Outer.wrap_model_call


# ------------------------------------------------------------------------------------ jumps


def jumping(word: str, declared: list[str] | None = None) -> Any:
    done: list[int] = []

    @before_model(can_jump_to=declared)
    def jumper(state: Any, runtime: Any) -> Any:
        done.append(1)
        return {"jump_to": word} if len(done) == 1 else None

    return jumper


def test_a_declared_jump_is_told_with_what_it_skipped() -> None:
    _, probe = ran(opened(agent(jumping("end", ["end"]), Outer())), "hi")
    step = next(step for step in probe.steps if step.site.node == "jumper.before_model")

    assert step.route is not None
    assert (step.route.to, step.route.rule) == (("Outer.after_agent",), "jump_to")
    assert step.skipped == ("Outer.before_model", "model", "Outer.after_model")
    assert step.state["jump_to"] == "end"
    assert "jump_to" not in probe.steps[-1].state, "the key lives for one step"


def test_an_undeclared_jump_before_the_model_is_ignored_and_said() -> None:
    """S04."""
    _, probe = ran(opened(agent(jumping("end"), replies=["x"])), "hi")
    step = probe.steps[0]

    assert step.route is not None
    assert step.route.to == ("model",)
    assert "ignored" in step.route.why


def test_an_undeclared_jump_at_the_loop_exit_is_obeyed_and_said() -> None:
    @after_model
    def sneaky(state: Any, runtime: Any) -> Any:
        return {"jump_to": "end"}

    _, probe = ran(opened(agent(sneaky)), "hi")
    step = probe.steps[-1]

    assert step.site.node == "sneaky.after_model"
    assert step.route is not None
    assert (step.route.to, step.route.rule) == ((END,), "jump_to")
    assert "undeclared" in step.route.why


def held_at(target: Any, node: str) -> Any:
    outcome, _ = ran(target, "hi", RecordingProbe(lambda p: Abort() if p.site.node == node else PROCEED))
    assert outcome.next == (node,)
    return outcome.checkpoint


def test_a_jump_by_hand_is_written_as_if_the_held_hook_had_returned_it() -> None:
    target = opened(agent(Guard(), Outer()))
    at = held_at(target, "Guard.before_model")

    made = target.edit(at, Edit({}, jump="end"))
    probe = RecordingProbe()
    target.run(From(made), probe)

    assert target.predict(at, Edit({}, jump="end")).next == ("Outer.after_agent",)
    assert target.state(made).next == ("Outer.after_agent",)
    assert probe.nodes == ["Outer.after_agent"]


def test_a_jump_by_hand_at_the_loop_exit_needs_no_declaration() -> None:
    target = opened(agent(Outer()))
    at = held_at(target, "Outer.after_model")

    made = target.edit(at, Edit({}, jump="model"))

    assert target.state(made).next == ("Outer.before_model",)


# ------------------------------------------------------------------------------------ approvals


def approval(**more: Any) -> Any:
    @tool
    def look(a: int) -> int:
        """Look."""
        return a

    return agent(
        HumanInTheLoopMiddleware({"add": {"allowed_decisions": ["approve", "edit", "reject"], **more}}),
        replies=[
            calls(call("look", "c0", a=9), call("add", "c1", a=1, b=2), call("add", "c2", a=3, b=4)),
            "done",
        ],
        tools=[look, add],
    )


def test_an_approval_lists_all_calls_and_who_needs_it() -> None:
    outcome, _ = ran(opened(approval()), "hi")
    (ask,) = outcome.asks

    assert ask.kind == "approval"
    assert [(one.id, one.tool, one.arguments, one.needs_approval) for one in ask.calls] == [
        ("c0", "look", {"a": 9}, False),
        ("c1", "add", {"a": 1, "b": 2}, True),
        ("c2", "add", {"a": 3, "b": 4}, True),
    ]
    assert ask.allowed == ("approve", "edit", "reject")
    assert ask.allowed_by_call == (("c1", ask.allowed), ("c2", ask.allowed))
    assert ask.calls[1].schema["properties"]["a"]["type"] == "integer"  # type: ignore[index, call-overload]


def answers(*decisions: Any) -> dict[str, Any]:
    return {"decisions": list(decisions)}


def test_decisions_are_carried_out_call_by_call() -> None:
    """S15."""
    target = opened(approval())
    outcome, _ = ran(target, "hi")
    decided = answers({"type": "edit", "args": {"a": 40, "b": 2}}, {"type": "reject", "reason": "too much"})

    done = target.run(Resume({outcome.asks[0].id: decided}), RecordingProbe())
    results = {m.tool_call_id: m for m in target.state().values["messages"] if isinstance(m, ToolMessage)}  # type: ignore[attr-defined]

    assert done.status == "completed"
    assert results["c0"].content == "9"
    assert results["c1"].content.endswith("42")
    assert results["c2"].status == "error"
    assert "too much" in results["c2"].content


def test_wrong_decisions_never_reach_the_thread() -> None:
    from hookstepper.model.errors import AnswerError

    target = opened(approval())
    outcome, _ = ran(target, "hi")
    ask = outcome.asks[0].id
    wrong: list[Any] = [
        answers({"type": "approve"}),
        answers({"type": "approve"}, {"type": "respond", "text": "x"}),
        answers({"type": "approve"}, {"type": "edit"}),
        answers({"type": "approve"}, {"type": "what"}),
        answers({"type": "approve"}, "approve"),
        "approve",
        None,
    ]

    for answer in wrong:
        with pytest.raises(AnswerError):
            target.run(Resume({ask: answer}), RecordingProbe())
    done = target.run(Resume({ask: answers({"type": "approve"}, {"type": "approve"})}), RecordingProbe())

    assert done.status == "completed"


def test_approvals_asked_call_by_call_are_answered_singly() -> None:
    import inspect

    if "interrupt_mode" not in inspect.signature(HumanInTheLoopMiddleware.__init__).parameters:
        with pytest.raises(TypeError):
            HumanInTheLoopMiddleware({"add": True}, interrupt_mode="per_call")  # type: ignore[call-arg]
        return
    target = opened(agent(HumanInTheLoopMiddleware({"add": True}, interrupt_mode="per_call")))

    outcome, _ = ran(target, "hi")
    assert [(one.kind, one.calls[0].id, one.node) for one in outcome.asks] == [
        ("approval", "c1", "tools"),
        ("approval", "c2", "tools"),
    ]
    decided = {
        outcome.asks[0].id: answers({"type": "approve"}),
        outcome.asks[1].id: answers({"type": "edit", "args": {"a": 5, "b": 5}}),
    }
    done = target.run(Resume(decided), RecordingProbe())
    results = [m.content for m in target.state().values["messages"] if isinstance(m, ToolMessage)]  # type: ignore[attr-defined]

    assert done.status == "completed"
    assert results[0] == "3"
    assert results[1].endswith("10")


# ------------------------------------------------------------------------------------ nesting


def test_an_agent_as_a_node_is_a_subgraph_with_hooks_and_anchors_of_its_own() -> None:
    from langgraph.graph import START, MessagesState, StateGraph

    builder = StateGraph(MessagesState)
    builder.add_node("team", agent(Outer(), replies=["hi"]))
    builder.add_edge(START, "team")
    target = opened(builder)
    graph = target.describe()

    _, probe = ran(target, "hello")

    assert probe.nodes[0] == "team:Outer.before_agent"
    assert probe.nodes[-2:] == ["team:Outer.after_agent", "team"]
    node = graph.node(NodeId("team:Outer.before_model"))
    assert node is not None
    assert (node.kind, node.index, node.parent) == ("before_model", 0, "team")
    assert all(step.scope == "team" for step in probe.steps[:-1])


def test_an_agent_called_by_a_tool_is_stepped_by_path() -> None:
    inner = create_agent(ScriptedChat(replies=["forty-two"]), [], name="inner")

    @tool
    def ask_expert(question: str) -> str:
        """Ask another agent."""
        return str(inner.invoke({"messages": [("user", question)]})["messages"][-1].content)

    outcome, probe = ran(
        opened(agent(replies=[calls(call("ask_expert", "c1", question="?")), "ok"], tools=[ask_expert])), "hi"
    )

    assert outcome.status == "completed"
    assert probe.nodes == ["model", "tools:model", "tools", "model"]
    assert [step.kind for step in probe.steps] == ["model", "model", "tool", "model"]
    assert probe.steps[1].scope == "tools"
    assert probe.steps[2].state["messages"][-1].content == "forty-two"


def test_a_command_from_a_tool_updates_the_state() -> None:
    @tool
    def leave(a: int) -> Command:
        """Leave."""
        return Command(update={"messages": [ToolMessage("bye", tool_call_id="c1")]})

    outcome, probe = ran(opened(agent(replies=[calls(call("leave", "c1", a=1)), "ok"], tools=[leave])), "hi")

    assert outcome.status == "completed"
    assert [str(message.content) for message in probe.steps[1].state["messages"]][-1] == "bye"


def test_structured_output_is_a_step_of_the_model() -> None:
    from pydantic import BaseModel

    class Answer(BaseModel):
        number: int

    built = create_agent(
        ScriptedChat(replies=[calls(call("Answer", "c1", number=5))]), [add], response_format=Answer, name="s"
    )

    outcome, probe = ran(opened(built), "hi")

    assert outcome.status == "completed"
    assert probe.nodes == ["model"]
    assert probe.steps[0].state["structured_response"] == Answer(number=5)


def test_langchains_own_middleware_is_recognised_with_its_settings() -> None:
    from langchain.agents.middleware import ModelCallLimitMiddleware, ModelFallbackMiddleware, PIIMiddleware

    class MyLimit(ModelCallLimitMiddleware):
        """A user's subclass is recognised as well."""

    class SummarizationMiddleware(AgentMiddleware):
        """A stranger with a known name is not."""

        def before_model(self, state: Any, runtime: Any) -> None:
            """Nothing."""

    graph = opened(
        agent(
            MyLimit(run_limit=3),
            PIIMiddleware("email"),
            HumanInTheLoopMiddleware({"add": True}),
            ModelFallbackMiddleware(ScriptedChat(replies=["other"])),
            SummarizationMiddleware(),
            Guard(),
        )
    ).describe()
    notes = {node.id: node.note for node in graph.nodes}

    assert notes[NodeId("MyLimit.before_model")].startswith(
        "LangChain's own: limits model calls (run_limit 3"
    )
    assert "personal data in messages (pii_type email" in notes[NodeId("PIIMiddleware[email].before_model")]
    assert notes[NodeId("HumanInTheLoopMiddleware.after_model")].startswith(
        "LangChain's own: asks a person before these tools run (add"
    )
    assert notes[NodeId("SummarizationMiddleware.before_model")] == ""
    assert notes[NodeId("Guard.before_model")] == ""
    rings = {ring.name: ring.brought_by for node in graph.nodes for ring in node.rings}
    assert rings["ModelFallbackMiddleware"] == "LangChain"
    assert rings["Guard"] == ""


@pytest.mark.parametrize("by_call", [False, True])
def test_the_node_that_may_ask_is_the_one_that_does(by_call: bool) -> None:
    import inspect

    if by_call and "interrupt_mode" not in inspect.signature(HumanInTheLoopMiddleware).parameters:
        pytest.skip("this LangChain asks for all calls at once only")
    more: dict[str, Any] = {"interrupt_mode": "per_call"} if by_call else {}
    graph = opened(agent(HumanInTheLoopMiddleware({"add": True}, **more))).describe()

    asking = [str(node.id) for node in graph.nodes if node.can_ask]
    assert asking == (["tools"] if by_call else ["HumanInTheLoopMiddleware.after_model"])
