"""All that can be said about an agent, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from hookstepper.agent.hooks import Hook
from hookstepper.agent.interceptors import Interceptor
from hookstepper.agent.models.port import ChatModel
from hookstepper.agent.streaming import StreamingModelInterceptor
from hookstepper.agent.tools import Tool
from hookstepper.engine.checkpoints import Saver
from hookstepper.engine.config import CompileConfig
from hookstepper.engine.strategies import KeyStrategy

Compat = Literal["upstream", "fixed"]
UNLIMITED = 2**31 - 1
"""Recursion limit of an agent that names none: upstream's Integer.MAX_VALUE, so nothing ends a loop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSpec:
    """Options of an agent; the builder and the keyword form of `ReactAgent` both make one."""

    name: str
    model: ChatModel
    description: str = ""
    """What the agent is for; read by other agents that have it as a tool."""
    instruction: str | None = None
    """A template, put behind the user's message at the start of each run."""
    system_prompt: str | None = None
    """In front of the messages of each model call; never in the state."""
    options: Mapping[str, object] = field(default_factory=dict)
    """Model options; they win over the model's own."""
    tools: Sequence[Tool] = ()
    tool_names: Sequence[str] = ()
    """Tools that `resolver` knows."""
    resolver: Callable[[str], Tool | None] | Mapping[str, Tool] | None = None
    tool_context: Mapping[str, object] = field(default_factory=dict)
    """Given to every tool call."""
    hooks: Sequence[Hook] = ()
    interceptors: Sequence[Interceptor] = ()
    streaming_interceptors: Sequence[StreamingModelInterceptor] = ()
    """Used where the answer comes in pieces; the first is innermost."""
    include_contents: bool = True
    """As a node of another graph: whether that graph's messages are passed on."""
    return_reasoning_contents: bool = False
    """As a node: whether all new messages are given back, or only the last."""
    output_key: str = ""
    """State key that also receives each answer of the model."""
    output_key_strategy: KeyStrategy | None = None
    input_schema: object = None
    """As a tool: the input's JSON schema, or a type that gives it; None takes one text."""
    output_schema: str | Mapping[str, object] = ""
    """Asked for behind the newest user message or instruction: as it is, or, a JSON schema, in a sentence."""
    output_type: Any = None
    """A type that gives the output schema, if none is given: a dataclass, a pydantic model, `list[str]`."""
    assistant_message_sanitizer: bool = True
    saver: Saver | None = None
    """None: no checkpoints."""
    compile_config: CompileConfig | None = None
    """In place of the one that the agent would make: `saver` and `release_thread` are then not looked at."""
    release_thread: bool = False
    parallel_tool_execution: bool = False
    max_parallel_tools: int = 5
    tool_execution_timeout: float | None = 300.0
    """Seconds, for async tools."""
    executor: Executor | None = None
    """Threads for parallel tools in a sync run."""
    tool_error_text: Callable[[Any], str] = str
    """Turns a `ToolExecutionError` into the result that the model reads."""
    compat: Compat = "upstream"
    sample_input: Any = None
    """What a debugger suggests as input."""

    @property
    def asks_for_schema(self) -> bool:
        """True if answers are asked to follow a schema."""
        return bool(self.output_schema) or self.output_type is not None


class AgentOptions(TypedDict, total=False):
    """Keyword options of `ReactAgent(name, model, ...)`; see `AgentSpec` for what they mean."""

    description: str
    instruction: str | None
    system_prompt: str | None
    options: Mapping[str, object]
    tools: Sequence[Any]
    tool_names: Sequence[str]
    resolver: Callable[[str], Tool | None] | Mapping[str, Tool] | None
    tool_context: Mapping[str, object]
    hooks: Sequence[Hook]
    interceptors: Sequence[Interceptor]
    streaming_interceptors: Sequence[StreamingModelInterceptor]
    include_contents: bool
    return_reasoning_contents: bool
    output_key: str
    output_key_strategy: KeyStrategy | None
    input_schema: object
    output_schema: str | Mapping[str, object]
    output_type: Any
    assistant_message_sanitizer: bool
    saver: Saver | None
    compile_config: CompileConfig | None
    release_thread: bool
    parallel_tool_execution: bool
    max_parallel_tools: int
    tool_execution_timeout: float | None
    executor: Executor | None
    tool_error_text: Callable[[Any], str]
    compat: Compat
    sample_input: Any
