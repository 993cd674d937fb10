"""Limits on model calls and tool calls. Counters live in the run's context: as upstream, the thread limit
does not outlive the run; in fixed rules it is kept in the state."""

from __future__ import annotations

import enum
from collections.abc import Mapping, MutableMapping
from typing import Any

from hookstepper.agent import options, texts
from hookstepper.agent.hooks import HookPosition, JumpTo, ModelHook, hook_positions
from hookstepper.agent.messages import AssistantMessage, messages_of


class ExitBehavior(enum.Enum):
    """What happens at a limit."""

    END = "END"
    """A message is appended and the run goes to its exit."""
    ERROR = "ERROR"
    """The run fails."""


class LimitExceededError(RuntimeError):
    """A limit was hit and the hook was told to fail."""

    def __init__(self, message: str, *, thread_count: int, run_count: int) -> None:
        super().__init__(message)
        self.thread_count = thread_count
        self.run_count = run_count


class ModelCallLimitExceededError(LimitExceededError):
    """Too many model calls."""


class ToolCallLimitExceededError(LimitExceededError):
    """Too many tool calls."""


class _LimitHook(ModelHook):
    """What both limits share."""

    error: type[LimitExceededError]
    what: str

    def __init__(
        self,
        *,
        thread_limit: int | None = None,
        run_limit: int | None = None,
        exit_behavior: ExitBehavior | str = ExitBehavior.END,
    ) -> None:
        if thread_limit is None and run_limit is None:
            raise options.OptionError(f"{type(self).__name__} needs a limit: thread_limit or run_limit")
        options.number(thread_limit, f"{type(self).__name__}: thread_limit", none=True)
        options.number(run_limit, f"{type(self).__name__}: run_limit", none=True)
        self.thread_limit = thread_limit
        self.run_limit = run_limit
        where = f"{type(self).__name__}: exit_behavior"
        self.exit_behavior = options.member(ExitBehavior, exit_behavior, where)
        self.can_jump_to = (JumpTo.END,) if self.exit_behavior is ExitBehavior.END else ()

    def keys(self) -> tuple[str, str]:
        """Context keys of the thread count and the run count."""
        raise NotImplementedError

    def amount(self, state: Mapping[str, Any]) -> int:
        """What one turn adds to the counts."""
        raise NotImplementedError

    @property
    def keeps_thread_count(self) -> bool:
        """True in fixed rules: the thread's count is a state key, so checkpoints carry it."""
        return getattr(self.agent, "compat", "upstream") == "fixed" and self.thread_limit is not None

    def counts(self, state: Mapping[str, Any], context: Mapping[str, Any]) -> tuple[int, int]:
        """Thread count and run count so far."""
        thread_key, run_key = self.keys()
        source = state if self.keeps_thread_count else context
        return int(source.get(thread_key) or 0), int(context.get(run_key) or 0)

    def before_model(self, state: Mapping[str, Any], config: Any) -> Mapping[str, Any]:
        """Checks before the call, so a limit of 0 lets none through."""
        thread, run = self.counts(state, config.context)
        exceeded = [
            f"{name} limit {count}/{limit}"
            for name, count, limit in (("thread", thread, self.thread_limit), ("run", run, self.run_limit))
            if limit is not None and count >= limit
        ]
        if not exceeded:
            return {}
        text = texts.limit_reached(self.what, exceeded)
        if self.exit_behavior is ExitBehavior.ERROR:
            raise self.error(text, thread_count=thread, run_count=run)
        return {"messages": [AssistantMessage(text)], "jump_to": JumpTo.END}

    def after_model(self, state: Mapping[str, Any], config: Any) -> Mapping[str, Any]:
        """Counts."""
        amount = self.amount(state)
        if not amount:
            return {}
        context: MutableMapping[str, Any] = config.context
        thread, run = self.counts(state, context)
        thread_key, run_key = self.keys()
        context[run_key] = run + amount
        if self.keeps_thread_count:
            return {thread_key: thread + amount}
        context[thread_key] = thread + amount
        return {}


@hook_positions(HookPosition.BEFORE_MODEL, HookPosition.AFTER_MODEL)
class ModelCallLimitHook(_LimitHook):
    """Ends the run before a model call that would go over the limit."""

    name = "ModelCallLimit"
    error = ModelCallLimitExceededError
    what = "model calls"

    def keys(self) -> tuple[str, str]:
        """Context keys, as upstream names them."""
        return "__model_call_limit_thread_count__", "__model_call_limit_run_count__"

    def amount(self, state: Mapping[str, Any]) -> int:  # noqa: ARG002
        """One call a turn."""
        return 1


@hook_positions(HookPosition.BEFORE_MODEL, HookPosition.AFTER_MODEL)
class ToolCallLimitHook(_LimitHook):
    """Ends the run before the next model call once so many tool calls were asked for.

    It never blocks the message that goes over the limit: all its calls run.
    """

    error = ToolCallLimitExceededError

    def __init__(
        self,
        tool_name: str | None = None,
        *,
        thread_limit: int | None = None,
        run_limit: int | None = None,
        exit_behavior: ExitBehavior | str = ExitBehavior.END,
    ) -> None:
        super().__init__(thread_limit=thread_limit, run_limit=run_limit, exit_behavior=exit_behavior)
        self.tool_name = tool_name
        self.name = f"ToolCallLimit[{tool_name or 'all'}]"
        self.what = f"calls of {tool_name}" if tool_name else "tool calls"

    def keys(self) -> tuple[str, str]:
        """Context keys, as upstream names them."""
        which = self.tool_name or "__all__"
        return f"__tool_call_limit_thread_count___{which}", f"__tool_call_limit_run_count___{which}"

    def amount(self, state: Mapping[str, Any]) -> int:
        """Calls that the last message asks for, if it is an assistant message."""
        messages = messages_of(state)
        last = messages[-1] if messages else None
        if not isinstance(last, AssistantMessage):
            return 0
        return sum(1 for call in last.tool_calls if self.tool_name in (None, call.name))
