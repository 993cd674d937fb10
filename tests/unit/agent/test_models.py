"""Models of others: an OpenAI-compatible server, and LangChain's chat models."""

from __future__ import annotations

from typing import Any

import pytest

from hookstepper.agent import (
    AgentInstructionMessage,
    AssistantMessage,
    Media,
    Prompt,
    SystemMessage,
    UserMessage,
)
from hookstepper.agent.builtin_interceptors.retries import ModelRetryInterceptor
from hookstepper.agent.models.openai import OpenAIModel, wire_messages
from hookstepper.model.errors import NotPossibleError
from hookstepper.model.record import Usage
from support.agent_kit import Noting, agent, answers, asks, call, texts
from support.chat_server import chat_server

CALLS = [("c1", "t", '{"n": 1}'), ("c2", "u", "{}")]
HI = Prompt((UserMessage("hi"),))


def model(server: Any, **options: Any) -> OpenAIModel:
    return OpenAIModel("m", base_url=server.url, api_key="k", timeout=5, max_retries=0, **options)


@pytest.fixture
def openai() -> Any:
    return pytest.importorskip(
        "openai", reason="the openai package is not installed: the extra openai has it"
    )


@pytest.mark.parametrize("stream", [False, True])
def test_an_agent_works_on_an_openai_server(openai, stream):
    with chat_server(CALLS, "it is 1") as server:
        tools = [Noting("t", "one"), Noting("u", "two")]
        made = agent(tools=tools, system_prompt="s").copy(model=model(server, stream=stream, temperature=0))
        outputs = list(made.stream("hi"))
        state = outputs[-1].state

    first, second = server.requests
    assert texts(state)[-1] == "assistant: it is 1"
    assert tools[0].calls == [{"n": 1}]
    assert [m["role"] for m in first["messages"]] == ["system", "user"]
    assert [m["role"] for m in second["messages"]] == ["system", "user", "assistant", "tool", "tool"]
    assert second["messages"][3] == {"role": "tool", "tool_call_id": "c1", "content": "one"}
    assert [tool["function"]["name"] for tool in first["tools"]] == ["t", "u"]
    assert (first["temperature"], first["model"]) == (0, "m")
    assert server.headers[0]["authorization"] == "Bearer k"


@pytest.mark.parametrize("stream", [False, True])
async def test_the_async_twin_gives_the_same(openai, stream):
    with chat_server(CALLS) as server:
        made = model(server)
        if stream:
            chunks = [chunk async for chunk in made.astream(HI)]
            assert chunks[-1].usage == Usage(7, 3)
        else:
            reply = await made.acall(HI)
            assert reply.message.tool_calls == tuple(call(*row) for row in CALLS)
            assert reply.usage == Usage(7, 3)


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        ({"status": 401}, "AuthenticationError"),
        ({"status": 429}, "RateLimitError"),
        ({"status": 500}, "InternalServerError"),
    ],
)
def test_errors_of_the_server_are_told(openai, row, kind):
    with chat_server(row) as server, pytest.raises(getattr(openai, kind)):
        model(server).call(HI)


def test_a_server_that_does_not_answer_is_given_up(openai):
    with chat_server("@hang") as server:
        slow = OpenAIModel("m", base_url=server.url, api_key="k", timeout=0.2, max_retries=0)
        with pytest.raises(openai.APITimeoutError):
            slow.call(HI)


def test_a_full_server_is_asked_again_by_the_retry_ring(openai):
    ring = ModelRetryInterceptor(retry_on=lambda error: True)
    ring.sleep = lambda seconds: None
    with chat_server({"status": 429, "message": "network busy"}, "fine") as server:
        made = agent(interceptors=[ring]).copy(model=model(server))
        assert made.call("hi").text == "fine"


def test_a_stream_that_breaks_off_fails_the_run(openai):
    with chat_server("@break") as server:
        made = agent().copy(model=model(server, stream=True))
        with pytest.raises(Exception, match="broke off"):
            list(made.stream("hi"))


def test_messages_in_the_form_of_the_protocol():
    made = wire_messages(
        [
            SystemMessage("s"),
            UserMessage("look", media=[Media("image/png", "AAAA"), Media("image/png", "https://x/y.png")]),
            AgentInstructionMessage("i", rendered=True),
            asks(call("1", "t", "{broken")),
            answers(("1", "t", "r"), ("2", "u", "s")),
            AssistantMessage("end"),
        ]
    )

    assert [m["role"] for m in made] == ["system", "user", "user", "assistant", "tool", "tool", "assistant"]
    assert made[1]["content"][1]["image_url"]["url"] == "data:image/png;base64,AAAA"
    assert made[1]["content"][2]["image_url"]["url"] == "https://x/y.png"
    assert made[3]["tool_calls"][0]["function"]["arguments"] == '{"input": "{broken"}'


def test_a_model_without_a_name_says_how_to_give_it_one(monkeypatch):
    monkeypatch.delenv("OPENAI_MODEL", raising=False)

    with pytest.raises(NotPossibleError, match="no name"):
        OpenAIModel().request(HI)
    monkeypatch.setenv("OPENAI_MODEL", "from-env")
    assert OpenAIModel().request(HI)["model"] == "from-env"


# ----------------------------------------------------------------------------------------- langchain

pytest.importorskip("langchain_core", reason="LangChain is not installed: the extra langchain has it")

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel  # noqa: E402
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage  # noqa: E402

from hookstepper.agent.models.langchain import (  # noqa: E402
    LangChainModel,
    message_from_langchain,
    reply_from_langchain,
    to_langchain,
)


class Fake(GenericFakeChatModel):
    """LangChain's scripted model, which takes tools."""

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        self.__dict__["bound"] = tools
        return self


def fake(*rows: Any, stream: bool = False) -> LangChainModel:
    return LangChainModel(Fake(messages=iter(rows)), stream=stream)


def calling(name: str, **arguments: Any) -> AIMessage:
    usage = {"input_tokens": 5, "output_tokens": 2, "total_tokens": 7}
    return AIMessage("", tool_calls=[{"id": "c1", "name": name, "args": arguments}], usage_metadata=usage)


def test_an_agent_works_on_a_langchain_model():
    noting = Noting("t", "r")
    made = agent(tools=[noting]).copy(model=fake(calling("t", n=1), AIMessage("done")))

    state = made.invoke("hi")

    assert texts(state)[1:] == ["assistant: ", "tool: r", "assistant: done"]
    assert noting.calls == [{"n": 1}]


def test_a_langchain_stream_is_put_together():
    outputs = list(agent().copy(model=fake(AIMessage("one two three"), stream=True)).stream("hi"))

    assert texts(outputs[-1].state)[-1] == "assistant: one two three"
    assert len([o for o in outputs if hasattr(o, "chunk")]) > 2


async def test_an_async_run_uses_the_async_methods():
    assert (await agent().copy(model=fake(AIMessage("x"))).acall("hi")).text == "x"


def test_tools_and_tokens_pass_the_border():
    model = fake(calling("t", n=1))
    reply = model.call(Prompt((UserMessage("hi"),), (Noting("t").tool,), {}))

    assert reply.usage == Usage(5, 2)
    assert model.model.bound[0]["function"]["name"] == "t"


def test_messages_go_over_and_come_back():
    ours = [
        SystemMessage("s"),
        UserMessage("u"),
        asks(call("1", "t", '{"n": 1}'), text="x"),
        answers(("1", "t", "r")),
    ]

    theirs = to_langchain(ours)

    assert [type(m).__name__ for m in theirs] == ["SystemMessage", "HumanMessage", "AIMessage", "ToolMessage"]
    assert [message_from_langchain(m) for m in theirs] == ours


@pytest.mark.parametrize(
    ("media", "block"),
    [
        (
            Media("image/png", "aGk="),
            {"type": "image", "mime_type": "image/png", "base64": "aGk="},
        ),
        (
            Media("image/png", "https://a.b/c.png"),
            {"type": "image", "mime_type": "image/png", "url": "https://a.b/c.png"},
        ),
        (
            Media("application/pdf", "aGk="),
            {"type": "file", "mime_type": "application/pdf", "base64": "aGk="},
        ),
    ],
)
def test_what_a_person_shows_goes_over_and_comes_back(media, block):
    """A model that sees pictures is of no use without them."""
    (theirs,) = to_langchain([UserMessage("look", (media,))])

    assert theirs.content == [{"type": "text", "text": "look"}, block]
    assert message_from_langchain(theirs) == UserMessage("look", (media,))


def test_a_picture_in_the_form_of_openai_is_taken_too():
    blocks = [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
        {"type": "text", "text": "x"},
    ]

    assert message_from_langchain(HumanMessage(blocks)).media == (
        Media("image/*", "data:image/png;base64,aGk="),
    )


def test_blocks_become_text_and_broken_calls_stay():
    blocks = [{"type": "text", "text": "a"}, "b", {"type": "image"}]
    broken = AIMessage("", invalid_tool_calls=[{"id": "1", "name": "t", "args": "{oops", "error": None}])

    assert message_from_langchain(HumanMessage(blocks)).text == "ab"
    assert message_from_langchain(broken).tool_calls == (call("1", "t", "{oops"),)
    with pytest.raises(TypeError, match="tool"):
        reply_from_langchain(ToolMessage("x", tool_call_id="1"))
