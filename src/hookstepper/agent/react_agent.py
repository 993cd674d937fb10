"""The agent: hooks, model and tools compiled into a graph, and the ways to run it."""

from __future__ import annotations

import copy
import json
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from hookstepper.agent.builtin.instruction import InstructionAgentHook
from hookstepper.agent.builtin.return_direct import ReturnDirectModelHook
from hookstepper.agent.builtin_interceptors.sanitizer import AssistantMessageSanitizer
from hookstepper.agent.compile import Plan, Registered, build_graph, key_strategies
from hookstepper.agent.hooks import Hook, JumpTo, ToolInjection
from hookstepper.agent.interceptors import Interceptor, ModelInterceptor, ToolInterceptor, merged
from hookstepper.agent.messages import (
    MESSAGE_TYPES,
    AssistantMessage,
    Message,
    UserMessage,
    last_assistant,
    last_user,
    messages_of,
)
from hookstepper.agent.model_node import ModelNode
from hookstepper.agent.models.port import ChatModel
from hookstepper.agent.routing import JUMP_KEY
from hookstepper.agent.schema import schema_of_type
from hookstepper.agent.spec import UNLIMITED, AgentOptions, AgentSpec
from hookstepper.agent.tool_node import ToolNode
from hookstepper.agent.tools import Tool, as_tools
from hookstepper.engine.config import CompileConfig, RunConfig
from hookstepper.engine.errors import GraphSpecError
from hookstepper.engine.graph import StateGraph
from hookstepper.engine.outputs import Interruption, Output, RunResult
from hookstepper.engine.run import CompiledGraph
from hookstepper.engine.strategies import MARK_FOR_REMOVAL
from hookstepper.model.errors import SpecError
from hookstepper.model.graph import Anchors, Graph, StateKey
from hookstepper.ports.probe import Probe, SilentProbe

if TYPE_CHECKING:
    from hookstepper.agent.builder import Builder

SERIALIZED_ENUM = "com.alibaba.cloud.ai.graph.agent.hook.JumpTo"
"""Head of the list that upstream's serializer makes of a jump."""
AGENT_KEY = "_AGENT_"
"""Metadata key of the agent's name."""


class AgentError(RuntimeError):
    """A run ended without what the caller asked for."""


class ReactAgent:
    """An agent in the manner of Spring AI Alibaba's ReactAgent.

    Made by keywords, `ReactAgent("name", model, tools=[...], hooks=[...])`, or with `ReactAgent.builder()`.
    The graph is built on first use, so a mistake in the hooks shows then. `instruction` and `system_prompt`
    may be changed between runs. One run at a time per thread id.
    """

    def __init__(self, name: str, model: ChatModel, **options: Unpack[AgentOptions]) -> None:
        given: dict[str, Any] = dict(options)
        given["tools"] = tuple(as_tools(given.get("tools", ())))
        for key in ("hooks", "interceptors"):
            given[key] = tuple(given.get(key, ()))
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
        _check(spec)
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
        models, tools = _split(spec)
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
        return with_agent_tools(graph, self.tools)

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
            _output_schema(spec),
            spec.compat,
        )
        tools = self._tool_node(keys) if self.tools else None
        self._inject(hooks)
        return Plan(spec.name, hooks, model, tools, keys, spec.compat)

    def _tool_node(self, keys: Mapping[str, Any]) -> ToolNode:
        spec = self.spec
        return ToolNode(
            self.tools,
            self._tool_layers,
            spec.tool_context,
            _resolving(spec.resolver),
            spec.parallel_tool_execution,
            spec.max_parallel_tools,
            spec.tool_execution_timeout,
            spec.executor,
            keys,
            spec.tool_error_text,
        )

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
            item.hook.agent_name = self.name
            item.hook.agent = self

    def _inject(self, hooks: Sequence[Registered]) -> None:
        for item in hooks:
            if self.tools and isinstance(item.hook, ToolInjection):
                found = _wanted_tool(item.hook, self.tools)
                if found is not None:
                    item.hook.inject_tool(found)

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

    def inputs_of(self, value: object) -> dict[str, Any]:
        """The first state update that `value` means: a text, a message, a list of messages, or a mapping of
        state keys, which is taken as it is.

        Raises:
            TypeError: it is none of these.
        """
        if isinstance(value, Mapping):
            return dict(value)
        if isinstance(value, str):
            messages: list[Message] = [UserMessage(value)] if value else []
        elif isinstance(value, MESSAGE_TYPES):
            messages = [value]  # type: ignore[list-item]
        elif isinstance(value, Iterable):
            messages = messages_of({"messages": list(value)})
        elif value is None:
            messages = []
        else:
            raise TypeError(f"an agent takes a text, messages or a mapping, not {type(value).__name__}")
        user = last_user(messages)
        return ({} if user is None else {"input": user.content}) | {"messages": messages}

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

    def config_of(self, config: RunConfig | None, *, stream: bool) -> RunConfig:
        """A copy of `config` for one run of this agent."""
        made = (config or RunConfig()).copy(stream=stream)
        made.metadata[AGENT_KEY] = self.name
        return made

    def run(self, value: object, config: RunConfig | None = None, probe: Probe | None = None) -> RunResult:
        """Run to rest; an interruption and a failure of the agent are told in the result."""
        made = self.config_of(config, stream=False)
        graph = self.compiled()
        return graph.run(self.first_update(value, made, graph), made, probe=probe or SilentProbe())

    async def arun(
        self, value: object, config: RunConfig | None = None, probe: Probe | None = None
    ) -> RunResult:
        """`run` on the current event loop."""
        made = self.config_of(config, stream=False)
        graph = self.compiled()
        return await graph.arun(self.first_update(value, made, graph), made, probe=probe or SilentProbe())

    def invoke(self, value: object, config: RunConfig | None = None) -> Mapping[str, Any]:
        """The last state; an interruption leaves no mark in it.

        Raises:
            Exception: what a hook, a tool ring or the model raised.
        """
        return _checked(self.run(value, config)).state

    async def ainvoke(self, value: object, config: RunConfig | None = None) -> Mapping[str, Any]:
        """`invoke` on the current event loop."""
        return _checked(await self.arun(value, config)).state

    def invoke_and_get_output(
        self, value: object, config: RunConfig | None = None
    ) -> RunResult | Interruption:
        """The interruption if the agent asks something, else how the run ended."""
        result = _checked(self.run(value, config))
        return result.interruption or result

    def call(self, value: object, config: RunConfig | None = None) -> AssistantMessage:
        """The answer: what is under the output key, else the last assistant message. After an interruption
        that is the message whose tools wait for approval.

        Raises:
            AgentError: there is none.
        """
        return self.answer_in(_checked(self.run(value, config)).state)

    async def acall(self, value: object, config: RunConfig | None = None) -> AssistantMessage:
        """`call` on the current event loop."""
        return self.answer_in(_checked(await self.arun(value, config)).state)

    def answer_in(self, state: Mapping[str, Any]) -> AssistantMessage:
        """The answer that a final state holds; raises `AgentError` if it holds none."""
        key = self.spec.output_key
        if key:
            found = state.get(key)
            if not isinstance(found, AssistantMessage):
                raise AgentError(f"agent {self.name!r}: the state has no answer under its output key {key!r}")
            return found
        answer = last_assistant(messages_of(state))
        if answer is None:
            raise AgentError(f"agent {self.name!r}: there is no assistant message in 'messages'")
        return answer

    def stream(
        self, value: object, config: RunConfig | None = None, probe: Probe | None = None
    ) -> Iterator[Output]:
        """Outputs of the nodes as they come; the model's answer in pieces if it streams."""
        made = self.config_of(config, stream=True)
        graph = self.compiled()
        return graph.stream(self.first_update(value, made, graph), made, probe=probe or SilentProbe())

    def astream(
        self, value: object, config: RunConfig | None = None, probe: Probe | None = None
    ) -> AsyncIterator[Output]:
        """`stream` on the current event loop."""
        made = self.config_of(config, stream=True)
        graph = self.compiled()
        return graph.astream(self.first_update(value, made, graph), made, probe=probe or SilentProbe())

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

    def __repr__(self) -> str:
        return f"ReactAgent({self.name!r})"


def _checked(result: RunResult) -> RunResult:
    if result.error is not None:
        raise result.error
    return result


def _check(spec: AgentSpec) -> None:
    if not spec.name or not spec.name.strip():
        raise SpecError("an agent needs a name", hint="ReactAgent(name=...) or .name(...) of the builder")
    if spec.model is None:
        raise SpecError(
            f"agent {spec.name!r} has no model", hint="give it a ChatModel, such as ScriptedModel"
        )
    if spec.max_parallel_tools < 1:
        raise SpecError(
            f"agent {spec.name!r}: max_parallel_tools is {spec.max_parallel_tools}, not 1 or more"
        )
    if spec.compat not in ("upstream", "fixed"):
        raise SpecError(f"agent {spec.name!r}: rules {spec.compat!r} are neither upstream nor fixed")
    for kind, items, base in (("hook", spec.hooks, Hook), ("interceptor", spec.interceptors, Interceptor)):
        for item in items:
            if not isinstance(item, base):
                raise SpecError(
                    f"agent {spec.name!r}: {item!r:.60} is not {'an' if kind[0] in 'ai' else 'a'} {kind}"
                )


def _split(spec: AgentSpec) -> tuple[list[Interceptor], list[Interceptor]]:
    """The agent's own interceptors by kind; the sanitizer behind those of the model, unless it is there."""
    models: list[Interceptor] = [i for i in spec.interceptors if isinstance(i, ModelInterceptor)]
    tools: list[Interceptor] = [i for i in spec.interceptors if isinstance(i, ToolInterceptor)]
    if spec.assistant_message_sanitizer and not any(type(i) is AssistantMessageSanitizer for i in models):
        models.append(AssistantMessageSanitizer())
    return models, tools


def gather_tools(spec: AgentSpec, models: Sequence[Interceptor]) -> tuple[Tool, ...]:
    """All tools of an agent: those of hooks, then of its own model interceptors, then its own; the first of
    a name counts.

    Raises:
        SpecError: a name in `tool_names` cannot be resolved.
    """
    regular = list(spec.tools)
    resolve = _resolving(spec.resolver)
    for name in spec.tool_names:
        if any(tool.name == name for tool in regular):
            continue
        if resolve is None:
            raise SpecError(f"tool {name!r} is given by name, and the agent has no resolver for names")
        found = resolve(name)
        if found is None:
            raise SpecError(f"the resolver knows no tool named {name!r}")
        regular.append(found)
    if not regular and isinstance(spec.resolver, Mapping):
        regular = list(spec.resolver.values())
    brought = [tool for hook in spec.hooks for tool in as_tools(hook.tools())]
    by_rings = [t for i in models if isinstance(i, ModelInterceptor) for t in as_tools(i.tools())]
    chosen: dict[str, Tool] = {}
    for tool in (*brought, *by_rings, *regular):
        chosen.setdefault(tool.name, tool)
    return tuple(chosen.values())


def _resolving(resolver: Any) -> Any:
    return resolver.get if isinstance(resolver, Mapping) else resolver


def _wanted_tool(hook: ToolInjection, tools: Sequence[Tool]) -> Tool | None:
    name, kind = hook.required_tool_name, hook.required_tool_type
    if name is None and kind is None:
        return tools[0]
    for tool in tools:
        if name is not None and tool.name == name:
            return tool
    if kind is None:
        return None
    return next((tool for tool in tools if isinstance(tool, kind) or isinstance(tool.function, kind)), None)


def _output_schema(spec: AgentSpec) -> str:
    if spec.output_schema or spec.output_type is None:
        return spec.output_schema
    schema = json.dumps(schema_of_type(spec.output_type), ensure_ascii=False)
    return f"Answer with JSON only, in this schema: {schema}"
