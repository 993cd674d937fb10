"""Clears old tool results out of a request that has grown too long."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from hookstepper.agent import options
from hookstepper.agent.interceptors import ModelRequest
from hookstepper.agent.messages import AssistantMessage, Message, ToolResponseMessage
from hookstepper.agent.stepwise import RequestInterceptor
from hookstepper.agent.tokens import count_tokens

Counter = Callable[[Sequence[Message]], int]


class ContextEditingInterceptor(RequestInterceptor):
    """Replaces the oldest tool results, and the arguments of the oldest calls, by a placeholder.

    Args:
        trigger: tokens; nothing is done up to here.
        clear_at_least: tokens to win back. In upstream rules the default 0 is reached before anything is
            cleared, so nothing ever is; in fixed rules 0 clears all candidates.
        keep: newest candidates that stay.
        exclude_tools: tools whose results stay.
    """

    name = "ContextEditing"

    def __init__(
        self,
        *,
        trigger: int = 100_000,
        clear_at_least: int = 0,
        keep: int = 3,
        exclude_tools: Sequence[str] = (),
        placeholder: str = "[cleared]",
        token_counter: Counter = count_tokens,
    ) -> None:
        for value, option in ((trigger, "trigger"), (clear_at_least, "clear_at_least"), (keep, "keep")):
            options.number(value, f"ContextEditingInterceptor: {option}")
        options.function(token_counter, "ContextEditingInterceptor: token_counter")
        self.trigger = trigger
        self.clear_at_least = clear_at_least
        self.keep = keep
        excluded = options.names(exclude_tools, "ContextEditingInterceptor: exclude_tools")
        self.exclude_tools = frozenset(excluded)
        self.placeholder = placeholder
        self.count = token_counter

    def changed(self, request: ModelRequest) -> ModelRequest:
        """The request, shortened if it has more tokens than `trigger`; the state stays as it is."""
        messages = list(request.messages)
        if self.count(messages) <= self.trigger:
            return request
        candidates = [at for at, message in enumerate(messages) if self._is_candidate(message)]
        if self.keep:
            candidates = candidates[: -self.keep]
        won = 0
        for at in candidates:
            if won >= self.clear_at_least and not (self.fixed and self.clear_at_least == 0):
                break
            size = self.count([messages[at]])
            cleared = self._cleared(messages[at])
            if size > 0 and cleared is not None:
                messages[at] = cleared
                won += size
        return request.with_(messages=tuple(messages)) if won else request

    def _is_candidate(self, message: Message) -> bool:
        if isinstance(message, AssistantMessage):
            return bool(message.tool_calls)
        return isinstance(message, ToolResponseMessage)

    def _cleared(self, message: Message) -> Message | None:
        """The message without its content; None if it is cleared already, or is not to be."""
        match message:
            case ToolResponseMessage(responses=responses):
                if any(r.data == self.placeholder or r.name in self.exclude_tools for r in responses):
                    return None
                return replace(message, responses=tuple(replace(r, data=self.placeholder) for r in responses))
            case AssistantMessage(tool_calls=calls):
                if any(c.arguments == self.placeholder or c.name in self.exclude_tools for c in calls):
                    return None
                return replace(
                    message, tool_calls=tuple(replace(c, arguments=self.placeholder) for c in calls)
                )
        return None
