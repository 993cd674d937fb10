"""A node that comes back to itself: for measuring what a step costs."""

from __future__ import annotations

from hookstepper.agent import END, START, CompileConfig, StateGraph

_graph = StateGraph("loop")
_graph.add_node("count", lambda state: {"n": state.get("n", 0) + 1})
_graph.add_edge(START, "count")
_graph.add_conditional_edges(
    "count", lambda state, config: "on" if state["n"] < state["limit"] else "out", {"on": "count", "out": END}
)
loop = _graph.compile(CompileConfig(recursion_limit=100_000))
