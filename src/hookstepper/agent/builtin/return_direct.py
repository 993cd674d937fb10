"""Ends the run with a tool's result, when every tool that ran returns directly."""

from __future__ import annotations

import json
from typing import Any

from hookstepper.agent.hooks import AgentCommand, HookPosition, JumpTo, MessagesModelHook, hook_positions
from hookstepper.agent.messages import (
    FINISH_REASON,
    RETURN_DIRECT,
    AssistantMessage,
    Message,
    ToolResponseMessage,
)


@hook_positions(HookPosition.BEFORE_MODEL)
class ReturnDirectModelHook(MessagesModelHook):
    """Runs before all other before-model hooks. Upstream agents do not have it unless it is added; in fixed
    rules an agent with a return-direct tool has it of itself."""

    name = "finish_reason_check_messages_model_hook"
    order = -(2**31)
    can_jump_to = (JumpTo.END,)

    def before_model(self, messages: list[Message], config: Any) -> AgentCommand:  # noqa: ARG002
        """The messages, with the tools' results as the answer, and a jump to the exit; else nothing new."""
        last = messages[-1] if messages else None
        if not isinstance(last, ToolResponseMessage) or last.metadata.get(FINISH_REASON) != RETURN_DIRECT:
            return AgentCommand(messages)
        return AgentCommand([*messages, AssistantMessage(answer_of(last))], JumpTo.END)


def answer_of(message: ToolResponseMessage) -> str:
    """The results as one text: none is empty, one is itself, several are a JSON array in which a result that
    looks like JSON stands as it is."""
    data = [response.data for response in message.responses]
    if len(data) <= 1:
        return (data[0] or "") if data else ""
    return f"[{','.join(_element(item) for item in data)}]"


def _element(data: str | None) -> str:
    if data is None:
        return "null"
    return data if data.strip()[:1] in ("{", "[") else json.dumps(data, ensure_ascii=False)
