"""The builder in the Java style: `ReactAgent.builder().name("x").model(m).tools(f).hooks(h).build()`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from typing import Any

from hookstepper.agent.hooks import Hook
from hookstepper.agent.interceptors import Interceptor
from hookstepper.agent.models.port import ChatModel
from hookstepper.agent.react_agent import ReactAgent
from hookstepper.agent.spec import AgentSpec, Compat
from hookstepper.agent.streaming import StreamingModelInterceptor
from hookstepper.agent.tools import Tool, ToolProvider, as_tools, method_tools
from hookstepper.engine.checkpoints import Saver
from hookstepper.engine.config import CompileConfig
from hookstepper.engine.strategies import KeyStrategy
from hookstepper.model.errors import SpecError


class Builder:
    """Collects the options of an agent; every method but `build` returns the builder.

    See `AgentSpec` for what the options mean. `tools`, `hooks` and `interceptors` add to what is there.
    """

    def __init__(self) -> None:
        self._options: dict[str, Any] = {}
        self._tools: list[Tool] = []
        self._hooks: list[Hook] = []
        self._interceptors: list[Interceptor] = []

    def name(self, name: str) -> Builder:
        """The agent's name; needed."""
        return self._set("name", name)

    def model(self, model: ChatModel) -> Builder:
        """The chat model; needed."""
        return self._set("model", model)

    def description(self, text: str) -> Builder:
        """What the agent is for."""
        return self._set("description", text)

    def instruction(self, text: str) -> Builder:
        """Template that is put behind the user's message in each run."""
        return self._set("instruction", text)

    def system_prompt(self, text: str) -> Builder:
        """System message of each model call."""
        return self._set("system_prompt", text)

    def chat_options(self, options: Mapping[str, object]) -> Builder:
        """Model options."""
        return self._set("options", dict(options))

    def tools(self, *tools: Any) -> Builder:
        """Functions, tools, agents or providers of tools; lists are taken apart."""
        self._tools += as_tools(_flat(tools))
        return self

    def method_tools(self, *owners: object) -> Builder:
        """Objects whose methods marked `@tool` become tools."""
        for owner in owners:
            self._tools += method_tools(owner)
        return self

    def tool_providers(self, *providers: ToolProvider) -> Builder:
        """Objects that bring tools by a method `tools()`."""
        self._tools += as_tools(providers)
        return self

    def tool_names(self, *names: str) -> Builder:
        """Tools that the resolver knows."""
        return self._set("tool_names", (*self._options.get("tool_names", ()), *names))

    def resolver(self, resolver: Callable[[str], Tool | None] | Mapping[str, Tool]) -> Builder:
        """Finds tools by name."""
        return self._set("resolver", resolver)

    def tool_context(self, values: Mapping[str, object]) -> Builder:
        """Values for every tool call."""
        return self._set("tool_context", dict(values))

    def hooks(self, *hooks: Any) -> Builder:
        """Hooks, in the order of registration; None is refused."""
        for hook in _flat(hooks):
            if not isinstance(hook, Hook):
                raise SpecError(f"{hook!r:.60} is not a hook")
            self._hooks.append(hook)
        return self

    def interceptors(self, *interceptors: Any) -> Builder:
        """Model and tool interceptors, mixed, in the order from outside to inside."""
        for item in _flat(interceptors):
            if not isinstance(item, Interceptor):
                raise SpecError(f"{item!r:.60} is not an interceptor")
            self._interceptors.append(item)
        return self

    def streaming_interceptors(self, *interceptors: StreamingModelInterceptor) -> Builder:
        """Interceptors of a stream, from inside to outside."""
        return self._set("streaming_interceptors", tuple(_flat(interceptors)))

    def include_contents(self, include: bool) -> Builder:
        """As a node: pass on the messages of the graph around it."""
        return self._set("include_contents", include)

    def return_reasoning_contents(self, give_all: bool) -> Builder:
        """As a node: give back all new messages."""
        return self._set("return_reasoning_contents", give_all)

    def output_key(self, key: str) -> Builder:
        """State key that also receives each answer."""
        return self._set("output_key", key)

    def output_key_strategy(self, strategy: KeyStrategy) -> Builder:
        """How answers reach the output key."""
        return self._set("output_key_strategy", strategy)

    def input_schema(self, schema: object) -> Builder:
        """As a tool: schema of the input, or a type that gives it."""
        return self._set("input_schema", schema)

    def output_schema(self, schema: str | Mapping[str, object]) -> Builder:
        """Schema that answers are asked to follow: a text as it is, or a JSON schema."""
        return self._set("output_schema", schema)

    def output_type(self, kind: Any) -> Builder:
        """Type whose schema answers are asked to follow."""
        return self._set("output_type", kind)

    def assistant_message_sanitizer_enabled(self, enabled: bool) -> Builder:
        """Whether the sanitizer is among the model's rings."""
        return self._set("assistant_message_sanitizer", enabled)

    def saver(self, saver: Saver) -> Builder:
        """Where checkpoints go."""
        return self._set("saver", saver)

    def compile_config(self, config: CompileConfig) -> Builder:
        """All of the compile configuration, in place of the agent's own."""
        return self._set("compile_config", config)

    def release_thread(self, release: bool) -> Builder:
        """Whether a completed run releases its thread."""
        return self._set("release_thread", release)

    def parallel_tool_execution(self, parallel: bool) -> Builder:
        """Whether several calls of one message run at once."""
        return self._set("parallel_tool_execution", parallel)

    def max_parallel_tools(self, most: int) -> Builder:
        """How many may run at once."""
        return self._set("max_parallel_tools", most)

    def tool_execution_timeout(self, seconds: float | None) -> Builder:
        """Time for an async tool."""
        return self._set("tool_execution_timeout", seconds)

    def executor(self, executor: Executor) -> Builder:
        """Threads for parallel tools in sync runs."""
        return self._set("executor", executor)

    def tool_execution_exception_processor(self, processor: Callable[[Any], str]) -> Builder:
        """Turns a `ToolExecutionError` into the result that the model reads."""
        return self._set("tool_error_text", processor)

    def compat(self, rules: Compat) -> Builder:
        """`upstream`, with its defects, or `fixed`."""
        return self._set("compat", rules)

    def sample_input(self, value: Any) -> Builder:
        """What a debugger suggests as input."""
        return self._set("sample_input", value)

    def build(self) -> ReactAgent:
        """The agent; its graph is built on first use.

        Raises:
            SpecError: it has no name or no model, or an option cannot be.
        """
        options = {"name": "", "model": None} | self._options
        spec = AgentSpec(
            **options,
            tools=tuple(self._tools),
            hooks=tuple(self._hooks),
            interceptors=tuple(self._interceptors),
        )
        return ReactAgent.of(spec)

    def _set(self, key: str, value: Any) -> Builder:
        self._options[key] = value
        return self


def _flat(items: Iterable[Any]) -> list[Any]:
    flat: list[Any] = []
    for item in items:
        flat += item if isinstance(item, (list, tuple)) else [item]
    return flat
