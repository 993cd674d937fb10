"""Tools: typed functions that a model may ask for."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from types import MethodType
from typing import Any, Protocol, overload

from hookstepper.agent.schema import JsonSchema, made_from_json, schema_of, summary_of, type_hints
from hookstepper.model.errors import SpecError

STATE_KEY = "_AGENT_STATE_"
"""Context key of the state, as upstream names it."""
UPDATE_KEY = "_AGENT_STATE_FOR_UPDATE_"
CONFIG_KEY = "_AGENT_CONFIG_"


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a state-aware tool is given: a parameter annotated `ToolContext` gets it, no model sees it."""

    state: Mapping[str, object]
    """The agent's state when the call began."""
    config: Any = None
    """The run's configuration."""
    update: MutableMapping[str, object] = field(default_factory=dict)
    """State keys that the tool wants to write; merged when all calls of the message are done."""
    call_id: str = ""
    values: Mapping[str, object] = field(default_factory=dict)
    """The agent's tool context and the request's context."""

    def __getitem__(self, key: str) -> object:
        known: dict[str, object] = {STATE_KEY: self.state, UPDATE_KEY: self.update, CONFIG_KEY: self.config}
        return known[key] if key in known else self.values[key]


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """One tool. Make it with `@tool`, or with this class if the schema is not a function's."""

    name: str
    function: Callable[..., object]
    description: str = ""
    schema: JsonSchema = field(default_factory=lambda: {"type": "object", "properties": {}})
    return_direct: bool = False
    """True: the answer is meant for the user, not for the model."""
    side_effects: bool = False
    """True: it changes something outside of the run; a debugger asks before a fork makes the call again."""
    timeout: float | None = None
    """Seconds for an async tool; None takes the agent's."""
    context_parameter: str = ""
    """Parameter that receives the `ToolContext`, empty if the tool is not state-aware."""
    method: bool = False
    """True: the function is a method still without its object; read through the object it is bound."""

    def __post_init__(self) -> None:
        if not self.name:
            raise SpecError("a tool needs a name", hint="give @tool a name, or decorate a named function")

    def __get__(self, owner: object, kind: type | None = None) -> Tool:
        """A tool that was made of a method, bound to the object that it is read from."""
        if owner is None or not self.method:
            return self
        return replace(self, function=MethodType(self.function, owner), method=False)

    @property
    def is_async(self) -> bool:
        """True if calling it gives an awaitable."""
        return inspect.iscoroutinefunction(inspect.unwrap(self.function))

    def arguments_of(self, text: str) -> dict[str, object]:
        """The arguments in `text`, JSON of an object; empty text means none.

        Raises:
            ValueError: not JSON, or not an object.
        """
        if not text or not text.strip():
            return {}
        value = json.loads(text)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise ValueError(  # noqa: TRY004 - it is the text that is wrong
                f"arguments of {self.name} must be a JSON object, got {type(value).__name__}"
            )
        return value

    def bound(self, arguments: Mapping[str, object], context: ToolContext) -> dict[str, object]:
        """Keyword arguments for the function: typed as its annotations ask, context put in."""
        hints = type_hints(self.function)
        ready = {name: made_from_json(hints.get(name, Any), value) for name, value in arguments.items()}
        if self.context_parameter:
            ready[self.context_parameter] = context
        return ready

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function itself, as if it had not been made a tool."""
        return self.function(*args, **kwargs)


@overload
def tool(function: Callable[..., object], /) -> Tool: ...
@overload
def tool(
    name: str = "",
    /,
    *,
    description: str = "",
    return_direct: bool = False,
    schema: JsonSchema | None = None,
    timeout: float | None = None,
    side_effects: bool = False,
) -> Callable[[Callable[..., object]], Tool]: ...
def tool(
    function: Callable[..., object] | str = "",
    /,
    *,
    description: str = "",
    return_direct: bool = False,
    schema: JsonSchema | None = None,
    timeout: float | None = None,
    side_effects: bool = False,
) -> Tool | Callable[[Callable[..., object]], Tool]:
    """Make a typed function, sync or async, a tool: name, docstring and annotations describe it to the model.

    Used as `@tool`, `@tool("name")` or `@tool(return_direct=True)`; on a method too (see `method_tools`).

    Raises:
        SpecError: the function has no usable name, or takes positional-only parameters.
    """
    name = function if isinstance(function, str) else ""

    def make(inner: Callable[..., object]) -> Tool:
        parameter = _context_parameter(inner)
        method = _is_method(inner)
        left_out = (parameter, "self") if method else (parameter,)
        return Tool(
            name=name or getattr(inner, "__name__", ""),
            function=inner,
            description=description or summary_of(inner),
            schema=schema if schema is not None else schema_of(inner, leave_out=left_out),
            return_direct=return_direct,
            timeout=timeout,
            side_effects=side_effects,
            context_parameter=parameter,
            method=method,
        )

    return make if isinstance(function, str) else make(function)


def as_tool(item: object) -> Tool:
    """`item` as a tool: a `Tool`, a plain function, or anything with an `as_tool()` method (an agent).

    Raises:
        SpecError: it is none of these.
    """
    if isinstance(item, Tool):
        return item
    if inspect.isroutine(item):
        return tool(item)
    make = getattr(item, "as_tool", None)
    if callable(make):
        made = make()
        if isinstance(made, Tool):
            return made
    raise SpecError(f"{item!r:.80} is not a tool", hint="a function, a Tool made with @tool, or an agent")


def as_tools(items: Iterable[object]) -> list[Tool]:
    """All items as tools, in order; None is left out, an object with a method `tools()` gives all of its own.

    Raises:
        SpecError: an item is neither a tool nor a provider of tools.
    """
    made: list[Tool] = []
    for item in items:
        if item is None:
            continue
        brings = getattr(item, "tools", None)
        if callable(brings) and not isinstance(item, Tool):
            made += as_tools(brings())
        else:
            made.append(as_tool(item))
    return made


class ToolProvider(Protocol):
    """Anything that brings tools: a client of a server, a plug-in. Asked once, when the agent is built."""

    def tools(self) -> Iterable[object]:
        """The tools, in the order in which the model sees them."""
        ...


def method_tools(owner: object) -> list[Tool]:
    """The methods of an object that are marked `@tool`, bound to it, in the order in which they are written.

    Those of base classes come first; an override stands in the place of what it overrides.

    Raises:
        SpecError: there is none.
    """
    names = [
        name for base in reversed(type(owner).__mro__) for name, at in vars(base).items() if _is_tool(at)
    ]
    found = [made for name in dict.fromkeys(names) if isinstance(made := getattr(owner, name), Tool)]
    if not found:
        raise SpecError(f"{type(owner).__name__} has no method marked @tool", hint="put @tool above a method")
    return found


def _is_tool(attribute: object) -> bool:
    return isinstance(attribute, Tool) and attribute.method


def result_text(result: object) -> str:
    """A tool's result as the model reads it: text as it is, anything else as JSON."""
    if isinstance(result, str):
        return result
    if result is None:
        return "Done"
    try:
        return json.dumps(result, ensure_ascii=False, default=_json_default)
    except (TypeError, ValueError):
        return str(result)


def _json_default(value: object) -> object:
    from dataclasses import asdict, is_dataclass

    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    return str(value)


def _is_method(function: Callable[..., object]) -> bool:
    """True for a function that a class body defines for its objects, before it has one."""
    try:
        return next(iter(inspect.signature(function).parameters), "") == "self"
    except (TypeError, ValueError):
        return False


def _context_parameter(function: Callable[..., object]) -> str:
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return ""
    hints = type_hints(function)
    for name, parameter in parameters.items():
        if parameter.kind is parameter.POSITIONAL_ONLY:
            raise SpecError(
                f"tool {getattr(function, '__name__', '?')!r}: parameter {name!r} is positional-only",
                hint="a model gives arguments by name: remove the /",
            )
        if hints.get(name) is ToolContext:
            return name
    return ""
