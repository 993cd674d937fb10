"""The same agent on two engines: same nodes in the same order, same final state."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hookstepper.agent import (
    AssistantMessage,
    HumanInTheLoopHook,
    InterruptionHook,
    ModelCallLimitHook,
    PIIDetectionHook,
    ToolCallLimitHook,
    UserMessage,
)
from hookstepper.agent.to_langgraph import _decoded, as_dict, from_dict
from support.agent_kit import AM, BM, Counting, Noting, agent, asks, call, hook, texts
from support.random_agents import SCRIPT, hooks
from support.random_agents import build as random_agent
from support.two_engines import STEPS, on_ours, on_theirs

langgraph = pytest.importorskip("langgraph", reason="LangGraph is not installed: the extra langgraph has it")

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage  # noqa: E402
from langgraph.checkpoint.memory import InMemorySaver  # noqa: E402
from langgraph.types import Command  # noqa: E402

THOROUGH = bool(os.environ.get("HOOKSTEPPER_THOROUGH"))


@settings(max_examples=3000 if THOROUGH else 60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    hooks(), SCRIPT, st.booleans(), st.sampled_from(["upstream", "fixed"]), st.sampled_from([None, "be kind"])
)
def test_two_engines_do_the_same(rows, script, tools, compat, instruction):
    """Where one machine is outgrown, the agent moves; nothing else may change."""

    def build() -> Any:
        return random_agent(rows, script, tools, compat=compat, instruction=instruction, limit=STEPS + 1)

    value = {"input": "hi", "messages": [UserMessage("hi")]}
    ours = on_ours(build(), value)
    theirs = on_theirs(build(), {"input": "hi", "messages": [{"role": "user", "content": "hi"}]})

    assert theirs[0][: STEPS - 1] == ours[0][: STEPS - 1]
    assert theirs[2] == ours[2]
    if ours[2] == "completed":
        assert theirs[1] == ours[1]


def built_in(limit: int = 40, **options: Any) -> Any:
    return agent(
        [asks(call("1", "t", '{"n":1}')), asks(call("2", "t")), "mail a@b.co"],
        tools=[Noting("t", "from 10.0.0.1")],
        limit=limit,
        **options,
    )


@pytest.mark.parametrize(
    "make",
    [
        lambda: [
            PIIDetectionHook("IP", apply_to_tool_results=True),
            PIIDetectionHook("EMAIL", apply_to_input=True),
        ],
        lambda: [ModelCallLimitHook(run_limit=2)],
        lambda: [ToolCallLimitHook(run_limit=1), hook("L", [], BM, AM)],
        lambda: [InterruptionHook()],
    ],
)
def test_built_in_hooks_do_the_same(make):
    ours = on_ours(built_in(hooks=make()), {"messages": [UserMessage("a@b.co")]})
    theirs = on_theirs(built_in(hooks=make()), {"messages": [HumanMessage("a@b.co")]})

    assert theirs == ours


def approving(*decisions: Any) -> tuple[list[str], list[dict[str, Any]]]:
    noting = Noting("t", "r")
    made = agent(
        [asks(call("1", "t", '{"n": 1}'), call("2", "free")), "end"],
        tools=[noting, Noting("free")],
        hooks=[hook("L", [], AM), HumanInTheLoopHook(["t"])],
    )
    graph = made.to_langgraph(checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    result = graph.invoke({"messages": [{"role": "user", "content": "hi"}]}, config)
    for decision in decisions:
        (asked,) = result["__interrupt__"]
        assert asked.value["action_requests"][0]["name"] == "t"
        result = graph.invoke(Command(resume={"decisions": [decision] if decision else []}), config)
    return texts({"messages": [_decoded(m) for m in result["messages"]]}), noting.calls


def test_a_question_is_asked_and_answered_in_langchains_form():
    assert approving({"type": "approve"})[1] == [{"n": 1}]
    assert approving({"type": "edit", "edited_action": {"name": "t", "args": {"n": 2}}})[1] == [{"n": 2}]
    rejected, calls = approving({"type": "reject", "message": "not today"})
    assert calls == []
    assert "not today" in "".join(rejected)
    assert approving(None, {"type": "approve"})[1] == [{"n": 1}]


def test_a_second_turn_of_the_thread_goes_on_with_the_messages():
    graph = agent(["one", "two"], instruction="i").to_langgraph(checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    graph.invoke({"messages": [{"role": "user", "content": "a"}]}, config)

    state = graph.invoke({"messages": [{"role": "user", "content": "b"}]}, config)

    assert [m["role"] for m in state["messages"]] == ["user", "instruction", "assistant"] * 2


async def test_an_async_run_does_the_same():
    graph = built_in(hooks=[]).to_langgraph()

    state = await graph.ainvoke({"messages": [{"role": "user", "content": "hi"}]})

    assert [m["role"] for m in state["messages"]] == ["user", *["assistant", "tool"] * 2, "assistant"]


def test_messages_survive_as_json_to_the_letter():
    odd = AssistantMessage("x", (call("1", "t", '{"a":1}'), call("2", "t", "{broken")), metadata={"m": 1})

    assert from_dict(as_dict(odd)) == odd


def test_langchain_messages_are_taken_too():
    calls = [{"id": "1", "name": "t", "args": {"n": 1}}]
    model = Counting(["x", "y"])
    graph = agent(model, tools=[Noting("t")]).to_langgraph()

    graph.invoke(
        {
            "messages": [
                HumanMessage("hi"),
                AIMessage("", tool_calls=calls),
                ToolMessage("r", tool_call_id="1", name="t"),
            ]
        }
    )

    assert [m.role for m in model.prompts[0].messages] == ["user", "assistant", "tool"]
    assert model.prompts[0].messages[1].tool_calls[0].arguments == '{"n": 1}'


def test_a_name_that_langgraph_cannot_take_is_refused():
    with pytest.raises(Exception, match="a:b"):
        agent(hooks=[hook("a:b", [], BM)]).to_langgraph()
