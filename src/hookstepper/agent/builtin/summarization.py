"""Replaces the older part of a long conversation by a summary of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hookstepper.agent import options
from hookstepper.agent.asking import asked
from hookstepper.agent.hooks import AgentCommand, HookPosition, MessagesModelHook, hook_positions
from hookstepper.agent.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolResponseMessage,
    UserMessage,
)
from hookstepper.agent.models.port import ChatModel, Prompt
from hookstepper.agent.tokens import count_tokens
from hookstepper.engine.driver import adrive, drive, in_event_loop

PREFIX = "## Summary of the conversation so far"
PROMPT = """Summarise this conversation so that work can go on from the summary alone.
Keep goals, decisions, results, names and open questions; leave out what led nowhere.

{messages}"""
PLACE = "{messages}"
"""Where the messages stand in the prompt; other braces are left alone, since prompts may hold JSON."""
NOTHING = "There is nothing to summarise."
NEAR = 5
"""How many messages around a cut are looked at for calls and answers that it would separate."""


@hook_positions(HookPosition.BEFORE_MODEL)
class SummarizationHook(MessagesModelHook):
    """Works before each model call, once the messages have more tokens than allowed.

    Args:
        max_tokens_before_summary: tokens from which it works; None: never.
        messages_to_keep: newest messages that stay as they are; a call is never cut off from its answer.
        summary_prompt: what the model is asked, with `{messages}` where they are to stand.
        summary_prefix: stands above the summary.
        keep_first_user_message: whether the first user message stays too. In upstream rules it then stands
            there twice if it is among the newest; in fixed rules it does not.

    If the summary fails, upstream rules put the error in its place; fixed rules leave the messages alone.
    """

    name = "Summarization"

    def __init__(
        self,
        model: ChatModel,
        *,
        max_tokens_before_summary: int | None = None,
        messages_to_keep: int = 20,
        token_counter: Callable[[Sequence[Message]], int] = count_tokens,
        summary_prompt: str = PROMPT,
        summary_prefix: str = PREFIX,
        keep_first_user_message: bool = True,
    ) -> None:
        where = "SummarizationHook"
        options.number(max_tokens_before_summary, f"{where}: max_tokens_before_summary", none=True)
        options.number(messages_to_keep, f"{where}: messages_to_keep")
        options.function(token_counter, f"{where}: token_counter")
        if PLACE not in summary_prompt:
            raise options.OptionError(f"{where}: summary_prompt has no {PLACE}")
        self.model = options.chat_model(model, f"{where}: model")
        self.max_tokens_before_summary = max_tokens_before_summary
        self.messages_to_keep = messages_to_keep
        self.count = token_counter
        self.summary_prompt = summary_prompt
        self.summary_prefix = summary_prefix
        self.keep_first_user_message = keep_first_user_message

    def before_model(self, messages: list[Message], config: Any) -> Any:  # noqa: ARG002
        """The messages, shortened if they are too long; an awaitable of that on an event loop."""
        least = self.max_tokens_before_summary
        if least is None or self.count(messages) < least:
            return AgentCommand(messages)
        cut = safe_cut(messages, self.messages_to_keep)
        if cut <= 0:
            return AgentCommand(messages)
        first = (
            next((m for m in messages if isinstance(m, UserMessage)), None)
            if self.keep_first_user_message
            else None
        )
        old = [message for message in messages[:cut] if message is not first]
        if not old:
            return self._command(messages, cut, first, NOTHING)
        question = _prompt(self.summary_prompt, old)
        if in_event_loop():
            return self._later(messages, cut, first, question)
        try:
            summary = drive(asked(self.model, question)).message.content
        except Exception as error:
            return self._failed(messages, cut, first, error)
        return self._command(messages, cut, first, summary)

    async def _later(
        self, messages: list[Message], cut: int, first: UserMessage | None, question: Prompt
    ) -> AgentCommand:
        try:
            summary = (await adrive(asked(self.model, question))).message.content
        except Exception as error:
            return self._failed(messages, cut, first, error)
        return self._command(messages, cut, first, summary)

    def _failed(
        self, messages: list[Message], cut: int, first: UserMessage | None, error: Exception
    ) -> AgentCommand:
        if self._fixed:
            return AgentCommand(messages)
        return self._command(messages, cut, first, f"The summary failed: {error}")

    def _command(
        self, messages: list[Message], cut: int, first: UserMessage | None, summary: str
    ) -> AgentCommand:
        kept = messages[cut:]
        twice = self._fixed and any(message is first for message in kept)
        head: list[Message] = [] if first is None or twice else [first]
        return AgentCommand([*head, SystemMessage(f"{self.summary_prefix}\n{summary}"), *kept])

    @property
    def _fixed(self) -> bool:
        return getattr(self.agent, "compat", "upstream") == "fixed"


def _prompt(template: str, messages: Sequence[Message]) -> Prompt:
    text = "\n".join(f"{_role(message)}: {_text(message)}" for message in messages)
    return Prompt((UserMessage(template.replace(PLACE, text)),))


def safe_cut(messages: Sequence[Message], keep: int) -> int:
    """Where the older part ends: at most `keep` messages from the end, further up if a call would be cut off
    from its answer; 0 if there is no such place."""
    if len(messages) <= keep:
        return 0
    return next((at for at in range(len(messages) - keep, 0, -1) if _is_safe(messages, at)), 0)


def _is_safe(messages: Sequence[Message], cut: int) -> bool:
    for at in range(max(cut - NEAR, 0), min(cut + NEAR, len(messages))):
        message = messages[at]
        if not isinstance(message, AssistantMessage) or not message.tool_calls:
            continue
        ids = {call.id for call in message.tool_calls}
        for later in range(at + 1, len(messages)):
            answer = messages[later]
            answers = isinstance(answer, ToolResponseMessage) and ids & {r.id for r in answer.responses}
            if answers and (at < cut) != (later < cut):
                return False
    return True


def _role(message: Message) -> str:
    names = {"user": "Human", "assistant": "Assistant", "system": "System", "tool": "Tool"}
    return names.get(message.role, "Unknown")


def _text(message: Message) -> str:
    """Tool results are left out, as upstream does: its tool message has no text."""
    return "" if isinstance(message, ToolResponseMessage) else str(message.text)
