"""Reading messages in encoded states, whoever encoded them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hookstepper.model.ids import Json
from hookstepper.model.record import Delta, SetValue, Splice
from hookstepper.values.condition_values import plain
from hookstepper.values.tags import TAG

ASSISTANT = ("assistant", "ai")


@dataclass(frozen=True, slots=True)
class CallAsked:
    """A tool call as an assistant message asks for it."""

    id: str
    tool: str
    arguments: Json


@dataclass(frozen=True, slots=True)
class CallAnswered:
    """The answer to a tool call as a message holds it."""

    id: str
    tool: str
    text: str
    status: str = ""


def is_message(value: Json) -> bool:
    """True for a tagged message, and for a plain object with a role and a content."""
    if not isinstance(value, dict):
        return False
    return value.get(TAG) == "msg" or (TAG not in value and "role" in value and "content" in value)


def role_of(message: Json) -> str:
    """`user`, `assistant`, `tool`, `system` or whatever the framework says."""
    role = str(message.get("role", message.get("type", ""))) if isinstance(message, dict) else ""
    return {"ai": "assistant", "human": "user"}.get(role, role)


def text_of(message: Json) -> str:
    """All text of a message's content, one block below the other."""
    return _content(message.get("content", message.get("text"))) if isinstance(message, dict) else ""


def _content(content: Json) -> str:
    content = plain(content)
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(filter(None, (_block(plain(block)) for block in content)))
    return _block(content)


def _block(block: Any) -> str:
    if isinstance(block, str):
        return block
    if isinstance(block, dict):
        for name in ("text", "data", "content"):
            inner = plain(block.get(name))
            if isinstance(inner, str):
                return inner
    return ""


def calls_of(message: Json) -> tuple[CallAsked, ...]:
    """The tool calls that a message asks for; arguments that are JSON text are decoded."""
    listed = plain(message.get("tool_calls")) if isinstance(message, dict) else None
    calls = [plain(call) for call in listed] if isinstance(listed, list) else []
    return tuple(_asked(call) for call in calls if isinstance(call, dict))


def _asked(call: dict[str, Json]) -> CallAsked:
    function = plain(call.get("function"))
    source: dict[str, Json] = function if isinstance(function, dict) else call
    arguments = source.get("args", source.get("arguments"))
    return CallAsked(str(call.get("id") or ""), str(source.get("name") or ""), decoded(arguments))


def decoded(arguments: Json) -> Json:
    """Arguments as an object, where they are the JSON text of one."""
    if isinstance(arguments, str):
        try:
            value: Json = json.loads(arguments)
        except (ValueError, RecursionError):
            return arguments
        return value if isinstance(value, dict) else arguments
    return arguments


def answers_of(message: Json) -> tuple[CallAnswered, ...]:
    """The answers to tool calls that a message holds; one message may hold several."""
    if not isinstance(message, dict):
        return ()
    listed = plain(message.get("responses"))
    if isinstance(listed, list):
        responses = [plain(response) for response in listed]
        return tuple(
            CallAnswered(
                str(one.get("id") or ""),
                str(one.get("name") or ""),
                _content(one.get("data", one.get("content"))),
            )
            for one in responses
            if isinstance(one, dict)
        )
    if message.get("tool_call_id"):
        name, status = str(message.get("name") or ""), str(message.get("status") or "")
        return (CallAnswered(str(message["tool_call_id"]), name, text_of(message), status),)
    return ()


def message_lists(state: Json) -> Iterator[tuple[str, list[Json]]]:
    """Keys of a state that hold messages, with their lists; `messages` comes first."""
    if not isinstance(state, dict):
        return
    keys = sorted(state, key=lambda key: key != "messages")
    for key in keys:
        items = state[key]
        if isinstance(items, list) and items and is_message(items[-1]):
            yield key, items


def messages_in(state: Json) -> list[Json]:
    """The conversation that a state holds, empty if it holds none."""
    return next((items for _, items in message_lists(state)), [])


def new_messages(delta: Delta) -> Iterator[tuple[str, Json]]:
    """Messages that a delta put into the state, with the key of their list."""
    for op in delta:
        if isinstance(op, Splice) and len(op.path) == 1:
            for item in op.inserted:
                if is_message(item):
                    yield str(op.path[0]), item
        elif not isinstance(op, Splice) and len(op.path) == 1 and not isinstance(op, SetValue):
            new = getattr(op, "new", None)
            for item in new if isinstance(new, list) else ():
                if is_message(item):
                    yield str(op.path[0]), item
        elif isinstance(op, SetValue) and len(op.path) == 2 and is_message(op.new):
            yield str(op.path[0]), op.new


def last_text(state: Json) -> str:
    """The text of the newest assistant message, empty if there is none."""
    for message in reversed(messages_in(state)):
        if role_of(message) == "assistant":
            return text_of(message)
    return ""
