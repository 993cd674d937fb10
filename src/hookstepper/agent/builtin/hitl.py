"""Approval by a person: the run stops before tool calls that need it, and goes on as the person decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hookstepper.agent import options, texts
from hookstepper.agent.hooks import PREFIX, HookPosition, ModelHook, hook_positions
from hookstepper.agent.messages import (
    AssistantMessage,
    Message,
    ToolCall,
    ToolResponse,
    ToolResponseMessage,
    messages_of,
)
from hookstepper.engine.config import HUMAN_FEEDBACK
from hookstepper.engine.outputs import Interruption, ToolFeedback
from hookstepper.engine.strategies import RemoveByHash, ReplaceAllWith
from hookstepper.model.ids import NodeId


@dataclass(frozen=True, slots=True)
class ToolConfig:
    """How a tool is asked about."""

    description: str | None = None
    """Why it needs a person; becomes part of the question."""


ApprovalOn = Mapping[str, "ToolConfig | str | bool | None"] | Sequence[str] | str


@hook_positions(HookPosition.AFTER_MODEL)
class HumanInTheLoopHook(ModelHook):
    """Asks a person about calls of certain tools. It needs a checkpoint saver to go on after the question.

    Args:
        approval_on: names of the tools, each with a text, a `ToolConfig`, None or True; or just the names.
            False leaves a tool out.

    Raises:
        OptionError: it names no tool, or something else than that stands behind a name.
    """

    name = "HITL"

    def __init__(self, approval_on: ApprovalOn) -> None:
        given = approval_on if isinstance(approval_on, Mapping) else {}
        known = options.names(given or approval_on or None, "HumanInTheLoopHook: approval_on")
        if not known:
            raise options.OptionError("HumanInTheLoopHook: approval_on names no tool")
        found = {name: _config_of(name, given.get(name)) for name in known}
        self.approval_on: dict[str, ToolConfig] = {n: config for n, config in found.items() if config}

    def interrupt(self, node_id: str, state: Mapping[str, Any], config: Any) -> Interruption | None:  # noqa: ARG002
        """The question, if the newest answer asks for a call that needs approval and has none yet.

        Raises:
            ValueError: the run was resumed with something that is no answer to this question.
        """
        calls = self._calls(messages_of(state))
        if not calls:
            return None
        given = config.metadata.get(HUMAN_FEEDBACK)
        if given is not None:
            if not isinstance(given, Interruption):
                raise ValueError(
                    f"hook {self.get_name()!r} was resumed with {type(given).__name__}: "
                    "it takes the interruption that it made, with decisions"
                )
            if self._is_complete(given, calls):
                return None
        return self._question(calls)

    def after_model(self, state: Mapping[str, Any], config: Any) -> Mapping[str, Any]:
        """Carries the decisions out: edited arguments, refusals as tool responses."""
        given = config.metadata.get(HUMAN_FEEDBACK)
        if not isinstance(given, Interruption):
            return {}
        del config.metadata[HUMAN_FEEDBACK]
        message = candidate(messages_of(state))
        if message is None or not message.tool_calls:
            return {}
        calls, refused = self._decided(message, {feedback.id: feedback for feedback in given.tool_feedbacks})
        decided: list[Message] = [replace(message, tool_calls=calls)]
        if refused:
            decided.append(ToolResponseMessage(refused, id=f"refused-{refused[0].id}"))
        if self._fixed:
            others = [other for other in messages_of(state) if other is not message]
            return {"messages": ReplaceAllWith([*others, *decided])}
        return {"messages": [decided[0], RemoveByHash(message), *decided[1:]]}

    def _decided(
        self, message: AssistantMessage, decisions: Mapping[str, ToolFeedback]
    ) -> tuple[tuple[ToolCall, ...], tuple[ToolResponse, ...]]:
        calls: list[ToolCall] = []
        refused: list[ToolResponse] = []
        for call in message.tool_calls:
            feedback = decisions.get(call.id)
            if feedback is None or feedback.result == "APPROVED":
                calls.append(call)
            elif feedback.result == "EDITED":
                calls.append(replace(call, arguments=feedback.arguments))
            elif feedback.result == "REJECTED":
                calls.append(call)
                why = self._reason(call, feedback)
                refused.append(ToolResponse(call.id, call.name, texts.rejected(feedback.name, why)))
            elif self._fixed:
                calls.append(call)
            # Upstream drops a call whose feedback holds no decision, although it needed none.
        return tuple(calls), tuple(refused)

    def _reason(self, call: ToolCall, feedback: ToolFeedback) -> str:
        """Why a person refused; the question itself, if it was left there, is a reason to upstream only."""
        config = self.approval_on.get(call.name, ToolConfig())
        question = texts.approval_request(call.name, call.arguments, config.description)
        return "" if self._fixed and feedback.description == question else feedback.description

    @property
    def _fixed(self) -> bool:
        return getattr(self.agent, "compat", "upstream") == "fixed"

    def _calls(self, messages: Sequence[Message]) -> tuple[ToolCall, ...]:
        message = candidate(messages)
        return message.tool_calls if message is not None else ()

    def _is_complete(self, given: Interruption, calls: Sequence[ToolCall]) -> bool:
        if not given.tool_feedbacks:
            return False
        decided = {(f.id, f.name) for f in given.tool_feedbacks if f.result is not None}
        return all((call.id, call.name) in decided for call in calls if call.name in self.approval_on)

    def _question(self, calls: Sequence[ToolCall]) -> Interruption | None:
        asked: list[ToolFeedback] = []
        approved: list[ToolCall] = []
        for call in calls:
            config = self.approval_on.get(call.name)
            if config is None:
                approved.append(call)
                continue
            text = texts.approval_request(call.name, call.arguments, config.description)
            asked.append(ToolFeedback(call.id, call.name, call.arguments, None, text))
        if not asked:
            return None
        return Interruption(
            # Without the suffix of the node's id: so upstream names it.
            node=NodeId(f"{PREFIX}{self.get_name()}"),
            tool_feedbacks=tuple(asked),
            approved=tuple(ToolFeedback(call.id, call.name, call.arguments) for call in approved),
        )


def _config_of(name: str, value: ToolConfig | str | bool | None) -> ToolConfig | None:
    if isinstance(value, ToolConfig):
        return value
    if value is False:
        return None
    if value is None or value is True:
        return ToolConfig()
    if isinstance(value, str):
        return ToolConfig(value)
    raise options.OptionError(
        f"HumanInTheLoopHook: {value!r:.60} stands behind {name!r}",
        hint="a text, a ToolConfig, True or False",
    )


def candidate(messages: Sequence[Message]) -> AssistantMessage | None:
    """The message that a question would be about: the newest assistant message, unless its tools answered."""
    for at in range(len(messages) - 1, -1, -1):
        message = messages[at]
        if isinstance(message, AssistantMessage):
            answered = at + 1 < len(messages) and isinstance(messages[at + 1], ToolResponseMessage)
            return None if answered else message
    return None
