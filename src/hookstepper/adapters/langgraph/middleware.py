"""What is known of `create_agent`: its middleware, their order, their jumps and their rings.

The list that `create_agent` was given is known if the call was recorded. Where recording began too late
it is put together from the compiled nodes and rings; what has neither is then missing.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from hookstepper.adapters.langgraph.known import known_words
from hookstepper.adapters.langgraph.layers import defines, name_of
from hookstepper.adapters.langgraph.recording import FACTORY, recorded
from hookstepper.adapters.langgraph.scopes import Scope
from hookstepper.model.graph import HOOK_KINDS, NodeKind, Ring, RingKind, SourcePlace

JUMP_WORDS = {"tools": "tool", "model": "model", "end": "end"}
"""LangChain's jump words and ours."""


@dataclass(frozen=True, slots=True)
class Hook:
    """What stands behind one middleware node."""

    middleware: Any
    kind: NodeKind
    index: int | None
    jumps: tuple[str, ...]
    """Our jump words, in order of declaration."""


def is_agent(scope: Scope) -> bool:
    """True if the graph was made by `create_agent`."""
    function = getattr(getattr(scope.specs.get("model"), "runnable", None), "func", None)
    return getattr(function, "__module__", "") == FACTORY


def middleware_of(scope: Scope) -> tuple[Any, ...]:
    """The agent's middleware in registration order, as far as it can be told."""
    seen = recorded(scope.builder)
    if seen is not None:
        return seen
    found: list[Any] = []
    for name in scope.specs:
        owner = _owner(scope, name)
        if owner is not None and not any(owner is other for other in found):
            found.append(owner)
    return tuple(found)


def hook_of(scope: Scope, name: str, middleware: Sequence[Any]) -> Hook | None:
    """What stands behind the node, or None if it is not a middleware node."""
    owner = _owner(scope, name)
    kind = name.rpartition(".")[2]
    if owner is None or kind not in HOOK_KINDS:
        return None
    index = next((place for place, one in enumerate(middleware) if one is owner), None)
    declared = [
        getattr(getattr(type(owner), method, None), "__can_jump_to__", None) for method in (kind, f"a{kind}")
    ]
    words = next((words for words in declared if words), ())
    jumps = tuple(JUMP_WORDS.get(word, word) for word in words)
    return Hook(owner, next(known for known in HOOK_KINDS if known == kind), index, jumps)


def asks_for_approval(middleware: Any, *, by_call: bool) -> bool:
    """True for LangChain's approval middleware in that mode: all calls at once, or each by itself."""
    is_approval = any(kind.__name__ == "HumanInTheLoopMiddleware" for kind in type(middleware).__mro__)
    return is_approval and (getattr(middleware, "interrupt_mode", "batched") == "per_call") == by_call


def rings_of(middleware: Sequence[Any], kind: RingKind) -> tuple[Ring, ...]:
    """The rings around model or tool calls, outermost first."""
    method = f"wrap_{kind}_call"
    return tuple(
        Ring(
            name_of(one),
            kind,
            "LangChain" if known_words(one) else "",
            source_of(user_function(one, method)),
        )
        for one in middleware
        if defines(one, method)
    )


def user_function(middleware: Any, method: str) -> Callable[..., Any] | None:
    """The function that the user wrote for a method: seen through decorators such as `@before_model`."""
    for name in (method, f"a{method}"):
        for kind in type(middleware).__mro__:
            function = kind.__dict__.get(name)
            if kind.__name__ == "AgentMiddleware" or function is None:
                continue
            return cast("Callable[..., Any]", _undecorated(function))
    return None


def source_of(function: Any) -> SourcePlace | None:
    """Where a function is defined, or None if it has no source."""
    function = inspect.unwrap(getattr(function, "__func__", function)) if function is not None else None
    code = getattr(function, "__code__", None)
    if code is None:
        return None
    return SourcePlace(code.co_filename, code.co_firstlineno, getattr(function, "__qualname__", ""))


def _undecorated(function: Any) -> Any:
    """The user's function inside a wrapper that LangChain's decorators make around it."""
    function = inspect.unwrap(function)
    if not str(getattr(function, "__module__", "")).startswith("langchain."):
        return function
    for cell in getattr(function, "__closure__", None) or ():
        try:
            inner = cell.cell_contents
        except ValueError:
            continue
        if inspect.isfunction(inner) and not inner.__module__.startswith("langchain."):
            return inner
    return function


def _owner(scope: Scope, name: str) -> Any:
    """The middleware object whose bound method the node runs, or None."""
    runnable = getattr(scope.specs.get(name), "runnable", None)
    for attribute in ("func", "afunc"):
        function = getattr(runnable, attribute, None)
        function = getattr(function, "func", function)
        owner = getattr(function, "__self__", None)
        if any(kind.__name__ == "AgentMiddleware" for kind in type(owner).__mro__):
            return owner
    return None
