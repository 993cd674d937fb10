"""Summaries, the shell and skills."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookstepper.agent import (
    AgentInstructionMessage,
    AssistantMessage,
    ChatModel,
    HumanInTheLoopHook,
    ScriptedModel,
    SystemMessage,
    UserMessage,
)
from hookstepper.agent.builtin.shell import ShellSession, ShellTool, ShellToolAgentHook
from hookstepper.agent.builtin.skills import SkillsAgentHook
from hookstepper.agent.builtin.summarization import SummarizationHook, safe_cut
from hookstepper.agent.skills import SkillRegistry
from hookstepper.agent.tokens import count_tokens
from support.agent_kit import Counting, agent, answers, asks, call, texts, thread

LONG = [UserMessage("first"), *(AssistantMessage(f"a{n}" * 50) for n in range(6)), UserMessage("last")]


class Down(ScriptedModel):
    def reply_to(self, prompt):
        raise ConnectionError("down")


def summarised(messages, model=None, compat=None, **options):
    asked = Counting(["S"]) if model is None else model
    options = {"max_tokens_before_summary": 10, "messages_to_keep": 2} | options
    made = agent(hooks=[SummarizationHook(asked, **options)], compat=compat)
    return made.invoke(messages)["messages"][:-1], asked


def test_old_messages_give_way_to_a_summary_and_the_first_question_stays():
    messages, model = summarised(LONG)

    assert [m.role for m in messages] == ["user", "system", "assistant", "user"]
    assert messages[1].text.endswith("\nS")
    assert "Assistant: a0" in model.prompts[0].messages[0].text
    assert "first" not in model.prompts[0].messages[0].text


def test_short_conversations_and_a_missing_limit_change_nothing():
    assert summarised(LONG, max_tokens_before_summary=10_000)[0] == LONG
    assert summarised(LONG, max_tokens_before_summary=None)[0] == LONG
    assert summarised(LONG, messages_to_keep=50)[0] == LONG


@pytest.mark.parametrize(("compat", "times"), [("upstream", 2), ("fixed", 1)])
def test_a_first_question_among_the_newest_stands_there_twice_upstream(compat, times):
    messages = [
        SystemMessage("s" * 100),
        AssistantMessage("a" * 100),
        UserMessage("only"),
        AssistantMessage("b"),
    ]

    kept, _ = summarised(messages, compat=compat)

    assert [m.content for m in kept].count("only") == times


@pytest.mark.parametrize(("compat", "kept"), [("upstream", False), ("fixed", True)])
def test_a_failed_summary_costs_the_history_upstream(compat, kept):
    messages, _ = summarised(LONG, model=Down([]), compat=compat)

    assert (messages == LONG) is kept
    assert kept or "down" in messages[1].content


def test_an_instruction_is_of_an_unknown_role_in_a_summary():
    _, model = summarised([AgentInstructionMessage("i" * 80, rendered=True), *LONG])

    assert "Unknown: i" in model.prompts[0].messages[0].text


PIECES = st.lists(st.sampled_from(["user", "text", "round"]), max_size=12)


@given(PIECES, st.integers(1, 8))
def test_a_call_is_never_cut_off_from_its_answer(pieces, keep):
    messages = []
    for n, piece in enumerate(pieces):
        if piece == "round":
            messages += [asks(call(str(n), "t")), answers((str(n), "t", "r"))]
        else:
            messages.append(UserMessage("u") if piece == "user" else AssistantMessage("a"))

    cut = safe_cut(messages, keep)

    if cut:
        assert messages[cut].role != "tool" or messages[cut - 1].role != "assistant"
        assert len(messages) - cut >= min(keep, len(messages))


def test_tokens_are_counted_text_by_text():
    messages = [
        UserMessage("1234567"),
        asks(call("1", "t", "12345678"), text="123"),
        answers(("1", "t", "1234")),
    ]

    assert count_tokens(messages) == 1 + 0 + 2 + 1


# ---------------------------------------------------------------------------------------- the shell


def shell(tmp_path, *commands, **options):
    calls = [call(str(n), "shell", command) for n, command in enumerate(commands)]
    made = agent([asks(*calls), "x"], hooks=[ShellToolAgentHook(ShellTool(tmp_path, **options))])
    return [r.data for r in made.invoke("hi", thread("shell"))["messages"][2].responses]


def test_a_shell_keeps_its_state_between_commands_and_tells_exit_codes(tmp_path):
    rows = shell(
        tmp_path,
        '{"command": "X=5; mkdir d; cd d"}',
        '{"command": "echo $X; pwd; echo err >&2"}',
        '{"command": "false"}',
        '{"command": ""}',
        '{"restart": true}',
        '{"command": "echo [$X]"}',
    )

    assert rows[0] == "<no output>"
    assert rows[1] == f"5\n{(tmp_path / 'd').resolve()}\nerr"
    assert rows[2] == "<no output>\nExit code: 1"
    assert rows[3].startswith("Error: ")
    assert rows[5] == "[]"


def test_a_command_that_takes_too_long_costs_the_shell(tmp_path):
    rows = shell(tmp_path, '{"command": "X=1; sleep 60"}', '{"command": "echo [$X]"}', timeout=0.3)

    assert rows[0].startswith("Error: ")
    assert rows[1] == "[]"


def test_a_command_may_end_the_shell_itself_and_read_nothing(tmp_path):
    session = ShellSession(tmp_path, timeout=20)
    try:
        assert session.run("exit 3") == "<no output>\nExit code: 3"
        assert session.run("cat") == "<no output>"
        assert session.run("printf 'no newline'") == "no newline"
    finally:
        session.close()


def test_the_shell_is_gone_after_the_run(tmp_path):
    tool = ShellTool(tmp_path)
    seen = []

    class Peek(ScriptedModel):
        def reply_to(self, prompt):
            from hookstepper.agent.builtin.shell import _SESSIONS

            seen.append(_SESSIONS["peek"])
            return super().reply_to(prompt)

    agent(Peek(["x"]), hooks=[ShellToolAgentHook(tool)]).invoke("hi", thread("peek"))

    assert not seen[0].is_open


# ------------------------------------------------------------------------------------------- skills


@pytest.fixture
def registry(tmp_path):
    for name, about in (("pdf", "reads PDF files"), ("mail", "sends mail")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "SKILL.md").write_text(
            f"---\nname: {name}\ndescription: {about}\nallowed-tools: [x]\n---\nHow to {name}.\n"
        )
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "SKILL.md").write_bytes(b"\xff\xfe")
    return SkillRegistry(tmp_path)


def test_skills_are_listed_read_searched_and_taken_off(registry, tmp_path):
    script = [
        asks(
            call("1", "read_skill", '{"name": "pdf"}'),
            call("2", "read_skill", f'{{"path": "{tmp_path / "mail"}"}}'),
            call("3", "read_skill", '{"name": "none"}'),
            call("4", "search_skills", '{"query": "mail sends"}'),
            call("5", "disable_skill", '{"name": "mail"}'),
            call("6", "disable_skill", '{"name": "mail"}'),
            call("7", "disable_skill", '{"name": "none"}'),
            call("8", "read_skill", "{}"),
            call("9", "read_skill", f'{{"name": "pdf", "path": "{tmp_path / "mail"}"}}'),
        ),
        "x",
    ]
    model = Counting(script)
    state = agent(model, hooks=[SkillsAgentHook(registry)]).invoke("hi")
    rows = [r.data for r in state["messages"][2].responses]

    assert rows[:2] == ["How to pdf.", "How to mail."]
    assert rows[3] == "- mail: sends mail"
    assert [row.startswith("Error") for row in rows] == [
        False,
        False,
        True,
        False,
        False,
        False,
        True,
        True,
        True,
    ]
    assert "off the list now" in rows[4]
    assert "already" in rows[5]
    first, second = (prompt.messages[0].text for prompt in model.prompts)
    assert "- mail: sends mail" in first
    assert "- mail: sends mail" not in second


def test_a_skill_that_was_read_brings_its_tools(registry):
    from support.agent_kit import Noting

    extra, allowed = Noting("extra"), Noting("x")
    hook = SkillsAgentHook(registry, grouped_tools={"pdf": [extra.tool]}, resolver={"x": allowed.tool}.get)
    model = Counting([asks(call("1", "read_skill", '{"name": "pdf"}')), asks(call("2", "extra")), "x"])

    state = agent(model, hooks=[hook]).invoke("hi")

    assert "extra" not in [tool.name for tool in model.prompts[0].tools]
    assert [tool.name for tool in model.prompts[1].tools][-2:] == ["extra", "x"]
    assert len(extra.calls) == 1
    assert texts(state)[-1] == "assistant: x"


@pytest.mark.parametrize("compat", ["upstream", "fixed"])
def test_tools_of_a_skill_are_unknown_after_an_approval_upstream(registry, compat):
    """They live in the run's context, which no checkpoint keeps."""
    from support.agent_kit import Noting

    extra = Noting("extra", "did it")
    hooks = [SkillsAgentHook(registry, grouped_tools={"pdf": [extra.tool]}), HumanInTheLoopHook("extra")]
    script = [asks(call("1", "read_skill", '{"name": "pdf"}')), asks(call("2", "extra")), "x"]
    made = agent(script, hooks=hooks, saver=True, compat=compat)
    asked = made.run("hi", thread()).interruption
    approved = [replace(feedback, result="APPROVED") for feedback in asked.tool_feedbacks]

    state = made.run({}, thread().resuming(asked.answered(approved))).state

    told = "did it" if compat == "fixed" else "There is no tool named extra."
    assert state["messages"][-2].responses[0].data == told


def test_a_registry_of_the_users_own_need_not_reload(registry):
    class Fixed:
        find, search, all = registry.find, registry.search, registry.all

    assert agent(hooks=[SkillsAgentHook(Fixed(), auto_reload=True)]).call("hi").text == "ok"


async def test_a_summary_does_not_block_the_event_loop():
    """The model is asked by its async method there."""

    class Both(ChatModel):
        def call(self, prompt):
            raise AssertionError("asked by the sync method on an event loop")

        async def acall(self, prompt):
            return "theirs"

    hook = SummarizationHook(Both(), max_tokens_before_summary=1, messages_to_keep=1)

    state = await agent(hooks=[hook]).ainvoke(LONG)

    assert state["messages"][1].text.endswith("theirs")
