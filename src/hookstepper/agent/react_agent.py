"""The agent: hooks, model and tools compiled into a graph, and the ways to run it."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from hookstepper.agent.builtin.instruction import InstructionAgentHook
from hookstepper.agent.builtin.return_direct import ReturnDirectModelHook
from hookstepper.agent.compile import Plan, Registered, build_graph, key_strategies
from hookstepper.agent.gathering import (
    check,
    gather_tools,
    inject_tools,
    output_schema,
    resolving,
    split_rings,
)
from hookstepper.agent.hooks import Hook, JumpTo
from hookstepper.agent.interceptors import ToolOffer, merged
from hookstepper.agent.messages import (
    AssistantMessage,
    Message,
    UserMessage,
)
from hookstepper.agent.model_node import ModelNode
from hookstepper.agent.models.port import ChatModel
from hookstepper.agent.options import chat_model, several
from hookstepper.agent.routing import JUMP_KEY
from hookstepper.agent.running import AgentError, Running
from hookstepper.agent.spec import UNLIMITED, AgentOptions, AgentSpec
from hookstepper.agent.tool_node import ToolNode
from hookstepper.agent.tools import Tool, as_tools
from hookstepper.engine.config import CompileConfig, RunConfig
from hookstepper.engine.errors import GraphSpecError
from hookstepper.engine.graph import StateGraph
from hookstepper.engine.run import CompiledGraph
from hookstepper.engine.strategies import MARK_FOR_REMOVAL, REPLACE
from hookstepper.model.errors import SpecError
from hookstepper.model.graph import Anchors, Graph, StateKey

if TYPE_CHECKING:
    from hookstepper.agent.builder import Builder

SERIALIZED_ENUM = "com.alibaba.cloud.ai.graph.agent.hook.JumpTo"
"""Head of the list that upstream's serializer makes of a jump."""


class ReactAgent(Running):
    """An agent in the manner of Spring AI Alibaba's ReactAgent.

    Made by keywords, `ReactAgent("name", model, tools=[...], hooks=[...])`, or with `ReactAgent.builder()`.
    The graph is built on first use, so a mistake in the hooks shows then. `instruction` and `system_prompt`
    may be changed between runs. One run at a time per thread id.
    """

    def __init__(self, name: str, model: ChatModel, **options: Unpack[AgentOptions]) -> None:
        given: dict[str, Any] = dict(options)
        unknown = [key for key in given if key not in AgentOptions.__annotations__]
        if unknown:
            raise SpecError(
                f"agent {name!r}: there is no option {unknown[0]!r}",
                hint=f"options: {', '.join(AgentOptions.__annotations__)}",
            )
        given["tools"] = tuple(as_tools(several(given.get("tools"))))
        for key in ("hooks", "interceptors", "streaming_interceptors", "tool_names"):
            given[key] = several(given.get(key))
        self._set_up(AgentSpec(name=name, model=model, **given))

    @classmethod
    def builder(cls) -> Builder:
        """A builder in the Java style."""
        from hookstepper.agent.builder import Builder

        return Builder()

    @classmethod
    def of(cls, spec: AgentSpec) -> ReactAgent:
        """The agent that `spec` describes.

        Raises:
            SpecError: it has no name or no model, or an option cannot be.
        """
        agent = cls.__new__(cls)
        agent._set_up(spec)
        return agent

    def _set_up(self, spec: AgentSpec) -> None:
        check(spec)
        spec = replace(spec, model=chat_model(spec.model, f"agent {spec.name!r}: model"))
        self.spec = spec
        self.name = spec.name
        self.description = spec.description
        self.instruction = spec.instruction
        self.system_prompt = spec.system_prompt
        self.compat = spec.compat
        self.sample_input = spec.sample_input
        self._memory: dict[str, dict[str, object]] = {}
        self._graph: StateGraph | None = None
        self._anchors = Anchors()
        self._compiled: CompiledGraph | None = None
        models, tools = split_rings(spec)
        # Asked once, here: a hook may make new interceptors at each call.
        self._model_layers = merged(models, [(h.get_name(), h.model_interceptors()) for h in spec.hooks])
        self._tool_layers = merged(tools, [(h.get_name(), h.tool_interceptors()) for h in spec.hooks])
        for layer in (*self._model_layers, *self._tool_layers):
            layer.interceptor.agent = self
        self.tools: tuple[Tool, ...] = gather_tools(spec, models)

    # ----------------------------------------------------------------------------------------- graph

    def graph(self) -> StateGraph:
        """The state graph; built at the first call.

        Raises:
            SpecError: two hooks share a name, or a hook stands or jumps where it cannot.
        """
        if self._graph is None:
            self._graph, self._anchors = build_graph(self._plan())
        return self._graph

    def compiled(self) -> CompiledGraph:
        """The graph, compiled once with the agent's own configuration."""
        if self._compiled is None:
            self._compiled = self.compile(self.spec.compile_config or self.default_config())
        return self._compiled

    def compile(self, config: CompileConfig) -> CompiledGraph:
        """The graph compiled with another configuration; the agent keeps its own.

        Raises:
            SpecError: the graph is not well formed.
        """
        return self.graph().compile(config)

    def as_node(self) -> CompiledGraph:
        """The agent as a node of another graph: `graph.add_node(agent.name, agent.as_node())`."""
        from hookstepper.agent.nested import AgentGraph

        return AgentGraph(self, self.spec.compile_config or self.default_config())

    def as_tool(self) -> Tool:
        """The agent as a tool of another agent."""
        from hookstepper.agent.nested import agent_tool

        return agent_tool(self)

    def to_langgraph(self, *, checkpointer: Any = None, keys: Sequence[str] = (), **options: Any) -> Any:
        """The same agent as a compiled LangGraph graph; see `hookstepper.agent.to_langgraph`."""
        from hookstepper.agent.to_langgraph import to_langgraph

        return to_langgraph(self, checkpointer=checkpointer, keys=keys, **options)

    def describe(self) -> Graph:
        """The compiled graph as data, with its anchors."""
        return self.described(self.compiled())

    def described(self, compiled: CompiledGraph) -> Graph:
        """`compiled`, made by `compile`, as data with the agent's anchors."""
        from hookstepper.agent.nested import with_agent_tools

        graph = replace(
            compiled.describe(), anchors=self._anchors, rules=self.compat, keys=self._keys(compiled)
        )
        return with_agent_tools(graph, self)

    def _keys(self, compiled: CompiledGraph) -> tuple[StateKey, ...]:
        """State keys, each with the hook that declared it."""
        owners = {
            key: item.hook.get_name() for item in self.effective_hooks() for key in item.hook.key_strategies()
        }
        if self.spec.output_key:
            owners.setdefault(self.spec.output_key, "output_key")
        rows = compiled.describe().keys
        return tuple(replace(row, declared_by=owners.get(row.name, "")) for row in rows)

    @property
    def anchors(self) -> Anchors:
        """The four nodes that give the graph its shape."""
        self.graph()
        return self._anchors

    def default_config(self) -> CompileConfig:
        """The configuration of an agent that is given none: its saver, and no limit to its loop."""
        spec = self.spec
        return CompileConfig(
            saver=spec.saver,
            release_thread=spec.release_thread,
            recursion_limit=UNLIMITED,
            compat=spec.compat,
        )

    def effective_hooks(self) -> tuple[Registered, ...]:
        """The hooks that the graph is built from, the instruction hook first."""
        added: list[Hook] = [InstructionAgentHook()]
        direct = any(tool.return_direct for tool in self.tools)
        there = any(isinstance(hook, ReturnDirectModelHook) for hook in self.spec.hooks)
        if self.compat == "fixed" and direct and not there:
            added.append(ReturnDirectModelHook())
        own = (Registered(hook, index) for index, hook in enumerate(self.spec.hooks))
        return (*(Registered(hook, None) for hook in added), *own)

    def _plan(self) -> Plan:
        spec = self.spec
        hooks = self.effective_hooks()
        self._bind(hooks)
        keys = key_strategies(hooks, spec.output_key, spec.output_key_strategy)
        model = ModelNode(
            spec.model,
            self.tools,
            self._model_layers,
            spec.options,
            lambda: self.system_prompt,
            spec.output_key,
            output_schema(spec),
            spec.compat,
            spec.streaming_interceptors,
        )
        tools = self._tool_node(keys) if self.tools else None
        inject_tools([item.hook for item in hooks], self.tools)
        follows = spec.compat == "fixed" and spec.output_key_strategy in (None, REPLACE)
        answer_key = spec.output_key if follows and spec.output_key != "messages" else ""
        return Plan(spec.name, hooks, model, tools, keys, spec.compat, answer_key)

    def _tool_node(self, keys: Mapping[str, Any]) -> ToolNode:
        spec = self.spec
        return ToolNode(
            self.tools,
            self._tool_layers,
            spec.tool_context,
            resolving(spec.resolver),
            spec.parallel_tool_execution,
            spec.max_parallel_tools,
            spec.tool_execution_timeout,
            spec.executor,
            keys,
            spec.tool_error_text,
            self._tools_of_rings if spec.compat == "fixed" else None,
        )

    def _tools_of_rings(self, messages: Sequence[Message]) -> Sequence[Tool]:
        rings = (layer.interceptor for layer in self._model_layers)
        return [tool for ring in rings if isinstance(ring, ToolOffer) for tool in ring.offered(messages)]

    def _bind(self, hooks: Sequence[Registered]) -> None:
        seen: set[str] = set()
        for item in hooks:
            name = item.hook.get_name()
            if name in seen:
                raise GraphSpecError(
                    f"agent {self.name!r} has two hooks named {name!r}",
                    hint="hook names are unique in an agent; give one of them another name",
                    upstream="Duplicate hook instances found",
                )
            seen.add(name)
            if not isinstance(item.hook.order, int):
                raise GraphSpecError(
                    f"hook {name!r} of agent {self.name!r}: order is {item.hook.order!r:.40}",
                    hint="a whole number: lower runs earlier on the way in",
                )
            item.hook.agent_name = self.name
            item.hook.agent = self

    def copy(self, *, hook_order: Sequence[int] | None = None, **changes: Any) -> ReactAgent:
        """Another agent, with some options changed; its hooks are copies, so that this one keeps its own.

        Args:
            hook_order: the new order of the hooks, as their registration indices.

        Raises:
            SpecError: `hook_order` is not a permutation.
        """
        hooks = list(changes.pop("hooks", self.spec.hooks))
        if hook_order is not None:
            if sorted(hook_order) != list(range(len(hooks))):
                raise SpecError(f"hook order {list(hook_order)} is no permutation of 0 to {len(hooks) - 1}")
            hooks = [hooks[at] for at in hook_order]
        rings = changes.pop("interceptors", self.spec.interceptors)
        engine = self.spec.compile_config
        if "compat" in changes and engine is not None:
            changes.setdefault("compile_config", replace(engine, compat=changes["compat"]))
        own: dict[str, Any] = {
            "hooks": tuple(copy.copy(hook) for hook in hooks),
            "interceptors": tuple(copy.copy(ring) for ring in rings),
        }
        agent = ReactAgent.of(replace(self.spec, **own, **changes))
        if "instruction" not in changes:
            agent.instruction = self.instruction
        if "system_prompt" not in changes:
            agent.system_prompt = self.system_prompt
        return agent

    # ------------------------------------------------------------------------------------------ runs

    def first_update(self, value: object, config: RunConfig, compiled: CompiledGraph) -> dict[str, Any]:
        """`inputs_of(value)`, and what becomes of a jump that the thread's last run has left behind.

        Upstream keeps it; but its serializer makes a list of an enum, which no router reads, so that only
        a jump written as text goes on to work. Fixed rules remove it.
        """
        inputs = self.inputs_of(value)
        if self.compat == "fixed" and inputs.get("input") and "messages" not in inputs:
            inputs["messages"] = [UserMessage(str(inputs["input"]))]
        saver = compiled.config.saver
        if saver is None or config.wants_resume or JUMP_KEY in inputs:
            return inputs
        latest = saver.get(config.thread)
        left = None if latest is None else latest.state.get(JUMP_KEY)
        if left is not None and self.compat == "fixed":
            return {**inputs, JUMP_KEY: MARK_FOR_REMOVAL}
        if isinstance(left, JumpTo):
            return {**inputs, JUMP_KEY: [SERIALIZED_ENUM, left.value]}
        return inputs

    def answer_in(self, state: Mapping[str, Any]) -> AssistantMessage:
        """The answer that a final state holds; raises `AgentError` if it holds none."""
        key = self.spec.output_key
        if key:
            found = state.get(key)
            if not isinstance(found, AssistantMessage):
                raise AgentError(f"agent {self.name!r}: the state has no answer under its output key {key!r}")
            return found
        return super().answer_in(state)

    # ---------------------------------------------------------------- what a running thread is told

    def memory_of(self, thread: str) -> dict[str, object]:
        """What the agent keeps for a thread outside of its state, in this process only."""
        return self._memory.setdefault(thread, {})

    def interrupt(self, config: RunConfig, feedback: object = ()) -> None:
        """Leave word for the `InterruptionHook` of a thread: nothing stops it, a text or messages are put in.

        Raises:
            ValueError: the config names no thread.
        """
        if config.thread_id is None:
            raise ValueError("an interruption is for a thread: the config needs a thread_id")
        from hookstepper.agent.builtin.interruption import FEEDBACK_KEY

        value = [UserMessage(feedback)] if isinstance(feedback, str) else feedback
        self.memory_of(config.thread_id)[FEEDBACK_KEY] = list(value) if isinstance(value, tuple) else value

    def update_agent_state(self, feedback: object, config: RunConfig) -> None:
        """`interrupt` under the name that upstream gives it."""
        self.interrupt(config, feedback)
