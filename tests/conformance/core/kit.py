"""Small things that the core cases share: nodes that append, a listener that records, two ways to run."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from hookstepper.engine import (
    APPEND,
    CompiledGraph,
    Interruption,
    Listener,
    NodeOutput,
    Output,
    RunConfig,
    RunResult,
    StateGraph,
)


@dataclass
class Streamed:
    """What came out of one stream: its outputs, and the error that ended it."""

    outputs: list[Output] = field(default_factory=list)
    error: Exception | None = None

    @property
    def nodes(self) -> list[str]:
        """Ids in order; an interruption is written in brackets."""
        return [f"[{o.node}]" if isinstance(o, Interruption) else str(o.node) for o in self.outputs]

    @property
    def state(self) -> Mapping[str, Any]:
        """State of the last output that has one."""
        last = self.outputs[-1]
        assert isinstance(last, (NodeOutput, Interruption))
        return last.state

    @property
    def interruption(self) -> Interruption:
        """The interruption that ended it."""
        last = self.outputs[-1]
        assert isinstance(last, Interruption)
        return last


@dataclass(frozen=True)
class Way:
    """Runs graphs synchronously or on an event loop; tests take both."""

    mode: Literal["sync", "async"]

    def stream(
        self, graph: CompiledGraph, inputs: Mapping[str, Any] | None = None, config: RunConfig | None = None
    ) -> Streamed:
        """All outputs of one run."""
        seen = Streamed()
        try:
            if self.mode == "sync":
                seen.outputs.extend(graph.stream(inputs, config))
            else:
                asyncio.run(_collect(graph, inputs, config, seen))
        except Exception as error:
            seen.error = error
        return seen

    def run(
        self,
        graph: CompiledGraph,
        inputs: Mapping[str, Any] | None = None,
        config: RunConfig | None = None,
        probe: Any = None,
    ) -> RunResult:
        """How one run came to rest."""
        if self.mode == "sync":
            return graph.run(inputs, config, probe=probe)
        return asyncio.run(graph.arun(inputs, config, probe=probe))


async def _collect(graph: CompiledGraph, inputs: Any, config: Any, seen: Streamed) -> None:
    async for output in graph.astream(inputs, config):
        seen.outputs.append(output)


class Recorder(Listener):
    """Writes down what listeners are told."""

    def __init__(self) -> None:
        self.events: list[tuple[str, str]] = []
        self.states: list[dict[str, Any]] = []
        self.errors: list[BaseException] = []

    def on_start(self, node, state, config):
        self._note("start", node, state)

    def before(self, node, state, config, at_ms):
        self._note("before", node, state)

    def after(self, node, state, config, at_ms):
        self._note("after", node, state)

    def on_error(self, node, state, error, config):
        self.errors.append(error)
        self._note("error", node, state)

    def on_complete(self, node, state, config):
        self._note("complete", node, state)

    def _note(self, event: str, node: str, state: Mapping[str, Any]) -> None:
        self.events.append((event, node))
        self.states.append(dict(state))

    def of(self, event: str) -> list[str]:
        """Nodes that an event was told for."""
        return [node for name, node in self.events if name == event]


def says(value: Any, key: str = "messages"):
    """A node that returns one value."""
    return lambda state: {key: value}


def chain(*nodes: str, keys: Mapping[str, Any] | None = None) -> StateGraph:
    """START -> each node -> END; node X appends "X" to `messages`."""
    graph = StateGraph("chain", {"messages": APPEND} if keys is None else keys)
    for node in nodes:
        graph.add_node(node, says(node))
    for one, two in zip(("__START__", *nodes), (*nodes, "__END__"), strict=True):
        graph.add_edge(one, two)
    return graph
