"""Any LangChain chat model as a model of ours (extra `langchain`)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any

from hookstepper.agent.messages import (
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
from hookstepper.agent.models.port import CallPiece, ChatChunk, ChatModel, ChatReply, Prompt
from hookstepper.agent.tools import Tool
from hookstepper.model.record import Usage


class LangChainModel(ChatModel):
    """Wraps a LangChain chat model: tools are bound for each call, answers are turned into ours.

    Args:
        model: a `BaseChatModel`, or a name for `init_chat_model`, such as `openai:gpt-4o-mini`.
        stream: whether to ask it for pieces.
        options: for `init_chat_model`, if a name is given.
    """

    def __init__(self, model: Any, *, stream: bool = False, **options: Any) -> None:
        if isinstance(model, str):
            from langchain.chat_models import init_chat_model

            model = init_chat_model(model, **options)
        self.model = model
        self.streaming = stream
        self.name = _name_of(model)

    @property
    def streams(self) -> bool:
        """True if it was made with `stream=True`."""
        return self.streaming

    def call(self, prompt: Prompt) -> ChatReply:
        """The answer."""
        return reply_from_langchain(self._bound(prompt).invoke(to_langchain(prompt.messages)))

    async def acall(self, prompt: Prompt) -> ChatReply:
        """The answer, on the current event loop."""
        return reply_from_langchain(await self._bound(prompt).ainvoke(to_langchain(prompt.messages)))

    def stream(self, prompt: Prompt) -> Iterator[ChatChunk]:
        """The answer in pieces."""
        for piece in self._bound(prompt).stream(to_langchain(prompt.messages)):
            yield _chunk(piece)

    async def astream(self, prompt: Prompt) -> AsyncIterator[ChatChunk]:
        """The answer in pieces, on the current event loop."""
        async for piece in self._bound(prompt).astream(to_langchain(prompt.messages)):
            yield _chunk(piece)

    def _bound(self, prompt: Prompt) -> Any:
        model = self.model
        if prompt.tools:
            model = model.bind_tools([_tool(tool) for tool in prompt.tools])
        return model.bind(**prompt.options) if prompt.options else model


def _name_of(model: Any) -> str:
    for attribute in ("model_name", "model"):
        name = getattr(model, attribute, None)
        if isinstance(name, str) and name:
            return name
    return type(model).__name__


def _tool(tool: Tool) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.schema}
    return {"type": "function", "function": function}


def to_langchain(messages: Sequence[Message]) -> list[Any]:
    """Our messages as LangChain's; a tool message becomes one for each response."""
    from langchain_core import messages as theirs

    made: list[Any] = []
    for message in messages:
        match message:
            case UserMessage():
                made.append(theirs.HumanMessage(_content(message), id=message.id or None))
            case AgentInstructionMessage():
                made.append(theirs.HumanMessage(message.content, id=message.id or None))
            case SystemMessage():
                made.append(theirs.SystemMessage(message.content, id=message.id or None))
            case AssistantMessage():
                calls = [
                    {"id": c.id, "name": c.name, "args": _arguments(c.arguments)} for c in message.tool_calls
                ]
                made.append(theirs.AIMessage(message.content, tool_calls=calls, id=message.id or None))
            case ToolResponseMessage():
                made += [
                    theirs.ToolMessage(response.data or "", tool_call_id=response.id, name=response.name)
                    for response in message.responses
                ]
    return made


def _content(message: UserMessage) -> Any:
    """The text, or, with media, content blocks in LangChain's standard form."""
    if not message.media:
        return message.content
    return [{"type": "text", "text": message.content}, *(_block(item) for item in message.media)]


def _block(item: Media) -> dict[str, Any]:
    kind = item.mime_type.partition("/")[0]
    block = {"type": kind if kind in ("image", "audio", "video") else "file", "mime_type": item.mime_type}
    # A scheme such as https: or data: stands at the very beginning; base64 text has no colon.
    return block | ({"url": item.data} if ":" in item.data[:12] else {"base64": item.data})


def _media_of(content: Any) -> tuple[Media, ...]:
    blocks = [block for block in content if isinstance(block, Mapping)] if isinstance(content, list) else []
    return tuple(media for block in blocks if (media := _medium(block)) is not None)


def _medium(block: Mapping[str, Any]) -> Media | None:
    if block.get("type") == "image_url":  # the form of OpenAI's protocol
        given = block.get("image_url")
        url = given.get("url") if isinstance(given, Mapping) else given
        return Media("image/*", str(url))
    data = block.get("url") or block.get("base64") or block.get("data")
    return (
        None
        if not data or block.get("type") == "text"
        else Media(str(block.get("mime_type") or ""), str(data))
    )


def _arguments(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text or "{}")
    except ValueError:
        return {"input": text}
    return value if isinstance(value, dict) else {"input": value}


def message_from_langchain(message: Any) -> Message:
    """A LangChain message as ours; content blocks become their text, and media of a person's message."""
    text = text_of(message.content)
    name = str(message.id or "")
    match message.type:
        case "human":
            return UserMessage(text, _media_of(message.content), id=name)
        case "system":
            return SystemMessage(text, id=name)
        case "tool":
            return ToolResponseMessage(
                (ToolResponse(message.tool_call_id or "", message.name or "", text),), id=name
            )
    calls = tuple(
        ToolCall(call.get("id") or "", call["name"], json.dumps(call["args"], ensure_ascii=False))
        for call in getattr(message, "tool_calls", ())
    )
    broken = tuple(
        ToolCall(call.get("id") or "", call.get("name") or "", call.get("args") or "")
        for call in getattr(message, "invalid_tool_calls", ())
    )
    return AssistantMessage(text, (*calls, *broken), id=name)


def text_of(content: Any) -> str:
    """The text of a message's content, which may be a list of blocks."""
    if isinstance(content, str):
        return content
    parts = (
        part if isinstance(part, str) else str(part.get("text", "")) if isinstance(part, Mapping) else ""
        for part in content or ()
    )
    return "".join(parts)


def reply_from_langchain(message: Any) -> ChatReply:
    """A LangChain answer as ours, with the tokens that it reports.

    Raises:
        TypeError: it is no answer of a model.
    """
    made = message_from_langchain(message)
    if not isinstance(made, AssistantMessage):
        raise TypeError(f"the model answered with a message of type {message.type!r}")
    return ChatReply(made, _usage(message))


def _usage(message: Any) -> Usage | None:
    usage = getattr(message, "usage_metadata", None)
    if not usage:
        return None
    return Usage(int(usage.get("input_tokens") or 0), int(usage.get("output_tokens") or 0))


def _chunk(piece: Any) -> ChatChunk:
    calls = tuple(
        CallPiece(call.get("index"), call.get("id") or "", call.get("name") or "", call.get("args") or "")
        for call in getattr(piece, "tool_call_chunks", ())
    )
    return ChatChunk(text_of(piece.content), calls, _usage(piece))
