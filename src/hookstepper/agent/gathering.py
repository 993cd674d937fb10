"""Which tools and rings an agent has, and whether its options can be."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hookstepper.agent import options
from hookstepper.agent.builtin_interceptors.sanitizer import AssistantMessageSanitizer
from hookstepper.agent.hooks import Hook, ToolInjection
from hookstepper.agent.interceptors import Interceptor, ModelInterceptor, ToolInterceptor
from hookstepper.agent.schema import schema_of_type
from hookstepper.agent.spec import AgentSpec
from hookstepper.agent.streaming import StreamingModelInterceptor
from hookstepper.agent.tools import Tool, as_tool, as_tools
from hookstepper.model.errors import SpecError

ASK_FOR_SCHEMA = "Answer with JSON only, in this schema: "
NO_SCHEMA = f"{ASK_FOR_SCHEMA}{{}}"


def check(spec: AgentSpec) -> None:
    """Raise for the first option that cannot be.

    Raises:
        SpecError: it names the agent and the option.
    """
    if not str(spec.name or "").strip() or not isinstance(spec.name, str):
        raise SpecError("an agent needs a name", hint="ReactAgent(name=...) or .name(...) of the builder")
    if spec.model is None:
        raise SpecError(
            f"agent {spec.name!r} has no model", hint="give it a ChatModel, such as ScriptedModel"
        )
    options.number(spec.max_parallel_tools, f"agent {spec.name!r}: max_parallel_tools", least=1)
    where = f"agent {spec.name!r}: tool_execution_timeout"
    options.number(spec.tool_execution_timeout, where, none=True, whole=False)
    for option in ("description", "instruction", "system_prompt", "output_key"):
        text = getattr(spec, option)
        if not isinstance(text, str | None):
            raise SpecError(f"agent {spec.name!r}: {option} is {text!r:.60}, not a text")
    if spec.resolver is not None and not isinstance(spec.resolver, Mapping):
        options.function(spec.resolver, f"agent {spec.name!r}: resolver")
    options.function(spec.tool_error_text, f"agent {spec.name!r}: tool_error_text")
    if output_schema(spec) == NO_SCHEMA:
        raise SpecError(
            f"agent {spec.name!r}: output_type is {spec.output_type!r:.60}, which has no schema",
            hint="a dataclass, a TypedDict, a pydantic model, or a type such as list[str]",
        )
    if spec.compat not in ("upstream", "fixed"):
        raise SpecError(f"agent {spec.name!r}: rules {spec.compat!r} are neither upstream nor fixed")
    for kind, items, base in (
        ("a hook", spec.hooks, Hook),
        ("an interceptor", spec.interceptors, Interceptor),
        ("a streaming interceptor", spec.streaming_interceptors, StreamingModelInterceptor),
    ):
        for item in items:
            if not isinstance(item, base):
                raise SpecError(f"agent {spec.name!r}: {item!r:.60} is not {kind}", hint=_instead(item))


def _instead(item: object) -> str:
    if isinstance(item, type):
        return f"make one of it: {item.__name__}(...)"
    if callable(item):
        return "a function becomes one by @before_model, @after_model, @wrap_model_call or their like"
    return ""


def split_rings(spec: AgentSpec) -> tuple[list[Interceptor], list[Interceptor]]:
    """The agent's own interceptors, of the model and of tools; an object that is both is in both lists.

    The sanitizer stands behind those of the model, unless it is there or was not wanted.
    """
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
    regular = _regular(spec)
    brought = [tool for hook in spec.hooks for tool in as_tools(hook.tools())]
    by_rings = [t for i in models if isinstance(i, ModelInterceptor) for t in as_tools(i.tools())]
    chosen: dict[str, Tool] = {}
    for tool in (*brought, *by_rings, *regular):
        chosen.setdefault(tool.name, tool)
    return tuple(chosen.values())


def _regular(spec: AgentSpec) -> list[Tool]:
    regular = list(spec.tools)
    resolve = resolving(spec.resolver)
    for name in spec.tool_names:
        if any(tool.name == name for tool in regular):
            continue
        if resolve is None:
            raise SpecError(f"tool {name!r} is given by name, and the agent has no resolver for names")
        found = resolve(name)
        if found is None:
            raise SpecError(f"the resolver knows no tool named {name!r}")
        regular.append(found)
    if not regular and resolve is not None and isinstance(spec.resolver, Mapping):
        regular = [found for name in spec.resolver if (found := resolve(name)) is not None]
    return regular


def resolving(resolver: Any) -> Callable[[str], Tool | None] | None:
    """A resolver as a function of the name; None if there is none."""
    if resolver is None:
        return None
    ask = resolver.get if isinstance(resolver, Mapping) else resolver

    def resolve(name: str) -> Tool | None:
        found = ask(name)
        # A plain function is a tool here too; the name that it was asked for is its name.
        return None if found is None else replace(as_tool(found), name=name)

    return resolve


def inject_tools(hooks: Sequence[Hook], tools: Sequence[Tool]) -> None:
    """Hand each hook that wants one its tool: by name, else by type, else the first if it named neither."""
    for hook in hooks:
        if tools and isinstance(hook, ToolInjection):
            found = _wanted(hook, tools)
            if found is not None:
                hook.inject_tool(found)


def _wanted(hook: ToolInjection, tools: Sequence[Tool]) -> Tool | None:
    name, kind = hook.required_tool_name, hook.required_tool_type
    if name is None and kind is None:
        return tools[0]
    for tool in tools:
        if name is not None and tool.name == name:
            return tool
    if kind is None:
        return None
    return next((t for t in tools if isinstance(t, kind) or isinstance(t.function, kind)), None)


def output_schema(spec: AgentSpec) -> str:
    """The text that asks for answers of a schema; empty if none is asked for."""
    given = spec.output_schema
    if isinstance(given, str) and (given or spec.output_type is None):
        return given
    schema = json.dumps(given or schema_of_type(spec.output_type), ensure_ascii=False)
    return f"{ASK_FOR_SCHEMA}{schema}"
