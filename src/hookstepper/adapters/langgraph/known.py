"""LangChain's own middleware, recognised by its class: what it does here, with what it was told to do.

Source of what each does: LangChain's documentation of its built-in middleware. A subclass of one is
recognised as well, a class of the same name from elsewhere is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

HOME = "langchain.agents.middleware"

_WHAT: dict[str, tuple[str, tuple[str, ...]]] = {
    "AutoModeMiddleware": ("a model decides which tool calls may run", ()),
    "ContextEditingMiddleware": ("clears old tool results from long prompts", ()),
    "FilesystemFileSearchMiddleware": ("brings tools that search files", ("root_path",)),
    "HumanInTheLoopMiddleware": ("asks a person before these tools run", ("interrupt_on", "interrupt_mode")),
    "LLMToolSelectorMiddleware": ("a model chooses the tools of each call", ("max_tools",)),
    "ModelCallLimitMiddleware": ("limits model calls", ("run_limit", "thread_limit", "exit_behavior")),
    "ModelFallbackMiddleware": ("tries other models when one fails", ()),
    "ModelRefusalMiddleware": ("handles refusals of the model", ()),
    "ModelRetryMiddleware": ("repeats failed model calls", ("max_retries",)),
    "ModelRouterMiddleware": ("chooses the model of each call", ()),
    "PIIMiddleware": ("finds personal data in messages", ("pii_type", "strategy")),
    "ProviderToolSearchMiddleware": ("lets the provider search for tools", ()),
    "ShellToolMiddleware": ("brings a shell as a tool", ()),
    "SummarizationMiddleware": ("summarises old messages when there are many", ("trigger", "keep")),
    "TodoListMiddleware": ("brings a list of things to do as a tool", ()),
    "ToolCallLimitMiddleware": (
        "limits tool calls",
        ("tool_name", "run_limit", "thread_limit", "exit_behavior"),
    ),
    "ToolErrorMiddleware": ("turns errors of tools into answers", ()),
    "ToolRetryMiddleware": ("repeats failed tool calls", ("max_retries",)),
}
"""Class to what it does, and the attributes that say with which settings."""


def known_words(middleware: Any) -> str:
    """`LangChain's own: limits model calls (run_limit 3)`; empty for anybody else's middleware."""
    for kind in type(middleware).__mro__:
        if kind.__module__ != HOME and not kind.__module__.startswith(f"{HOME}."):
            continue
        if kind.__name__ == "AgentMiddleware":
            return ""
        if kind.__name__ in _WHAT:
            what, names = _WHAT[kind.__name__]
            settings = [_setting(name, getattr(middleware, name, None)) for name in names]
            told = ", ".join(one for one in settings if one)
            return f"LangChain's own: {what}" + (f" ({told})" if told else "")
        if kind.__name__.endswith("Middleware"):
            return "LangChain's own"
    return ""


def _setting(name: str, value: Any) -> str:
    """A setting that was made, with the name that it has in the constructor."""
    if value is None:
        return ""
    if name == "interrupt_on":
        return ", ".join(map(str, value)) if isinstance(value, Mapping) else ""
    if isinstance(value, (str, int, float, tuple, list)):
        return f"{name} {' '.join(map(str, value)) if isinstance(value, (tuple, list)) else value}"
    return ""
