"""A graph that goes round and round until somebody stops it."""

from __future__ import annotations

from typing import TypedDict

from langgraph.graph import START, StateGraph


class State(TypedDict, total=False):
    count: int


def _count(state: State) -> State:
    return {"count": state.get("count", 0) + 1}


_builder = StateGraph(State)
_builder.add_node("count", _count)
_builder.add_edge(START, "count")
_builder.add_conditional_edges("count", lambda state: "count", ["count"])
rounds = _builder.compile().with_config(recursion_limit=1_000_000)
