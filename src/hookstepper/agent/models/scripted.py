"""A model that answers from a script: deterministic under replay and fork."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import TypeAlias

from hookstepper.agent.messages import AssistantMessage, Message, ToolCall, UserMessage
from hookstepper.agent.models.port import (
    CallPiece,
    ChatChunk,
    ChatModel,
    ChatReply,
    Prompt,
    chunk_of,
    estimate_tokens,
)
from hookstepper.model.record import Usage

Reply: TypeAlias = "str | AssistantMessage | ToolCall | Sequence[ToolCall] | ChatReply | BaseException"
"""A text, an answer, tool calls, or an exception to raise."""
EXHAUSTED = "(script exhausted)"


class ScriptedModel(ChatModel):
    """Gives reply n to a prompt that holds n assistant messages, whatever happened before.

    So a run that is repeated, or forked from the middle, gets the same answers; nothing is counted here.

    Args:
        replies: in order; a callable gets the prompt and makes its reply.
        per_turn: count only assistant messages after the last user message, so that the script begins
            anew with each message of the user.
        stream: give the answer in pieces of about this many characters; 0 gives it whole.
        delay: seconds before an answer, or between two pieces.
        exhausted: the answer when the script has run out.
    """

    def __init__(
        self,
        replies: Sequence[Reply | Callable[[Prompt], Reply]],
        *,
        name: str = "scripted",
        per_turn: bool = False,
        stream: int = 0,
        delay: float = 0.0,
        exhausted: Reply = EXHAUSTED,
    ) -> None:
        self.name = name
        self.replies = tuple(replies)
        self.per_turn = per_turn
        self.piece = stream
        self.delay = delay
        self.exhausted = exhausted

    @property
    def streams(self) -> bool:
        """True if it was made with `stream`."""
        return self.piece > 0

    def call(self, prompt: Prompt) -> ChatReply:
        """The reply that the script has for this prompt."""
        if self.delay:
            time.sleep(self.delay)
        return self.reply_to(prompt)

    async def acall(self, prompt: Prompt) -> ChatReply:
        """The same, without blocking the loop while it waits."""
        if self.delay:
            await asyncio.sleep(self.delay)
        return self.reply_to(prompt)

    def stream(self, prompt: Prompt) -> Iterator[ChatChunk]:
        """The same reply in pieces."""
        for chunk in self._chunks(prompt):
            if self.delay:
                time.sleep(self.delay)
            yield chunk

    async def astream(self, prompt: Prompt) -> AsyncIterator[ChatChunk]:
        """The same reply in pieces, without blocking the loop."""
        for chunk in self._chunks(prompt):
            if self.delay:
                await asyncio.sleep(self.delay)
            yield chunk

    def reply_to(self, prompt: Prompt) -> ChatReply:
        """The reply for `prompt`; raises it if it is an exception."""
        at = self._position(prompt.messages)
        entry = self.replies[at] if at < len(self.replies) else self.exhausted
        made = entry(prompt) if callable(entry) else entry
        return _reply(made, prompt)

    def _position(self, messages: Sequence[Message]) -> int:
        if self.per_turn:
            start = max((at for at, m in enumerate(messages) if isinstance(m, UserMessage)), default=0)
            messages = messages[start:]
        return sum(1 for message in messages if isinstance(message, AssistantMessage))

    def _chunks(self, prompt: Prompt) -> Iterator[ChatChunk]:
        reply = self.reply_to(prompt)
        if not self.piece:
            yield chunk_of(reply)
            return
        text = reply.message.content
        for start in range(0, len(text), self.piece):
            yield ChatChunk(text[start : start + self.piece])
        for index, call in enumerate(reply.message.tool_calls):
            yield ChatChunk(calls=(CallPiece(index, call.id, call.name),))
            for start in range(0, len(call.arguments), self.piece):
                yield ChatChunk(
                    calls=(CallPiece(index, arguments=call.arguments[start : start + self.piece]),)
                )
        yield ChatChunk(usage=reply.usage, metadata=reply.message.metadata)


def _reply(made: object, prompt: Prompt) -> ChatReply:
    match made:
        case BaseException():
            raise made
        case ChatReply():
            return made
        case AssistantMessage():
            message = made
        case str():
            message = AssistantMessage(made)
        case ToolCall():
            message = AssistantMessage(None, (made,))
        case _:
            message = AssistantMessage(None, tuple(made))  # type: ignore[arg-type]
    return ChatReply(message, _usage(prompt, message))


def _usage(prompt: Prompt, message: AssistantMessage) -> Usage:
    asked = (m.content for m in prompt.messages)
    given = (message.content, *(call.name + call.arguments for call in message.tool_calls))
    return Usage(estimate_tokens(asked), estimate_tokens(given))
