"""Messages as Spring AI has them: plain frozen values, equal when their content is equal.

Sources: Spring AI 1.1 message classes; the instruction message of Spring AI Alibaba (role user there, but
not a user message: hooks that look for user messages must not find it).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, TypeAlias, TypeVar

from hookstepper.engine.clone import share

Role = Literal["user", "assistant", "system", "tool", "instruction"]
FINISH_REASON = "finishReason"
"""Metadata key that marks tool responses whose tools all return directly."""
RETURN_DIRECT = "returnDirect"
"""Value under `FINISH_REASON` for such responses."""


@share
@dataclass(frozen=True, slots=True)
class Media:
    """Something a message shows that is not text."""

    mime_type: str
    data: str
    """URL, or base64 text."""
    name: str = ""


@share
@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call that a model asked for."""

    id: str
    name: str
    arguments: str = "{}"
    """JSON text, as the model wrote it; it need not be valid."""


@share
@dataclass(frozen=True, slots=True)
class ToolResponse:
    """The answer to one tool call."""

    id: str
    name: str
    data: str | None = None


def _frozen(message: object, metadata: Mapping[str, object], **lists: Iterable[object]) -> None:
    """Make what was given to a message its own, so that nobody changes it from outside."""
    object.__setattr__(message, "metadata", dict(metadata))
    for name, items in lists.items():
        if type(items) is not tuple:
            object.__setattr__(message, name, tuple(items))


def _metadata_hash(metadata: Mapping[str, object]) -> int:
    return hash(frozenset(metadata))  # values may be unhashable; equality still compares them


class _Spoken:
    """What all messages share."""

    __slots__ = ()
    ROLE: ClassVar[Role]

    @property
    def role(self) -> Role:
        """Who speaks."""
        return self.ROLE


class _Text(_Spoken):
    """What messages with a text share."""

    __slots__ = ()
    text: str | None

    @property
    def content(self) -> str:
        """The text, empty if there is none."""
        return self.text or ""


@share
@dataclass(frozen=True, slots=True)
class UserMessage(_Text):
    """What the user said."""

    ROLE: ClassVar[Role] = "user"
    text: str | None = ""
    media: tuple[Media, ...] = ()
    metadata: Mapping[str, object] = field(default_factory=dict)
    id: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        _frozen(self, self.metadata, media=self.media)

    def __hash__(self) -> int:
        return hash((self.ROLE, self.text, self.media, _metadata_hash(self.metadata)))


@share
@dataclass(frozen=True, slots=True)
class AssistantMessage(_Text):
    """What the model answered: text, tool calls, or both."""

    ROLE: ClassVar[Role] = "assistant"
    text: str | None = ""
    """None is common when the answer is only tool calls."""
    tool_calls: tuple[ToolCall, ...] = ()
    media: tuple[Media, ...] = ()
    metadata: Mapping[str, object] = field(default_factory=dict)
    id: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        _frozen(self, self.metadata, tool_calls=self.tool_calls, media=self.media)

    def __hash__(self) -> int:
        return hash((self.ROLE, self.text, self.tool_calls, self.media, _metadata_hash(self.metadata)))


@share
@dataclass(frozen=True, slots=True)
class SystemMessage(_Text):
    """What the application tells the model."""

    ROLE: ClassVar[Role] = "system"
    text: str | None = ""
    metadata: Mapping[str, object] = field(default_factory=dict)
    id: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        _frozen(self, self.metadata)

    def __hash__(self) -> int:
        return hash((self.ROLE, self.text, _metadata_hash(self.metadata)))


@share
@dataclass(frozen=True, slots=True)
class AgentInstructionMessage(_Text):
    """The agent's instruction, kept among the messages; a template until the model node renders it."""

    ROLE: ClassVar[Role] = "instruction"
    text: str | None = ""
    rendered: bool = False
    """True once `{placeholders}` have been filled from the state."""
    metadata: Mapping[str, object] = field(default_factory=dict)
    id: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        _frozen(self, self.metadata)

    def __hash__(self) -> int:
        return hash((self.ROLE, self.text, self.rendered, _metadata_hash(self.metadata)))


@share
@dataclass(frozen=True, slots=True)
class ToolResponseMessage(_Spoken):
    """The answers to the tool calls of one assistant message."""

    ROLE: ClassVar[Role] = "tool"
    responses: tuple[ToolResponse, ...] = ()
    metadata: Mapping[str, object] = field(default_factory=dict)
    id: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        _frozen(self, self.metadata, responses=self.responses)

    def __hash__(self) -> int:
        return hash((self.ROLE, self.responses, _metadata_hash(self.metadata)))

    @property
    def text(self) -> str:
        """Always empty, as upstream: the answers are in `responses`."""
        return ""

    @property
    def content(self) -> str:
        """The answers, one a line."""
        return "\n".join(response.data or "" for response in self.responses)


Message: TypeAlias = (
    UserMessage | AssistantMessage | SystemMessage | AgentInstructionMessage | ToolResponseMessage
)
MESSAGE_TYPES: tuple[type, ...] = (
    UserMessage,
    AssistantMessage,
    SystemMessage,
    AgentInstructionMessage,
    ToolResponseMessage,
)
_KINDS: frozenset[type] = frozenset(MESSAGE_TYPES)
M = TypeVar("M", UserMessage, AssistantMessage, SystemMessage, AgentInstructionMessage, ToolResponseMessage)


def with_id(message: M, message_id: str) -> M:
    """`message`, named `message_id` unless it has a name already."""
    return message if message.id else replace(message, id=message_id)


def messages_of(state: Mapping[str, object]) -> list[Message]:
    """What is a message under the key `messages`, in order; a single one counts as a list."""
    value = state.get("messages")
    if isinstance(value, MESSAGE_TYPES):
        return [value]  # type: ignore[list-item]
    if not isinstance(value, (list, tuple)):
        return []
    return [item for item in value if type(item) in _KINDS or isinstance(item, MESSAGE_TYPES)]


def last_assistant(messages: Iterable[Message]) -> AssistantMessage | None:
    """The newest assistant message, or None."""
    return next((m for m in reversed(list(messages)) if isinstance(m, AssistantMessage)), None)


def last_user(messages: Iterable[Message]) -> UserMessage | None:
    """The newest user message, or None."""
    return next((m for m in reversed(list(messages)) if isinstance(m, UserMessage)), None)


def peek(state: Mapping[str, object]) -> Mapping[str, object]:
    """All of `state`, without that counting as a read of every key."""
    data = getattr(state, "data", None)
    return data if isinstance(data, Mapping) else state
