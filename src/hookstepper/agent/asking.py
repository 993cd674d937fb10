"""One question to a model, by its sync or its async method, whichever the run can use."""

from __future__ import annotations

from collections.abc import Mapping

from hookstepper.agent.messages import AssistantMessage
from hookstepper.agent.models.port import ChatModel, ChatReply, Prompt
from hookstepper.engine.effects import Call, Effects, Here


def asked(model: ChatModel, prompt: Prompt) -> Effects[ChatReply]:
    """The model's reply; on an event loop, or if it has no other, by its async method.

    Raises:
        TypeError: it answered with something that is no reply.
        Exception: what the model raised.
    """
    driver = yield Here()
    reply = yield Call(model.acall if uses_async(model, driver.awaits) else model.call, (prompt,))
    return as_reply(reply)


def uses_async(model: ChatModel, awaits: bool) -> bool:
    """True if the model's async methods are to be called: the run awaits, or it has no others."""
    kind = type(model)
    return awaits or (kind.call is ChatModel.call and kind.stream is ChatModel.stream)


def as_reply(value: object) -> ChatReply:
    """What a model returned, as a reply: an answer, or just its message or text, will do.

    Raises:
        TypeError: it is none of these.
    """
    if isinstance(value, ChatReply):
        return value
    if isinstance(value, str):
        return ChatReply(AssistantMessage(value))
    if isinstance(value, AssistantMessage):
        return ChatReply(value)
    if isinstance(value, Mapping) and isinstance(value.get("content"), str):
        return ChatReply(AssistantMessage(value["content"]))
    raise TypeError(
        "a model, or a ring around it, answers with a ChatReply, a ModelResponse, an AssistantMessage or a "
        f"text, not {type(value).__name__}"
    )
