"""Any server that speaks OpenAI's chat completions, through the `openai` package (extra `openai`).

So Qwen on DashScope, Ollama, vLLM and others work: give the base URL, or set it in the environment.
"""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any

from hookstepper.agent.messages import (
    AgentInstructionMessage,
    AssistantMessage,
    Media,
    Message,
    SystemMessage,
    ToolCall,
    ToolResponseMessage,
    UserMessage,
)
from hookstepper.agent.models.port import CallPiece, ChatChunk, ChatModel, ChatReply, Prompt
from hookstepper.agent.tools import Tool
from hookstepper.model.errors import NotPossibleError
from hookstepper.model.record import Usage


class OpenAIModel(ChatModel):
    """A chat model behind an OpenAI-compatible server. The connection is made at the first call.

    Args:
        model: the model's name; None takes `OPENAI_MODEL`.
        base_url: of the server; None takes `OPENAI_BASE_URL`, else OpenAI's own.
        api_key: None takes `OPENAI_API_KEY`; servers that want none take any.
        stream: whether to ask for the answer in pieces.
        timeout: seconds for an answer, or for its first piece.
        max_retries: of the package itself, for faults of the network and full servers.
        options: for each request, such as `temperature=0`.
    """

    def __init__(
        self,
        model: str | None = None,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        stream: bool = False,
        timeout: float = 60.0,
        max_retries: int = 2,
        **options: object,
    ) -> None:
        self._model = model
        self._connection = {"base_url": base_url, "api_key": api_key, "timeout": timeout}
        self._connection["max_retries"] = max_retries
        self.streaming = stream
        self.options = options
        self._client: Any = None
        self._async: Any = None

    @property
    def name(self) -> str:  # type: ignore[override]
        """The model's name.

        Raises:
            NotPossibleError: nobody gave one.
        """
        found = self._model or os.environ.get("OPENAI_MODEL")
        if not found:
            raise NotPossibleError("the model has no name", hint="OpenAIModel('name'), or set OPENAI_MODEL")
        return found

    @property
    def streams(self) -> bool:
        """True if it was made with `stream=True`."""
        return self.streaming

    def call(self, prompt: Prompt) -> ChatReply:
        """The answer."""
        return reply_of(self._sync_client().chat.completions.create(**self.request(prompt)))

    async def acall(self, prompt: Prompt) -> ChatReply:
        """The answer, on the current event loop."""
        async with self._async_client() as client:
            return reply_of(await client.chat.completions.create(**self.request(prompt)))

    def stream(self, prompt: Prompt) -> Iterator[ChatChunk]:
        """The answer in pieces."""
        pieces = self._sync_client().chat.completions.create(**self.request(prompt, stream=True))
        try:
            for piece in pieces:
                yield chunk_of(piece)
        finally:
            pieces.close()

    async def astream(self, prompt: Prompt) -> AsyncIterator[ChatChunk]:
        """The answer in pieces, on the current event loop."""
        async with self._async_client() as client:
            pieces = await client.chat.completions.create(**self.request(prompt, stream=True))
            try:
                async for piece in pieces:
                    yield chunk_of(piece)
            finally:
                await pieces.close()

    def request(self, prompt: Prompt, *, stream: bool = False) -> dict[str, Any]:
        """What is sent."""
        request: dict[str, Any] = {"model": self.name, "messages": wire_messages(prompt.messages)}
        if prompt.tools:
            request["tools"] = [_tool(tool) for tool in prompt.tools]
        if stream:
            request |= {"stream": True, "stream_options": {"include_usage": True}}
        return {**request, **self.options, **prompt.options}

    def _sync_client(self) -> Any:
        if self._client is None:
            self._client = _package().OpenAI(**self._settings())
        return self._client

    def _async_client(self) -> Any:
        # A client belongs to the event loop on which it was made, and each run may have its own.
        return _package().AsyncOpenAI(**self._settings())

    def _settings(self) -> dict[str, Any]:
        settings = {key: value for key, value in self._connection.items() if value is not None}
        if "api_key" not in settings and not os.environ.get("OPENAI_API_KEY"):
            settings["api_key"] = "none"  # servers on one's own machine want no key; the package does
        return settings


def _package() -> Any:
    try:
        import openai
    except ImportError:
        raise NotPossibleError(
            "an OpenAIModel needs the openai package", hint="pip install 'hookstepper[openai]'"
        ) from None
    return openai


def _tool(tool: Tool) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.schema}
    return {"type": "function", "function": function}


def wire_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Messages in the protocol's form; a tool message becomes one for each response."""
    made: list[dict[str, Any]] = []
    for message in messages:
        match message:
            case UserMessage():
                made.append({"role": "user", "content": _content(message)})
            case AgentInstructionMessage():
                made.append({"role": "user", "content": message.content})
            case SystemMessage():
                made.append({"role": "system", "content": message.content})
            case AssistantMessage():
                made.append(_assistant(message))
            case ToolResponseMessage():
                made += [
                    {"role": "tool", "tool_call_id": response.id, "content": response.data or ""}
                    for response in message.responses
                ]
    return made


def _assistant(message: AssistantMessage) -> dict[str, Any]:
    form: dict[str, Any] = {"role": "assistant", "content": message.content}
    if message.tool_calls:
        form["tool_calls"] = [
            {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": _valid(c.arguments)}}
            for c in message.tool_calls
        ]
    return form


def _valid(arguments: str) -> str:
    """Servers refuse a history with arguments that are no JSON, also their model's own."""
    try:
        json.loads(arguments)
    except ValueError:
        return json.dumps({"input": arguments}, ensure_ascii=False)
    return arguments


def _content(message: UserMessage) -> Any:
    if not message.media:
        return message.content
    return [{"type": "text", "text": message.content}, *(_media(item) for item in message.media)]


def _media(item: Media) -> dict[str, Any]:
    url = item.data if ":" in item.data[:12] else f"data:{item.mime_type};base64,{item.data}"
    return {"type": "image_url", "image_url": {"url": url}}


def reply_of(completion: Any) -> ChatReply:
    """The answer in a completion.

    Raises:
        RuntimeError: the completion holds none.
    """
    if not getattr(completion, "choices", None):
        raise RuntimeError("the server's answer holds no choice")
    choice = completion.choices[0]
    calls = tuple(
        ToolCall(call.id or "", call.function.name or "", call.function.arguments or "")
        for call in choice.message.tool_calls or ()
    )
    return ChatReply(
        AssistantMessage(choice.message.content, calls, metadata=_metadata(choice)), _usage(completion)
    )


def chunk_of(piece: Any) -> ChatChunk:
    """A piece of a stream; the last one may hold nothing but the usage."""
    usage = _usage(piece)
    if not piece.choices:
        return ChatChunk(usage=usage)
    choice = piece.choices[0]
    calls = tuple(
        CallPiece(call.index, call.id or "", getattr(call.function, "name", None) or "", _arguments(call))
        for call in choice.delta.tool_calls or ()
    )
    return ChatChunk(choice.delta.content or "", calls, usage, _metadata(choice))


def _arguments(call: Any) -> str:
    return getattr(call.function, "arguments", None) or ""


def _metadata(choice: Any) -> Mapping[str, object]:
    reason = getattr(choice, "finish_reason", None)
    return {"finish_reason": reason} if reason else {}


def _usage(answer: Any) -> Usage | None:
    usage = getattr(answer, "usage", None)
    if usage is None:
        return None
    return Usage(int(usage.prompt_tokens or 0), int(usage.completion_tokens or 0))
