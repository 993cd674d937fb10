"""What is known of `create_agent`: its middleware, their order, their jumps and their rings.

The compiled graph does not keep the list of middleware, so `create_agent` is wrapped before the user's
module imports it, and the list is kept by the identity of the graph's builder, which copies share. Where
that was too late the list is put together from the compiled nodes; order and rings may then be incomplete.
"""

from __future__ import annotations

import functools
import importlib.abc
import importlib.machinery
import inspect
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, cast

from hookstepper.adapters.langgraph.scopes import Scope
from hookstepper.model.graph import HOOK_KINDS, NodeKind, Ring, RingKind, SourcePlace

FACTORY = "langchain.agents.factory"
PACKAGE = "langchain.agents"
JUMP_WORDS = {"tools": "tool", "model": "model", "end": "end"}
"""LangChain's jump words and ours."""

_recorded: dict[int, tuple[object, tuple[Any, ...]]] = {}
"""Identity of a builder to the builder, kept alive so that the identity stays its own, and its middleware."""


@dataclass(frozen=True, slots=True)
class Hook:
    """What stands behind one middleware node."""

    middleware: Any
    kind: NodeKind
    index: int | None
    jumps: tuple[str, ...]
    """Our jump words, in order of declaration."""


# ------------------------------------------------------------------------------------ recording


def watch_create_agent() -> None:
    """Have `create_agent` recorded: now if it is imported, else as soon as it is; imports nothing."""
    for name in (FACTORY, PACKAGE):
        module = sys.modules.get(name)
        if module is not None:
            _wrap(module)
    if not any(isinstance(finder, _Watcher) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Watcher())


def recorded(builder: object) -> tuple[Any, ...] | None:
    """The middleware that `create_agent` was given for this builder, or None if that was not seen."""
    entry = _recorded.get(id(builder))
    return entry[1] if entry is not None and entry[0] is builder else None


def _wrap(module: ModuleType) -> None:
    original = getattr(module, "create_agent", None)
    if original is None or hasattr(original, "__hookstepper__"):
        return

    @functools.wraps(original)
    def create_agent(*args: Any, **kwargs: Any) -> Any:
        agent = original(*args, **kwargs)
        builder = getattr(agent, "builder", None)
        if builder is not None and id(builder) not in _recorded:
            _recorded[id(builder)] = (builder, tuple(kwargs.get("middleware") or ()))
        return agent

    create_agent.__hookstepper__ = True  # type: ignore[attr-defined]
    module.create_agent = create_agent  # type: ignore[attr-defined]


class _Watcher(importlib.abc.MetaPathFinder):
    """Finds nothing itself: lets the others find LangChain's two modules, and wraps them when executed."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname not in (FACTORY, PACKAGE):
            return None
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(fullname, path, target)
            if spec is not None:
                if spec.loader is not None and hasattr(spec.loader, "exec_module"):
                    spec.loader = _Loader(spec.loader)
                return spec
        return None


class _Loader(importlib.abc.Loader):
    """Another loader, and then the wrapping."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        made: ModuleType | None = self.inner.create_module(spec)
        return made

    def exec_module(self, module: ModuleType) -> None:
        self.inner.exec_module(module)
        _wrap(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


# ------------------------------------------------------------------------------------ what is compiled


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


def rings_of(middleware: Sequence[Any], kind: RingKind) -> tuple[Ring, ...]:
    """The rings around model or tool calls, outermost first."""
    method = f"wrap_{kind}_call"
    return tuple(
        Ring(name_of(one), kind, "", source_of(user_function(one, method)))
        for one in middleware
        if overrides(one, method)
    )


def overrides(middleware: Any, method: str) -> bool:
    """True if the middleware's own class, or a user's base of it, defines the method or its async twin."""
    return any(
        name in kind.__dict__
        for kind in type(middleware).__mro__
        if kind.__name__ != "AgentMiddleware" and kind is not object
        for name in (method, f"a{method}")
    )


def name_of(middleware: Any) -> str:
    """The name that its nodes begin with."""
    try:
        return str(middleware.name)
    except Exception:
        return type(middleware).__name__


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
