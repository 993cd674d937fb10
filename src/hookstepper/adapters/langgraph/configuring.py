"""What a run is given beside its input: the person's settings, the graph's own, our handler, its budget."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from hookstepper.adapters.langgraph import running
from hookstepper.adapters.langgraph.scopes import Scope
from hookstepper.model.ids import Json

SIDE_BY_SIDE = 1_000
"""Tasks that may be held at the same time; LangGraph's own default is the number of cores and four.

A thread is made only for a task that is there, so a small graph makes few.
"""


def run_config(
    given: Mapping[str, object], own: Mapping[str, Any], place: Mapping[str, Any], handler: Any
) -> dict[str, Any]:
    """The config of a run.

    Args:
        given: the person's settings; its context is passed otherwise.
        own: settings that the graph was bound to.
        place: names the thread, and the checkpoint that the run goes on from.
        handler: ours, beside the callbacks of the person or of the graph.
    """
    settings = {key: value for key, value in given.items() if key not in ("context", "callbacks")}
    configurable = dict(cast("Mapping[str, Any]", settings.pop("configurable", None) or {}))
    configurable.update(place["configurable"])
    config: dict[str, Any] = {"max_concurrency": SIDE_BY_SIDE, **settings}
    if own.get("max_concurrency") and "max_concurrency" not in settings:
        config["max_concurrency"] = own["max_concurrency"]
    config["configurable"] = configurable
    config["callbacks"] = running.with_handler(given.get("callbacks") or own.get("callbacks"), handler)
    return config


def shorten(config: dict[str, Any], own: Mapping[str, Any], used: int, *, is_start: bool) -> None:
    """Leave what is left of the budget: what goes on after a result by hand is the same run.

    LangGraph counts a run that goes on two steps shorter than one that starts, whose input and START
    count too; it takes no limit below 1, so the last two steps of a budget cannot be told apart.

    Args:
        used: supersteps that the run has taken already.
        is_start: True if it began with an input.

    Raises:
        GraphRecursionError: nothing is left.
    """
    limit = config.get("recursion_limit") or own.get("recursion_limit")
    if not limit:
        return
    left = int(limit) - used
    if left <= 0:
        from langgraph.errors import GraphRecursionError

        raise GraphRecursionError(f"Recursion limit of {limit} reached")
    config["recursion_limit"] = max(1, left - 2) if is_start else left


def tool_schema(scopes: Mapping[str, Scope], name: str) -> Json:
    """JSON schema of a tool's arguments, None if no graph has that tool or its types have no JSON form."""
    for scope in scopes.values():
        for spec in scope.specs.values():
            tool = getattr(spec.runnable, "tools_by_name", {}).get(name)
            if tool is not None:
                return _arguments_schema(tool)
    return None


def _arguments_schema(tool: Any) -> Json:
    try:
        schema = tool.tool_call_schema
        return cast("Json", schema if isinstance(schema, dict) else schema.model_json_schema())
    except Exception:  # a tool's types may have no JSON form
        return None
