"""Two ways to make an agent, one set of options."""

from __future__ import annotations

import dataclasses
from concurrent.futures import ThreadPoolExecutor

import pytest

import hookstepper.agent as public
from hookstepper.agent import (
    APPEND,
    AssistantMessageSanitizer,
    CompileConfig,
    MemorySaver,
    MessagesModelHook,
    ModelHook,
    ReactAgent,
    ScriptedModel,
    SequentialAgent,
    Tool,
    ToolInjection,
    UserMessage,
)
from hookstepper.agent.builder import Builder
from hookstepper.agent.spec import AgentOptions, AgentSpec
from hookstepper.model.errors import SpecError
from support.agent_kit import AM, BM, Counting, Noting, agent, asks, call, hook, texts, thread

FIELDS = [field.name for field in dataclasses.fields(AgentSpec)]
JAVA_NAMES = {
    "options": "chat_options",
    "assistant_message_sanitizer": "assistant_message_sanitizer_enabled",
    "tool_error_text": "tool_execution_exception_processor",
}


def test_the_keyword_form_takes_every_option():
    assert {*AgentOptions.__annotations__, "name", "model"} == set(FIELDS)


@pytest.mark.parametrize("field", FIELDS)
def test_the_builder_has_a_method_for_every_option(field):
    assert callable(getattr(Builder, JAVA_NAMES.get(field, field)))


def test_the_builder_makes_the_agent_that_the_keywords_make():
    tool, hooks, ring = Noting("t").tool, [hook("H", [], BM), hook("K", [], AM)], AssistantMessageSanitizer()
    saver, config, model = MemorySaver(), CompileConfig(saver=None), ScriptedModel([])

    with ThreadPoolExecutor(1) as executor:
        options = {
            "description": "d",
            "instruction": "i",
            "system_prompt": "s",
            "options": {"temperature": 0},
            "tools": (tool,),
            "tool_names": ("x",),
            "resolver": {"x": Tool("x", str)},
            "tool_context": {"k": 1},
            "hooks": tuple(hooks),
            "interceptors": (ring,),
            "streaming_interceptors": (),
            "include_contents": False,
            "return_reasoning_contents": True,
            "output_key": "o",
            "output_key_strategy": APPEND,
            "input_schema": {"type": "object"},
            "output_schema": "{}",
            "output_type": int,
            "assistant_message_sanitizer": False,
            "saver": saver,
            "compile_config": config,
            "release_thread": True,
            "parallel_tool_execution": True,
            "max_parallel_tools": 2,
            "tool_execution_timeout": 1.0,
            "executor": executor,
            "tool_error_text": repr,
            "compat": "fixed",
            "sample_input": "hello",
        }
        builder = ReactAgent.builder().name("n").model(model)
        for name, value in options.items():
            method = getattr(builder, JAVA_NAMES.get(name, name))
            method(*value) if isinstance(value, tuple) else method(value)

        assert builder.build().spec == ReactAgent("n", model, **options).spec  # type: ignore[arg-type]
        assert {*options, "name", "model"} == set(FIELDS)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: ReactAgent("", ScriptedModel([])), "name"),
        (lambda: ReactAgent("  ", ScriptedModel([])), "name"),
        (lambda: ReactAgent.builder().name("n").build(), "no model"),
        (lambda: ReactAgent("n", ScriptedModel([]), max_parallel_tools=0), "max_parallel_tools"),
        (lambda: ReactAgent("n", ScriptedModel([]), compat="other"), "'other'"),
        (lambda: ReactAgent("n", ScriptedModel([]), hooks=[None]), "not a hook"),
        (lambda: ReactAgent("n", ScriptedModel([]), interceptors=["x"]), "not an interceptor"),
        (lambda: ReactAgent.builder().hooks(5), "not a hook"),
        (lambda: ReactAgent.builder().interceptors(5), "not an interceptor"),
        (lambda: ReactAgent.builder().tools("x"), "not a tool"),
        (lambda: SequentialAgent("s", []), "no sub-agents"),
        (lambda: SequentialAgent("", [agent()]), "name"),
        (lambda: agent(hooks=[hook("J", [], BM, jumps=["nowhere"])]).graph(), "'nowhere'"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(make, said):
    with pytest.raises(SpecError, match=said):
        make()


class Wanting(ModelHook, ToolInjection):
    """Wants a tool."""

    got = None

    def __init__(self, name=None, kind=None):
        self.required_tool_name, self.required_tool_type = name, kind

    def inject_tool(self, tool):
        self.got = tool


@pytest.mark.parametrize(
    ("name", "kind", "index"), [(None, None, 0), ("b", None, 1), ("zz", Tool, 0), ("zz", None, None)]
)
def test_a_hook_is_handed_the_tool_that_it_wants(name, kind, index):
    tools, wanting = [Noting("a").tool, Noting("b").tool], Wanting(name, kind)

    agent(hooks=[wanting], tools=tools).graph()

    assert wanting.got is (None if index is None else tools[index])


def test_without_tools_nothing_is_handed_out():
    wanting = Wanting()
    agent(hooks=[wanting]).graph()

    assert wanting.got is None


def test_a_copy_has_hooks_of_its_own():
    original = agent(hooks=[hook("H", [], BM)])
    original.graph()
    copy = original.copy(compat="fixed")
    copy.graph()

    assert original.spec.hooks[0].agent is original
    assert copy.spec.hooks[0].agent is copy
    assert (original.compat, copy.compat) == ("upstream", "fixed")
    assert (original.compiled().config.compat, copy.compiled().config.compat) == ("upstream", "fixed")


def test_a_copy_keeps_what_was_changed_since():
    made = agent(instruction="old")
    made.instruction, made.system_prompt = "new", "s"

    assert (made.copy().instruction, made.copy().system_prompt) == ("new", "s")
    assert made.copy(instruction="mine").instruction == "mine"


def test_inputs_are_texts_messages_lists_or_state():
    made = agent()

    assert made.inputs_of("hi") == {"input": "hi", "messages": [UserMessage("hi")]}
    assert made.inputs_of("") == {"messages": []}
    assert made.inputs_of(UserMessage("x"))["input"] == "x"
    assert made.inputs_of([UserMessage("a"), UserMessage("b")])["input"] == "b"
    assert made.inputs_of({"any": 1}) == {"any": 1}
    with pytest.raises(TypeError, match="int"):
        made.inputs_of(5)


def test_a_released_thread_is_empty_and_a_kept_one_goes_on():
    saver = MemorySaver()
    for release, left in ((True, []), (False, ["t"])):
        made = agent(["a"]).copy(compile_config=None, saver=saver, release_thread=release)
        made.invoke("hi", thread())
        assert list(saver.threads()) == left


def test_an_agent_without_a_limit_of_its_own_has_none():
    """A loop that jumps never ends upstream: nothing but the debugger's guard stops it."""
    made = ReactAgent("a", ScriptedModel([]))

    assert made.compiled().config.recursion_limit == 2**31 - 1


def test_every_public_name_is_there():
    for name in public.__all__:
        assert getattr(public, name) is not None
    with pytest.raises(AttributeError, match="nothing_of_that_name"):
        _ = public.nothing_of_that_name


class Odd:
    """A value that cannot be shown, compared or told apart."""

    def __repr__(self):
        raise ValueError("no repr")

    def __eq__(self, other):
        raise ValueError("no eq")

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize(
    "value",
    [
        "\x1b[31mred\x07",
        "[bold]markup[/]",
        "卡片😀" * 1000,
        "x" * 3_000_000,
        10**400,
        float("nan"),
        Odd(),
        "\ud800",
        b"\xff",
    ],
    ids=["escapes", "markup", "wide", "megabytes", "huge", "nan", "odd", "lone", "bytes"],
)
def test_odd_values_pass_through_state_tools_and_messages(value):
    """A debugger meets them all; the agent must not be the first to fall."""
    noting = Noting("t", value)
    made = agent(
        [asks(call("1", "t")), "done"],
        tools=[noting],
        hooks=[hook("H", [], BM, gives={BM: [{"odd": value}]})],
        saver=True,
    )

    result = made.run("hi", thread())

    assert result.status == "completed"
    assert len(noting.calls) == 1
    assert result.state["messages"][2].responses[0].data is not None


def test_odd_names_of_hooks_and_tools_make_a_graph():
    names = ["卡 片", 'quote"s', "[b]", "a.b.c", "x" * 200, "\u202eleft"]
    made = agent(
        [asks(call("1", names[0])), "x"],
        tools=[Noting(name) for name in names],
        hooks=[hook(n, [], BM) for n in names],
    )

    assert made.run("hi").status == "completed"
    assert len(made.describe().nodes) == len(names) + 5


def test_a_hook_that_returns_something_else_fails_the_run_and_is_named():
    class Wrong(ModelHook):
        def before_model(self, state, config):
            return 5

    class Unruly(MessagesModelHook):
        pass

    result = agent(hooks=[Wrong()]).run("hi")
    messages = hook("M", [], BM, base=MessagesModelHook, gives={BM: ["text"]})

    assert "Wrong.beforeModel" in str(result.error)
    assert "AgentCommand" in str(agent(hooks=[messages]).run("hi").error)
    assert agent(hooks=[Unruly()]).run("hi").status == "completed"


def test_a_model_that_answers_with_nothing_useful_is_told_so():
    class Odd(Counting):
        def reply_to(self, prompt):
            return 5

    assert "int" in texts(agent(Odd([])).invoke("hi"))[-1]
