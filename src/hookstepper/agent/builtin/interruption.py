"""A stop, or a word put in, between two model rounds, through the agent's own memory of the thread."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hookstepper.agent.hooks import HookPosition, ModelHook, hook_positions
from hookstepper.agent.messages import AssistantMessage, Message, UserMessage, messages_of
from hookstepper.engine.outputs import Interruption
from hookstepper.engine.strategies import REPLACE
from hookstepper.model.ids import NodeId

FEEDBACK_KEY = "INTERRUPTION_FEEDBACK"


@hook_positions(HookPosition.BEFORE_MODEL)
class InterruptionHook(ModelHook):
    """Reads what `agent.interrupt(...)` left for this thread: an empty list stops the run before the model,
    messages or a text are put in. An empty list stays until something else is left, as upstream has it."""

    name = "INTERRUPTION"

    def key_strategies(self) -> Mapping[str, Any]:
        """The feedback key is replaced."""
        return {FEEDBACK_KEY: REPLACE}

    def interrupt(self, node_id: str, state: Mapping[str, Any], config: Any) -> Interruption | None:  # noqa: ARG002
        """A stop, if one was asked for."""
        value = self._memory(config).get(FEEDBACK_KEY)
        if isinstance(value, (list, tuple)) and not value:
            return Interruption(node=NodeId(node_id), metadata={"interruption_requested": True})
        return None

    def before_model(self, state: Mapping[str, Any], config: Any) -> Mapping[str, Any]:
        """What was left, put behind the messages; lost if the model is waiting for its tools."""
        value = self._memory(config).pop(FEEDBACK_KEY, None)
        feedback = _messages(value)
        if not feedback:
            return {}
        messages = messages_of(state)
        last = messages[-1] if messages else None
        if isinstance(last, AssistantMessage) and last.tool_calls:
            if getattr(self.agent, "compat", "upstream") == "fixed":
                self._memory(config)[FEEDBACK_KEY] = value
            return {}
        return {"messages": feedback}

    def _memory(self, config: Any) -> dict[str, object]:
        if not hasattr(self.agent, "memory_of"):
            raise RuntimeError(
                f"hook {self.get_name()!r} belongs to no agent, so nobody can leave word for it: "
                "it works in a ReactAgent, not around a flow"
            )
        memory: dict[str, object] = self.agent.memory_of(config.thread)
        return memory


def _messages(value: object) -> list[Message]:
    if isinstance(value, (list, tuple)):
        return messages_of({"messages": value})
    if isinstance(value, UserMessage):
        return [value]
    return [UserMessage(value)] if isinstance(value, str) else []
