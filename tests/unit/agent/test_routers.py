"""Case 34: every row of the routers' tables, as a function of the state alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookstepper.agent import (
    AgentInstructionMessage,
    AssistantMessage,
    JumpTo,
    SystemMessage,
    ToolResponseMessage,
    UserMessage,
)
from hookstepper.agent.messages import FINISH_REASON, RETURN_DIRECT
from hookstepper.agent.routing import LOOP_EXIT_RULES, TOOL_RULES, Places, RoutingError, decide, view_of
from hookstepper.model.ids import NodeId
from support.agent_kit import Noting, agent, answers, asks, call

PLACES = Places(NodeId("loop"), NodeId("exit"), NodeId("tool"))
A1 = asks(call("1", "t"))
A12 = asks(call("1", "t"), call("2", "t"))
T1 = answers(("1", "t", "x"))
T12 = answers(("1", "t", "x"), ("2", "t", "y"))
TEXT = AssistantMessage("hi")


def route(messages, jump=None, rules=LOOP_EXIT_RULES):
    state = {"messages": messages} | ({} if jump is None else {"jump_to": jump})
    return decide(rules, view_of(state, PLACES, allowed={}, default=NodeId("x")))


@pytest.mark.parametrize(
    ("messages", "jump", "to", "rule"),
    [
        ([A1], "end", "exit", "jump_to"),
        ([TEXT], JumpTo.MODEL, "loop", "jump_to"),
        ([TEXT], "TOOL", "tool", "jump_to"),
        ([A1], "nonsense", "tool", "tool_calls"),
        ([], None, "exit", "no_messages"),
        ([UserMessage("u"), A1], None, "tool", "tool_calls"),
        ([UserMessage("u"), TEXT], None, "exit", "no_tool_calls"),
        ([A1, T1], None, "loop", "answered"),
        ([A12, T12], None, "loop", "answered"),
        ([A12, T1], None, "tool", "partly_answered"),
        ([TEXT, T1], None, "exit", "otherwise"),
        ([UserMessage("u"), T1], None, "exit", "otherwise"),
        ([A1, UserMessage("u")], None, "exit", "otherwise"),
        ([A1, SystemMessage("s")], None, "exit", "otherwise"),
        ([A1, AgentInstructionMessage("i")], None, "exit", "otherwise"),
    ],
)
def test_case_034_a_row_of_the_loop_exit(messages, jump, to, rule):
    made = route(messages, jump)

    assert (made.to, made.rule) == ((to,), rule)


def test_case_034_a_lone_tool_response_cannot_be_judged():
    with pytest.raises(RoutingError) as failure:
        route([T1])
    assert "Less than 2 messages" in failure.value.upstream


def test_case_034_the_tools_always_lead_back_even_for_a_direct_result():
    direct = ToolResponseMessage(T1.responses, metadata={FINISH_REASON: RETURN_DIRECT})

    assert route([A1, direct], "end", TOOL_RULES).to == ("loop",)


def test_case_034_ids_are_compared_as_sets():
    twice = asks(call("1", "t"), call("1", "t"))

    assert route([twice, T1]).rule == "answered"


MESSAGES = st.lists(
    st.sampled_from([UserMessage("u"), TEXT, A1, A12, T1, T12, SystemMessage("s")]), max_size=5
)


@given(MESSAGES, st.sampled_from([None, "end", "model", "tool", "none", 3]))
def test_exactly_one_rule_fires_and_rows_are_in_order(messages, jump):
    """A person reads the rows from the top to the one that fired."""
    try:
        made = route(messages, jump)
    except RoutingError:
        return

    assert [row.rule for row in made.rules] == [rule.word for rule in LOOP_EXIT_RULES]
    assert [row.rule for row in made.rules if row.fired] == [made.rule]
    assert made.why


@given(MESSAGES, st.sampled_from([None, "end", "model", "tool", "none", 3]))
def test_the_agents_own_router_is_this_table(messages, jump):
    """What the documentation prints is what the graph runs."""
    made = agent(["x"], tools=[Noting("t")])
    state = {"messages": messages} | ({} if jump is None else {"jump_to": jump})
    names = {"loop": "_AGENT_MODEL_", "exit": "__END__", "tool": "_AGENT_TOOL_"}
    try:
        expected = names[route(messages, jump).to[0]]
    except RoutingError:
        return

    assert made.compiled().next_of(NodeId("_AGENT_MODEL_"), state).to == (expected,)
