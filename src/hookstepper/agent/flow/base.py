"""What all flow agents share: sub-agents as nodes, hooks around the whole, and ways to run it.

Source: Spring AI Alibaba 1.1.2, AbstractFlowGraphBuildingStrategy. Different from a ReactAgent: agent hooks
have node ids without a prefix, after-model hooks run forward, all edges are fixed, so jumps are not read.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from hookstepper.agent.compile import KINDS, Registered, chains_of
from hookstepper.agent.hook_nodes import action_of, source_of_hook
from hookstepper.agent.hooks import PREFIX, Hook, HookPosition
from hookstepper.agent.nested import with_agent_tools
from hookstepper.agent.options import several
from hookstepper.agent.react_agent import ReactAgent
from hookstepper.agent.running import Running
from hookstepper.agent.spec import Compat
from hookstepper.engine.actions import NodeMeta
from hookstepper.engine.checkpoints import MemorySaver, Saver
from hookstepper.engine.config import CompileConfig
from hookstepper.engine.errors import GraphSpecError
from hookstepper.engine.graph import StateGraph
from hookstepper.engine.run import CompiledGraph
from hookstepper.engine.strategies import APPEND_UNIQUE, REPLACE, KeyStrategy
from hookstepper.model.errors import SpecError
from hookstepper.model.graph import Graph
from hookstepper.model.ids import END, START

BEFORE = (HookPosition.BEFORE_AGENT, HookPosition.BEFORE_MODEL)


class FlowAgent(Running):
    """Base of the flow agents. Its graph is built on first use.

    Args:
        sub_agents: agents, plain or flow, each a node.
        hooks: hooks around the whole flow; jumps of theirs are not read.
        saver: where checkpoints go; without one, and without `compile_config`, they are kept in memory.
    """

    def __init__(
        self,
        name: str,
        sub_agents: Sequence[ReactAgent | FlowAgent],
        *,
        description: str = "",
        hooks: Sequence[Hook] = (),
        saver: Saver | None = None,
        compile_config: CompileConfig | None = None,
        compat: Compat = "upstream",
        sample_input: Any = None,
    ) -> None:
        if not str(name or "").strip() or not isinstance(name, str):
            raise SpecError("an agent needs a name")
        if not sub_agents:
            raise SpecError(f"flow agent {name!r} has no sub-agents")
        for agent in sub_agents:
            if not isinstance(agent, (ReactAgent, FlowAgent)):
                raise SpecError(f"flow agent {name!r}: {agent!r:.60} is no agent")
        for hook in several(hooks):
            if not isinstance(hook, Hook):
                raise SpecError(f"flow agent {name!r}: {hook!r:.60} is not a hook")
        if compat not in ("upstream", "fixed"):
            raise SpecError(f"flow agent {name!r}: rules {compat!r} are neither upstream nor fixed")
        self.name = name
        self.sub_agents = tuple(sub_agents)
        self.description = description
        self.hooks = several(hooks)
        self.compat = compat
        self.sample_input = sample_input
        config = compile_config or CompileConfig(saver=saver or MemorySaver())
        # Upstream's copy of a configuration forgets its recursion limit when a saver is given too.
        if compile_config is not None and saver is not None:
            limit = config.recursion_limit if compat == "fixed" else CompileConfig().recursion_limit
            config = replace(config, saver=saver, recursion_limit=limit)
        self.config = replace(config, compat="fixed" if compat == "fixed" else "upstream")
        self._graph: StateGraph | None = None
        self._compiled: CompiledGraph | None = None

    # --------------------------------------------------------------------------------- building

    def build(self, graph: StateGraph, first: str, last: str) -> None:
        """Add the nodes of this kind of flow.

        Args:
            first: the node that is there already and leads into the flow.
            last: where the flow leads when it is over.
        """
        raise NotImplementedError

    def graph(self) -> StateGraph:
        """The state graph; built at the first call.

        Raises:
            SpecError: two nodes share an id, or a hook stands where it has no node.
        """
        if self._graph is None:
            self._graph = self._build()
        return self._graph

    def _build(self) -> StateGraph:
        graph = StateGraph(self.name, self._keys())
        hooks = [Registered(hook, index) for index, hook in enumerate(self.hooks)]
        chains = chains_of(hooks, self.compat)
        ids = {position: self._add_hooks(graph, chains.at(position), position) for position in KINDS}
        graph.add_node(self.name, _nothing, meta=NodeMeta(note="where the flow begins"))
        after = ids[HookPosition.AFTER_AGENT][::-1]
        leave = after[0] if after else END
        _chain(graph, [*after, END])
        way_in: list[str] = [START, *ids[HookPosition.BEFORE_AGENT]]
        self.join(graph, way_in, ids[HookPosition.BEFORE_MODEL], ids[HookPosition.AFTER_MODEL], leave)
        return graph

    def join(
        self,
        graph: StateGraph,
        way_in: Sequence[str],
        before_model: Sequence[str],
        after_model: Sequence[str],
        leave: str,
    ) -> None:
        """Join the hooks and the flow; a loop puts the model hooks around each iteration."""
        _chain(graph, [*way_in, *before_model, self.name])
        if after_model:
            _chain(graph, [*after_model, leave])
        self.build(graph, self.name, after_model[0] if after_model else leave)

    def _add_hooks(self, graph: StateGraph, items: Sequence[Registered], position: HookPosition) -> list[str]:
        ids: list[str] = []
        for item in items:
            hook = item.hook
            action = action_of(hook, position, plain=True)
            if action is None:
                raise GraphSpecError(
                    f"hook {hook.get_name()!r} has no node at {position.name} of flow agent {self.name!r}",
                    upstream=f"edge sourceId '{hook.get_name()}{position.value}' refers to undefined node!",
                )
            agent_level = position in (HookPosition.BEFORE_AGENT, HookPosition.AFTER_AGENT)
            node = f"{'' if agent_level else PREFIX}{hook.get_name()}{position.value}"
            meta = NodeMeta(
                label=hook.get_name() + position.value,
                owner=hook.get_name(),
                index=item.index,
                order=hook.order,
                source=source_of_hook(hook, position),
            )
            graph.add_node(node, action, kind=KINDS[position], meta=meta)
            ids.append(node)
        return ids

    def _keys(self) -> dict[str, KeyStrategy]:
        keys: dict[str, KeyStrategy] = {}
        for agent in self.sub_agents:
            if isinstance(agent, ReactAgent) and agent.spec.output_key:
                keys[agent.spec.output_key] = agent.spec.output_key_strategy or REPLACE
        keys["messages"] = APPEND_UNIQUE
        return keys

    def add_agent(self, graph: StateGraph, agent: ReactAgent | FlowAgent) -> None:
        """Add a sub-agent as a node named after it."""
        graph.add_node(agent.name, agent.as_node())

    def compiled(self) -> CompiledGraph:
        """The graph, compiled once."""
        if self._compiled is None:
            self._compiled = self.compile(self.config)
        return self._compiled

    def compile(self, config: CompileConfig) -> CompiledGraph:
        """The graph compiled with another configuration."""
        return self.graph().compile(config)

    def with_rules(self, compat: Compat) -> FlowAgent:
        """The same flow by other rules, all its agents too; this one keeps its own."""
        made = copy.copy(self)
        made.compat = compat
        made.config = replace(self.config, compat=compat)
        made.hooks = tuple(copy.copy(hook) for hook in self.hooks)
        made.sub_agents = tuple(
            agent.copy(compat=compat) if isinstance(agent, ReactAgent) else agent.with_rules(compat)
            for agent in self.sub_agents
        )
        made._graph = made._compiled = None
        return made

    def as_node(self) -> CompiledGraph:
        """The flow as a node of another graph."""
        return self.compile(self.config)

    def describe(self) -> Graph:
        """The compiled graph as data."""
        return self.described(self.compiled())

    def described(self, compiled: CompiledGraph) -> Graph:
        """`compiled` as data."""
        return self.with_tools_inside(replace(compiled.describe(), rules=self.compat))

    def with_tools_inside(self, graph: Graph, path: str = "") -> Graph:
        """`graph`, with the agents that are tools of agents of this flow, which is at `path` in it."""
        for agent in self.sub_agents:
            below = f"{path}{agent.name}:"
            if isinstance(agent, ReactAgent):
                graph = with_agent_tools(graph, agent, below)
            else:
                graph = agent.with_tools_inside(graph, below)
        return graph


def _nothing(state: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG001
    return {}


def _chain(graph: StateGraph, nodes: Sequence[str]) -> None:
    for one, other in pairwise(nodes):
        graph.add_edge(one, other)
