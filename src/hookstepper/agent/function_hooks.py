"""Hooks from plain functions: `@before_model`, `@after_model(can_jump_to=["end"])` and their like."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, overload

from hookstepper.agent.hooks import (
    METHODS,
    POSITIONS_ATTRIBUTE,
    AgentHook,
    Hook,
    HookPosition,
    JumpTo,
    ModelHook,
)


class _FunctionAgentHook(AgentHook):
    """An agent hook made of one function."""


class _FunctionModelHook(ModelHook):
    """A model hook made of one function."""


Function = Callable[..., Any]


def _decorator(position: HookPosition) -> Any:
    agent = position in AgentHook.family

    @overload
    def decorate(function: Function, /) -> Hook: ...
    @overload
    def decorate(
        function: None = None,
        /,
        *,
        can_jump_to: Sequence[JumpTo | str] | str = (),
        name: str = "",
        order: int = 0,
        tools: Sequence[Any] = (),
    ) -> Callable[[Function], Hook]: ...
    def decorate(
        function: Function | None = None,
        /,
        *,
        can_jump_to: Sequence[JumpTo | str] | str = (),
        name: str = "",
        order: int = 0,
        tools: Sequence[Any] = (),
    ) -> Hook | Callable[[Function], Hook]:
        def make(inner: Function) -> Hook:
            hook: Hook = _FunctionAgentHook() if agent else _FunctionModelHook()
            hook.name = name or getattr(inner, "__name__", type(inner).__name__)
            hook.order = order
            hook.can_jump_to = can_jump_to
            setattr(hook, POSITIONS_ATTRIBUTE, frozenset({position}))
            setattr(hook, METHODS[position], inner)
            if tools:
                from hookstepper.agent.tools import as_tools

                given = as_tools(tools)
                hook.tools = lambda: given  # type: ignore[method-assign]
            return hook

        return make if function is None else make(function)

    decorate.__name__ = METHODS[position]
    decorate.__doc__ = (
        f"Make a function `(state)` or `(state, config)`, sync or async, a hook at {position.name}.\n\n"
        "The hook is named after the function; `can_jump_to` declares jumps, `order` places it."
    )
    return decorate


before_agent = _decorator(HookPosition.BEFORE_AGENT)
after_agent = _decorator(HookPosition.AFTER_AGENT)
before_model = _decorator(HookPosition.BEFORE_MODEL)
after_model = _decorator(HookPosition.AFTER_MODEL)
