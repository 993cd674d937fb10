"""Whether a graph has to run asynchronously: if some of its code exists only so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hookstepper.adapters.langgraph.middleware import is_agent, middleware_of
from hookstepper.adapters.langgraph.scopes import Scope, is_graph


def runs_async(scopes: Mapping[str, Scope]) -> bool:
    """True if a node, a router, a tool or a middleware of any of the graphs has no synchronous form."""
    return any(_scope_is_async(scope) for scope in scopes.values())


def _scope_is_async(scope: Scope) -> bool:
    for spec in scope.specs.values():
        if is_graph(spec.runnable):
            continue
        if _only_async(spec.runnable) or _tools_only_async(spec.runnable):
            return True
    routers = (branch.path for branches in scope.branches.values() for branch in branches.values())
    if any(_only_async(router) for router in routers):
        return True
    if scope.builder is None and any(
        _only_async(getattr(node, "bound", None)) for node in scope.graph.nodes.values()
    ):
        return True
    return is_agent(scope) and any(_wraps_only_async(one) for one in middleware_of(scope))


def _only_async(runnable: Any) -> bool:
    return getattr(runnable, "afunc", None) is not None and getattr(runnable, "func", None) is None


def _tools_only_async(runnable: Any) -> bool:
    tools = getattr(runnable, "tools_by_name", {})
    return any(
        getattr(tool, "coroutine", None) is not None and getattr(tool, "func", None) is None
        for tool in tools.values()
    )


def _wraps_only_async(middleware: Any) -> bool:
    for kind in ("model", "tool"):
        owners = [base for base in type(middleware).__mro__ if base.__name__ != "AgentMiddleware"]
        has_sync = any(f"wrap_{kind}_call" in base.__dict__ for base in owners)
        has_async = any(f"awrap_{kind}_call" in base.__dict__ for base in owners)
        if has_async and not has_sync:
            return True
    return False
