"""An agent inside another graph: as a node, and as a tool of another agent.

Source: Spring AI Alibaba 1.1.2, ReactAgent.asNode and AgentTool.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hookstepper.agent.messages import (
    AgentInstructionMessage,
    AssistantMessage,
    Message,
    UserMessage,
    messages_of,
)
from hookstepper.agent.routing import JUMP_KEY
from hookstepper.agent.schema import schema_of_type
from hookstepper.agent.tools import Tool, ToolContext
from hookstepper.engine.config import HUMAN_FEEDBACK, CompileConfig, RunConfig
from hookstepper.engine.driver import Driver, current
from hookstepper.engine.outputs import RunResult
from hookstepper.engine.run import CompiledGraph
from hookstepper.engine.scope import Scope
from hookstepper.model.graph import Graph, Node
from hookstepper.model.ids import NodeId, TaskId

if TYPE_CHECKING:
    from hookstepper.agent.react_agent import ReactAgent

TOOL_NODE = NodeId("_AGENT_TOOL_")
AGENT_KEY = "_AGENT_"


class AgentToolError(RuntimeError):
    """An agent that was called as a tool gave no answer."""


class AgentGraph(CompiledGraph):
    """An agent's graph as a node of another one: it gets all of that graph's state, and gives back all of its
    own, with only the new messages.

    In upstream rules `jump_to` goes in and out with the rest, and a person's answer to any question in the
    run makes a later agent try to resume, which fails. Fixed rules do neither.
    """

    def __init__(self, agent: ReactAgent, config: CompileConfig) -> None:
        super().__init__(agent.graph(), config)
        self.agent = agent
        self.keeps_feedback = agent.compat == "upstream"

    def inputs_in_parent(self, parent: Mapping[str, Any]) -> Mapping[str, Any]:
        """The parent's state, without its messages if the agent is not to see them."""
        left_out = set() if self.agent.spec.include_contents else {"messages"}
        if self.agent.compat == "fixed":
            left_out.add(JUMP_KEY)
        return {key: value for key, value in parent.items() if key not in left_out}

    def config_in_parent(self, config: RunConfig, node: NodeId) -> RunConfig:
        """A context of its own."""
        config.context.clear()
        config.metadata[AGENT_KEY] = f"subgraph_{node}"
        return config

    def update_for_parent(
        self, result: Mapping[str, Any], before: Mapping[str, Any]
    ) -> dict[str, Any] | None:
        """The final state, with the messages that the parent does not have: all of them, or the last."""
        known = messages_of(before)
        fresh = [message for message in messages_of(result) if message not in known]
        if not self.agent.spec.return_reasoning_contents:
            fresh = fresh[-1:]
        update = {**result, "messages": fresh}
        if self.agent.compat == "fixed":
            update.pop(JUMP_KEY, None)
        return update


def agent_tool(agent: ReactAgent) -> Tool:
    """The agent as a tool of another: named after it, taking one text or what its input schema says."""
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"input": {"type": "string"}},
        "required": ["input"],
    }
    given = agent.spec.input_schema
    if given is not None:
        schema["properties"]["input"] = dict(given) if isinstance(given, Mapping) else schema_of_type(given)
    caller = _Caller(agent)
    return Tool(agent.name, caller, agent.description, schema, context_parameter="context")


class _Caller:
    """Runs the agent when the tool is called, inside the run that calls it."""

    def __init__(self, agent: ReactAgent) -> None:
        self.agent = agent

    def __call__(self, context: ToolContext, input: Any = "", **more: Any) -> Any:  # noqa: A002
        value = input if not more else {"input": input, **more}
        outer: RunConfig = context.config if context.config is not None else RunConfig()
        driver = current()
        inputs, config = self._inputs(value), self._config(outer)
        graph = self.agent.compiled()
        body = graph.effects(inputs, config, scope=_scope(driver, outer, self.agent.name))
        if driver is None:
            return self._answer(graph.run(inputs, config), outer, value)
        if driver.awaits:
            return self._later(driver, body, outer, value)
        place = driver.task, driver.superstep
        try:
            result = driver.drive(body)
        finally:
            driver.task, driver.superstep = place
        return self._answer(result, outer, value)

    async def _later(self, driver: Driver, body: Any, outer: RunConfig, value: Any) -> str:
        place = driver.task, driver.superstep
        try:
            result = await driver.adrive(body)
        finally:
            driver.task, driver.superstep = place
        return self._answer(result, outer, value)

    def _inputs(self, value: Any) -> dict[str, Any]:
        """As upstream: the instruction comes first here, and once more from the instruction hook."""
        text = value if isinstance(value, str) else _json(value)
        messages: list[Message] = [UserMessage(text)]
        if self.agent.instruction and self.agent.compat == "upstream":
            messages.insert(0, AgentInstructionMessage(self.agent.instruction))
        return {"input": text, "messages": messages}

    def _config(self, outer: RunConfig) -> RunConfig:
        config = outer.copy(checkpoint_id=None, context={}, stream=False)
        config.metadata[AGENT_KEY] = self.agent.name
        config.metadata.pop(HUMAN_FEEDBACK, None)
        if outer.thread_id is not None:
            config.thread_id = f"{outer.thread_id}_{self.agent.name}"
        return config

    def _answer(self, result: RunResult, outer: RunConfig, value: Any) -> str:
        messages = messages_of(result.state)
        last = messages[-1] if messages else None
        if result.error is None and isinstance(last, AssistantMessage):
            return last.content
        reason = result.error or f"its last message is of role {last.role if last else 'none'}"
        raise AgentToolError(
            f"Failed to execute agent tool {self.agent.name!r} "
            f"(parentThreadId={outer.thread_id}, input={value}): {reason}"
        ) from result.error


def _scope(driver: Driver | None, outer: RunConfig, name: str) -> Scope:
    path = f"{outer.path}{TOOL_NODE}:{name}:"
    task = driver.task if driver is not None else TaskId("main")
    return Scope(path=path, tasks=f"{task}/{name}", steps=[driver.superstep if driver is not None else 0])


def _json(value: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, default=str)


def agent_of(tool: Tool) -> ReactAgent | None:
    """The agent behind a tool, None if it is a plain one."""
    return tool.function.agent if isinstance(tool.function, _Caller) else None


def with_agent_tools(graph: Graph, agent: ReactAgent, path: str = "") -> Graph:
    """`graph`, with the graphs of agents that are tools of `agent` inside of its tool node.

    Args:
        path: of the agent in the graph, empty at the top, else with a colon at its end.
    """
    nodes, edges = list(graph.nodes), list(graph.edges)
    for tool in agent.tools:
        helper = agent_of(tool)
        if helper is None:
            continue
        holder = NodeId(f"{path}{TOOL_NODE}")
        box = NodeId(f"{holder}:{tool.name}")
        nodes.append(Node(box, tool.name, "subgraph", parent=holder, note="called as a tool"))
        inner = helper.describe()
        for node in inner.nodes:
            parent = box if node.parent is None else NodeId(f"{box}:{node.parent}")
            hidden = node.hidden or node.kind in ("start", "end")
            nodes.append(replace(node, id=NodeId(f"{box}:{node.id}"), parent=parent, hidden=hidden))
        edges += [
            replace(edge, source=NodeId(f"{box}:{edge.source}"), target=NodeId(f"{box}:{edge.target}"))
            for edge in inner.edges
        ]
    return replace(graph, nodes=tuple(nodes), edges=tuple(edges))
