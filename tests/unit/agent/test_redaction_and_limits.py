"""Cases 56 to 77: personal data, limits, and results that go straight to the user."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookstepper.agent import (
    APPEND,
    AssistantMessage,
    Media,
    ModelCallLimitExceededError,
    ModelCallLimitHook,
    PIIDetectionError,
    PIIDetectionHook,
    PIIType,
    RedactionStrategy,
    RemoveByHash,
    ReturnDirectModelHook,
    ToolCallLimitExceededError,
    ToolCallLimitHook,
    UserMessage,
    after_model,
    regex_detector,
)
from hookstepper.agent.builtin.pii import detector_for, java_hash
from hookstepper.agent.builtin.return_direct import answer_of
from hookstepper.agent.react_agent import AgentError
from support.agent_kit import Counting, Noting, agent, answers, asks, call, texts, thread


def replaced(kind, strategy, text, **options):
    return PIIDetectionHook(kind, strategy, **options).replaced(text)


def test_case_056_an_address_is_redacted_in_the_state():
    made = agent(hooks=[PIIDetectionHook("EMAIL")])

    state = made.invoke("我的邮箱地址是 test@example.com，请记住它。")

    assert state["messages"][0].text == "我的邮箱地址是 [REDACTED_EMAIL]，请记住它。"


def test_case_057_cards_are_masked_if_their_check_digit_is_right():
    assert replaced("CREDIT_CARD", "MASK", "card 4111111111111111") == "card ************1111"
    assert replaced("CREDIT_CARD", "MASK", "4532-0151-1283-0366") == "***************0366"
    assert replaced("CREDIT_CARD", "MASK", "1234 5678 9012 3456") == "1234 5678 9012 3456"


def test_case_058_hashes_are_those_of_java():
    assert replaced("EMAIL", "HASH", "test@example.com") == "<email_hash:ac34084f>"
    assert replaced("CREDIT_CARD", "HASH", "4111111111111111") == "<credit_card_hash:5ba8ea9d>"
    assert f"{java_hash('192.168.1.100'):08x}" == "85bc0dd5"
    assert f"{java_hash('你好@x.com😀'):08x}" == "8deca68b"


def test_case_059_block_fails_the_run_before_the_model():
    model = Counting(["never"])

    result = agent(model, hooks=[PIIDetectionHook("IP", "BLOCK")]).run("from 192.168.1.100")

    assert isinstance(result.error, PIIDetectionError)
    assert "IP found once" in str(result.error)
    assert [match.value for match in result.error.matches] == ["192.168.1.100"]
    assert model.calls == 0


def test_case_060_a_custom_type_needs_a_detector_and_is_named_custom():
    with pytest.raises(ValueError, match="CUSTOM"):
        PIIDetectionHook("CUSTOM")
    phone = regex_detector("phone", r"\d{3}-\d{4}")

    assert replaced("CUSTOM", "REDACT", "call 555-1234", detector=phone) == "call [REDACTED_CUSTOM]"


def test_case_061_only_the_head_of_an_url_is_taken():
    text = "see https://example.com/path?q=1 now"

    assert replaced("URL", "REDACT", text) == "see [REDACTED_URL]path?q=1 now"


ROWS = [
    ("EMAIL", "test@example.com", ["test@example.com"], ["test@example.com"]),
    ("EMAIL", "邮箱test@example.com谢谢", [], ["test@example.com"]),
    ("CREDIT_CARD", "卡4111111111111111号", [], ["4111111111111111"]),
    ("IP", "我的地址是 192.168.1.100，请", ["192.168.1.100"], ["192.168.1.100"]),
    ("IP", "1.2.3.4.5", ["1.2.3.4"], ["1.2.3.4"]),
    ("IP", "v1.2.3.4", [], []),
    ("IP", "300.1.1.1", [], []),
    ("IP", "010.001.000.009", ["010.001.000.009"], ["010.001.000.009"]),
    ("EMAIL", "user@host.c|m", ["user@host.c|m"], ["user@host.c|m"]),
    ("MAC_ADDRESS", "00:1A:2B:3C:4D:5E:6F", ["00:1A:2B:3C:4D:5E"], ["00:1A:2B:3C:4D:5E"]),
    ("URL", "see https://example.com/path?q=1 now", ["https://example.com/"], ["https://example.com/"]),
    ("URL", "https://example.com/ foo", ["https://example.com/ "], ["https://example.com/ "]),
    ("URL", "https://example.com/", ["https://example.com"], ["https://example.com"]),
    ("URL", "http://localhost:8080/x", [], []),
    ("URL", "https://a.b.c:8443/x", ["https://a.b.c"], ["https://a.b.c"]),
]


@pytest.mark.parametrize(("kind", "text", "unicode", "ascii_only"), ROWS)
def test_case_062_what_counts_as_a_boundary(kind, text, unicode, ascii_only):
    """Java 17 takes a Chinese letter for a letter there, Java 19 does not: both were measured."""
    for boundary, expected in (("unicode", unicode), ("ascii", ascii_only)):
        found = detector_for(PIIType(kind), boundary)(text)
        assert [match.value for match in found] == expected, boundary


@pytest.mark.parametrize(
    ("compat", "under_the_key"), [("upstream", "mail a@b.co"), ("fixed", "mail [REDACTED_EMAIL]")]
)
def test_case_063_answers_are_redacted_in_the_state_and_not_under_the_output_key(compat, under_the_key):
    """What `call` gives back is what is under the key: there the address would get out."""
    calls = (call("1", "t", '{"to": "a@b.co"}'),)
    answer = AssistantMessage("mail a@b.co", calls, metadata={"m": 1})
    redaction = PIIDetectionHook("EMAIL", apply_to_output=True)
    made = agent([answer], hooks=[redaction], output_key="o", compat=compat)

    state = made.invoke("hi")

    assert state["messages"][-1] == AssistantMessage("mail [REDACTED_EMAIL]", calls, metadata={"m": 1})
    assert state["o"].text == under_the_key


@pytest.mark.parametrize("compat", ["upstream", "fixed"])
def test_the_output_key_follows_the_hooks_in_fixed_rules(compat):
    """A limit, a direct result: in fixed rules the answer is the one that the conversation ends with."""
    limited = agent(
        [asks(call("1", "t")), "x"],
        tools=[Noting("t")],
        hooks=[ModelCallLimitHook(run_limit=1)],
        output_key="o",
        compat=compat,
    ).invoke("hi")
    direct = agent(
        [asks(call("1", "d")), "x"],
        tools=[Noting("d", "direct", return_direct=True)],
        hooks=[ReturnDirectModelHook()],
        output_key="o",
        compat=compat,
    ).invoke("hi")

    for state, text in ((limited, "Stopped"), (direct, "direct")):
        assert state["messages"][-1].text.startswith(text)
        assert state["o"] == (state["messages"][-1] if compat == "fixed" else asks(*state["o"].tool_calls))


def test_an_output_key_with_a_strategy_of_its_own_is_left_to_it():
    """There each answer of the model is kept as it came."""
    redaction = PIIDetectionHook("EMAIL", apply_to_output=True)

    state = agent(
        ["mail a@b.co"], hooks=[redaction], output_key="o", output_key_strategy=APPEND, compat="fixed"
    ).invoke("hi")

    assert [message.text for message in state["o"]] == ["mail a@b.co"]


async def test_the_output_key_follows_async_hooks_too():
    @after_model
    async def shorten(state):
        last = state["messages"][-1]
        return {"messages": [AssistantMessage("short"), RemoveByHash(last)]}

    state = await agent(["long"], hooks=[shorten], output_key="o", compat="fixed").ainvoke("hi")

    assert state["o"].text == "short"


def test_case_064_a_tool_calling_message_without_text_fails_upstream_and_is_skipped_when_fixed():
    for compat, status in (("upstream", "failed"), ("fixed", "completed")):
        made = agent(
            [asks(call("1", "t")), "done"],
            tools=[Noting("t")],
            hooks=[PIIDetectionHook("EMAIL", apply_to_output=True)],
            compat=compat,
        )
        assert made.run("hi").status == status


def test_case_065_tool_results_are_redacted_one_by_one():
    made = agent(
        [asks(call("1", "t"), call("2", "u")), "done"],
        tools=[Noting("t", "a@b.co"), Noting("u", "clean")],
        hooks=[PIIDetectionHook("EMAIL", apply_to_tool_results=True)],
    )

    responses = made.invoke("hi")["messages"][2].responses

    assert [(r.id, r.data) for r in responses] == [("1", "[REDACTED_EMAIL]"), ("2", "clean")]


@pytest.mark.parametrize(("compat", "kept"), [("upstream", 0), ("fixed", 1)])
def test_case_066_media_of_a_changed_message_are_lost_upstream(compat, kept):
    made = agent(hooks=[PIIDetectionHook("EMAIL")], compat=compat)

    state = made.invoke([UserMessage("a@b.co", media=[Media("image/png", "x")])])

    assert len(state["messages"][0].media) == kept


def test_overlapping_matches_of_a_custom_detector_are_refused():
    from hookstepper.agent import PIIMatch

    def twice(text):
        return [PIIMatch("x", 0, 4, text[:4]), PIIMatch("x", 2, 6, text[2:6])]

    with pytest.raises(ValueError, match="overlapping"):
        replaced("CUSTOM", "MASK", "abcdefgh", detector=twice)


@given(
    st.text(),
    st.sampled_from(list(RedactionStrategy)),
    st.sampled_from([t for t in PIIType if t.value != "CUSTOM"]),
)
def test_replacing_never_fails_and_leaves_nothing_to_find(text, strategy, kind):
    """A masked value may look like one again; redacted and hashed ones may not."""
    hook = PIIDetectionHook(kind, strategy)
    try:
        once = hook.replaced(text)
    except PIIDetectionError:
        assert strategy is RedactionStrategy.BLOCK
        return
    if strategy in (RedactionStrategy.REDACT, RedactionStrategy.HASH):
        assert hook.replaced(once) == once


# ------------------------------------------------------------------------------------------- limits


def test_case_067_a_limit_may_fail_the_run_and_does_not_outlive_it():
    model = Counting([asks(call("1", "t"))], exhausted="x")
    made = agent(
        model,
        tools=[Noting("t")],
        hooks=[ModelCallLimitHook(thread_limit=1, exit_behavior="ERROR")],
        saver=True,
    )

    failed = made.run("a", thread())
    again = made.run("b", thread("other"))

    assert isinstance(failed.error, ModelCallLimitExceededError)
    assert (failed.error.thread_count, failed.error.run_count) == (1, 1)
    assert isinstance(again.error, ModelCallLimitExceededError)
    assert model.calls == 2


@pytest.mark.parametrize(("compat", "calls"), [("upstream", 2), ("fixed", 1)])
def test_a_thread_limit_is_one_of_the_run_upstream(compat, calls):
    model = Counting(["x", "y"])
    made = agent(model, hooks=[ModelCallLimitHook(thread_limit=1)], saver=True, compat=compat)

    made.run("a", thread())
    made.run("b", thread())

    assert model.calls == calls


def test_case_068_a_run_limit_ends_the_run_with_a_message():
    tool, model = Noting("t"), Counting([asks(call("1", "t"))])
    state = agent(model, tools=[tool], hooks=[ModelCallLimitHook(run_limit=1)]).invoke("hi")

    assert "run limit 1/1" in texts(state)[-1]
    assert (len(tool.calls), model.calls) == (1, 1)


def test_case_069_both_limits_are_named_in_order():
    model = Counting([asks(call("1", "t")), asks(call("2", "t"))])
    state = agent(model, tools=[Noting("t")], hooks=[ModelCallLimitHook(thread_limit=2, run_limit=2)]).invoke(
        "hi"
    )

    assert "(thread limit 2/2, run limit 2/2)" in texts(state)[-1]


def test_case_070_the_message_that_crosses_a_tool_limit_still_runs_whole():
    tool = Noting("t")
    made = agent(
        [asks(*(call(str(n), "t") for n in range(3)))],
        tools=[tool],
        hooks=[ToolCallLimitHook(thread_limit=2, exit_behavior="ERROR")],
    )

    result = made.run("hi")

    assert isinstance(result.error, ToolCallLimitExceededError)
    assert (len(tool.calls), result.error.thread_count) == (3, 3)
    assert "thread limit 3/2" in str(result.error)


def test_case_071_a_limit_on_one_tool_counts_only_that_one():
    hooks = [ToolCallLimitHook("x", run_limit=1)]
    script = [asks(call("1", "t")), asks(call("2", "t")), asks(call("3", "x")), "never"]

    state = agent(script, tools=[Noting("t"), Noting("x")], hooks=hooks).invoke("hi")

    assert "calls of x" in texts(state)[-1]
    assert len([m for m in state["messages"] if m.role == "tool"]) == 3


@pytest.mark.parametrize("kind", [ModelCallLimitHook, ToolCallLimitHook])
def test_case_072_a_limit_hook_needs_a_limit(kind):
    with pytest.raises(ValueError, match="thread_limit or run_limit"):
        kind()


@pytest.mark.upstream
def test_case_073_a_limit_of_nothing_leaves_the_output_key_empty():
    made = agent(hooks=[ModelCallLimitHook(run_limit=0)], output_key="o")

    with pytest.raises(AgentError, match="'o'"):
        made.call("hi")


@pytest.mark.fixed
def test_case_073_in_fixed_rules_the_limits_message_is_the_answer():
    made = agent(hooks=[ModelCallLimitHook(run_limit=0)], output_key="o")

    assert made.call("hi").text.startswith("Stopped")


# ------------------------------------------------------------------------------------ return direct


def direct(tools, script, compat=None, hooks=None):
    model = Counting(script)
    hooks = [ReturnDirectModelHook()] if hooks is None else hooks
    return agent(model, tools=tools, hooks=hooks, compat=compat).invoke("hi"), model


def test_case_074_a_direct_result_is_the_answer():
    state, model = direct([Noting("d", "raw", return_direct=True)], [asks(call("1", "d"))])

    assert (model.calls, texts(state)[-1]) == (1, "assistant: raw")


@pytest.mark.parametrize(
    ("data", "answer"),
    [
        ([], ""),
        (["raw"], "raw"),
        (["City1", "City2"], '["City1","City2"]'),
        (['{"a":1}', None, 'x"y'], '[{"a":1},null,"x\\"y"]'),
    ],
)
def test_case_075_several_direct_results_are_a_json_array(data, answer):
    message = answers(*((str(at), "t", item) for at, item in enumerate(data)))

    assert answer_of(message) == answer


def test_case_076_other_tools_go_on_to_the_model():
    _, model = direct([Noting("n")], [asks(call("1", "n")), "done"])

    assert model.calls == 2


def test_case_077_one_tool_that_is_not_direct_keeps_the_loop_going():
    tools = [Noting("d", return_direct=True), Noting("n")]

    _, model = direct(tools, [asks(call("1", "d"), call("2", "n")), "done"])

    assert model.calls == 2


@pytest.mark.parametrize(("compat", "calls"), [("upstream", 2), ("fixed", 1)])
def test_case_077_without_the_hook_return_direct_does_nothing_upstream(compat, calls):
    _, model = direct([Noting("d", return_direct=True)], [asks(call("1", "d")), "done"], compat, hooks=[])

    assert model.calls == calls
