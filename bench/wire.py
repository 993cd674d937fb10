"""What a stop costs: a robot steps a loop node by node over the wire, beside the same loop run freely.

    python bench/wire.py [STEPS]

Budget: stop and release by a robot ≤ 1 × a plain step of LangGraph.
"""

from __future__ import annotations

import os
import queue
import statistics
import sys
import time
from pathlib import Path
from typing import TypedDict

from hookstepper.client.conversation import Conversation
from hookstepper.client.link import Item
from hookstepper.client.options import TargetOptions
from hookstepper.model.commands import Continue, Next
from hookstepper.model.events import Event, Stopped

TARGET = Path(__file__).resolve().parent.parent / "tests" / "targets" / "loop.py"
RUNS = 5


class Robot:
    """Drives one conversation; counts stops."""

    def __init__(self, steps: int) -> None:
        self.items: queue.SimpleQueue[Item] = queue.SimpleQueue()
        options = TargetOptions(str(TARGET), Path.cwd(), input={"limit": steps}, environment=dict(os.environ))
        self.conversation = Conversation(options, self.items.put)
        self.conversation.events = self._saw
        self.stopped = False

    def _saw(self, event: Event) -> None:
        self.stopped = self.stopped or isinstance(event, Stopped)

    def wait(self) -> None:
        """Until the next stop."""
        while not self.stopped:
            self.conversation.receive(self.items.get())
        self.stopped = False


def microseconds_a_step(steps: int, *, stopping: bool) -> float:
    """One run of the loop in a process of its own, from its first stop to its end."""
    robot = Robot(steps)
    robot.conversation.open()
    robot.wait()
    began = time.perf_counter()
    while robot.conversation.view.phase not in ("ended", "failed", "limit", "gone"):
        # The guard asks now and then; a robot goes on.
        robot.conversation.act(Next() if stopping else Continue())
        robot.wait()
    took = time.perf_counter() - began
    robot.conversation.close()
    done = robot.conversation.view.trace.last + 1
    if done != steps:
        raise SystemExit(f"{done} steps instead of {steps}: {robot.conversation.view.phase}")
    return took / steps * 1e6


class State(TypedDict):
    """State of the plain loop."""

    n: int


def plain_langgraph(steps: int) -> float:
    """Microseconds a step of the same loop in LangGraph, without a checkpointer or a debugger."""
    from langgraph.graph import END, START, StateGraph

    graph = StateGraph(State)
    graph.add_node("count", lambda state: {"n": state["n"] + 1})
    graph.add_edge(START, "count")
    graph.add_conditional_edges("count", lambda state: "count" if state["n"] < steps else END, ["count", END])
    compiled = graph.compile()
    began = time.perf_counter()
    compiled.invoke({"n": 0}, {"recursion_limit": steps + 10})
    return (time.perf_counter() - began) / steps * 1e6


def main() -> None:
    """Print medians of several runs, taken in turns, and their ratios."""
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    plain_langgraph(50)
    rows: dict[str, list[float]] = {"plain LangGraph": [], "recorded": [], "stopped": []}
    for _ in range(RUNS):
        rows["plain LangGraph"].append(plain_langgraph(steps))
        rows["recorded"].append(microseconds_a_step(steps, stopping=False))
        rows["stopped"].append(microseconds_a_step(steps, stopping=True))
    base = statistics.median(rows["plain LangGraph"])
    for name, values in rows.items():
        median = statistics.median(values)
        print(f"{name:<18} {median:8.0f} µs a step   {median / base:5.2f} × plain LangGraph")
    cost = statistics.median(rows["stopped"]) - statistics.median(rows["recorded"])
    print(
        f"{'stop and release':<18} {cost:8.0f} µs          {cost / base:5.2f} × plain LangGraph   (budget 1)"
    )


if __name__ == "__main__":
    main()
