"""Agents side by side, whose results are put together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hookstepper.agent.flow.base import FlowAgent
from hookstepper.agent.options import number
from hookstepper.agent.react_agent import ReactAgent
from hookstepper.engine.actions import NodeMeta
from hookstepper.engine.config import RunConfig, concurrency_key
from hookstepper.engine.graph import StateGraph
from hookstepper.model.errors import SpecError

MergeStrategy = Callable[[Mapping[str, Any]], Any]
"""From results by output key, in the order of the sub-agents, to the merged result."""


def as_map(results: Mapping[str, Any]) -> Any:
    """The results by output key."""
    return dict(results)


def as_list(results: Mapping[str, Any]) -> Any:
    """The results in the order of the sub-agents."""
    return list(results.values())


def as_text(results: Mapping[str, Any]) -> Any:
    """The results as one text, a paragraph each."""
    return "\n\n".join(str(getattr(value, "content", value)) for value in results.values())


STRATEGIES: Mapping[str, MergeStrategy] = {"map": as_map, "list": as_list, "concat": as_text}


class ParallelAgent(FlowAgent):
    """Two to ten sub-agents with output keys of their own.

    Args:
        merge: `map`, `list`, `concat`, or a function of the results by output key.
        merge_output_key: state key of the merged result.
        max_concurrency: how many run at once.
    """

    def __init__(
        self,
        name: str,
        sub_agents: Sequence[ReactAgent | FlowAgent],
        *,
        merge: str | MergeStrategy = "map",
        merge_output_key: str = "merged",
        max_concurrency: int | None = None,
        **options: Any,
    ) -> None:
        super().__init__(name, sub_agents, **options)
        if not 2 <= len(self.sub_agents) <= 10:
            raise SpecError(
                f"parallel agent {name!r} has {len(self.sub_agents)} sub-agents; it takes 2 to 10"
            )
        self.output_keys = [_output_key(agent) for agent in self.sub_agents]
        given = [key for key in self.output_keys if key]
        doubled = {key for key in given if given.count(key) > 1}
        if doubled:
            raise SpecError(
                f"parallel agent {name!r}: output keys must differ; doubled: {', '.join(sorted(doubled))}"
            )
        found = STRATEGIES.get(merge) if isinstance(merge, str) else merge
        if not callable(found):
            raise SpecError(
                f"parallel agent {name!r}: there is no merge {merge!r:.60}",
                hint=f"one of {', '.join(STRATEGIES)}, or a function of the results by output key",
            )
        self.merge: MergeStrategy = found
        self.merge_output_key = merge_output_key
        number(max_concurrency, f"parallel agent {name!r}: max_concurrency", least=1, none=True)
        self.max_concurrency = max_concurrency

    def build(self, graph: StateGraph, first: str, last: str) -> None:
        """A fan-out that meets at the aggregator."""
        join = f"{self.name}_aggregator"
        for agent in self.sub_agents:
            self.add_agent(graph, agent)
            graph.add_edge(first, agent.name)
            graph.add_edge(agent.name, join)
        graph.add_node(join, self._gather, meta=NodeMeta(note="puts the results together"))
        graph.add_edge(join, last)

    def config_of(self, config: RunConfig | None, *, stream: bool) -> RunConfig:
        """With the most branches that may run at once."""
        made = super().config_of(config, stream=stream)
        if self.max_concurrency is not None:
            made.metadata[concurrency_key(self.name)] = self.max_concurrency
        return made

    def _gather(self, state: Mapping[str, Any]) -> dict[str, Any]:
        results = {key: state[key] for key in self.output_keys if key and key in state}
        return {**results, self.merge_output_key: self.merge(results)}


def _output_key(agent: ReactAgent | FlowAgent) -> str:
    if isinstance(agent, ReactAgent):
        return agent.spec.output_key
    return getattr(agent, "merge_output_key", "")
