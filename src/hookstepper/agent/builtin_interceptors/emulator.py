"""Lets a model play the tools."""

from __future__ import annotations

from collections.abc import Sequence

from hookstepper.agent.interceptors import ToolCallRequest, ToolCallResponse
from hookstepper.agent.messages import UserMessage
from hookstepper.agent.models.port import ChatModel, Prompt
from hookstepper.agent.stepwise import Ask, AskModel, SteppedToolInterceptor, Steps

TEMPLATE = """You stand in for a tool. Answer with its result only.
Tool: {name}
What it does: {description}
Arguments: {arguments}"""


class ToolEmulatorInterceptor(SteppedToolInterceptor):
    """Asks `model` for the result instead of running the tool; if that fails, the tool runs.

    Args:
        tools: names of the tools to play; empty: all.
    """

    name = "ToolEmulator"

    def __init__(self, model: ChatModel, tools: Sequence[str] = (), template: str = TEMPLATE) -> None:
        self.model = model
        self.tools = frozenset(tools)
        self.template = template

    def steps(self, request: ToolCallRequest) -> Steps:
        """The made-up result, whose status is None as upstream has it."""
        if self.tools and request.name not in self.tools:
            response = yield Ask(request)
            return response
        text = self.template.format(
            name=request.name, description=self._description(request.name), arguments=request.arguments
        )
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
