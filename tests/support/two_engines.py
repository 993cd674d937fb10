"""One agent on our engine and on LangGraph, told in one form, so that the two can be compared."""

from __future__ import annotations

from typing import Any

from hookstepper.agent import RunConfig
from hookstepper.agent.to_langgraph import CONTEXT, OTHER, _decoded

STEPS = 30
"""Supersteps after which a run is cut off."""


def on_ours(made: Any, value: Any) -> tuple[list[str], dict[str, Any], str]:
    """Executed nodes in order, final state, and how it ended: on our engine."""
    nodes: list[str] = []

    class Watch:
        def wants(self, site, phase):
            return False

        def emit(self, fact):
            if type(fact).__name__ == "Committed":
                nodes.append(fact.site.node)

    result = made.run(value, RunConfig("t"), Watch())
    return nodes, told(result.state), result.status


def on_theirs(
    made: Any, value: Any, checkpointer: Any = None, thread: str = "t"
) -> tuple[list[str], dict[str, Any], str]:
    """The same on LangGraph; without a checkpointer, on one in memory."""
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.errors import GraphRecursionError

    graph = made.to_langgraph(checkpointer=checkpointer or InMemorySaver())
    config = {"configurable": {"thread_id": thread}, "recursion_limit": STEPS}
    nodes: list[str] = []
    status = "completed"
    try:
        for update in graph.stream(value, config, stream_mode="updates"):
            nodes += update
    except GraphRecursionError:
        status = "limit"
    except Exception:
        status = "failed"
    return nodes, told(graph.get_state(config).values), status


def told(state: Any) -> dict[str, Any]:
    """A state of either engine in one form: no context, no empty values, messages decoded."""
    flat = {key: value for key, value in state.items() if key not in (CONTEXT, OTHER)}
    flat |= state.get(OTHER) or {}
    decoded = {key: _decoded(value) for key, value in flat.items()}
    return {key: value for key, value in decoded.items() if value is not None and value != []}
