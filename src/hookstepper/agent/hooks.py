"""Hooks: points of the life cycle that are compiled into the graph as nodes, and that may write and jump."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from hookstepper.agent.messages import MESSAGE_TYPES, Message
from hookstepper.model.errors import SpecError

if TYPE_CHECKING:
    from hookstepper.agent.interceptors import ModelInterceptor, ToolInterceptor
    from hookstepper.agent.tools import Tool

PREFIX = "_AGENT_HOOK_"
"""In front of a hook's name in its node ids."""


class HookPosition(enum.Enum):
    """Where a hook can stand; the value is the suffix of its node id."""

    BEFORE_AGENT = ".before"
    AFTER_AGENT = ".after"
    BEFORE_MODEL = ".beforeModel"
    AFTER_MODEL = ".afterModel"


class JumpTo(enum.StrEnum):
    """Where a hook may send the run: into the loop again, to the tools, or to the exit."""

    TOOL = "tool"
    MODEL = "model"
    END = "end"

    @classmethod
    def from_string(cls, text: str | None) -> JumpTo:
        """The member named `text`, in any case; nothing is trimmed.

        Raises:
            ValueError: None, or no such member.
        """
        if text is None:
            raise ValueError("a jump needs a word: tool, model or end")
        found = cls.or_none(text)
        if found is None:
            raise ValueError(f"unknown jump {text!r}: tool, model or end")
        return found

    @classmethod
    def or_none(cls, value: object) -> JumpTo | None:
        """The member that `value` is or names, None for anything else."""
        if isinstance(value, cls):
            return value
        if not isinstance(value, str):
            return None
        return next((member for member in cls if member.value == value.lower()), None)


class UpdatePolicy(enum.Enum):
    """What becomes of the messages that an `AgentCommand` carries."""

    REPLACE = "REPLACE"
    APPEND = "APPEND"


@dataclass(frozen=True, slots=True, init=False)
class AgentCommand:
    """What a messages hook returns: messages, what to do with them, and a jump."""

    messages: tuple[Message, ...] | None
    """None leaves the messages alone."""
    jump_to: JumpTo | None
    policy: UpdatePolicy

    def __init__(
        self,
        messages: Iterable[Message] | Message | None = None,
        jump_to: JumpTo | str | None = None,
        policy: UpdatePolicy | str | None = UpdatePolicy.REPLACE,
    ) -> None:
        jump = None if jump_to is None else JumpTo.from_string(jump_to)
        made = None if messages is None else _messages(messages)
        object.__setattr__(self, "messages", made)
        object.__setattr__(self, "jump_to", jump)
        # None is what a Java program can leave it at: it counts as APPEND.
        object.__setattr__(self, "policy", UpdatePolicy(policy or "APPEND"))


def _messages(given: Iterable[Message] | Message) -> tuple[Message, ...]:
    found = tuple(given) if isinstance(given, Iterable) else (given,)
    for item in found:
        if not isinstance(item, MESSAGE_TYPES):
            raise TypeError(f"an AgentCommand carries messages, not {type(item).__name__}")
    return found


class Hook:
    """Base of all hooks. A subclass sets what it needs; a hook belongs to one agent at a time.

    `agent` and `agent_name` are set when the agent's graph is built; sharing one hook between two agents
    binds it to the one built last.
    """

    name: str = ""
    """Unique in its agent; empty means the class name."""
    order: int = 0
    """Lower runs earlier before, later after; equal orders keep registration order."""
    can_jump_to: Sequence[JumpTo | str] | str = ()
    """Jumps that the edge after this hook honours."""
    family: ClassVar[tuple[HookPosition, ...]] = ()
    """Positions of the kind of hook, where the class names none."""
    agent: Any = None
    agent_name: str = ""

    def get_name(self) -> str:
        """The name that node ids carry."""
        return self.name or type(self).__name__

    def model_interceptors(self) -> Sequence[ModelInterceptor]:
        """Interceptors of the model call that this hook brings."""
        return ()

    def tool_interceptors(self) -> Sequence[ToolInterceptor]:
        """Interceptors of tool calls that this hook brings."""
        return ()

    def tools(self) -> Sequence[Tool]:
        """Tools that this hook brings; they shadow the agent's of the same name."""
        return ()

    def key_strategies(self) -> Mapping[str, Any]:
        """State keys that this hook adds, with how updates reach them; may override any key."""
        return {}


class AgentHook(Hook):
    """Runs once a run. Methods return a state update, or None; both may be async."""

    family = (HookPosition.BEFORE_AGENT, HookPosition.AFTER_AGENT)

    def before_agent(self, state: Mapping[str, Any], config: Any) -> Any:  # noqa: ARG002
        """Runs before everything else."""
        return {}

    def after_agent(self, state: Mapping[str, Any], config: Any) -> Any:  # noqa: ARG002
        """Runs on the way out."""
        return {}


class ModelHook(Hook):
    """Runs around every model call. Methods return a state update, or None; both may be async."""

    family = (HookPosition.BEFORE_MODEL, HookPosition.AFTER_MODEL)

    def before_model(self, state: Mapping[str, Any], config: Any) -> Any:  # noqa: ARG002
        """Runs each turn before the model."""
        return {}

    def after_model(self, state: Mapping[str, Any], config: Any) -> Any:  # noqa: ARG002
        """Runs each turn after the model; hooks registered later run first."""
        return {}


class MessagesAgentHook(Hook):
    """An agent hook that gets the messages and returns an `AgentCommand`."""

    def before_agent(self, messages: list[Message], config: Any) -> Any:  # noqa: ARG002
        """Runs before everything else."""
        return AgentCommand(messages)

    def after_agent(self, messages: list[Message], config: Any) -> Any:  # noqa: ARG002
        """Runs on the way out."""
        return AgentCommand(messages)


class MessagesModelHook(Hook):
    """A model hook that gets the messages and returns an `AgentCommand`."""

    def before_model(self, messages: list[Message], config: Any) -> Any:  # noqa: ARG002
        """Runs each turn before the model."""
        return AgentCommand(messages)

    def after_model(self, messages: list[Message], config: Any) -> Any:  # noqa: ARG002
        """Runs each turn after the model."""
        return AgentCommand(messages)


class ToolInjection:
    """Mixed into a hook that wants one of the agent's tools handed to it when the graph is built."""

    required_tool_name: str | None = None
    required_tool_type: type | None = None

    def inject_tool(self, tool: Tool) -> None:
        """Called once, with the tool that matches."""
        raise NotImplementedError


H = TypeVar("H", bound=type)
POSITIONS_ATTRIBUTE = "__hook_positions__"
"""Attribute of a hook class, or of one hook, that holds its declared positions."""


def hook_positions(*positions: HookPosition) -> Callable[[H], H]:
    """Class decorator: the positions of this hook class.

    A subclass does not inherit them in upstream rules (an annotation of the class itself is looked at);
    in fixed rules it does.

    Raises:
        SpecError: something else than a position was given.
    """

    for position in positions:
        if not isinstance(position, HookPosition):
            raise SpecError(
                f"{position!r} is no hook position",
                hint=", ".join(f"HookPosition.{one.name}" for one in HookPosition),
            )

    def mark(kind: H) -> H:
        setattr(kind, POSITIONS_ATTRIBUTE, frozenset(positions))
        return kind

    return mark


def positions_of(hook: Hook, compat: str = "upstream") -> frozenset[HookPosition]:
    """Positions at which `hook` runs.

    upstream: what its own class is decorated with, else what its family has; messages hooks have no
    family, so without the decorator they never run. fixed: decorations are inherited, and messages hooks
    run at both positions of their kind.
    """
    of_object = vars(hook).get(POSITIONS_ATTRIBUTE) if hasattr(hook, "__dict__") else None
    own = of_object if of_object is not None else vars(type(hook)).get(POSITIONS_ATTRIBUTE)
    if own is not None:
        return cast("frozenset[HookPosition]", own)
    if compat == "fixed":
        inherited = getattr(type(hook), POSITIONS_ATTRIBUTE, None)
        if inherited is not None:
            return cast("frozenset[HookPosition]", inherited)
        if isinstance(hook, MessagesAgentHook):
            return frozenset(AgentHook.family)
        if isinstance(hook, MessagesModelHook):
            return frozenset(ModelHook.family)
    return frozenset(hook.family)


def jumps_of(hook: Hook) -> tuple[JumpTo, ...]:
    """Declared jumps, each once, as members.

    Raises:
        SpecError: a declared word is no jump; names the hook.
    """
    seen: dict[JumpTo, None] = {}
    words = hook.can_jump_to or ()
    for word in (words,) if isinstance(words, str) else words:
        jump = JumpTo.or_none(word)
        if jump is None:
            raise SpecError(
                f"hook {hook.get_name()!r} declares a jump to {word!r}, which is no jump",
                hint="the jump to the tools is called tool"
                if word == "tools"
                else "jumps are: tool, model, end",
            )
        seen[jump] = None
    return tuple(seen)


def node_name(hook: Hook, position: HookPosition) -> str:
    """Id of the hook's node at `position`."""
    return f"{PREFIX}{hook.get_name()}{position.value}"


METHODS: Mapping[HookPosition, str] = {
    HookPosition.BEFORE_AGENT: "before_agent",
    HookPosition.AFTER_AGENT: "after_agent",
    HookPosition.BEFORE_MODEL: "before_model",
    HookPosition.AFTER_MODEL: "after_model",
}
"""The method that runs at each position."""


def call_hook(method: Callable[..., Any], first: object, config: object) -> Any:
    """What the method returns; `config` is left out for a method that takes one argument."""
    return method(first, config) if takes_config(method) else method(first)


def takes_config(function: Callable[..., Any]) -> bool:
    """True if a second positional argument can be given."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return True
    kinds = [p.kind for p in parameters]
    placed = sum(
        1
        for k in kinds
        if k in (inspect._ParameterKind.POSITIONAL_ONLY, inspect._ParameterKind.POSITIONAL_OR_KEYWORD)
    )
    return placed >= 2 or inspect._ParameterKind.VAR_POSITIONAL in kinds
