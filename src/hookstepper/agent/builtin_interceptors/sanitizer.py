"""Gives tool-calling messages without text an empty text, since some model servers refuse them otherwise."""

from __future__ import annotations

from hookstepper.agent.interceptors import ModelRequest
from hookstepper.agent.messages import AssistantMessage
from hookstepper.agent.stepwise import RequestInterceptor


class AssistantMessageSanitizer(RequestInterceptor):
    """On by default, behind the agent's own model interceptors; those of hooks come inside of it, so what
    they put in is not cleaned."""

    name = "AssistantMessageSanitizer"

    def changed(self, request: ModelRequest) -> ModelRequest:
        """Empty text where an assistant message has calls and no text; the same object if there is none."""
        messages = tuple(
            AssistantMessage("", message.tool_calls, message.media, message.metadata, message.id)
            if isinstance(message, AssistantMessage) and message.text is None and message.tool_calls
            else message
            for message in request.messages
        )
        if all(new is old for new, old in zip(messages, request.messages, strict=True)):
            return request
        return request.with_(messages=messages)
