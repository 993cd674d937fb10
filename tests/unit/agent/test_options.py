"""Options that cannot be are refused where they are given, by a sentence that says what would do."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest
from pydantic import BaseModel

from hookstepper.agent import (
    AgentCommand,
    AssistantMessage,
    ChatModel,
    ContextEditingInterceptor,
    HumanInTheLoopHook,
    InterruptionHook,
    LargeResultEvictionInterceptor,
    LlmRoutingAgent,
    LoopAgent,
    ModelCallLimitHook,
    ModelFallbackInterceptor,
    ModelHook,
    ParallelAgent,
    PIIDetectionHook,
    ReactAgent,
    RunConfig,
    ScriptedModel,
    SequentialAgent,
    ShellTool,
    SkillRegistry,
    SkillsAgentHook,
    SubAgentInterceptor,
    SubAgentSpec,
    SummarizationHook,
    Times,
    ToolCallLimitHook,
    ToolConfig,
    ToolEmulatorInterceptor,
    ToolErrorInterceptor,
    ToolRetryInterceptor,
    ToolSelectionInterceptor,
    UserMessage,
    before_model,
    hook_positions,
    tool,
    wrap_model_call,
    wrap_tool_call,
)
from hookstepper.agent.builtin.limits import ExitBehavior
from hookstepper.model.errors import SpecError
from support.agent_kit import Counting, Noting, agent, asks, call

MODEL = ScriptedModel(["x"])
WRONG = {
    "a negative limit": (lambda: ModelCallLimitHook(run_limit=-1), "run_limit is -1"),
    "a limit that is a text": (lambda: ToolCallLimitHook(thread_limit="2"), "thread_limit is '2'"),
    "a limit that is a truth": (lambda: ModelCallLimitHook(run_limit=True), "run_limit is True"),
    "an unknown behaviour": (lambda: ModelCallLimitHook(run_limit=1, exit_behavior="stop"), "no 'stop'"),
    "an unknown kind of data": (lambda: PIIDetectionHook("PHONE"), "no 'PHONE'"),
    "an unknown strategy": (lambda: PIIDetectionHook("EMAIL", "WIPE"), "no 'WIPE'"),
    "an unknown boundary": (lambda: PIIDetectionHook("EMAIL", boundary="java"), "boundary is 'java'"),
    "a pattern for a detector": (lambda: PIIDetectionHook("CUSTOM", detector="[0-9]+"), "cannot be called"),
    "approvals on nothing": (lambda: HumanInTheLoopHook([]), "names no tool"),
    "approvals on a number": (lambda: HumanInTheLoopHook({"pay": 1}), "stands behind 'pay'"),
    "approvals on an unnamed tool": (lambda: HumanInTheLoopHook([1]), "is no name"),
    "a summary by nobody": (lambda: SummarizationHook(None), "no chat model"),
    "a summary of nothing": (lambda: SummarizationHook(MODEL, summary_prompt="Go."), "has no {messages}"),
    "a negative tail": (lambda: SummarizationHook(MODEL, messages_to_keep=-1), "messages_to_keep is -1"),
    "skills of nowhere": (lambda: SkillsAgentHook(None), "no skill registry"),
    "no time for a shell": (lambda: ShellTool(timeout=0), "timeout is 0"),
    "a negative trigger": (lambda: ContextEditingInterceptor(trigger=-1), "trigger is -1"),
    "a negative size": (lambda: LargeResultEvictionInterceptor(token_limit=-1), "token_limit is -1"),
    "a name for a model": (lambda: ModelFallbackInterceptor("gpt"), "'gpt' is no chat model"),
    "no other model": (lambda: ModelFallbackInterceptor([]), "at least one"),
    "played by nobody": (lambda: ToolEmulatorInterceptor(None), "no chat model"),
    "chosen by nobody": (lambda: ToolSelectionInterceptor(None), "no chat model"),
    "no room for tools": (lambda: ToolSelectionInterceptor(MODEL, max_tools=0), "max_tools is 0"),
    "no attempt": (lambda: ToolRetryInterceptor(max_attempts=0), "max_attempts is 0"),
    "a negative wait": (lambda: ToolRetryInterceptor(initial_delay=-1), "initial_delay is -1"),
    "an unknown outcome": (lambda: ToolRetryInterceptor(on_failure="ignore"), "no 'ignore'"),
    "a helper without a model": (
        lambda: SubAgentInterceptor([SubAgentSpec(name="h", description="d")]),
        "'h' has no model",
    ),
    "a text for a position": (lambda: hook_positions("BEFORE_MODEL"), "no hook position"),
    "a model that is a text": (lambda: ReactAgent("a", "gpt-4"), "'gpt-4' is no chat model"),
    "a model that is a function": (lambda: ReactAgent("a", print), "no chat model"),
    "an unknown option": (lambda: ReactAgent("a", MODEL, system="x"), "no option 'system'"),
    "a name that is a number": (lambda: ReactAgent(5, MODEL), "needs a name"),
    "a class for a hook": (lambda: ReactAgent("a", MODEL, hooks=[InterruptionHook]), "not a hook"),
    "a function for a hook": (lambda: ReactAgent("a", MODEL, hooks=[print]), "not a hook"),
    "no tools at once": (
        lambda: ReactAgent("a", MODEL, max_parallel_tools=None),
        "max_parallel_tools is None",
    ),
    "time that ran backward": (
        lambda: ReactAgent("a", MODEL, tool_execution_timeout=-1),
        "tool_execution_timeout is -1",
    ),
    "an order that is a text": (
        lambda: ReactAgent("a", MODEL, hooks=[before_model(order="1")(print)]).graph(),
        "order is '1'",
    ),
    "a jump that is another's word": (
        lambda: ReactAgent("a", MODEL, hooks=[before_model(can_jump_to="tools")(print)]).graph(),
        "'tools', which is no jump",
    ),
    "a flow of nothing": (lambda: SequentialAgent("f", [None]), "no agent"),
    "a flow with a function": (lambda: SequentialAgent("f", [agent()], hooks=[print]), "not a hook"),
    "a flow by other rules": (lambda: SequentialAgent("f", [agent()], compat="java"), "neither"),
    "a loop by a number": (lambda: LoopAgent("f", agent(), 3), "no strategy"),
    "an unknown merge": (lambda: ParallelAgent("f", [agent(), agent()], merge="zip"), "no merge 'zip'"),
    "a type that is a text": (lambda: ReactAgent("a", MODEL, output_type="Out"), "has no schema"),
    "a prompt that is a number": (lambda: ReactAgent("a", MODEL, system_prompt=5), "system_prompt is 5"),
    "a resolver that is a name": (lambda: ReactAgent("a", MODEL, resolver="x"), "resolver is 'x'"),
    "a ring for a stream": (
        lambda: ReactAgent("a", MODEL, streaming_interceptors=[ToolErrorInterceptor()]),
        "not a streaming interceptor",
    ),
    "skills in a text": (lambda: SkillsAgentHook("skills"), "no skill registry"),
    "no branch at once": (
        lambda: ParallelAgent("f", [agent(), agent()], max_concurrency=0),
        "max_concurrency is 0",
    ),
    "a choice by nobody": (lambda: LlmRoutingAgent("f", None, [agent()]), "no chat model"),
}


@pytest.mark.parametrize(("make", "says"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_is_refused_when_it_is_given(make, says):
    """Later it would be a strange result, or an error far from the line that is wrong."""
    with pytest.raises(SpecError) as caught:
        make()

    assert says in str(caught.value)


@pytest.mark.parametrize(
    "make",
    [
        lambda: ReactAgent("a", "gpt-4"),
        lambda: ReactAgent("a", MODEL, hooks=[InterruptionHook]),
        lambda: ReactAgent("a", MODEL, hooks=[print]),
        lambda: PIIDetectionHook("PHONE"),
        lambda: ModelCallLimitHook(run_limit=-1),
        lambda: LoopAgent("f", agent(), 3),
    ],
)
def test_a_refusal_says_what_would_do(make):
    with pytest.raises(SpecError) as caught:
        make()

    assert caught.value.hint


def test_choices_may_be_written_in_any_case():
    """LangChain writes them in small letters, Java in capitals."""
    assert ModelCallLimitHook(run_limit=1, exit_behavior="end").exit_behavior is ExitBehavior.END
    assert PIIDetectionHook("email", "mask").get_name() == "PIIDetection[EMAIL]"
    assert AgentCommand([UserMessage("x")], policy="APPEND").policy.value == "APPEND"


def test_one_name_may_stand_for_a_list_of_one():
    """Taken apart into its letters it would guard nothing, and no error would tell."""
    assert set(HumanInTheLoopHook("pay").approval_on) == {"pay"}
    assert ToolRetryInterceptor(tools="pay").tools == {"pay"}
    assert ContextEditingInterceptor(exclude_tools="pay").exclude_tools == {"pay"}
    assert ToolSelectionInterceptor(MODEL, always_include="pay").always_include == ("pay",)


def test_tools_are_switched_on_and_off_as_in_langchain():
    hook = HumanInTheLoopHook({"pay": True, "look": False, "buy": "why", "sell": ToolConfig("how")})

    assert hook.approval_on == {"pay": ToolConfig(), "buy": ToolConfig("why"), "sell": ToolConfig("how")}


def test_one_thing_may_stand_for_a_list_of_one_and_none_for_no_list():
    hook, ring = InterruptionHook(), ToolErrorInterceptor()

    made = ReactAgent("a", MODEL, hooks=hook, interceptors=ring, tools=Noting("t").tool)

    assert made.spec.hooks == (hook,)
    assert made.spec.interceptors == (ring,)
    assert [found.name for found in made.tools] == ["t"]
    assert ReactAgent("a", MODEL, hooks=None, interceptors=None, tools=None).tools == ()


def test_a_langchain_model_is_wrapped_of_itself():
    from langchain_core.language_models.fake_chat_models import FakeListChatModel

    assert ReactAgent("a", FakeListChatModel(responses=["theirs"])).call("hi").text == "theirs"


@pytest.mark.parametrize("wrong", ["hi", [1], [None]])
def test_a_command_carries_messages_only(wrong):
    with pytest.raises(TypeError, match="carries messages"):
        AgentCommand(wrong)


def test_braces_of_a_users_own_prompt_are_left_alone():
    """Prompts hold JSON."""
    asked = ScriptedModel(["played"])
    ring = ToolEmulatorInterceptor(asked, template='{"tool": "{name}"} {arguments}')

    state = agent([asks(call("1", "t", '{"a": 1}')), "x"], tools=[Noting("t")], interceptors=[ring]).invoke(
        "hi"
    )

    assert state["messages"][-2].responses[0].data == "played"


class OnlyAsync(ChatModel):
    """A model without sync methods, which answers with a bare text."""

    def __init__(self, text: str) -> None:
        self.text = text

    async def acall(self, prompt):
        await asyncio.sleep(0)
        return self.text


LONG = [UserMessage("a" * 50), AssistantMessage("b"), UserMessage("c")]
ASKERS = {
    "fallback": (
        lambda model: agent(
            [RuntimeError("down")], interceptors=[ModelFallbackInterceptor(model)], compat="fixed"
        ),
        lambda state: state["messages"][-1].text,
    ),
    "emulator": (
        lambda model: agent(
            [asks(call("1", "t")), "x"], tools=[Noting("t")], interceptors=[ToolEmulatorInterceptor(model)]
        ),
        lambda state: state["messages"][-2].responses[0].data,
    ),
    "summary": (
        lambda model: agent(
            hooks=[SummarizationHook(model, max_tokens_before_summary=1, messages_to_keep=1)]
        ),
        lambda state: state["messages"][1].text.rpartition("\n")[2],
    ),
    "task": (
        lambda model: agent(
            [asks(call("1", "task", '{"description": "d", "subagent_type": "h"}')), "x"],
            interceptors=[SubAgentInterceptor([SubAgentSpec(name="h", description="d", model=model)])],
        ),
        lambda state: state["messages"][-2].responses[0].data,
    ),
}


@pytest.mark.parametrize("asker", ASKERS)
async def test_whoever_asks_a_model_can_ask_one_that_is_only_async(asker):
    """In a sync run as well as on an event loop."""
    make, told = ASKERS[asker]
    given = LONG if asker == "summary" else "hi"
    in_sync = await asyncio.to_thread(make(OnlyAsync("theirs")).invoke, given)
    on_loop = await make(OnlyAsync("theirs")).ainvoke(given)

    assert told(in_sync) == told(on_loop) == "theirs"


async def test_functions_around_a_call_may_be_async():
    """As in LangChain; they work in sync and in async runs."""

    @wrap_model_call(name="louder")
    async def shout(request, handler):
        response = await handler(request)
        message = response.message
        return response.with_(message=AssistantMessage(message.content + "!", message.tool_calls))

    @wrap_tool_call
    async def wonder(request, handler):
        response = await handler(request)
        return response.with_(result=response.result + "?")

    def make():
        return agent([asks(call("1", "t")), "x"], tools=[Noting("t")], interceptors=[shout, wonder])

    in_sync = await asyncio.to_thread(make().invoke, "hi")
    on_loop = await make().ainvoke("hi")

    assert in_sync["messages"] == on_loop["messages"]
    assert in_sync["messages"][-1].text == "x!"
    assert in_sync["messages"][-2].responses[0].data.endswith("?")
    assert (shout.get_name(), wonder.get_name()) == ("louder", "wonder")


def test_a_function_around_the_model_may_bring_tools():
    @wrap_model_call(tools=[Noting("t").tool])
    def bring(request, handler):
        return handler(request)

    assert [found.name for found in agent(interceptors=[bring]).tools] == ["t"]


@pytest.mark.parametrize("parallel", [False, True])
async def test_a_tool_that_gives_its_call_up_is_a_result(parallel):
    """It must not end the run, which nobody has cancelled."""

    @tool
    async def gives_up() -> str:
        raise asyncio.CancelledError

    @tool
    def gives_up_too() -> str:
        raise asyncio.CancelledError

    def make():
        calls = asks(call("1", "gives_up"), call("2", "gives_up_too"))
        return agent([calls, "x"], tools=[gives_up, gives_up_too], parallel_tool_execution=parallel)

    in_sync = await asyncio.to_thread(make().invoke, "hi")
    on_loop = await make().ainvoke("hi")

    data = [response.data for response in in_sync["messages"][-2].responses]
    assert data == ["Error: the call was cancelled"] * 2
    assert on_loop["messages"] == in_sync["messages"]


async def test_a_cancelled_run_is_cancelled_where_its_tool_waits():
    """The other side of the same coin."""
    reached = asyncio.Event()

    @tool
    async def waits() -> str:
        reached.set()
        await asyncio.Event().wait()

    run = asyncio.ensure_future(agent([asks(call("1", "waits")), "x"], tools=[waits]).ainvoke("hi"))
    await reached.wait()
    run.cancel()

    with pytest.raises(asyncio.CancelledError):
        await run


def test_an_interruption_hook_around_a_flow_says_why_it_cannot_work():
    """Upstream it is a null pointer."""
    failed = SequentialAgent("f", [agent(name="a")], hooks=[InterruptionHook()]).run("hi").error

    assert "belongs to no agent" in str(failed)


@hook_positions()
class Nowhere(ModelHook):
    """Stands at no position."""


def test_a_hook_at_no_position_never_runs():
    assert all("Nowhere" not in node for node in agent(hooks=[Nowhere()]).graph().nodes)


def test_a_loop_of_less_than_nothing_is_no_round():
    state = LoopAgent("f", agent(name="a"), Times(-1)).invoke("hi", RunConfig("t"))

    assert [message.text for message in state["messages"]] == ["hi"]


class Paid(BaseModel):
    euros: int


@dataclass
class Sum:
    euros: int


@pytest.mark.parametrize(
    "kind", [Sum, Paid, {"type": "object", "properties": {"euros": {"type": "integer"}}}]
)
def test_a_schema_may_be_a_type_a_model_or_json(kind):
    """In and out."""
    asked = Counting(["x"])
    option = "output_schema" if isinstance(kind, dict) else "output_type"
    agent(asked, **{option: kind}).invoke("hi")
    as_tool = agent(name="helper", input_schema=kind).as_tool()

    assert '"properties": {"euros": {' in asked.prompts[0].messages[0].text
    assert as_tool.schema["properties"]["input"]["properties"]["euros"]["type"] == "integer"


def test_a_tool_gets_the_pydantic_model_that_it_asks_for():
    @tool
    def pay(bill: Paid) -> int:
        return bill.euros + 1

    state = agent([asks(call("1", "pay", '{"bill": {"euros": 4}}')), "x"], tools=[pay]).invoke("hi")

    assert state["messages"][-2].responses[0].data == "5"


def test_a_resolver_may_give_plain_functions():
    known = {"twice": lambda n: 2 * n}
    by_name = agent([asks(call("1", "twice", '{"n": 4}')), "x"], tool_names=["twice"], resolver=known)
    at_the_call = agent([asks(call("1", "twice", '{"n": 4}')), "x"], tools=[Noting("t")], resolver=known.get)

    for made in (by_name, at_the_call):
        assert made.invoke("hi")["messages"][-2].responses[0].data == "8"


def test_a_resolver_that_fails_is_the_result_of_the_call():
    def resolver(name):
        raise LookupError(f"who is {name}")

    state = agent([asks(call("1", "x")), "done"], tools=[Noting("t")], resolver=resolver).invoke("hi")

    assert state["messages"][-2].responses[0].data == "Error: who is x"


def test_a_name_and_a_path_must_mean_the_same_skill(tmp_path):
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "SKILL.md").write_text(name)
    hook = SkillsAgentHook(SkillRegistry(tmp_path))

    assert hook.read_skill("one", str(tmp_path / "one")) == "one"
    assert "not the same skill" in hook.read_skill("one", str(tmp_path / "other"))
