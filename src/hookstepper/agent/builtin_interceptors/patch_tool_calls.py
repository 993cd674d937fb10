"""Gives every tool call that never got an answer one, so that model servers accept the history."""

from __future__ import annotations

from hookstepper.agent import texts
from hookstepper.agent.interceptors import ModelRequest
from hookstepper.agent.messages import AssistantMessage, Message, ToolResponse, ToolResponseMessage
from hookstepper.agent.stepwise import RequestInterceptor


class PatchToolCallsInterceptor(RequestInterceptor):
    """Changes the request only; the state keeps the gap."""

    name = "PatchToolCalls"

    def changed(self, request: ModelRequest) -> ModelRequest:
        """Behind each assistant message, responses for its calls that are answered nowhere."""
        answered = {
            response.id
            for message in request.messages
            if isinstance(message, ToolResponseMessage)
            for response in message.responses
        }
        messages: list[Message] = []
        for message in request.messages:
            messages.append(message)
            if isinstance(message, AssistantMessage):
                missing = [call for call in message.tool_calls if call.id not in answered]
                if missing:
                    made = (ToolResponse(c.id, c.name, texts.cancelled(c.name, c.id)) for c in missing)
                    messages.append(ToolResponseMessage(tuple(made), metadata={"patched": True}))
        if len(messages) == len(request.messages):
            return request
        return request.with_(messages=tuple(messages))
