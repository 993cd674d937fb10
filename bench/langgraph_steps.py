"""What a LangGraph step costs under the debugger, in times of a plain step of the same run.

    python bench/langgraph_steps.py [--steps 500] [--repeat 3]

A loop of one node of one line, with a number as its state and with a list of messages that grows. Compared
are a plain run, LangGraph's own memory saver, our saver alone, a probe that wants nothing, and a probe
that encodes and compares every state as the host does. The least of the repeats counts, in time of this
process; all of one kind of state run in turn, so that a busy machine is busy for all.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from typing_extensions import TypedDict

from hookstepper.adapters.langgraph import LangGraphAdapter
from hookstepper.adapters.langgraph.saver import recording_saver
from hookstepper.model.ids import Json
from hookstepper.ports.facts import Committed, Fact, Seeded
from hookstepper.ports.probe import SilentProbe
from hookstepper.ports.target import Codec, OpenOptions, Start
from hookstepper.values import StateEncoder, diff

BUDGETS = {"silent probe": "≤ 2.5", "recorded": "≤ 2.5, and below the stock saver"}


class Number(TypedDict):
    """A state that costs nothing."""

    n: int


class Nobody:
    """Listens to a saver and forgets."""

    def saved(self, namespace: str, checkpoint: Any, metadata: Any) -> None:
        """Forget it."""

    def wrote(self, task: str, writes: Any, path: str) -> None:
        """Forget it."""


class Recording(SilentProbe):
    """Does with each state what the host does, and sends nothing."""

    def __init__(self, codec: Codec) -> None:
        self._encoder = StateEncoder(codec)
        self._state: Json = {}

    def emit(self, fact: Fact) -> None:
        """Encode and compare."""
        if isinstance(fact, (Committed, Seeded)):
            state = self._encoder.encode(fact.state)
            diff(self._state, state)
            self._state = state


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--steps", type=int, default=500)
    options.add_argument("--repeat", type=int, default=3)
    given = options.parse_args()
    for name, (graph, value) in {"number": numbers(given.steps), "messages": messages(given.steps)}.items():
        times = measured(ways(graph, value, given.steps), given.repeat)
        plain = times["plain"]
        print(f"{name}, {given.steps} steps")
        for way, seconds in times.items():
            budget = f"   budget {BUDGETS[way]}" if way in BUDGETS else ""
            print(f"  {way:22}{seconds / given.steps * 1e6:10.0f} µs a step{seconds / plain:8.2f} ×{budget}")


def numbers(steps: int) -> tuple[Any, Any]:
    """A graph that counts, and its input."""
    builder = StateGraph(Number)
    builder.add_node("a", lambda state: {"n": state["n"] + 1})
    return looped(builder, lambda state: state["n"] < steps), {"n": 0}


def messages(steps: int) -> tuple[Any, Any]:
    """A graph that appends a message each step, and its input."""
    builder = StateGraph(MessagesState)
    builder.add_node("a", lambda _state: {"messages": [AIMessage("The weather is sunny.")]})
    return looped(builder, lambda state: len(state["messages"]) < steps), {"messages": []}


def looped(builder: Any, goes_on: Callable[[Any], bool]) -> Any:
    """The builder's node `a` in a loop, compiled."""
    builder.add_edge(START, "a")
    builder.add_conditional_edges("a", lambda state: "a" if goes_on(state) else END, ["a", END])
    return builder.compile()


def ways(graph: Any, value: Any, steps: int) -> dict[str, Callable[[], object]]:
    """Ways to run the same graph, by name."""
    limit = {"recursion_limit": steps + 10}
    threaded = {**limit, "configurable": {"thread_id": "t"}}

    def debugged(make_probe: Callable[[Codec], SilentProbe]) -> Callable[[], object]:
        def run() -> object:
            target = LangGraphAdapter().open(graph, OpenOptions())
            return target.run(Start(value, "t", limit), make_probe(target.codec))

        return run

    return {
        "plain": lambda: graph.invoke(value, limit),
        "stock memory saver": lambda: graph.copy({"checkpointer": InMemorySaver()}).invoke(value, threaded),
        "our saver": lambda: graph.copy({"checkpointer": recording_saver(Nobody())}).invoke(value, threaded),
        "silent probe": debugged(lambda _codec: SilentProbe()),
        "recorded": debugged(Recording),
    }


def measured(runs: dict[str, Callable[[], object]], repeat: int) -> dict[str, float]:
    """Seconds of process time that each run took at least."""
    least = dict.fromkeys(runs, float("inf"))
    for _ in range(repeat):
        for name, run in runs.items():
            began = time.process_time()
            run()
            least[name] = min(least[name], time.process_time() - began)
    return least


if __name__ == "__main__":
    main()
