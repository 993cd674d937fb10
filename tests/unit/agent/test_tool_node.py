"""Cases 78 to 85 and 94 to 97: the tool node and the model node."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from hookstepper.agent import (
    APPEND,
    AgentInstructionMessage,
    AssistantMessage,
    ChatChunk,
    ChatModel,
    ModelHook,
    ModelResponse,
    RemoveByHash,
    ScriptedModel,
    SystemMessage,
    Tool,
    ToolContext,
    ToolExecutionError,
    ToolInterceptor,
    ToolResponseMessage,
    UserMessage,
    tool,
    wrap_model_call,
    wrap_tool_call,
)
from hookstepper.agent.running import output_type
from hookstepper.agent.tool_node import ToolNode, ToolNodeError
from hookstepper.engine.config import RunConfig
from hookstepper.engine.driver import Driver
from hookstepper.engine.state import State
from support.agent_kit import AM, BM, Counting, Noting, agent, answers, asks, call, hook, texts, thread


def update_of(node: ToolNode, messages, config=None):
    with Driver() as driver:
        return driver.drive(node(State({"messages": messages}), config or RunConfig("t")))


def test_case_078_responses_stand_in_the_order_of_the_calls():
    tools = [Noting(name, name.upper()).tool for name in "abc"]

    update = update_of(ToolNode(tools), [asks(call("1", "c"), call("2", "a"), call("3", "b"))])

    assert [(r.id, r.data) for r in update["messages"].responses] == [("1", "C"), ("2", "A"), ("3", "B")]


async def test_case_078_parallel_async_tools_run_at_the_same_time():
    gate = asyncio.Event()

    @tool
    async def first() -> str:
        """Waits for the second."""
        await gate.wait()
        return "1"

    @tool
    async def second() -> str:
        """Lets the first go on."""
        gate.set()
        return "2"

    made = agent(
        [asks(call("a", "first"), call("b", "second")), "x"],
        tools=[first, second],
        parallel_tool_execution=True,
    )
    state = (await made.arun("hi")).state

    assert [r.data for r in state["messages"][2].responses] == ["1", "2"]


def test_case_078_parallel_tools_of_a_sync_run_need_an_executor():
    barrier = Barrier(2, timeout=30)

    @tool
    def meet(who: str) -> str:
        """Waits for the other."""
        barrier.wait()
        return who

    calls = asks(call("a", "meet", '{"who": "1"}'), call("b", "meet", '{"who": "2"}'))
    with ThreadPoolExecutor(2) as executor:
        made = agent([calls, "x"], tools=[meet], parallel_tool_execution=True, executor=executor)
        state = made.invoke("hi")

    assert [r.data for r in state["messages"][2].responses] == ["1", "2"]


def test_case_079_an_unknown_tool_is_an_answer_and_no_error():
    update = update_of(ToolNode([]), [asks(call("1", "nope"))])

    (response,) = update["messages"].responses
    assert (response.id, response.name) == ("1", "nope")
    assert "nope" in response.data


@pytest.mark.parametrize(
    "messages", [[], [UserMessage("u")], [SystemMessage("s")], [AgentInstructionMessage("i")]]
)
def test_case_080_a_state_without_a_request_fails(messages):
    with pytest.raises(ToolNodeError) as failure:
        update_of(ToolNode([]), messages)
    assert failure.value.upstream.startswith("Last message is neither")


def test_case_081_only_open_calls_are_run_and_the_old_response_goes():
    noting = Noting("t", "new")
    old = answers(("1", "t", "old"))

    update = update_of(ToolNode([noting.tool]), [asks(*(call(str(n), "t") for n in (1, 2, 3))), old])

    merged, marker = update["messages"]
    assert [(r.id, r.data) for r in merged.responses] == [("1", "old"), ("2", "new"), ("3", "new")]
    assert isinstance(marker, RemoveByHash)
    assert marker.value == old


def test_case_081_a_complete_response_changes_nothing():
    assert update_of(ToolNode([]), [asks(call("1", "t")), answers(("1", "t", "x"))]) == {}


@pytest.mark.parametrize(
    ("messages", "text"),
    [([answers()], "Cannot find"), ([UserMessage("u"), answers()], "is not an AssistantMessage")],
)
def test_case_081_a_response_to_nothing_fails(messages, text):
    with pytest.raises(ToolNodeError) as failure:
        update_of(ToolNode([]), messages)
    assert text in failure.value.upstream


def test_case_082_what_a_tool_raises_is_its_result():
    failing = Noting("t", ValueError("boom"))
    nameless = Noting("n", KeyError())
    speaking = Noting("s", ToolExecutionError("try later"))

    update = update_of(
        ToolNode([failing.tool, nameless.tool, speaking.tool]),
        [
            asks(
                call("1", "t"),
                call("2", "n"),
                call("3", "s"),
                call("4", "t", "{bad json"),
                call("5", "t", "[1]"),
            )
        ],
    )

    data = [r.data for r in update["messages"].responses]
    assert data[:3] == ["Error: boom", "Error: KeyError", "try later"]
    assert data[3].startswith("Error: ")
    assert "must be a JSON object" in data[4]


def test_case_082_a_resolver_is_asked_when_the_list_does_not_know_the_tool():
    found = Noting("far", "got it").tool

    update = update_of(ToolNode([], resolver={"far": found}.get), [asks(call("1", "far"))])

    assert update["messages"].responses[0].data == "got it"


def test_case_082_state_aware_tools_read_the_state_and_write_to_it():
    @tool
    def remember(text: str, context: ToolContext) -> str:
        """Keep a text."""
        context.update[text] = len(context.state["messages"])
        assert context.config.thread_id == "t"
        assert context["app"] == "demo"
        return context.call_id

    calls = asks(call("1", "remember", '{"text": "a"}'), call("2", "remember", '{"text": "b"}'))
    made = agent([calls, "x"], tools=[remember], tool_context={"app": "demo"})
    state = made.invoke("hi", thread())

    assert (state["a"], state["b"]) == (2, 2)
    assert [r.data for r in state["messages"][2].responses] == ["1", "2"]
    assert "context" not in remember.schema["properties"]


class Lists(ModelHook):
    def key_strategies(self):
        return {"found": APPEND}


@pytest.mark.parametrize(("parallel", "found"), [(False, ["b"]), (True, ["a", "b"])])
def test_case_082_key_strategies_count_among_calls_only_in_parallel_mode(parallel, found):
    @tool
    def find(text: str, context: ToolContext) -> str:
        """Find it."""
        context.update["found"] = [text]
        return text

    calls = asks(call("1", "find", '{"text": "a"}'), call("2", "find", '{"text": "b"}'))
    made = agent([calls, "x"], tools=[find], hooks=[Lists()], parallel_tool_execution=parallel)

    assert made.invoke("hi")["found"] == found


def test_case_083_a_tool_that_takes_too_long_loses_its_own_update_only():
    @tool
    async def quick(context: ToolContext) -> str:
        """At once."""
        context.update["quick"] = True
        return "done"

    @tool(timeout=0.01)
    async def slow(context: ToolContext) -> str:
        """Never."""
        context.update["slow"] = True
        await asyncio.Event().wait()
        return "never"

    state = agent([asks(call("1", "quick"), call("2", "slow")), "x"], tools=[quick, slow]).invoke("hi")

    assert state["quick"] is True
    assert "slow" not in state
    assert "too long" in state["messages"][2].responses[1].data


class Ring(ToolInterceptor):
    def __init__(self, name, seen):
        self.name, self.seen = name, seen

    def intercept_tool_call(self, request, handler):
        self.seen.append(f"{self.name} in")
        response = handler(request.with_(arguments=request.arguments.replace("x", "y")))
        self.seen.append(f"{self.name} out")
        return response.with_(result=f"{response.result}{self.name}")


def test_case_084_the_first_ring_is_outermost_and_may_change_both_ways():
    seen: list[str] = []
    noting = Noting("t", "r")
    made = agent(
        [asks(call("1", "t", '{"a": "x"}')), "z"],
        tools=[noting],
        interceptors=[Ring("1", seen), Ring("2", seen)],
    )

    state = made.invoke("hi")

    assert seen == ["1 in", "2 in", "2 out", "1 out"]
    assert noting.calls == [{"a": "y"}]
    assert state["messages"][2].responses[0].data == "r21"


def test_case_085_a_jump_to_the_tools_without_calls_adds_an_empty_response():
    made = agent(
        ["text", "more"],
        tools=[Noting("t")],
        hooks=[hook("J", [], AM, jumps=["tool"], gives={AM: [{"jump_to": "tool"}, {"jump_to": "end"}]})],
    )

    state = made.invoke("hi")

    assert state["messages"][2] == ToolResponseMessage()


@pytest.mark.parametrize("awaits", [False, True])
async def test_async_tools_and_rings_work_in_sync_and_async_runs(awaits):
    class AsyncRing(ToolInterceptor):
        async def aintercept_tool_call(self, request, handler):
            response = await handler(request)
            return response.with_(result=f"<{response.result}>")

    @tool
    async def later() -> str:
        """Later."""
        await asyncio.to_thread(lambda: None) if awaits else None
        return "x"

    made = agent([asks(call("1", "later")), "z"], tools=[later], interceptors=[AsyncRing()])
    result = await made.arun("hi") if awaits else await asyncio.to_thread(made.run, "hi")

    assert result.state["messages"][2].responses[0].data == "<x>"


def test_a_ring_may_answer_without_calling_and_call_twice():
    noting = Noting("t", "r")

    @wrap_tool_call
    def twice(request, handler):
        handler(request)
        return handler(request)

    agent([asks(call("1", "t")), "z"], tools=[noting], interceptors=[twice]).invoke("hi")
    assert len(noting.calls) == 2


# ------------------------------------------------------------------------------------- the model node


class Broken(ScriptedModel):
    def reply_to(self, prompt):
        raise ValueError("boom")


def test_case_094_what_a_model_raises_is_its_answer():
    result = agent(Broken([])).run("hi")

    assert result.status == "completed"
    assert texts(result.state)[-1] == "assistant: Exception: boom"


def test_case_094_in_a_stream_it_fails_the_run():
    with pytest.raises(ValueError, match="boom"):
        list(agent(Broken([], stream=3)).stream("hi"))


def test_case_095_the_instruction_comes_once_a_turn_behind_the_user():
    made = agent(["one", "two"], instruction="i", saver=True)
    made.invoke("a", thread())

    state = made.invoke("b", thread())

    assert [m.role for m in state["messages"]] == [
        "user",
        "instruction",
        "assistant",
        "user",
        "instruction",
        "assistant",
    ]


def test_case_096_the_output_key_holds_every_answer_also_a_tool_calling_one():
    seen = []

    class Look(ModelHook):
        def after_model(self, state, config):
            seen.append(state["o"].text)

    state = agent(
        [asks(call("1", "t"), text="calling"), "done"], tools=[Noting("t")], hooks=[Look()], output_key="o"
    ).invoke("hi")

    assert seen == ["calling", "done"]
    assert state["o"] == state["messages"][-1]


@pytest.mark.upstream
def test_case_097_an_agent_given_only_input_asks_the_model_nothing():
    model = Counting(["x"])

    agent(model).invoke({"input": "x"})

    assert model.prompts[0].messages == ()


def test_the_system_prompt_is_asked_with_and_not_kept_and_may_change():
    model = Counting(["a", "b"])
    made = agent(model, system_prompt="be kind", saver=True)
    made.invoke("1", thread())
    made.system_prompt = "be brief"
    state = made.invoke("2", thread())

    assert [p.messages[0] for p in model.prompts] == [SystemMessage("be kind"), SystemMessage("be brief")]
    assert "system" not in [m.role for m in state["messages"]]


def test_the_instruction_is_filled_from_the_state_and_stays_filled():
    model = Counting(["a"])
    made = agent(model, instruction="help {who}, \\{this\\} stays")

    state = made.invoke({"who": "Ann", "messages": [UserMessage("hi")]})

    assert model.prompts[0].messages[1].content == "help Ann, {this} stays"
    assert state["messages"][1].rendered


def test_a_value_that_the_instruction_needs_and_nobody_gave_fails_the_run_and_is_named():
    result = agent(instruction="help {who}").run("hi")

    assert result.status == "failed"
    assert "{who}" in str(result.error)


def test_an_output_schema_is_asked_for_behind_the_newest_user_message():
    model = Counting(["a"])

    agent(model, output_schema='{"type": "object"}').invoke("hi")

    assert model.prompts[0].messages[-1].content == 'hi\n{"type": "object"}'


def test_a_streamed_answer_is_put_together_again():
    script = [asks(call("1", "t", '{"a": "long argument"}'), text="thinking"), "a longer answer"]
    plain = agent(Counting(script), tools=[Noting("t")]).invoke("hi")

    outputs = list(agent(Counting(script, stream=3), tools=[Noting("t")]).stream("hi"))

    assert outputs[-1].state["messages"] == plain["messages"]
    pieces = [o.chunk.text for o in outputs if hasattr(o, "chunk")]
    assert "".join(pieces) == "thinkinga longer answer"


@pytest.mark.parametrize("stream", [0, 4])
def test_a_chat_window_gets_answers_and_results_once(stream):
    model = Counting([asks(call("1", "t"), text="let me see"), "it is so"], stream=stream)
    made = agent(model, tools=[Noting("t", "r")], hooks=[hook("H", [], BM, AM)])

    shown = list(made.stream_messages("hi"))

    assert "".join(m.content for m in shown) == "let me seerit is so"
    assert [m.role for m in shown].count("tool") == 1
    assert (len(shown) > 3) is bool(stream)


def test_outputs_have_the_types_of_upstream():
    outputs = agent(Counting([asks(call("1", "t")), "x"], stream=1), tools=[Noting("t")]).stream("hi")

    assert list(dict.fromkeys(output_type(output) for output in outputs)) == [
        "GRAPH_NODE_FINISHED",
        "AGENT_HOOK_FINISHED",
        "AGENT_MODEL_STREAMING",
        "AGENT_MODEL_FINISHED",
        "AGENT_TOOL_FINISHED",
    ]


async def test_an_async_stream_gives_the_same():
    outputs = [output async for output in agent(Counting(["a longer answer"], stream=4)).astream("hi")]

    assert texts(outputs[-1].state)[-1] == "assistant: a longer answer"


def test_an_answer_gets_the_same_name_in_every_replay():
    """Fork and compare align messages by their ids."""
    script = [asks(call("1", "t")), "done"]
    runs = [agent(script, tools=[Noting("t")]).invoke("hi")["messages"] for _ in range(2)]

    assert [m.id for m in runs[0]] == [m.id for m in runs[1]] == ["", "a1", "t-a1", "a2"]


def test_before_hooks_see_what_a_person_would():
    seen = []

    class Look(ModelHook):
        def before_model(self, state, config):
            seen.append([m.role for m in state["messages"]])

    agent([asks(call("1", "t")), "x"], tools=[Noting("t")], hooks=[Look(), hook("P", [], BM)]).invoke("hi")

    assert seen == [["user"], ["user", "assistant", "tool"]]


def test_a_plain_function_is_a_tool_as_it_is():
    def add(one: int, two: int = 2) -> int:
        """Add numbers."""
        return one + two

    state = agent([asks(call("1", "add", '{"one": 40}')), "x"], tools=[add]).invoke("hi")

    assert state["messages"][2].responses[0].data == "42"


def test_a_tool_made_by_hand_needs_a_name():
    with pytest.raises(Exception, match="name"):
        Tool("", lambda: None)


def test_an_assistant_message_without_text_is_told_apart_from_an_empty_one():
    assert AssistantMessage(None) != AssistantMessage("")
    assert AssistantMessage(None).content == ""


class Piecewise(ChatModel):
    """A model that streams."""

    def stream(self, prompt):
        yield ChatChunk("mi")
        yield ChatChunk("ne")


class Refusing(ChatModel):
    """A model whose `stream` fails before it gives a stream at all."""

    def stream(self, prompt):
        raise ConnectionError("nobody there")


@pytest.mark.parametrize("compat", ["upstream", "fixed"])
def test_an_answer_that_is_no_stream_is_not_among_the_messages_upstream(compat):
    """Only with an output key, and only where the model streams."""

    @wrap_model_call
    def own(request, handler):
        return ModelResponse(AssistantMessage("own"))

    def last(**options):
        return list(agent(Piecewise(), interceptors=[own], compat=compat, **options).stream("hi"))[-1].state

    with_key = last(output_key="o")

    assert with_key["o"].text == "own"
    assert [m.text for m in with_key["messages"]] == (["hi", "own"] if compat == "fixed" else ["hi"])
    assert [m.text for m in last()["messages"]] == ["hi", "own"]


def test_an_answer_that_is_a_stream_is_among_the_messages_and_under_the_key():
    state = list(agent(Piecewise(), output_key="o").stream("hi"))[-1].state

    assert state["messages"][-1] == state["o"] == AssistantMessage("mine")


def test_case_094_what_a_model_raises_before_its_stream_begins_is_its_answer():
    state = list(agent(Refusing()).stream("hi"))[-1].state

    assert state["messages"][-1].text == "Exception: nobody there"


def test_a_copied_request_of_a_tool_call_keeps_state_and_config():
    """Upstream's copy loses them, and with them what a state-aware tool needs."""
    seen = []

    @wrap_tool_call
    def outer(request, handler):
        return handler(request.with_(arguments='{"n": 2}'))

    @wrap_tool_call
    def inner(request, handler):
        seen.append((request.arguments, request.state["input"], request.config.thread))
        return handler(request)

    made = agent([asks(call("1", "t")), "x"], tools=[Noting("t")], interceptors=[outer, inner])
    made.invoke("hi", RunConfig("mine"))

    assert seen == [('{"n": 2}', "hi", "mine")]
