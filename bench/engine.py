"""The built-in engine against LangGraph: time for one step of the same small agent, in one run, as ratios.

    python bench/engine.py [--steps 200] [--repeat 5]

Both run the same two nodes in a loop; one appends a message, the other counts. The least of the repeats
counts, in time of this process: what else the machine does must not count.
"""

from __future__ import annotations

import argparse
import importlib.util
import operator
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypedDict

from hookstepper.engine import (
    APPEND,
    END,
    START,
    CompileConfig,
    MemorySaver,
    RunConfig,
    Saver,
    StateGraph,
    share,
)
from hookstepper.engine.sqlite import SqliteSaver
from hookstepper.ports.probe import SilentProbe

BUDGET = 1 / 3
"""Most time of a step with the memory saver, in times of LangGraph's with its own."""


@share
@dataclass(frozen=True, slots=True)
class Message:
    """One message, of the kind that an agent's state holds."""

    role: str
    text: str


class Counting(SilentProbe):
    """Takes note of facts and wants no gate: what recording costs the engine itself."""

    def __init__(self) -> None:
        self.facts = 0

    def emit(self, fact: object) -> None:  # noqa: ARG002
        """Count it."""
        self.facts += 1


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--repeat", type=int, default=5)
    args = parser.parse_args()
    has_langgraph = importlib.util.find_spec("langgraph") is not None
    print(f"{'messages':>8} {'saver':<8} {'ours µs':>8} {'langgraph µs':>13} {'ratio':>6} {'most':>5}")
    for count in (0, 100, 1000):
        for kind in ("none", "memory", "sqlite"):
            ours = least(lambda k=kind, n=count: our_run(k, n, args.steps), args.repeat, args.steps)
            theirs = None
            if has_langgraph and kind != "sqlite":
                theirs = least(lambda k=kind, n=count: their_run(k, n, args.steps), args.repeat, args.steps)
            row(count, kind, ours, theirs)
    watched = least(lambda: our_run("memory", 100, args.steps, Counting()), args.repeat, args.steps)
    plain = least(lambda: our_run("memory", 100, args.steps), args.repeat, args.steps)
    print(f"facts told to a probe that drops them: {watched / plain:.2f} × a step without")


def row(count: int, kind: str, ours: float, theirs: float | None) -> None:
    """Print one line of the table."""
    budget = f"{BUDGET:.2f}" if kind == "memory" else ""
    if theirs is None:
        print(f"{count:>8} {kind:<8} {ours:>8.1f}")
    else:
        print(f"{count:>8} {kind:<8} {ours:>8.1f} {theirs:>13.1f} {ours / theirs:>6.2f} {budget:>5}")


def least(run: Callable[[], float], repeat: int, steps: int) -> float:
    """Microseconds of a step in the fastest of the runs."""
    return min(run() for _ in range(repeat)) / steps * 1e6


def our_run(kind: str, count: int, steps: int, probe: Any = None) -> float:
    """Seconds of processor time of one run here."""
    with tempfile.TemporaryDirectory() as folder:
        saver: Saver | None = None
        if kind == "memory":
            saver = MemorySaver()
        elif kind == "sqlite":
            saver = SqliteSaver(Path(folder) / "c.db")
        graph = StateGraph("bench", {"messages": APPEND})
        graph.add_node("say", lambda _: {"messages": Message("user", "hello")})
        graph.add_node("count", lambda state: {"n": state["n"] + 1})
        graph.add_edge(START, "say").add_edge("say", "count")
        half = steps // 2
        graph.add_conditional_edges(
            "count", lambda state: "on" if state["n"] < half else "out", {"on": "say", "out": END}
        )
        compiled = graph.compile(CompileConfig(saver=saver, recursion_limit=10**9))
        inputs = {"messages": [Message("user", f"m{i}") for i in range(count)], "n": 0}
        began = time.process_time()
        result = compiled.run(inputs, RunConfig("t"), probe=probe)
        seconds = time.process_time() - began
        assert result.status == "completed"
        if isinstance(saver, SqliteSaver):
            saver.close()
    return seconds


class State(TypedDict):
    """State of the LangGraph twin."""

    messages: Annotated[list[Any], operator.add]
    n: int


def their_run(kind: str, count: int, steps: int) -> float:
    """Seconds of processor time of one run on LangGraph."""
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.graph import StateGraph as TheirGraph

    graph: Any = TheirGraph(State)
    graph.add_node("say", lambda _: {"messages": [Message("user", "hello")]})
    graph.add_node("count", lambda state: {"n": state["n"] + 1})
    graph.add_edge("__start__", "say")
    graph.add_edge("say", "count")
    half = steps // 2
    graph.add_conditional_edges(
        "count", lambda state: "say" if state["n"] < half else "__end__", ["say", "__end__"]
    )
    compiled = graph.compile(checkpointer=InMemorySaver() if kind == "memory" else None)
    inputs = {"messages": [Message("user", f"m{i}") for i in range(count)], "n": 0}
    config = {"configurable": {"thread_id": "t"}, "recursion_limit": 10**9}
    began = time.process_time()
    compiled.invoke(inputs, config)
    return time.process_time() - began


if __name__ == "__main__":
    main()
