"""Gives tool-calling messages without text an empty text, since some model servers refuse them otherwise."""

from __future__ import annotations

from dataclasses import replace

from hookstepper.agent.interceptors import (
    AsyncModelHandler,
    ModelHandler,
    ModelInterceptor,
    ModelRequest,
    ModelResponse,
)
from hookstepper.agent.messages import AssistantMessage


class AssistantMessageSanitizer(ModelInterceptor):
    """On by default, behind the agent's own model interceptors; those of hooks come inside of it, so what
    they put in is not cleaned."""

    name = "AssistantMessageSanitizer"

    def intercept_model(self, request: ModelRequest, handler: ModelHandler) -> ModelResponse:
        """Ask with the cleaned messages."""
        return handler(sanitized(request))

    async def aintercept_model(self, request: ModelRequest, handler: AsyncModelHandler) -> ModelResponse:
        """The same on an event loop."""
        return await handler(sanitized(request))


def sanitized(request: ModelRequest) -> ModelRequest:
    """The request with empty text where an assistant message has calls and no text; the same object if there
    is none."""
    messages = tuple(
        replace(message, text="")
        if isinstance(message, AssistantMessage) and message.text is None and message.tool_calls
        else message
        for message in request.messages
    )
    if all(new is old for new, old in zip(messages, request.messages, strict=True)):
        return request
    return request.with_(messages=messages)
