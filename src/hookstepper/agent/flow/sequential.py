"""One agent after another."""

from __future__ import annotations

from hookstepper.agent.flow.base import FlowAgent
from hookstepper.engine.graph import StateGraph


class SequentialAgent(FlowAgent):
    """Each sub-agent starts with what those before it left in the state."""

    def build(self, graph: StateGraph, first: str, last: str) -> None:
        """A chain of the sub-agents."""
        at = first
        for agent in self.sub_agents:
            self.add_agent(graph, agent)
            graph.add_edge(at, agent.name)
            at = agent.name
        graph.add_edge(at, last)
