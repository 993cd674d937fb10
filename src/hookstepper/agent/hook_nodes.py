"""What the node of a hook does: the hook's method, called as its kind asks for."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from hookstepper.agent.hooks import (
    METHODS,
    AgentCommand,
    AgentHook,
    Hook,
    HookPosition,
    MessagesAgentHook,
    MessagesModelHook,
    ModelHook,
    UpdatePolicy,
    call_hook,
)
from hookstepper.agent.messages import last_assistant, messages_of, peek
from hookstepper.agent.routing import JUMP_KEY
from hookstepper.engine.strategies import KeyStrategy, ReplaceAllWith
from hookstepper.model.graph import SourcePlace

AGENT_POSITIONS = (HookPosition.BEFORE_AGENT, HookPosition.AFTER_AGENT)


def action_of(hook: Hook, position: HookPosition, *, plain: bool = False) -> Callable[..., Any] | None:
    """The body of the hook's node at `position`; None where a hook of its kind has no node.

    Args:
        plain: never interruptable, as in flow agents.
    """
    method = getattr(hook, METHODS[position], None)
    agent_level = position in AGENT_POSITIONS
    if (isinstance(hook, AgentHook) and agent_level) or (isinstance(hook, ModelHook) and not agent_level):
        if not plain and _is_interruptable(hook, position):
            return _Asking(hook, cast("Callable[..., Any]", method))
        return _Plain(cast("Callable[..., Any]", method))
    if (isinstance(hook, MessagesAgentHook) and agent_level) or (
        isinstance(hook, MessagesModelHook) and not agent_level
    ):
        return _Messages(cast("Callable[..., Any]", method))
    return None


def _is_interruptable(hook: Hook, position: HookPosition) -> bool:
    """Upstream makes only its own two hooks interruptable; in fixed rules any hook with `interrupt` is."""
    from hookstepper.agent.builtin.hitl import HumanInTheLoopHook
    from hookstepper.agent.builtin.interruption import InterruptionHook

    if isinstance(hook, HumanInTheLoopHook):
        return position is HookPosition.AFTER_MODEL
    if isinstance(hook, InterruptionHook):
        return position is HookPosition.BEFORE_MODEL
    return callable(getattr(hook, "interrupt", None)) and getattr(hook.agent, "compat", "") == "fixed"


class WithAnswer:
    """A hook's body that also puts the newest answer, if it has changed it, under the output key.

    For fixed rules: upstream leaves there what the model said.
    """

    def __init__(self, body: Callable[..., Any], key: str, strategy: KeyStrategy) -> None:
        self.body = body
        self.key = key
        self.strategy = strategy
        """That of the messages."""
        asks = getattr(body, "interrupt", None)
        if asks is not None:
            self.interrupt = asks

    def __call__(self, state: Mapping[str, Any], config: Any) -> Any:
        before = peek(state).get("messages")
        result = self.body(state, config)
        return self._later(result, before) if inspect.isawaitable(result) else self._with(result, before)

    async def _later(self, result: Any, before: Any) -> Any:
        return self._with(await result, before)

    def _with(self, update: Any, before: Any) -> Any:
        if not isinstance(update, Mapping) or "messages" not in update or self.key in update:
            return update
        merged = self.strategy(before, update["messages"])
        old = last_assistant(messages_of({"messages": before}))
        new = last_assistant(messages_of({"messages": merged}))
        return update if new is None or new == old else {**update, self.key: new}


@dataclass(slots=True, eq=False)
class _Plain:
    """A hook whose method returns an update."""

    method: Callable[..., Any]

    def __call__(self, state: Mapping[str, Any], config: Any) -> Any:
        return call_hook(self.method, state, config)


@dataclass(slots=True, eq=False)
class _Asking:
    """A hook that may stop the run with a question before its method runs."""

    hook: Any
    method: Callable[..., Any]

    def __call__(self, state: Mapping[str, Any], config: Any) -> Any:
        return call_hook(self.method, state, config)

    def interrupt(self, node_id: str, state: Mapping[str, Any], config: Any) -> Any:
        return self.hook.interrupt(node_id, state, config)


@dataclass(slots=True, eq=False)
class _Messages:
    """A hook whose method gets messages and returns a command."""

    method: Callable[..., Any]

    def __call__(self, state: Mapping[str, Any], config: Any) -> Any:
        result = call_hook(self.method, messages_of(state), config)
        return _later(result) if inspect.isawaitable(result) else update_of(result)


async def _later(result: Any) -> Mapping[str, Any]:
    return update_of(await result)


def update_of(command: object) -> Mapping[str, Any]:
    """The state update that a messages hook's command means; a jump that is not there is not written.

    Raises:
        TypeError: it is no command.
    """
    if command is None:
        return {}
    if not isinstance(command, AgentCommand):
        raise TypeError(f"a messages hook returns an AgentCommand, not {type(command).__name__}")
    update: dict[str, Any] = {}
    if command.messages is not None:
        replaces = command.policy is UpdatePolicy.REPLACE
        update["messages"] = ReplaceAllWith(command.messages) if replaces else list(command.messages)
    if command.jump_to is not None:
        update[JUMP_KEY] = command.jump_to.value
    return update


def source_of_hook(hook: Hook, position: HookPosition) -> SourcePlace | None:
    """Where the method that runs at `position` is written."""
    method: Any = getattr(hook, METHODS[position], None)
    method = inspect.unwrap(method) if callable(method) else hook
    code = getattr(method, "__code__", None) or getattr(getattr(method, "__func__", None), "__code__", None)
    if code is None:
        return None
    return SourcePlace(code.co_filename, code.co_firstlineno, getattr(method, "__qualname__", code.co_name))


def family_of(hook: Hook) -> str:
    """The kind of hook that it is, as users know it."""
    for kind in (AgentHook, ModelHook, MessagesAgentHook, MessagesModelHook):
        if isinstance(hook, kind):
            return kind.__name__
    return "Hook"


def fitting_positions(hook: Hook) -> list[str]:
    """Positions at which a hook of its kind has a node."""
    return [position.name for position in HookPosition if action_of(hook, position) is not None]
