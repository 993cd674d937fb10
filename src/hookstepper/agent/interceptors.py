"""Interceptors: rings around one model or tool call, inside a node; no node of their own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from hookstepper.agent.messages import AssistantMessage, Message, SystemMessage
from hookstepper.model.graph import RingKind
from hookstepper.model.record import Usage

if TYPE_CHECKING:
    from hookstepper.agent.tools import Tool

SUCCESS = "SUCCESS"
"""Status of a tool call that went well; any other status, None too, is not a success to `ToolRetry`."""
ERROR = "error"


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call of the model, as the rings see it. Rings change it with `with_`."""

    messages: tuple[Message, ...]
    system_message: SystemMessage | None = None
    tools: tuple[str, ...] = ()
    """Names of the tools to offer; empty offers all of the agent's."""
    dynamic_tools: tuple[Tool, ...] = ()
    """Tools that only this call offers; the tool node of this turn can run them."""
    tool_descriptions: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, object] = field(default_factory=dict)
    context: Mapping[str, object] = field(default_factory=dict)
    """State of the agent overlaid by the run's metadata."""

    def with_(self, **changes: Any) -> ModelRequest:
        """A copy with these fields changed."""
        return replace(self, **changes)

    def with_system_text(self, text: str) -> ModelRequest:
        """A copy whose system message ends with `text`, after a blank line."""
        old = self.system_message.content if self.system_message else ""
        return replace(self, system_message=SystemMessage(f"{old}\n\n{text}" if old else text))


@dataclass(frozen=True, slots=True)
class ModelResponse:
    """The answer to a model call."""

    message: AssistantMessage
    usage: Usage | None = None

    def with_(self, **changes: Any) -> ModelResponse:
        """A copy with these fields changed."""
        return replace(self, **changes)


@dataclass(frozen=True, slots=True)
class ToolCallRequest:
    """One tool call, as the rings see it."""

    name: str
    arguments: str
    """JSON text."""
    id: str = ""
    context: Mapping[str, object] = field(default_factory=dict)
    """The run's metadata."""
    state: Mapping[str, object] = field(default_factory=dict, compare=False)
    """The agent's state when the message's calls began."""
    config: Any = field(default=None, compare=False, repr=False)

    def with_(self, **changes: Any) -> ToolCallRequest:
        """A copy with these fields changed."""
        return replace(self, **changes)


@dataclass(frozen=True, slots=True)
class ToolCallResponse:
    """The result of one tool call."""

    result: str | None
    name: str
    id: str = ""
    status: str | None = SUCCESS
    """`SUCCESS`, `error`, None, or a word of the interceptor's own."""
    metadata: Mapping[str, object] = field(default_factory=dict)
    update: Mapping[str, object] = field(default_factory=dict, repr=False, compare=False)
    """What the tool wrote to the state beside its result: a recorded response can stand for its call."""

    @classmethod
    def error(cls, request: ToolCallRequest, message: str) -> ToolCallResponse:
        """A response that tells the model of an error."""
        return cls(f"Error: {message}", request.name, request.id, ERROR)

    def with_(self, **changes: Any) -> ToolCallResponse:
        """A copy with these fields changed."""
        return replace(self, **changes)


ModelHandler: TypeAlias = Callable[[ModelRequest], ModelResponse]
AsyncModelHandler: TypeAlias = Callable[[ModelRequest], Awaitable[ModelResponse]]
ToolHandler: TypeAlias = Callable[[ToolCallRequest], ToolCallResponse]
AsyncToolHandler: TypeAlias = Callable[[ToolCallRequest], Awaitable[ToolCallResponse]]


class Interceptor:
    """Base of both kinds."""

    name: str = ""
    """Duplicates among hooks are dropped by name; empty means the class name."""
    agent: Any = None
    """The agent that the ring belongs to; set when the agent is made."""

    def get_name(self) -> str:
        """The name that rings carry."""
        return self.name or type(self).__name__

    @property
    def fixed(self) -> bool:
        """True in fixed rules."""
        return getattr(self.agent, "compat", "upstream") == "fixed"


class ModelInterceptor(Interceptor):
    """Wraps the model call. It may change the request or the answer, call again, or not call at all."""

    def intercept_model(self, request: ModelRequest, handler: ModelHandler) -> ModelResponse:
        """The answer to `request`; `handler` asks the next ring."""
        return handler(request)

    async def aintercept_model(self, request: ModelRequest, handler: AsyncModelHandler) -> ModelResponse:
        """The same in an async run; without it, an async run uses the sync method."""
        return await handler(request)

    def tools(self) -> Sequence[Tool]:
        """Tools that the interceptor brings; only looked at for interceptors given to the agent itself."""
        return ()


@runtime_checkable
class ToolOffer(Protocol):
    """A model interceptor that offers tools beside the agent's own, and can tell which from the messages."""

    def offered(self, messages: Sequence[Message]) -> Sequence[Tool]:
        """The tools that a model call with these messages is offered."""
        ...


class ToolInterceptor(Interceptor):
    """Wraps each tool call."""

    def intercept_tool_call(self, request: ToolCallRequest, handler: ToolHandler) -> ToolCallResponse:
        """The result of `request`; `handler` asks the next ring."""
        return handler(request)

    async def aintercept_tool_call(
        self, request: ToolCallRequest, handler: AsyncToolHandler
    ) -> ToolCallResponse:
        """The same in an async run; without it, an async run uses the sync method."""
        return await handler(request)


METHODS = {"model": "intercept_model", "tool": "intercept_tool_call"}
"""The method that wraps a call of each kind; its async twin has an `a` in front."""
_BASES: dict[str, type[Interceptor]] = {"model": ModelInterceptor, "tool": ToolInterceptor}


def uses_async(interceptor: Interceptor, around: RingKind, awaits: bool) -> bool:
    """True if the async method is to be called: it is all there is, or the run is async and it is there."""
    kind, base, name = type(interceptor), _BASES[around], METHODS[around]
    own_async = getattr(kind, f"a{name}") is not getattr(base, f"a{name}")
    own_sync = getattr(kind, name) is not getattr(base, name)
    return (own_async or not own_sync) if awaits else (own_async and not own_sync)


@dataclass(frozen=True, slots=True)
class Layer:
    """One interceptor at its place, and who brought it."""

    interceptor: Interceptor
    brought_by: str
    """`agent`, or the name of the hook."""


def merged(
    own: Sequence[Interceptor], from_hooks: Sequence[tuple[str, Sequence[Interceptor]]]
) -> tuple[Layer, ...]:
    """The rings of one kind, outermost first: the agent's own, all of them, then those of the hooks in
    registration order, unless a ring of that name is there already."""
    layers = [Layer(item, "agent") for item in own]
    names = {item.get_name() for item in own}
    for hook, items in from_hooks:
        for item in items:
            if item.get_name() not in names:
                names.add(item.get_name())
                layers.append(Layer(item, hook))
    return tuple(layers)
