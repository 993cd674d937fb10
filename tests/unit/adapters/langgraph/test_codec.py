"""Messages go to JSON and come back as they were; a wrong edit is refused with the place of the fault."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.types import Command, Send

from hookstepper.adapters.langgraph.codec import LangChainCodec
from hookstepper.values import InvalidValue, decode, encode

CODEC = LangChainCodec()
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**31), 2**31) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=5,
)
CALL = st.fixed_dictionaries(
    {"name": TEXT, "args": st.dictionaries(TEXT, PLAIN, max_size=2), "id": TEXT, "type": st.just("tool_call")}
)
IDS = st.none() | TEXT
CONTENT = TEXT | st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": TEXT}), max_size=2)
MESSAGES: st.SearchStrategy[BaseMessage] = st.one_of(
    st.builds(HumanMessage, content=CONTENT, id=IDS, name=st.none() | TEXT),
    st.builds(SystemMessage, content=CONTENT, id=IDS),
    st.builds(AIMessage, content=CONTENT, id=IDS, tool_calls=st.lists(CALL, max_size=2)),
    st.builds(
        ToolMessage,
        content=CONTENT,
        id=IDS,
        tool_call_id=TEXT,
        status=st.sampled_from(["success", "error"]),
    ),
)


@given(MESSAGES)
def test_a_message_comes_back_as_it_was(message: BaseMessage) -> None:
    form = json.loads(json.dumps(encode(message, CODEC)))

    assert decode(form, like=message, codec=CODEC) == message


@given(MESSAGES)
def test_a_message_can_be_made_from_its_form_alone(message: BaseMessage) -> None:
    """An imported or typed message has no old one to lean on."""
    form = json.loads(json.dumps(encode(message, CODEC)))

    again = decode(form, like=None, codec=CODEC)

    assert type(again) is type(message)
    assert encode(again, CODEC) == encode(message, CODEC)


@given(MESSAGES, TEXT)
def test_only_what_was_edited_changes(message: BaseMessage, text: str) -> None:
    form = encode(message, CODEC)
    assert isinstance(form, dict)

    edited = decode({**form, "content": text}, like=message, codec=CODEC)

    assert isinstance(edited, BaseMessage)
    assert edited.content == text
    assert edited.model_copy(update={"content": message.content}) == message


@pytest.mark.parametrize(
    ("form", "path"),
    [
        ({"$": "msg", "role": "nobody", "content": "x"}, ("role",)),
        ({"$": "msg", "role": "assistant", "content": "x", "tool_calls": "many"}, ("tool_calls",)),
        ({"$": "msg", "role": "tool", "content": "x"}, ("tool_call_id",)),
    ],
)
def test_a_form_that_is_no_message_is_refused_with_its_place(form: Any, path: tuple[str, ...]) -> None:
    with pytest.raises(InvalidValue) as caught:
        decode(form, like=None, codec=CODEC)

    assert caught.value.path[-len(path) :] == path or caught.value.path == path


def test_sends_and_commands_are_shown_with_what_they_carry() -> None:
    assert encode(Send("a", {"n": 1}), CODEC) == {"$": "send", "node": "a", "arg": {"n": 1}}
    shown = encode(Command(goto="b", update={"n": 1}), CODEC)
    assert isinstance(shown, dict)
    assert (shown["$"], shown["goto"], shown["update"]) == ("command", "b", {"n": 1})


def test_what_is_not_of_the_framework_is_left_to_others() -> None:
    for value in (1, "x", {"role": "user"}, object(), [HumanMessage("x")]):
        assert CODEC.encode(value) is None
