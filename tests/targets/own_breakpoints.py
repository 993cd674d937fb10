"""Programs that call `breakpoint()` themselves, in every kind of place."""

from __future__ import annotations

import asyncio
import sys
import threading
from typing import Any

from hookstepper.agent import END, START, ReactAgent, ScriptedModel, StateGraph, ToolCall, before_model, tool


class Hostile:
    """Cannot be looked at in any way."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    __str__ = __repr__

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError("no attribute")


class Endless:
    """Its representation never ends."""

    def __repr__(self) -> str:
        return repr(self)


def deep(level: int) -> int:
    if level == 0:
        breakpoint()
        return 0
    return deep(level - 1) + 1


def sync_node(state):
    secret = Hostile()  # noqa: F841
    endless = Endless()  # noqa: F841
    megabyte = "x" * 2_000_000  # noqa: F841
    number = 10**6000  # noqa: F841
    return {"sync": deep(2)}


async def async_node(state):
    before = "awaited"
    await asyncio.sleep(0)
    breakpoint()
    return {"async": before}


def thread_node(state):
    said = []

    def work() -> None:
        inner = "on a thread of its own"
        breakpoint()
        said.append(inner)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return {"thread": said[0]}


def own_hook_node(state):
    said = []
    before = sys.breakpointhook
    sys.breakpointhook = lambda: said.append("own hook")
    breakpoint()
    sys.breakpointhook = before
    return {"hook": said[0]}


def _graph(**nodes):
    graph = StateGraph("own")
    last = START
    for name, action in nodes.items():
        graph.add_node(name, action)
        graph.add_edge(last, name)
        last = name
    graph.add_edge(last, END)
    return graph


sync = _graph(first=sync_node)
loop = _graph(first=async_node)
thread = _graph(first=thread_node)
own_hook = _graph(first=own_hook_node)


@tool
def look(what: str) -> str:
    """Look.

    Args:
        what: it.
    """
    found = what.upper()
    breakpoint()
    return found


@before_model
def count(state):
    messages = len(state["messages"])
    breakpoint()
    return {"count": messages}


agent = ReactAgent(
    "agent",
    ScriptedModel([[ToolCall("c1", "look", '{"what": "x"}')], "done"], per_turn=True),
    tools=[look],
    hooks=[count],
)
