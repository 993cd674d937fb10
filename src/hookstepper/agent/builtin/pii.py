"""Personal data in messages: found by pattern, then redacted, masked, hashed, or refused."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from hookstepper.agent import options
from hookstepper.agent.hooks import AgentCommand, HookPosition, MessagesModelHook, hook_positions
from hookstepper.agent.messages import AssistantMessage, Message, ToolResponseMessage, UserMessage


class PIIType(enum.Enum):
    """Kinds that have a detector of their own; CUSTOM needs one."""

    EMAIL = "EMAIL"
    CREDIT_CARD = "CREDIT_CARD"
    IP = "IP"
    MAC_ADDRESS = "MAC_ADDRESS"
    URL = "URL"
    CUSTOM = "CUSTOM"


class RedactionStrategy(enum.Enum):
    """What happens to a match."""

    REDACT = "REDACT"
    MASK = "MASK"
    HASH = "HASH"
    BLOCK = "BLOCK"


Boundary = Literal["unicode", "ascii"]
"""What `\\b` takes for a letter. Java up to 18, like Python, counts CJK letters as letters, so an address
glued to them is not found; Java from 19 on counts ASCII only."""


@dataclass(frozen=True, slots=True)
class PIIMatch:
    """One find."""

    type: str
    start: int
    end: int
    value: str


Detector = Callable[[str], Sequence[PIIMatch]]


class PIIDetectionError(RuntimeError):
    """A message holds what must not go on, and the strategy is BLOCK."""

    def __init__(self, pii_type: str, matches: Sequence[PIIMatch]) -> None:
        times = "once" if len(matches) == 1 else f"{len(matches)} times"
        super().__init__(f"{pii_type} found {times} in a message; the strategy is BLOCK")
        self.pii_type = pii_type
        self.matches = tuple(matches)


def _luhn(text: str) -> bool:
    """The check digit rule of payment cards (ISO/IEC 7812-1 annex B), for 13 to 19 digits."""
    digits = [int(char) for char in text if char in "0123456789"]
    if not 13 <= len(digits) <= 19:
        return False
    total = 0
    for at, digit in enumerate(reversed(digits)):
        doubled = digit * 2 if at % 2 else digit
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


def _octets(text: str) -> bool:
    return all(int(part) <= 255 for part in text.split("."))


_SPACE = r"[ \t\n\x0b\f\r]"
_WORD = "[a-zA-Z0-9_-]"
_BUILT_IN: Mapping[PIIType, tuple[str, str, Callable[[str], bool] | None]] = {
    # The pipe in the last class is upstream's own slip; it is kept, it decides what is found.
    PIIType.EMAIL: ("email", r"\b[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Z|a-z]{2,}\b", None),
    PIIType.CREDIT_CARD: ("credit_card", rf"\b(?:[0-9]{{4}}(?:{_SPACE}|-)?){{3}}[0-9]{{4}}\b", _luhn),
    PIIType.IP: ("ip", r"\b[0-9]{1,3}(?:\.[0-9]{1,3}){3}\b", _octets),
    PIIType.MAC_ADDRESS: ("mac_address", r"\b(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}\b", None),
    PIIType.URL: (
        "url",
        rf"\bhttps?://{_WORD}+(?:\.{_WORD}+)+[/#?]?[^\n\r\u0085\u2028\u2029]*?\b",
        None,
    ),
}


def detector_for(kind: PIIType, boundary: Boundary = "unicode") -> Detector:
    """The detector of a built-in kind.

    Raises:
        OptionError: CUSTOM has none.
    """
    if kind is PIIType.CUSTOM:
        raise options.OptionError(
            "PII type CUSTOM has no detector of its own",
            hint="give one, such as regex_detector(label, pattern)",
        )
    label, pattern, check = _BUILT_IN[kind]
    return regex_detector(label, pattern, boundary=boundary, check=check)


def regex_detector(
    label: str,
    pattern: str,
    *,
    boundary: Boundary = "unicode",
    check: Callable[[str], bool] | None = None,
) -> Detector:
    """A detector that finds `pattern` wherever `check`, if given, accepts the text found."""
    if boundary not in ("unicode", "ascii"):
        raise options.OptionError(f"boundary is {boundary!r}", hint="one of: unicode, ascii")
    compiled = re.compile(pattern, re.ASCII if boundary == "ascii" else 0)

    def detect(text: str) -> list[PIIMatch]:
        found = (PIIMatch(label, m.start(), m.end(), m.group()) for m in compiled.finditer(text))
        return [match for match in found if check is None or check(match.value)]

    return detect


def java_hash(text: str) -> int:
    """`String.hashCode` of Java: h = 31 h + c over UTF-16 units, 32 bits; as an unsigned number."""
    units = text.encode("utf-16-be", "surrogatepass")
    total = 0
    for at in range(0, len(units), 2):
        total = (31 * total + int.from_bytes(units[at : at + 2])) & 0xFFFFFFFF
    return total


@hook_positions(HookPosition.BEFORE_MODEL, HookPosition.AFTER_MODEL)
class PIIDetectionHook(MessagesModelHook):
    """Looks through the whole history before each model call, and through the newest answer after it.

    Upstream rules fail on an assistant message without text and drop the media of a changed user message;
    fixed rules do neither. `output_key` is never redacted in upstream rules.
    """

    def __init__(
        self,
        pii_type: PIIType | str,
        strategy: RedactionStrategy | str = RedactionStrategy.REDACT,
        *,
        detector: Detector | None = None,
        apply_to_input: bool = True,
        apply_to_output: bool = False,
        apply_to_tool_results: bool = False,
        boundary: Boundary = "unicode",
    ) -> None:
        self.pii_type = options.member(PIIType, pii_type, "PIIDetectionHook: pii_type")
        self.strategy = options.member(RedactionStrategy, strategy, "PIIDetectionHook: strategy")
        self.detector = detector if detector is not None else detector_for(self.pii_type, boundary)
        options.function(self.detector, "PIIDetectionHook: detector")
        self.apply_to_input = apply_to_input
        self.apply_to_output = apply_to_output
        self.apply_to_tool_results = apply_to_tool_results
        self.name = f"PIIDetection[{self.pii_type.value}]"

    @property
    def fixed(self) -> bool:
        """True in fixed rules."""
        return getattr(self.agent, "compat", "upstream") == "fixed"

    def before_model(self, messages: list[Message], config: Any) -> AgentCommand:  # noqa: ARG002
        """The whole history, with what was found replaced."""
        return AgentCommand([self._cleaned(message) for message in messages])

    def after_model(self, messages: list[Message], config: Any) -> AgentCommand:  # noqa: ARG002
        """The newest answer, with what was found replaced."""
        if not self.apply_to_output:
            return AgentCommand()
        for at in range(len(messages) - 1, -1, -1):
            message = messages[at]
            if isinstance(message, AssistantMessage):
                text = self.replaced(message.text) if message.text else message.text
                if text == message.text:
                    return AgentCommand()
                return AgentCommand([*messages[:at], replace(message, text=text), *messages[at + 1 :]])
        return AgentCommand()

    def replaced(self, text: str) -> str:
        """`text` after the strategy.

        Raises:
            PIIDetectionError: something was found and the strategy is BLOCK.
        """
        matches = sorted(self._found(text), key=lambda match: match.start)
        if not matches:
            return text
        if self.strategy is RedactionStrategy.BLOCK:
            raise PIIDetectionError(self.pii_type.value, matches)
        parts: list[str] = []
        done = 0
        for match in matches:
            if match.start < done:
                raise ValueError(f"{self.name}: the detector gave overlapping matches at {match.start}")
            parts += (text[done : match.start], self._instead(match.value))
            done = match.end
        return "".join((*parts, text[done:]))

    def _found(self, text: str) -> Sequence[PIIMatch]:
        matches = self.detector(text)
        for match in matches:
            if not isinstance(match, PIIMatch):
                raise TypeError(f"{self.name}: a detector gives PIIMatch objects, not {type(match).__name__}")
        return matches

    def _instead(self, value: str) -> str:
        if self.strategy is RedactionStrategy.REDACT:
            return f"[REDACTED_{self.pii_type.value}]"
        if self.strategy is RedactionStrategy.MASK:
            return "****" if len(value) <= 4 else "*" * (len(value) - 4) + value[-4:]
        return f"<{self.pii_type.value.lower()}_hash:{java_hash(value):08x}>"

    def _cleaned(self, message: Message) -> Message:
        match message:
            case UserMessage() if self.apply_to_input:
                text = self._text_of(message.text, "a user message")
                if text == message.text:
                    return message
                return replace(message, text=text, media=message.media if self.fixed else ())
            case AssistantMessage() if self.apply_to_output:
                text = self._text_of(message.text, "an assistant message")
                return message if text == message.text else replace(message, text=text)
            case ToolResponseMessage() if self.apply_to_tool_results:
                responses = tuple(
                    replace(response, data=self._text_of(response.data, f"the result of {response.name}"))
                    for response in message.responses
                )
                return message if responses == message.responses else replace(message, responses=responses)
            case _:
                return message

    def _text_of(self, text: str | None, what: str) -> str | None:
        if text is None:
            if self.fixed:
                return None
            raise TypeError(
                f"{self.name}: {what} has no text, and upstream's matcher fails on that; fixed rules skip it"
            )
        return self.replaced(text)
