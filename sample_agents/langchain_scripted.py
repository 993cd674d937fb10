"""A chat model that says what it is told to: no network, no key, and the same answer at every replay.

The reply is chosen by the number of assistant messages in the prompt and by nothing else. So a run that
goes back in time, forks or is repeated gets the answer that belongs to that place of the conversation; a
model that walks through an iterator would give the next one.
"""

# LangChain gives more than a script needs.
# ruff: noqa: ARG002

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool

Reply = str | AIMessage | Callable[[list[BaseMessage]], "str | AIMessage"]


def call(name: str, call_id: str, /, **arguments: Any) -> dict[str, Any]:
    """A tool call, as a model proposes one."""
    return {"name": name, "args": arguments, "id": call_id, "type": "tool_call"}


def calls(*tool_calls: dict[str, Any], text: str = "") -> AIMessage:
    """A reply that asks for tools."""
    return AIMessage(text, tool_calls=list(tool_calls))


class ScriptedChat(BaseChatModel):
    """Answers from `replies`; the last one serves for all later turns."""

    replies: list[Any]
    """Texts, messages, or functions of the prompt."""
    model_name: str = "scripted"

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(
        self, tools: Sequence[Any], *, tool_choice: Any = None, **kwargs: Any
    ) -> Runnable[Any, Any]:
        """The model with tools bound, which it names in its requests and otherwise ignores."""
        bound = [one if isinstance(one, dict) else convert_to_openai_tool(one) for one in tools]
        return self.bind(tools=bound, tool_choice=tool_choice, **kwargs)

    def _reply(self, messages: list[BaseMessage]) -> AIMessage:
        turn = sum(isinstance(message, AIMessage) for message in messages)
        reply = self.replies[min(turn, len(self.replies) - 1)]
        if callable(reply):
            reply = reply(messages)
        message = AIMessage(reply) if isinstance(reply, str) else reply.model_copy(deep=True)
        read, written = _words(*messages), _words(message) + len(message.tool_calls)
        message.usage_metadata = {
            "input_tokens": read,
            "output_tokens": written,
            "total_tokens": read + written,
        }
        return message

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._reply(messages))])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        message = self._reply(messages)
        for chunk in _chunks(message):
            if run_manager is not None:
                run_manager.on_llm_new_token(str(chunk.content), chunk=ChatGenerationChunk(message=chunk))
            yield ChatGenerationChunk(message=chunk)


def _chunks(message: AIMessage) -> Iterator[AIMessageChunk]:
    """Word by word, then each tool call, then what it cost."""
    for word in re.findall(r"\S+\s*", str(message.content)):
        yield AIMessageChunk(word, id=message.id)
    for index, one in enumerate(message.tool_calls):
        piece = tool_call_chunk(name=one["name"], args=_json(one["args"]), id=one["id"], index=index)
        yield AIMessageChunk("", tool_call_chunks=[piece], id=message.id)
    yield AIMessageChunk("", id=message.id, usage_metadata=message.usage_metadata, chunk_position="last")


def _json(arguments: Any) -> str:
    import json

    return json.dumps(arguments, ensure_ascii=False)


def _words(*messages: BaseMessage) -> int:
    return sum(len(str(message.content).split()) for message in messages)
