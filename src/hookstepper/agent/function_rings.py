"""Interceptors from plain functions: `@wrap_model_call` and `@wrap_tool_call`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, overload

from hookstepper.agent.interceptors import (
    Interceptor,
    ModelInterceptor,
    ModelRequest,
    ToolCallRequest,
    ToolInterceptor,
)
from hookstepper.agent.tools import Tool, as_tools

Function = Callable[[Any, Any], Any]


class _FunctionRing(Interceptor):
    """What the four kinds share: the function, and the tools that come with it."""

    def __init__(self, name: str, function: Function, tools: Sequence[Tool]) -> None:
        self.name = name
        self.function = function
        self._tools = tools

    def tools(self) -> Sequence[Tool]:
        return self._tools


class _ModelRing(_FunctionRing, ModelInterceptor):
    def intercept_model(self, request: ModelRequest, handler: Any) -> Any:
        return self.function(request, handler)


class _AsyncModelRing(_FunctionRing, ModelInterceptor):
    async def aintercept_model(self, request: ModelRequest, handler: Any) -> Any:
        return await self.function(request, handler)


class _ToolRing(_FunctionRing, ToolInterceptor):
    def intercept_tool_call(self, request: ToolCallRequest, handler: Any) -> Any:
        return self.function(request, handler)


class _AsyncToolRing(_FunctionRing, ToolInterceptor):
    async def aintercept_tool_call(self, request: ToolCallRequest, handler: Any) -> Any:
        return await self.function(request, handler)


Kinds = tuple[type[_FunctionRing], type[_FunctionRing]]
"""The sync kind and the async one."""


def _made(function: Function, name: str, tools: Sequence[Any], kinds: Kinds) -> Any:
    call = getattr(function, "__call__", None)  # noqa: B004 - an object may have an async one
    is_async = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)
    found = name or getattr(function, "__name__", type(function).__name__)
    return kinds[is_async](found, function, as_tools(tools))


@overload
def wrap_model_call(function: Function, /) -> ModelInterceptor: ...
@overload
def wrap_model_call(
    function: None = None, /, *, name: str = "", tools: Sequence[Any] = ()
) -> Callable[[Function], ModelInterceptor]: ...
def wrap_model_call(
    function: Function | None = None, /, *, name: str = "", tools: Sequence[Any] = ()
) -> ModelInterceptor | Callable[[Function], ModelInterceptor]:
    """Make a function `(request, handler)` an interceptor of model calls, named after it.

    An async function awaits its handler; it works in sync runs too.

    Args:
        tools: tools that the interceptor brings, as those of any model interceptor.
    """

    def make(inner: Function) -> ModelInterceptor:
        ring: ModelInterceptor = _made(inner, name, tools, (_ModelRing, _AsyncModelRing))
        return ring

    return make if function is None else make(function)


@overload
def wrap_tool_call(function: Function, /) -> ToolInterceptor: ...
@overload
def wrap_tool_call(function: None = None, /, *, name: str = "") -> Callable[[Function], ToolInterceptor]: ...
def wrap_tool_call(
    function: Function | None = None, /, *, name: str = ""
) -> ToolInterceptor | Callable[[Function], ToolInterceptor]:
    """Make a function `(request, handler)` an interceptor of tool calls, named after it.

    An async function awaits its handler; it works in sync runs too.
    """

    def make(inner: Function) -> ToolInterceptor:
        ring: ToolInterceptor = _made(inner, name, (), (_ToolRing, _AsyncToolRing))
        return ring

    return make if function is None else make(function)
