"""The hook that every agent has: it puts the instruction among the messages, once a run."""

from __future__ import annotations

from typing import Any

from hookstepper.agent.hooks import AgentCommand, HookPosition, MessagesAgentHook, hook_positions
from hookstepper.agent.messages import AgentInstructionMessage, Message
from hookstepper.agent.template import has_places


@hook_positions(HookPosition.BEFORE_AGENT)
class InstructionAgentHook(MessagesAgentHook):
    """Appends the agent's instruction behind the user's message; without one it only makes sure that
    `messages` exists. On a thread with checkpoints each turn appends it once more, as upstream does."""

    name = "InstructionAgentHook"
    order = -100

    def before_agent(self, messages: list[Message], config: Any) -> AgentCommand:
        """The messages, with the instruction at their end if the agent has one now."""
        text = getattr(self.agent, "instruction", None)
        if not text:
            return AgentCommand(messages)
        there = sum(isinstance(message, AgentInstructionMessage) for message in messages)
        # What has nothing to fill in counts as filled in, so that the model node leaves it alone.
        done = not has_places(text) and not self.agent.spec.asks_for_schema
        return AgentCommand([*messages, AgentInstructionMessage(text, done, id=f"{config.path}i{there + 1}")])
