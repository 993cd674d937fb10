"""Encoded chat messages as people read them, whatever framework they came from."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len

from hookstepper.model.ids import Json
from hookstepper.trace.messages import answers_of, calls_of, is_message, role_of, text_of
from hookstepper.tui.rows.lines import ended, shown
from hookstepper.tui.rows.row import cut_text
from hookstepper.values import preview


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call that an assistant message asks for."""

    id: str
    tool: str
    arguments: Json


@dataclass(frozen=True, slots=True)
class Response:
    """One tool result that a message carries."""

    id: str
    tool: str
    text: str


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message."""

    role: str
    text: str
    calls: tuple[Call, ...] = ()
    responses: tuple[Response, ...] = ()


def read_message(value: Json) -> Message | None:
    """The message that an encoded value is, None if it is none."""
    if not is_message(value):
        return None
    calls = tuple(Call(each.id, each.tool, each.arguments) for each in calls_of(value))
    answers = tuple(Response(each.id, each.tool, each.text) for each in answers_of(value))
    return Message(role_of(value), text_of(value), calls, answers)


def call_text(call: Call, cells: int = 200) -> str:
    """`write_file(path=report.txt, text=…)`, cut to the cells."""
    if isinstance(call.arguments, dict) and "$" not in call.arguments:
        inner = ", ".join(f"{name}={_bare(value)}" for name, value in call.arguments.items())
    else:
        inner = "" if call.arguments in (None, {}) else preview(call.arguments, cells)
    return cut_text(shown(f"{call.tool}({inner})"), cells)


def _bare(value: Json) -> str:
    return value[:200] if isinstance(value, str) else preview(value, 60)


def message_text(message: Message, cells: int) -> str:
    """What a message says, on one line of at most `cells` cells."""
    if message.responses:
        said = "; ".join(
            f"{each.tool}: {each.text[:400]}" if each.tool else each.text[:400] for each in message.responses
        )
        return cut_text(shown(said), cells)
    parts = [shown(message.text)] if message.text.strip() else []
    if message.calls:
        parts.append("→ " + ", ".join(call_text(call, cells + 8) for call in message.calls))
    said = " ".join(parts)
    return said if cell_len(said) <= cells else ended(said, cells)
