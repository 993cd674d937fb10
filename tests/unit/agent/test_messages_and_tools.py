"""Messages, schemas of functions, the model port, and the codec."""

from __future__ import annotations

import dataclasses
import enum
import json
from typing import Annotated, Any, Literal, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookstepper.agent import (
    MARK_FOR_REMOVAL,
    AgentInstructionMessage,
    AssistantMessage,
    ChatModel,
    Media,
    ModelRequest,
    ModelResponse,
    Prompt,
    ReactAgent,
    SystemMessage,
    ToolCall,
    ToolCallRequest,
    ToolCallResponse,
    ToolContext,
    ToolResponse,
    ToolResponseMessage,
    UserMessage,
    method_tools,
    tool,
)
from hookstepper.agent.codec import AgentCodec
from hookstepper.agent.messages import messages_of, with_id
from hookstepper.agent.models.port import CallPiece, ChatChunk, ChatReply, aggregate
from hookstepper.agent.template import MissingValueError, render
from hookstepper.agent.tools import as_tool, as_tools, result_text
from hookstepper.model.errors import SpecError
from hookstepper.model.record import Usage
from hookstepper.ports.target import InvalidValue
from hookstepper.values import decode, encode
from support.agent_kit import Counting, agent, asks, call

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=4,
)
TEXT = st.text(max_size=20)
META = st.dictionaries(st.text(min_size=1), JSON, max_size=2)
ARGS = st.dictionaries(st.text(), JSON, max_size=2).map(json.dumps) | TEXT
CALLS = st.lists(st.builds(ToolCall, TEXT, st.text(min_size=1), ARGS), max_size=3, unique_by=lambda c: c.id)
MEDIA = st.lists(st.builds(Media, TEXT, TEXT, TEXT), max_size=1)
MESSAGES = st.one_of(
    st.builds(UserMessage, TEXT, MEDIA, META, TEXT),
    st.builds(AssistantMessage, st.none() | TEXT, CALLS, MEDIA, META, TEXT),
    st.builds(SystemMessage, TEXT, META, TEXT),
    st.builds(AgentInstructionMessage, TEXT, st.booleans(), META, TEXT),
    st.builds(
        ToolResponseMessage,
        st.lists(st.builds(ToolResponse, TEXT, st.text(min_size=1), st.none() | TEXT), max_size=3),
        META,
        TEXT,
    ),
)


@given(MESSAGES)
def test_a_message_comes_back_from_json_as_it_was(message):
    """An edit of one value must not change the others."""
    codec = AgentCodec()
    form = json.loads(json.dumps(encode(message, codec)))

    assert decode(form, message, codec) == message
    made_anew = decode(form, None, codec)
    assert encode(made_anew, codec) == form
    assert made_anew.id == message.id


@given(MESSAGES)
def test_equal_messages_have_equal_hashes_and_ids_do_not_count(message):
    other = dataclasses.replace(message, id="another")

    assert other == message
    assert hash(other) == hash(message)
    assert with_id(other, "x").id == "another"


def test_lists_given_to_a_message_do_not_stay_shared():
    calls, meta = [call("1", "t")], {"a": 1}
    message = AssistantMessage("x", calls, metadata=meta)
    calls.append(call("2", "t"))
    meta["a"] = 2

    assert len(message.tool_calls) == 1
    assert message.metadata == {"a": 1}


def test_what_is_no_message_is_left_out():
    assert messages_of({"messages": [UserMessage("a"), "b", None, 3]}) == [UserMessage("a")]
    assert messages_of({"messages": UserMessage("a")}) == [UserMessage("a")]
    assert messages_of({"messages": "text"}) == messages_of({}) == []


@pytest.mark.parametrize(
    ("form", "path"),
    [
        ({"$": "msg", "role": "nobody", "content": ""}, ("role",)),
        ({"$": "msg", "role": "user", "content": 5}, ("content",)),
        ({"$": "msg", "role": "assistant", "tool_calls": [{}]}, ("tool_calls", 0)),
        ({"$": "msg", "role": "assistant", "tool_calls": "x"}, ("tool_calls",)),
        ({"$": "msg", "role": "tool"}, ("responses",)),
        ({"$": "msg", "role": "tool", "responses": [3]}, ("responses", 0)),
        ({"$": "msg", "role": "user", "content": "", "metadata": 3}, ("metadata",)),
        ({"$": "msg", "role": "user", "content": "", "media": [3]}, ("media",)),
    ],
)
def test_a_form_that_is_no_message_is_refused_where_it_is_wrong(form, path):
    with pytest.raises(InvalidValue) as failure:
        AgentCodec().decode(form, None)
    assert failure.value.path == path


@pytest.mark.parametrize(
    "value",
    [
        ModelResponse(AssistantMessage("x", (ToolCall("1", "t", '{"a": 1}'),)), Usage(1, 2)),
        ModelResponse(AssistantMessage("x")),
        ToolCallResponse("r", "t", "1"),
        ToolCallResponse(None, "t", "1", None),
        ToolCall("1", "t", '{"a": 1}'),
        MARK_FOR_REMOVAL,
    ],
)
def test_what_passed_a_gate_is_made_again_from_a_record(value):
    """A mocked call is answered with what was recorded, where there is nothing to compare it with."""
    assert decode(json.loads(json.dumps(encode(value, AgentCodec()))), None, AgentCodec()) == value


def test_markers_of_an_update_are_made_from_what_a_person_types():
    message = {"$": "msg", "role": "user", "content": "a"}
    update = {
        "messages": {"$": "replace_all", "items": [message]},
        "log": [{"$": "remove", "value": message}],
    }

    made = decode(update, None, AgentCodec())

    assert made["messages"].items == [UserMessage("a")]
    assert made["log"][0].value == UserMessage("a")


def test_requests_show_what_a_person_needs_and_no_more():
    request = ToolCallRequest("t", '{"a": 1}', "1", {"m": 1}, {"messages": ["x" * 10_000]})
    asked = ModelRequest((UserMessage("a"),), SystemMessage("s"), ("t",), context={"big": "x" * 10_000})

    assert encode(request, AgentCodec()) == {"$": "tool_request", "id": "1", "name": "t", "args": {"a": 1}}
    assert len(json.dumps(encode(asked, AgentCodec()))) < 300
    edited = decode({"$": "tool_request", "args": {"a": 2}}, request, AgentCodec())
    assert (edited.arguments, edited.state) == ('{"a": 2}', request.state)
    form = encode(asked, AgentCodec())
    form["messages"][0]["content"] = "b"
    assert decode(form, asked, AgentCodec()).messages == (UserMessage("b"),)


def test_the_text_of_a_single_tool_response_can_be_edited():
    message = ToolResponseMessage([ToolResponse("1", "t", "old")])
    form = encode(message, AgentCodec())

    edited = decode({**form, "content": "new"}, message, AgentCodec())

    assert edited.responses[0].data == "new"


# ------------------------------------------------------------------------------------------- tools


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Point:
    x: int
    y: float = 0.0


class Options(TypedDict, total=False):
    deep: bool


def test_a_schema_says_what_the_annotations_say():
    @tool
    def draw(
        point: Point,
        colour: Colour,
        mode: Literal["fast", "slow"],
        tags: list[str],
        sizes: tuple[int, float],
        extra: dict[str, int],
        options: Options,
        note: Annotated[str, "a note"],
        anything: Any,
        maybe: int | None = None,
        flag: bool = True,
        *,
        context: ToolContext,
    ) -> str:
        """Draw a point.

        And more.

        Args:
            point: where.
            mode (str): how.

        Returns:
            nothing
        """
        return f"{point.x} {colour.name} {sizes} {context.call_id}"

    properties = draw.schema["properties"]

    assert draw.description == "Draw a point. And more."
    assert properties["point"] == {
        "type": "object",
        "properties": {"x": {"type": "integer"}, "y": {"type": "number"}},
        "required": ["x"],
        "description": "where.",
    }
    assert properties["colour"] == {"enum": ["red"]}
    assert properties["mode"] == {"enum": ["fast", "slow"], "description": "how."}
    assert properties["tags"] == {"type": "array", "items": {"type": "string"}}
    assert properties["extra"] == {"type": "object", "additionalProperties": {"type": "integer"}}
    assert properties["options"] == {"type": "object", "properties": {"deep": {"type": "boolean"}}}
    assert properties["note"] == {"type": "string", "description": "a note"}
    assert properties["anything"] == {}
    assert properties["maybe"] == {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None}
    assert properties["flag"] == {"type": "boolean", "default": True}
    assert "context" not in properties
    assert draw.schema["required"] == [
        "point",
        "colour",
        "mode",
        "tags",
        "sizes",
        "extra",
        "options",
        "note",
        "anything",
    ]


def test_arguments_become_what_the_annotations_ask_for():
    seen = []

    @tool
    def draw(point: Point, colour: Colour, sizes: tuple[int, int], names: set[str], share: float) -> str:
        """Draw."""
        seen.extend([point, colour, sizes, names, share])
        return "ok"

    arguments = '{"point": {"x": 1}, "colour": "red", "sizes": [1, 2], "names": ["a"], "share": 1}'
    agent([asks(call("1", "draw", arguments)), "x"], tools=[draw]).invoke("hi")

    assert seen == [Point(1), Colour.RED, (1, 2), {"a"}, 1.0]


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ("plain", "plain"),
        (None, "Done"),
        ({"ü": [1, (2,)]}, '{"ü": [1, [2]]}'),
        (Point(1), '{"x": 1, "y": 0.0}'),
        (b"x", "\"b'x'\""),
    ],
)
def test_a_result_is_text_or_json(result, text):
    assert result_text(result) == text


def test_a_result_that_is_no_json_is_shown_as_it_can_be():
    loop: list[Any] = []
    loop.append(loop)

    assert result_text(loop) == "[[...]]"


def test_what_is_no_tool_is_refused():
    with pytest.raises(SpecError, match="not a tool"):
        as_tool(5)
    with pytest.raises(SpecError, match="positional-only"):

        @tool
        def bad(x, /):
            """No."""


def test_a_tool_can_still_be_called_as_a_function():
    @tool("other", return_direct=True)
    def add(one: int, two: int) -> int:
        """Add."""
        return one + two

    assert add(1, two=2) == 3
    assert (add.name, add.return_direct) == ("other", True)


# ------------------------------------------------------------------------------------ model and text


PIECE = st.integers(1, 4)


@given(TEXT, CALLS.filter(lambda calls: all(c.id for c in calls)), PIECE)
def test_pieces_of_a_stream_make_the_whole_answer(text, calls, size):
    model = Counting([AssistantMessage(text, calls)], stream=size)
    prompt = Prompt((UserMessage("hi"),))

    assert aggregate(list(model.stream(prompt))).message == model.call(prompt).message


def test_calls_without_ids_are_told_apart_by_position_then_name():
    chunks = [
        ChatChunk("a", (CallPiece(0, "", "f", "{"), CallPiece(1, "", "g", "{}"))),
        ChatChunk("b", (CallPiece(0, "", "", "}"),)),
        ChatChunk(calls=(CallPiece(None, "", "g", ""),)),
    ]

    reply = aggregate(chunks)

    assert reply.message.text == "ab"
    assert [(c.name, c.arguments) for c in reply.message.tool_calls] == [("f", "{}"), ("g", "{}")]
    with pytest.raises(RuntimeError, match="empty"):
        aggregate([])


async def test_a_model_needs_one_of_its_four_methods_only():
    class Sync(ChatModel):
        def call(self, prompt):
            return ChatReply(AssistantMessage("s"))

    class Streaming(ChatModel):
        async def astream(self, prompt):
            yield ChatChunk("t")

    prompt = Prompt(())
    assert (await Sync().acall(prompt)).message.text == "s"
    assert [c.text async for c in Sync().astream(prompt)] == ["s"]
    assert (await Streaming().acall(prompt)).message.text == "t"
    with pytest.raises(NotImplementedError):
        ChatModel().call(prompt)


def test_a_sync_run_can_use_a_model_that_is_only_async():
    class Async(ChatModel):
        async def acall(self, prompt):
            return ChatReply(AssistantMessage("later"))

    assert agent().copy(model=Async()).call("hi").text == "later"


@pytest.mark.parametrize(
    ("template", "values", "text"),
    [
        ("a {b} c", {"b": 1}, "a 1 c"),
        ("{a.b}", {"a": {"b": "x"}}, "x"),
        (r"\{b\} {}", {}, "{b} {}"),
        ('{"json": 1}', {}, '{"json": 1}'),
        ("{ b }", {"b": 1}, "{ b }"),
    ],
)
def test_a_template_fills_names_and_leaves_the_rest(template, values, text):
    assert render(template, values) == text


def test_a_missing_value_is_named_with_those_there_are():
    with pytest.raises(MissingValueError, match="name") as failure:
        render("{name}", {"b": 1, "a": None})
    assert failure.value.known == ["a", "b"]


class Till:
    """An object with state, some methods of which a model may call."""

    def __init__(self) -> None:
        self.paid: list[int] = []

    @tool
    def pay(self, amount: int, context: ToolContext) -> str:
        """Pay so much."""
        self.paid.append(amount)
        return f"paid {amount}, {len(context.state['messages'])} messages"

    @tool("look", return_direct=True)
    async def look_up(self, what: str) -> str:
        return what

    def not_a_tool(self) -> None: ...


class SafeTill(Till):
    @tool
    def pay(self, amount: int) -> str:
        return "refused"


def test_methods_of_an_object_are_tools_that_share_its_state():
    first, second = Till(), Till()
    made = agent(
        [asks(call("1", "pay", '{"amount": 5}')), "end"],
        tools=[*method_tools(first), *method_tools(SafeTill())],
    )

    made.invoke("hi")

    assert (first.paid, second.paid) == ([5], [])
    pay, look = method_tools(second)
    assert (pay.name, list(pay.schema["properties"])) == ("pay", ["amount"])
    assert (look.name, look.is_async, look.return_direct) == ("look", True, True)
    assert [t.name for t in method_tools(SafeTill())] == ["pay", "look"]
    assert second.pay(7, ToolContext({"messages": []})) == "paid 7, 0 messages"
    with pytest.raises(SpecError, match="no method marked @tool"):
        method_tools("text")


def test_a_provider_brings_all_of_its_tools_once():
    asked = []

    class Server:
        def tools(self):
            asked.append("x")
            return [*method_tools(Till()), lambda_tool]

    @tool
    def lambda_tool() -> str:
        return "x"

    till = Till()
    built = (
        ReactAgent.builder().name("a").model(Counting(["end"])).method_tools(till).tool_providers(Server())
    )
    made = built.build()
    made.invoke("hi")

    assert [t.name for t in made.tools] == ["pay", "look", "lambda_tool"]
    assert asked == ["x"]
    assert [t.name for t in as_tools([Server(), None])] == ["pay", "look", "lambda_tool"]


def test_a_method_that_has_its_object_is_a_tool_like_any_function():
    class Words:
        def count(self, text: str) -> int:
            return len(text.split())

    class Kit:
        count = tool(Words().count)

    assert (Kit().count.method, list(Kit().count.schema["properties"])) == (False, ["text"])
    assert Kit().count("a b") == 2
    with pytest.raises(SpecError, match="no method marked @tool"):
        method_tools(Kit())
