"""A model chooses which agents answer."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from hookstepper.agent import options
from hookstepper.agent.asking import asked
from hookstepper.agent.flow.base import FlowAgent, _chain
from hookstepper.agent.flow.parallel import _output_key
from hookstepper.agent.messages import AssistantMessage, Message, SystemMessage, UserMessage, messages_of
from hookstepper.agent.models.port import ChatModel, Prompt
from hookstepper.agent.react_agent import ReactAgent
from hookstepper.engine.actions import Decision, NodeMeta
from hookstepper.engine.effects import Effects, effectful
from hookstepper.engine.graph import StateGraph

ATTEMPTS = 3
NOTHING = "None of the agents had a result."
CHOOSE = """Choose the agents that should answer, and what each is to be asked.
{agents}
Answer with JSON only: {{"agents": [{{"agent": "name", "query": "what to ask"}}]}}"""
JOIN = "Put these results together into one answer to the question: {question}\n\n{results}"


class RoutingError(RuntimeError):
    """The model named no agent that exists, in all attempts."""


class LlmRoutingAgent(FlowAgent):
    """Asks `model` which sub-agents to run; several run in parallel, and their results become one answer."""

    def __init__(
        self, name: str, model: ChatModel, sub_agents: Sequence[ReactAgent | FlowAgent], **more: Any
    ) -> None:
        super().__init__(name, sub_agents, **more)
        self.model = options.chat_model(model, f"flow agent {name!r}: model")

    def join(
        self,
        graph: StateGraph,
        way_in: Sequence[str],
        before_model: Sequence[str],
        after_model: Sequence[str],
        leave: str,
    ) -> None:
        """The model hooks stand around the choice."""
        choice, merge = f"{self.name}_routing", f"{self.name}_merge"
        graph.add_node(choice, _Node(self._choose), kind="model", meta=NodeMeta(note="chooses the agents"))
        graph.add_node(merge, _Node(self._merge), meta=NodeMeta(note="puts the results together"))
        _chain(graph, [*way_in, self.name, *before_model, choice, *after_model])
        mapping: dict[str, str] = {}
        for agent in self.sub_agents:
            self.add_agent(graph, agent)
            graph.add_edge(agent.name, merge)
            mapping[agent.name] = agent.name
        source = after_model[-1] if after_model else choice
        graph.add_parallel_conditional_edges(source, self._route, mapping)
        graph.add_edge(merge, leave)

    def build(self, graph: StateGraph, first: str, last: str) -> None:
        """All is done in `join`."""

    @property
    def _key(self) -> str:
        return f"_routing__{self.name}"

    def _choose(self, state: Mapping[str, Any]) -> Effects[dict[str, Any]]:
        listing = "\n".join(f"- {agent.name}: {agent.description}" for agent in self.sub_agents)
        messages: list[Message] = [SystemMessage(CHOOSE.format(agents=listing)), *messages_of(state)]
        problem = ""
        for _ in range(ATTEMPTS):
            reply = yield from asked(self.model, Prompt(tuple(messages)))
            text = reply.message.content
            chosen, problem = self._read(text)
            if chosen:
                inputs = {f"{agent}_input": query for agent, query in chosen.items()}
                return {self._key: list(chosen), **inputs}
            messages += [AssistantMessage(text), UserMessage(f"That cannot be used: {problem}. Try again.")]
        raise RoutingError(f"flow agent {self.name!r}: no agent was chosen in {ATTEMPTS} attempts: {problem}")

    def _read(self, text: str) -> tuple[dict[str, str], str]:
        match = re.search(r"\{.*\}", text, re.DOTALL)
        try:
            rows = json.loads(match[0] if match else text)["agents"]
            chosen = {row["agent"]: str(row.get("query", "")) for row in rows}
        except (ValueError, KeyError, TypeError, AttributeError):
            return {}, "it is not the JSON that was asked for"
        known = {agent.name for agent in self.sub_agents}
        unknown = sorted(str(name) for name in chosen if name not in known)
        if unknown:
            return {}, f"there is no agent {', '.join(unknown)}"
        return chosen, "" if chosen else "no agent is named"

    def _route(self, state: Mapping[str, Any]) -> Decision:
        names = state.get(self._key) or []
        return Decision(list(names), "chosen", f"the model chose {', '.join(names)}")

    def _merge(self, state: Mapping[str, Any]) -> Effects[dict[str, Any]]:
        chosen = state.get(self._key) or []
        results = {
            agent.name: state[key]
            for agent in self.sub_agents
            if agent.name in chosen and (key := _output_key(agent)) and state.get(key) is not None
        }
        if not results:
            return {"merged_result": NOTHING}
        if len(results) == 1:
            return {"merged_result": next(iter(results.values()))}
        listing = "\n\n".join(
            f"{name}: {getattr(value, 'content', value)}" for name, value in results.items()
        )
        prompt = JOIN.format(question=state.get("input", ""), results=listing)
        reply = yield from asked(self.model, Prompt((UserMessage(prompt),)))
        return {"merged_result": reply.message.content}


class _Node:
    """A node whose body asks a model."""

    def __init__(self, body: Any) -> None:
        self.body = body

    @effectful
    def __call__(self, state: Mapping[str, Any], config: Any) -> Effects[dict[str, Any]]:  # noqa: ARG002
        update: dict[str, Any] = yield from self.body(state)
        return update
