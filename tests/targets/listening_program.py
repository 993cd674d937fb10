"""A program that runs its agent by itself, again and again, and lets a debugger in.

python listening_program.py native|langgraph|async ENDPOINT [wait]
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from typing import Any

import hookstepper


def native() -> tuple[Any, Callable[[], Any]]:
    from hookstepper.agent import ReactAgent, ScriptedModel, ToolCall, tool

    @tool
    def look(what: str) -> str:
        """Look.

        Args:
            what: it.
        """
        return what.upper()

    script: list[Any] = [[ToolCall("c1", "look", '{"what": "x"}')], "done"]
    agent = ReactAgent("agent", ScriptedModel(script, per_turn=True), tools=[look])
    return agent, lambda: agent.call("hi").text


def langgraph(*, is_async: bool = False) -> tuple[Any, Callable[[], Any]]:
    from typing import TypedDict

    from langgraph.graph import END, START, StateGraph

    class State(TypedDict, total=False):
        a: int
        b: int

    async def later(state: State) -> State:
        await asyncio.sleep(0)
        return {"b": state["a"] * 2}

    builder = StateGraph(State)
    builder.add_node("first", lambda state: {"a": state["a"] + 1})
    builder.add_node("second", later if is_async else lambda state: {"b": state["a"] * 2})
    builder.add_edge(START, "first")
    builder.add_edge("first", "second")
    builder.add_edge("second", END)
    graph = builder.compile()
    if is_async:
        return graph, lambda: asyncio.run(graph.ainvoke({"a": 1}))
    return graph, lambda: graph.invoke({"a": 1})


def main(kind: str, endpoint: str, *more: str) -> None:
    agent, run = native() if kind == "native" else langgraph(is_async=kind == "async")
    with hookstepper.listen(agent, endpoint, wait="wait" in more) as listening:
        print(f"listening at {listening.endpoint}", flush=True)
        number = 0
        while True:
            number += 1
            print(f"run {number}: {run()}", flush=True)
            time.sleep(0.02)


if __name__ == "__main__":
    main(*sys.argv[1:])
