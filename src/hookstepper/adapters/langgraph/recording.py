"""Takes note of what `create_agent` is given, since the compiled graph does not keep it.

The function is replaced in LangChain's modules as soon as they are imported, before the user's module can
take it from there. It keeps the list of middleware by the identity of the graph's builder, which copies of
the graph share, and has the middleware's `wrap_*` methods compiled with a gate around each.
"""

from __future__ import annotations

import functools
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from hookstepper.adapters.langgraph.layers import gated_methods

FACTORY = "langchain.agents.factory"
PACKAGE = "langchain.agents"

_recorded: dict[int, tuple[object, tuple[Any, ...]]] = {}
"""Identity of a builder to the builder, kept alive so that the identity stays its own, and its middleware."""


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


def remember(builder: object, middleware: tuple[Any, ...]) -> None:
    """Take note of middleware that was found out otherwise."""
    _recorded[id(builder)] = (builder, middleware)


def forget(builder: object) -> None:
    """Know nothing of that builder any more."""
    _recorded.pop(id(builder), None)


def _wrap(module: ModuleType) -> None:
    original = getattr(module, "create_agent", None)
    if original is None or hasattr(original, "__hookstepper__"):
        return

    @functools.wraps(original)
    def create_agent(*args: Any, **kwargs: Any) -> Any:
        middleware = tuple(kwargs.get("middleware") or ())
        if "middleware" in kwargs:
            # What was given may be an iterator, which can be read only once.
            kwargs["middleware"] = middleware
        with gated_methods(middleware):
            agent = original(*args, **kwargs)
        builder = getattr(agent, "builder", None)
        if builder is not None and id(builder) not in _recorded:
            _recorded[id(builder)] = (builder, middleware)
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
