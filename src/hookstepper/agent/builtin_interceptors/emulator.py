"""Lets a model play the tools."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hookstepper.agent import options
from hookstepper.agent.interceptors import ToolCallRequest, ToolCallResponse
from hookstepper.agent.messages import UserMessage
from hookstepper.agent.models.port import ChatModel, Prompt
from hookstepper.agent.stepwise import Ask, AskModel, SteppedToolInterceptor, Steps

TEMPLATE = """You stand in for a tool. Answer with its result only.
Tool: {name}
What it does: {description}
Arguments: {arguments}"""
_PLACE = re.compile(r"\{(name|description|arguments)\}")
"""Other braces are left alone, since templates may hold JSON."""


class ToolEmulatorInterceptor(SteppedToolInterceptor):
    """Asks `model` for the result instead of running the tool; if that fails, the tool runs.

    Args:
        tools: names of the tools to play; empty: all.
        template: the question, with `{name}`, `{description}` and `{arguments}` in it.
    """

    name = "ToolEmulator"

    def __init__(self, model: ChatModel, tools: Sequence[str] = (), template: str = TEMPLATE) -> None:
        self.model = options.chat_model(model, "ToolEmulatorInterceptor: model")
        self.tools = frozenset(options.names(tools, "ToolEmulatorInterceptor: tools"))
        self.template = template

    def steps(self, request: ToolCallRequest) -> Steps:
        """The made-up result, whose status is None as upstream has it."""
        if self.tools and request.name not in self.tools:
            response = yield Ask(request)
            return response
        known = {
            "name": request.name,
            "description": self._description(request.name),
            "arguments": request.arguments,
        }
        text = _PLACE.sub(lambda place: known[place[1]], self.template)
        try:
            reply = yield AskModel(self.model, Prompt((UserMessage(text),)))
        except Exception:
            response = yield Ask(request)
            return response
        return ToolCallResponse(reply.message.content, request.name, request.id, None)

    def _description(self, name: str) -> str:
        """In upstream rules the model is never told; in fixed rules it is the tool's own description."""
        if self.fixed:
            found = next((tool.description for tool in self.agent.tools if tool.name == name), "")
            if found:
                return found
        return "not described"
