"""What a LangGraph step costs under the debugger, in times of a plain step of the same run.

    python bench/langgraph_steps.py [--steps 500] [--repeat 5]

A loop of one node of one line, with a number as its state and with a list of messages that grows. Compared
are, all in one run:

- the graph as it is: a plain invoke, LangGraph's debug stream, its own memory saver;
- the way of stepping without us: stopped before every node by the memory saver, its state read each time;
- what any callback costs, and ours in parts: the gate alone, without a saver; the saver alone;
- ours whole, which always has the saver, since edits, forks and answers need it: a probe that wants
  nothing, and a probe that encodes and compares every state as the host does.

The least of the repeats counts, in time of this process; all of one kind of state run in turn, so that a
busy machine is busy for all.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from typing_extensions import TypedDict

from hookstepper.adapters.langgraph import LangGraphAdapter
from hookstepper.adapters.langgraph.at_once import saved_at_once
from hookstepper.adapters.langgraph.describing import describe
from hookstepper.adapters.langgraph.gates import Gate
from hookstepper.adapters.langgraph.handlers import sync_handler
from hookstepper.adapters.langgraph.recorder import Recorder
from hookstepper.adapters.langgraph.saver import Nobody, recording_saver
from hookstepper.adapters.langgraph.scopes import find_scopes
from hookstepper.model.ids import Json
from hookstepper.ports.facts import Committed, Fact, Seeded
from hookstepper.ports.probe import SilentProbe
from hookstepper.ports.target import Codec, OpenOptions, Start
from hookstepper.values import StateEncoder, diff

GATE, STOCK, RECORDED = "gate, no saver", "stock memory saver", "recorded"
BUDGETS = {GATE: "≤ 1.05", RECORDED: "≤ 2.5; at 1,000 messages below the stock memory saver"}


class Number(TypedDict):
    """A state that costs nothing."""

    n: int


class Nothing(BaseCallbackHandler):
    """What LangChain's callbacks cost by themselves: less than this no gate can."""

    def on_chain_start(self, *args: Any, **kwargs: Any) -> None:
        """Forget it."""

    def on_chain_end(self, *args: Any, **kwargs: Any) -> None:
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
    options.add_argument("--repeat", type=int, default=5)
    given = options.parse_args()
    for name, (graph, value) in {"number": numbers(given.steps), "messages": messages(given.steps)}.items():
        times = measured(ways(graph, value, given.steps), given.repeat)
        plain = times["plain invoke"]
        print(f"{name}, {given.steps} steps")
        for way, seconds in times.items():
            budget = f"   budget {BUDGETS[way]}" if way in BUDGETS else ""
            print(f"  {way:28}{seconds / given.steps * 1e6:8.0f} µs a step{seconds / plain:8.2f} ×{budget}")


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

    def saved() -> object:
        saver = recording_saver(Nobody())
        with saved_at_once(saver):
            return graph.copy({"checkpointer": saver}).invoke(value, threaded)

    return {
        "plain invoke": lambda: graph.invoke(value, limit),
        "debug stream": lambda: list(graph.stream(value, limit, stream_mode="debug")),
        "a handler that does nothing": lambda: graph.invoke(value, {**limit, "callbacks": [Nothing()]}),
        GATE: lambda: graph.invoke(value, {**limit, "callbacks": [gate_of(graph)]}),
        STOCK: lambda: graph.copy({"checkpointer": InMemorySaver()}).invoke(value, threaded),
        "our saver": saved,
        "silent probe": debugged(lambda _codec: SilentProbe()),
        RECORDED: debugged(Recording),
        "interrupt before every node": lambda: interrupted(graph, value, threaded),
    }


def gate_of(graph: Any) -> Any:
    """The handler that holds tasks, for a probe that wants none held."""
    scopes = find_scopes(graph)
    recorder = Recorder(scopes, describe(scopes, ""))
    recorder.begin(SilentProbe(), "t", fresh=True, waits=False)
    return sync_handler(Gate(recorder))


def interrupted(graph: Any, value: Any, config: Any) -> None:
    """Step as LangGraph's own interrupts do: stop before each node, look at the state, go on."""
    stepped = graph.copy({"checkpointer": InMemorySaver(), "interrupt_before_nodes": "*"})
    stepped.invoke(value, config)
    while stepped.get_state(config).next:
        stepped.invoke(None, config)


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
