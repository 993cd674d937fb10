"""The table of differences: every row has its tests, and the page is printed from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hookstepper.agent import AgentInstructionMessage, CompileConfig, MemorySaver, ScriptedModel
from hookstepper.agent.builtin_interceptors.emulator import ToolEmulatorInterceptor
from hookstepper.agent.builtin_interceptors.sub_agents import SubAgentInterceptor, SubAgentSpec
from hookstepper.agent.compat import AGENT, document
from hookstepper.agent.flow import SequentialAgent
from hookstepper.agent.model_node import ask_for_schema
from support.agent_kit import Counting, Noting, agent, asks, call

HERE = Path(__file__)
ROOT = HERE.parents[3]


@pytest.mark.parametrize("row", AGENT, ids=[row.id for row in AGENT])
def test_every_row_is_proved_by_a_test(row):
    """A claim about the Java agent that nothing holds is worse than none."""
    names = "\n".join(
        line
        for file in HERE.parent.glob("test_*.py")
        for line in file.read_text().splitlines()
        if "def test_" in line
    )

    for part in row.proof.split(", "):
        assert part in names, part
    assert (row.treatment == "kept") == (not row.here)


def test_the_page_is_current():
    assert (ROOT / "docs" / "compat.md").read_text(encoding="utf-8") == document()


@pytest.mark.parametrize(("compat", "told"), [("upstream", "not described"), ("fixed", "does t")])
def test_what_a_played_tool_does_is_told_in_fixed_rules(compat, told):
    player = Counting(["played"])

    agent(
        [asks(call("1", "t")), "x"],
        tools=[Noting("t")],
        interceptors=[ToolEmulatorInterceptor(player)],
        compat=compat,
    ).invoke("hi")

    assert told in player.prompts[0].messages[0].text


@pytest.mark.parametrize(("compat", "limit"), [("upstream", 100), ("fixed", 7)])
def test_a_flow_with_a_saver_forgets_its_limit_upstream(compat, limit):
    flow = SequentialAgent(
        "f",
        [agent(name="a")],
        saver=MemorySaver(),
        compile_config=CompileConfig(recursion_limit=7),
        compat=compat,
    )

    assert flow.compiled().config.recursion_limit == limit


@pytest.mark.parametrize(("compat", "seen"), [("upstream", [1, 3]), ("fixed", [1, 1])])
def test_tasks_share_a_thread_upstream(compat, seen):
    helper = Counting(["one", "two"], exhausted="more")
    ring = SubAgentInterceptor([SubAgentSpec(name="h", description="helps", model=helper)])
    task = '{"description": "do it", "subagent_type": "h"}'
    model = Counting([asks(call("1", "task", task)), asks(call("2", "task", task)), "x"])

    agent(model, interceptors=[ring], compat=compat).invoke("hi")

    assert [len(prompt.messages) for prompt in helper.prompts] == seen
    assert "- h: helps" in model.prompts[0].messages[0].text


def test_a_helper_that_is_not_there_or_fails_is_an_answer():
    class Down(ScriptedModel):
        def reply_to(self, prompt):
            raise ValueError("down")

    ring = SubAgentInterceptor(default_model=ScriptedModel(["general answer"]))
    rows = [
        call("1", "task", '{"description": "d", "subagent_type": "nobody"}'),
        call("2", "task", '{"description": "d", "subagent_type": "general-purpose"}'),
    ]

    state = agent([asks(*rows), "x"], interceptors=[ring]).invoke("hi")

    data = [r.data for r in state["messages"][2].responses]
    assert "nobody" in data[0]
    assert "general-purpose" in data[0]
    assert data[1] == "general answer"
    with pytest.raises(ValueError, match="no model"):
        SubAgentInterceptor([SubAgentSpec(name="h", description="d")])


@pytest.mark.parametrize(("once", "times"), [(False, 2), (True, 1)])
def test_an_output_schema_behind_an_instruction_is_added_again_upstream(once, times):
    messages = [AgentInstructionMessage('do it\n{"a": 1}', rendered=True)]

    ask_for_schema(messages, '{"a": 1}', once=once)

    assert messages[0].text.replace("\\", "").count('{"a": 1}') == times


def test_case_097_in_fixed_rules_the_input_becomes_the_users_message():
    model = Counting(["x"])

    agent(model, compat="fixed").invoke({"input": "x"})

    assert [m.content for m in model.prompts[0].messages] == ["x"]
