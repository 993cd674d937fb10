"""Messages, and what passes the gates of a call, as tagged JSON and back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from hookstepper.agent.hooks import AgentCommand, JumpTo
from hookstepper.agent.interceptors import (
    SUCCESS,
    ModelRequest,
    ModelResponse,
    ToolCallRequest,
    ToolCallResponse,
)
from hookstepper.agent.messages import (
    MESSAGE_TYPES,
    AgentInstructionMessage,
    AssistantMessage,
    Media,
    Message,
    SystemMessage,
    ToolCall,
    ToolResponse,
    ToolResponseMessage,
    UserMessage,
)
from hookstepper.agent.models.port import ChatChunk, ChatReply
from hookstepper.engine.strategies import MARK_FOR_REMOVAL, Removal, RemoveByHash, ReplaceAllWith
from hookstepper.model.ids import Json
from hookstepper.model.record import Usage
from hookstepper.ports.target import InvalidValue

TAG = "$"
_TEXT_ROLES: Mapping[str, Any] = {
    "user": UserMessage,
    "assistant": AssistantMessage,
    "system": SystemMessage,
    "instruction": AgentInstructionMessage,
}


class AgentCodec:
    """The codec of agents: children stay live, the caller encodes them."""

    def encode(self, obj: object) -> Json:
        """The tagged form of one object, None if it is not the agent's; a jump is its word."""
        return obj.value if isinstance(obj, JumpTo) else cast(Json, _encoded(obj))

    def decode(self, value: Json, like: object) -> object:
        """The object that an edited form describes; what it does not name stays as in `like`.

        Raises:
            InvalidValue: it cannot be made; the path leads to the part that does not fit.
        """
        if not isinstance(value, Mapping):
            raise InvalidValue((), "an object with a tag is needed")
        tag = value.get(TAG)
        given: dict[str, Any] = {key: item for key, item in value.items() if key != TAG}
        match tag:
            case "msg":
                return message_of(given, cast("Message", like) if isinstance(like, MESSAGE_TYPES) else None)
            case "tool_request" if isinstance(like, ToolCallRequest):
                return like.with_(
                    name=str(given.get("name", like.name)),
                    arguments=_arguments(given.get("args"), like.arguments),
                )
            case "tool_response" if isinstance(like, ToolCallResponse):
                return like.with_(
                    result=given.get("content", like.result), status=given.get("status", like.status)
                )
            case "model_request" if isinstance(like, ModelRequest):
                return like.with_(
                    messages=tuple(_messages(given.get("messages"), like.messages)),
                    system_message=given.get("system", like.system_message),
                    tools=tuple(given.get("tools", like.tools)),
                )
            case "model_response" if isinstance(like, ModelResponse):
                return like.with_(message=given.get("message", like.message))
        return _made_anew(tag, given)


def _made_anew(tag: object, given: Mapping[str, Any]) -> object:
    """What a person typed, or a record holds, where there is nothing to compare it with."""
    match tag:
        case "model_response":
            message = given.get("message")
            if not isinstance(message, AssistantMessage):
                raise InvalidValue(("message",), "an assistant message")
            spent = given.get("usage")
            usage = Usage(**spent) if isinstance(spent, Mapping) else None
            return ModelResponse(message, usage)
        case "tool_response":
            name, call_id = str(given.get("name", "")), str(given.get("id", ""))
            return ToolCallResponse(given.get("content"), name, call_id, given.get("status", SUCCESS))
        case "tool_call":
            arguments = _arguments(given.get("args"), "{}")
            return ToolCall(str(given.get("id", "")), str(given.get("name", "")), arguments)
        case "replace_all" if isinstance(given.get("items"), list):
            return ReplaceAllWith(given["items"])
        case "remove":
            return RemoveByHash(given.get("value"))
        case "removed":
            return MARK_FOR_REMOVAL
    raise InvalidValue((TAG,), f"a value of kind {tag!r} cannot be made here")


def _encoded(obj: object) -> dict[str, Any] | None:
    match obj:
        case _ if isinstance(obj, MESSAGE_TYPES):
            return encoded_message(obj)  # type: ignore[arg-type]
        case ToolCallRequest():
            return {TAG: "tool_request", "id": obj.id, "name": obj.name, "args": _parsed(obj.arguments)}
        case ToolCallResponse():
            form = {TAG: "tool_response", "id": obj.id, "name": obj.name, "content": obj.result}
            return form | {"status": obj.status} | ({"metadata": obj.metadata} if obj.metadata else {})
        case ModelRequest():
            return {
                TAG: "model_request",
                "system": obj.system_message,
                "messages": list(obj.messages),
                "tools": [*obj.tools, *(tool.name for tool in obj.dynamic_tools)],
                "options": dict(obj.options),
            }
        case ModelResponse() | ChatReply():
            usage = obj.usage
            spent = (
                {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens} if usage else None
            )
            return {TAG: "model_response", "message": obj.message, "usage": spent}
        case ToolCall():
            return {TAG: "tool_call", "id": obj.id, "name": obj.name, "args": _parsed(obj.arguments)}
        case ChatChunk():
            return {TAG: "chunk", "content": obj.text}
        case AgentCommand():
            return {
                TAG: "command",
                "messages": None if obj.messages is None else list(obj.messages),
                "jump_to": obj.jump_to,
                "policy": obj.policy.value,
            }
        case ReplaceAllWith():
            return {TAG: "replace_all", "items": obj.items}
        case RemoveByHash():
            return {TAG: "remove", "value": obj.value}
        case Removal():
            return {TAG: "removed"}
    return None


def encoded_message(message: Message) -> dict[str, Any]:
    """One message, its arguments parsed where they are JSON; defaults are left out."""
    form: dict[str, Any] = {TAG: "msg", "role": message.role}
    match message:
        case ToolResponseMessage():
            form["content"] = message.content
            form["responses"] = [
                {"id": each.id, "name": each.name, "content": each.data} for each in message.responses
            ]
        case AssistantMessage():
            form["content"] = message.text
            if message.tool_calls:
                form["tool_calls"] = [
                    {"id": call.id, "name": call.name, "args": _parsed(call.arguments)}
                    for call in message.tool_calls
                ]
        case _:
            form["content"] = message.text
    if isinstance(message, AgentInstructionMessage) and not message.rendered:
        form["rendered"] = False
    if isinstance(message, (UserMessage, AssistantMessage)) and message.media:
        form["media"] = [
            {"mime_type": item.mime_type, "data": item.data, "name": item.name} for item in message.media
        ]
    if message.metadata:
        form["metadata"] = dict(message.metadata)
    if message.id:
        form["id"] = message.id
    return form


def message_of(form: Mapping[str, Any], like: Message | None = None) -> Message:
    """The message that `form` describes; unchanged parts are taken from `like`, to the letter.

    Raises:
        InvalidValue: the role is unknown or a part has the wrong shape.
    """
    role = form.get("role", like.role if like is not None else None)
    old = like if like is not None and like.role == role else None
    common: dict[str, Any] = {
        "metadata": _mapping(form.get("metadata", {}), ("metadata",)),
        "id": str(form.get("id", "") or ""),
    }
    if role == "tool":
        return ToolResponseMessage(_responses(form, old), **common)
    kind = _TEXT_ROLES.get(str(role))
    if kind is None:
        raise InvalidValue(("role",), f"a role is one of {', '.join((*_TEXT_ROLES, 'tool'))}")
    text = form.get("content", "")
    if text is not None and not isinstance(text, str):
        raise InvalidValue(("content",), "the content of a message is a text")
    extra: dict[str, Any] = {}
    if kind is AssistantMessage:
        extra["tool_calls"] = _calls(form.get("tool_calls"), old)
    if kind in (UserMessage, AssistantMessage):
        extra["media"] = _media(form.get("media"))
    if kind is AgentInstructionMessage:
        extra["rendered"] = bool(form.get("rendered", True))
    return cast("Message", kind(text, **extra, **common))


def _responses(form: Mapping[str, Any], old: Message | None) -> tuple[ToolResponse, ...]:
    rows = form.get("responses")
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        raise InvalidValue(("responses",), "a list of objects with id, name and content")
    made: list[ToolResponse] = []
    for at, row in enumerate(rows):
        if not isinstance(row, Mapping) or "name" not in row:
            raise InvalidValue(("responses", at), "an object with id, name and content")
        data = row.get("content")
        if data is not None and not isinstance(data, str):
            raise InvalidValue(("responses", at, "content"), "the content of a response is a text")
        made.append(ToolResponse(str(row.get("id", "")), str(row["name"]), data))
    text = form.get("content")
    # The text of a message is made from its responses; with one response an edit of the text is meant for it.
    changed = isinstance(text, str) and isinstance(old, ToolResponseMessage) and text != old.content
    if changed and len(made) == 1 and made[0].data == cast(ToolResponseMessage, old).responses[0].data:
        made[0] = replace(made[0], data=cast(str, text))
    return tuple(made)


def _calls(rows: object, old: Message | None) -> tuple[ToolCall, ...]:
    if rows is None:
        return ()
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        raise InvalidValue(("tool_calls",), "a list of objects with id, name and args")
    before = {call.id: call for call in old.tool_calls} if isinstance(old, AssistantMessage) else {}
    made: list[ToolCall] = []
    for at, row in enumerate(rows):
        if isinstance(row, ToolCall):
            made.append(row)
            continue
        if not isinstance(row, Mapping) or not isinstance(row.get("name"), str):
            raise InvalidValue(("tool_calls", at), "an object with id, name and args")
        call_id = str(row.get("id", ""))
        known = before.get(call_id)
        made.append(
            ToolCall(call_id, row["name"], _arguments(row.get("args"), known.arguments if known else "{}"))
        )
    return tuple(made)


def _arguments(value: object, old: str) -> str:
    """Arguments as JSON text: the old text if it says the same."""
    if value is None or value == _parsed(old):
        return old
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _parsed(text: str) -> Any:
    """Arguments as an object, or the text itself if they are none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict) else text


def _messages(value: object, old: Sequence[Message]) -> list[Any]:
    if value is None:
        return list(old)
    if not isinstance(value, Sequence) or not all(isinstance(item, MESSAGE_TYPES) for item in value):
        raise InvalidValue(("messages",), "a list of messages")
    return list(value)


def _media(rows: object) -> tuple[Media, ...]:
    if not rows:
        return ()
    if not isinstance(rows, Sequence) or not all(isinstance(row, Mapping) for row in rows):
        raise InvalidValue(("media",), "a list of objects with mime_type and data")
    return tuple(
        Media(str(row.get("mime_type", "")), str(row.get("data", "")), str(row.get("name", "")))
        for row in rows
    )


def _mapping(value: object, path: tuple[str, ...]) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidValue(path, "an object")
    return value
