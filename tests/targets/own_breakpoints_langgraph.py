"""LangGraph programs that call `breakpoint()` themselves."""

from __future__ import annotations

import asyncio
from typing import TypedDict

from langgraph.graph import END, START, StateGraph


class State(TypedDict, total=False):
    a: int
    b: int


def plain(state: State) -> State:
    doubled = state.get("a", 1) * 2
    breakpoint()
    return {"a": doubled}


async def awaiting(state: State) -> State:
    doubled = state.get("a", 1) * 2
    await asyncio.sleep(0)
    breakpoint()
    return {"b": doubled}


def _graph(*nodes):
    builder = StateGraph(State)
    last = START
    for node in nodes:
        builder.add_node(node)
        builder.add_edge(last, node.__name__)
        last = node.__name__
    builder.add_edge(last, END)
    return builder.compile()


sync = _graph(plain)
loop = _graph(plain, awaiting)


def _fan() -> object:
    builder = StateGraph(State)
    builder.add_node("left", lambda state: plain(state) and {"a": 1})
    builder.add_node("right", lambda state: {"b": 2})
    for node in ("left", "right"):
        builder.add_edge(START, node)
        builder.add_edge(node, END)
    return builder.compile()


fan = _fan()
