"""Cases 35 to 55: a person is asked, and a person puts a word in."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hookstepper.agent import (
    AgentError,
    AssistantMessage,
    HumanInTheLoopHook,
    Interruption,
    InterruptionHook,
    ModelHook,
    RunConfig,
    ToolFeedback,
    ToolResponseMessage,
    UserMessage,
)
from hookstepper.agent.builtin.hitl import ToolConfig
from hookstepper.model.errors import NotPossibleError, SpecError
from support.agent_kit import AM, BM, Counting, Noting, agent, answers, asks, call, hook, texts, thread


def poem_agent(script, *, hooks=(), tools=(), on=None, saver=True, **options):
    poem = Noting("poem", "roses")
    hitl = HumanInTheLoopHook(on or {"poem": "confirm"})
    made = agent(script, hooks=hooks or [hitl], tools=[poem, *tools], saver=saver, limit=100, **options)
    return made, poem


def answered(asked: Interruption, **by_id):
    """The interruption with these feedback fields by call id; `_1` is the id `1`."""
    rows = [replace(f, **by_id[f"_{f.id}"]) for f in asked.tool_feedbacks if f"_{f.id}" in by_id]
    return thread().resuming(asked.answered(rows))


APPROVED = {"result": "APPROVED"}


def test_case_035_approved_calls_run_once():
    made, poem = poem_agent([asks(call("1", "poem", '{"about": "a"}')), "end"])

    asked = made.run("hi", thread()).interruption
    assert asked is not None
    (feedback,) = asked.tool_feedbacks
    result = made.run({}, answered(asked, _1=APPROVED))

    assert (feedback.id, feedback.name, feedback.arguments) == ("1", "poem", '{"about": "a"}')
    assert feedback.description
    assert feedback.result is None
    assert result.status == "completed"
    assert poem.calls == [{"about": "a"}]


def test_case_036_a_refused_call_does_not_run_and_the_model_reads_why():
    made, poem = poem_agent([asks(call("1", "poem")), "as you wish"])
    asked = made.run("hi", thread()).interruption

    state = made.run({}, answered(asked, _1={"result": "REJECTED", "description": "too long"})).state

    assert poem.calls == []
    assert isinstance(state["messages"][2], ToolResponseMessage)
    assert "too long" in state["messages"][2].content
    assert texts(state)[-1] == "assistant: as you wish"


def test_case_037_edited_arguments_reach_the_tool_and_the_message():
    made, poem = poem_agent([asks(call("1", "poem", '{"about": "a"}')), "end"])
    asked = made.run("hi", thread()).interruption

    state = made.run({}, answered(asked, _1={"result": "EDITED", "arguments": '{"about": "b"}'})).state

    assert poem.calls == [{"about": "b"}]
    stored = next(m for m in state["messages"] if isinstance(m, AssistantMessage) and m.tool_calls)
    assert stored.tool_calls == (call("1", "poem", '{"about": "b"}'),)


def test_case_038_half_an_answer_asks_again_about_all():
    made, poem = poem_agent([asks(call("1", "poem"), call("2", "poem")), "end"])
    asked = made.run("hi", thread()).interruption

    again = made.run({}, answered(asked, _1=APPROVED)).interruption
    assert again is not None
    result = made.run({}, answered(again, _1=APPROVED, _2=APPROVED))

    assert len(again.tool_feedbacks) == 2
    assert (result.status, len(poem.calls)) == ("completed", 2)


def test_case_039_each_round_asks_for_itself():
    made, _ = poem_agent([asks(call("1", "poem")), asks(call("2", "poem")), "end"])
    first = made.run("hi", thread()).interruption

    second = made.run({}, answered(first, _1=APPROVED)).interruption

    assert [len(asked.tool_feedbacks) for asked in (first, second)] == [1, 1]
    assert made.run({}, answered(second, _2=APPROVED)).status == "completed"


def test_case_040_mixed_decisions_put_the_refusal_first_in_the_responses():
    other = Noting("other", "o")
    made, poem = poem_agent(
        [asks(call("1", "poem"), call("2", "poem"), call("3", "other")), "end"],
        tools=[other],
        on=["poem", "other"],
    )
    asked = made.run("hi", thread()).interruption

    config = answered(
        asked,
        _1=APPROVED,
        _2={"result": "EDITED", "arguments": '{"n": 2}'},
        _3={"result": "REJECTED", "description": "no"},
    )
    state = made.run({}, config).state

    responses = next(m for m in state["messages"] if isinstance(m, ToolResponseMessage)).responses
    assert [r.id for r in responses] == ["3", "1", "2"]
    assert poem.calls == [{}, {"n": 2}]
    assert other.calls == []


def test_case_041_the_question_names_tool_reason_and_arguments():
    made, _ = poem_agent([asks(call("1", "poem", "a"))], on={"poem": ToolConfig("confirm")})

    asked = made.run("hi", thread()).interruption

    lines = asked.tool_feedbacks[0].description.split("\n")
    assert "poem" in lines[0]
    assert "confirm" in lines[1]
    assert lines[2].endswith(" a")
    assert len(lines) == 4


def test_case_042_calls_that_need_nobody_do_not_ask():
    free = Noting("free")
    made, _ = poem_agent(
        [asks(call("1", "free")), asks(call("2", "free"), call("3", "poem")), "end"], tools=[free]
    )

    asked = made.run("hi", thread()).interruption

    assert len(free.calls) == 1
    assert [f.id for f in asked.tool_feedbacks] == ["3"]
    assert [row.id for row in asked.approved] == ["2"]
    assert made.run({}, answered(asked, _3=APPROVED)).status == "completed"
    assert len(free.calls) == 2


def test_case_043_resuming_with_nothing_to_say_is_an_error_that_names_the_hook():
    made, _ = poem_agent([asks(call("1", "poem"))])
    made.run("hi", thread())

    result = made.run({}, thread().resuming())

    assert result.status == "failed"
    assert "'HITL'" in str(result.error)


def test_case_044_resuming_without_a_saver_is_refused():
    made, _ = poem_agent([asks(call("1", "poem"))], saver=False)
    asked = made.run("hi", thread()).interruption

    with pytest.raises(NotPossibleError, match="keeps no checkpoints"):
        made.run({}, answered(asked, _1=APPROVED))


def test_case_045_a_text_given_with_the_answer_comes_before_the_decided_message():
    made, _ = poem_agent([asks(call("1", "poem")), "end"])
    asked = made.run("hi", thread()).interruption

    state = made.run("go", answered(asked, _1=APPROVED)).state

    assert [m.role for m in state["messages"]] == ["user", "user", "assistant", "tool", "assistant"]
    assert state["messages"][1].content == "go"


@pytest.mark.parametrize(("compat", "runs"), [("upstream", 0), ("fixed", 1)])
def test_case_046_feedback_without_a_decision_drops_a_call_that_needed_none(compat, runs):
    free = Noting("free")
    made, _ = poem_agent([asks(call("1", "poem"), call("2", "free")), "end"], tools=[free], compat=compat)
    asked = made.run("hi", thread()).interruption
    extra = ToolFeedback("2", "free", "{}")

    rows = [replace(asked.tool_feedbacks[0], result="APPROVED"), extra]
    made.run({}, thread().resuming(asked.answered(rows)))

    assert len(free.calls) == runs


def test_case_047_the_question_is_named_without_the_position():
    made, _ = poem_agent([asks(call("1", "poem"))])

    result = made.run("hi", thread())

    assert result.interruption.node == "_AGENT_HOOK_HITL"
    assert result.next == ("_AGENT_HOOK_HITL.afterModel",)


def test_case_048_hooks_registered_later_ran_before_the_question_and_do_not_run_again():
    seen: list[str] = []
    made, _ = poem_agent(
        [asks(call("1", "poem")), "end"],
        hooks=[hook("L", seen, AM), HumanInTheLoopHook(["poem"]), hook("K", seen, AM)],
    )
    asked = made.run("hi", thread()).interruption
    assert seen == ["K.aM"]

    made.run({}, answered(asked, _1=APPROVED))

    assert seen == ["K.aM", "L.aM", "K.aM", "L.aM"]


def test_call_gives_the_waiting_message_as_if_it_were_an_answer():
    made, _ = poem_agent([asks(call("1", "poem"))])

    assert made.call("hi", thread()).tool_calls


def test_a_custom_hook_that_asks_is_only_asked_in_fixed_rules():
    class Asking(ModelHook):
        def interrupt(self, node_id, state, config):
            return Interruption(node=node_id, metadata={"message": "sure?"})

    for compat, status in (("upstream", "completed"), ("fixed", "interrupted")):
        assert agent(hooks=[Asking()], saver=True, compat=compat).run("hi", thread()).status == status


# ------------------------------------------------------------------------------- the interruption hook


def stoppable(script=("one", "two", "three"), **options):
    return agent(script, hooks=[InterruptionHook()], saver=True, **options)


def test_case_049_an_empty_list_stops_the_run_before_the_model():
    made = stoppable()
    made.interrupt(thread())

    result = made.run("hi", thread())

    assert result.status == "interrupted"
    assert result.interruption.metadata == {"interruption_requested": True}
    assert result.interruption.node == "_AGENT_HOOK_INTERRUPTION.beforeModel"


@pytest.mark.parametrize("feedback", [[UserMessage("x")], "text", None])
def test_case_050_anything_else_does_not_stop(feedback):
    made = stoppable()
    if feedback is not None:
        made.interrupt(thread(), feedback)

    assert made.run("hi", thread()).status == "completed"


@pytest.mark.parametrize(
    ("feedback", "added"),
    [
        ("text", ["user: text"]),
        ([UserMessage("a"), UserMessage("b")], ["user: a", "user: b"]),
        (UserMessage("c"), ["user: c"]),
        (123, []),
    ],
)
def test_cases_051_052_053_what_was_left_is_put_in_and_forgotten(feedback, added):
    made = stoppable()
    made.interrupt(thread(), feedback)

    state = made.run("hi", thread()).state

    assert texts(state) == ["user: hi", *added, "assistant: one"]
    assert made.memory_of("t") == {}


def test_case_054_it_works_on_an_empty_history():
    made = stoppable()
    made.interrupt(thread(), "first")

    assert texts(made.run([], thread()).state) == ["user: first", "assistant: one"]


@pytest.mark.parametrize(("compat", "left"), [("upstream", 0), ("fixed", 1)])
def test_case_055_a_word_given_while_tools_are_waited_for_is_lost_upstream(compat, left):
    made = stoppable(compat=compat)
    made.interrupt(thread(), "late")

    made.run([UserMessage("hi"), asks(call("1", "t"))], thread())

    assert len(made.memory_of("t")) == left


def test_case_055_an_interruption_needs_a_thread():
    with pytest.raises(ValueError, match="thread_id"):
        stoppable().interrupt(RunConfig())


def test_an_interruption_repeats_until_something_else_is_said():
    made = stoppable()
    made.interrupt(thread())
    made.run("hi", thread())

    assert made.run("again", thread()).status == "interrupted"
    made.interrupt(thread(), "go on")
    assert made.run("now", thread()).status == "completed"


def test_an_agent_without_an_answer_says_so():
    made = agent(hooks=[hook("J", [], BM, jumps=["end"], gives={BM: [{"jump_to": "end"}]})])

    with pytest.raises(AgentError, match="no assistant message"):
        made.call("hi")


def test_answers_are_kept_where_the_history_is_complete():
    """The candidate of a question is the newest assistant message, unless its tools have answered."""
    made, poem = poem_agent(Counting(["x", "end"]))

    result = made.run([asks(call("1", "poem")), answers(("1", "poem", "x"))], thread())

    assert result.status == "completed"
    assert poem.calls == []


@pytest.mark.parametrize("word", ["approved", "Approved", "APPROVED"])
def test_a_decision_may_be_written_in_any_case(word):
    made, poem = poem_agent([asks(call("1", "poem")), "end"])
    asked = made.run("hi", thread()).interruption

    assert made.run({}, answered(asked, _1={"result": word})).status == "completed"
    assert len(poem.calls) == 1


@pytest.mark.parametrize("word", ["MAYBE", "", "reject", 1])
def test_a_word_that_is_no_decision_is_refused_before_anything_runs(word):
    """Taken for a decision it would lose the call, or run one that a person did not want."""
    made, _ = poem_agent([asks(call("1", "poem")), "end"])
    asked = made.run("hi", thread()).interruption

    with pytest.raises(SpecError, match="no decision about the call '1' of poem"):
        answered(asked, _1={"result": word})


@pytest.mark.parametrize("compat", ["upstream", "fixed"])
def test_a_refusal_without_words_gives_the_question_for_a_reason_upstream(compat):
    """The description of a feedback is both: the question, and what the person says."""
    made, _ = poem_agent([asks(call("1", "poem")), "end"], compat=compat)
    asked = made.run("hi", thread()).interruption

    told = made.run({}, answered(asked, _1={"result": "REJECTED"})).state["messages"][2].content

    assert ("May it run?" in told) == (compat == "upstream")
    assert ("No reason was given" in told) == (compat == "fixed")


@pytest.mark.parametrize("compat", ["upstream", "fixed"])
def test_a_decided_message_takes_the_place_of_an_older_one_like_it_upstream(compat):
    """Then the older one's result stands there without its request, which model servers refuse."""
    made, _ = poem_agent([asks(call("1", "poem")), asks(call("1", "poem")), "end"], compat=compat)
    asked = made.run("hi", thread()).interruption
    again = made.run({}, answered(asked, _1=APPROVED)).interruption

    state = made.run({}, answered(again, _1=APPROVED)).state

    roles = [message.role for message in state["messages"]]
    in_order = ["user", "assistant", "tool", "assistant", "tool", "assistant"]
    assert roles == (
        in_order if compat == "fixed" else ["user", "tool", "assistant", "assistant", "tool", "assistant"]
    )
