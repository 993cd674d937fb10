"""The model port: what the model node asks, and how a chat model answers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hookstepper.agent.messages import AssistantMessage, Message, ToolCall
from hookstepper.agent.tools import Tool
from hookstepper.model.record import Usage


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request to a model."""

    messages: tuple[Message, ...]
    """System message first, if there is one."""
    tools: tuple[Tool, ...] = ()
    options: Mapping[str, object] = field(default_factory=dict)
    """Such as temperature; words of the model's own."""


@dataclass(frozen=True, slots=True)
class ChatReply:
    """One complete answer."""

    message: AssistantMessage
    usage: Usage | None = None
    """None if the model does not say."""


@dataclass(frozen=True, slots=True)
class CallPiece:
    """A piece of a tool call in a stream; pieces with one index, or one id, belong together."""

    index: int | None = None
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class ChatChunk:
    """A piece of a streamed answer."""

    text: str = ""
    calls: tuple[CallPiece, ...] = ()
    usage: Usage | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)


class ChatModel:
    """Base of all models; a subclass gives `call`, or `stream`, or their async twins.

    Methods may be called from any thread, one call at a time unless the class says otherwise.
    """

    name: str = "model"
    """Shown in the debugger."""

    def call(self, prompt: Prompt) -> ChatReply:
        """The answer to `prompt`. Default: what `stream` gives, put together."""
        if type(self).stream is ChatModel.stream:
            raise NotImplementedError(f"{type(self).__name__} gives neither call nor stream")
        return aggregate(list(self.stream(prompt)))

    def stream(self, prompt: Prompt) -> Iterator[ChatChunk]:
        """The answer in pieces. Default: one piece, what `call` gives."""
        yield chunk_of(self.call(prompt))

    async def acall(self, prompt: Prompt) -> ChatReply:
        """`call` for an event loop. Default: `call` itself, or what a streaming twin gives."""
        if type(self).astream is not ChatModel.astream:
            return aggregate([chunk async for chunk in self.astream(prompt)])
        return self.call(prompt)

    async def astream(self, prompt: Prompt) -> AsyncIterator[ChatChunk]:
        """`stream` for an event loop. Default: `stream` itself."""
        for chunk in self.stream(prompt):
            yield chunk

    @property
    def streams(self) -> bool:
        """True if the model gives its answer in pieces of its own accord."""
        kind = type(self)
        return kind.stream is not ChatModel.stream or kind.astream is not ChatModel.astream


def chunk_of(reply: ChatReply) -> ChatChunk:
    """A complete answer as one piece."""
    calls = tuple(
        CallPiece(index, call.id, call.name, call.arguments)
        for index, call in enumerate(reply.message.tool_calls)
    )
    return ChatChunk(reply.message.content, calls, reply.usage, reply.message.metadata)


def aggregate(chunks: Sequence[ChatChunk]) -> ChatReply:
    """The answer that the pieces make: text concatenated, tool calls merged by id, else by position, else
    by a name that is the only one; metadata and usage of the last piece that has any.

    Raises:
        RuntimeError: there is no piece at all.
    """
    if not chunks:
        raise RuntimeError("the model's stream was empty")
    calls: list[ToolCall] = []
    places: dict[int, int] = {}
    for piece in (piece for chunk in chunks for piece in chunk.calls):
        at = _place_of(piece, calls, places)
        if at is None:
            if piece.index is not None:
                places[piece.index] = len(calls)
            calls.append(ToolCall(piece.id, piece.name, piece.arguments))
            continue
        calls[at] = _merged(calls[at], piece)
    metadata = next((chunk.metadata for chunk in reversed(chunks) if chunk.metadata), {})
    usage = next((chunk.usage for chunk in reversed(chunks) if chunk.usage is not None), None)
    text = "".join(chunk.text for chunk in chunks)
    return ChatReply(AssistantMessage(text, tuple(calls), metadata=metadata), usage)


def _place_of(piece: CallPiece, calls: Sequence[ToolCall], places: Mapping[int, int]) -> int | None:
    if piece.id:
        by_id = next((at for at, call in enumerate(calls) if call.id == piece.id), None)
        if by_id is not None:
            return by_id
    if piece.index is not None:
        at = places.get(piece.index)
        # Two calls may carry one index and different ids: some servers count from 0 in every piece.
        return None if at is not None and piece.id and calls[at].id not in ("", piece.id) else at
    if piece.id:
        return None
    named = [at for at, call in enumerate(calls) if call.name == piece.name] if piece.name else []
    if len(named) == 1:
        return named[0]
    return len(calls) - 1 if calls and not piece.name else None


def _merged(call: ToolCall, piece: CallPiece) -> ToolCall:
    # Some servers send a finished call once more, whole. Upstream drops any piece that the text so far
    # contains, which breaks arguments that repeat themselves; that is not reproduced.
    again = piece.arguments == call.arguments and call.arguments.endswith("}")
    arguments = call.arguments if again else call.arguments + piece.arguments
    return replace(call, id=call.id or piece.id, name=call.name or piece.name, arguments=arguments)


def estimate_tokens(texts: Iterable[str]) -> int:
    """A rough count of tokens, four characters each; for models that report none."""
    return sum(len(text) // 4 + 1 for text in texts)
