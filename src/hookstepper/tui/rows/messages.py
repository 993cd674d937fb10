"""Encoded chat messages as people read them, whatever framework they came from."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass

from hookstepper.model.ids import Json
from hookstepper.tui.rows.lines import shown
from hookstepper.tui.rows.row import cut_text
from hookstepper.values import preview

ROLE_NAMES = {"human": "user", "ai": "assistant", "AIMessageChunk": "assistant"}
"""Names that frameworks give to roles, by the word that this tool shows."""


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
    if not isinstance(value, dict) or value.get("$") != "msg":
        return None
    role = str(value.get("role", value.get("type", "")))
    calls = value.get("tool_calls")
    return Message(
        ROLE_NAMES.get(role, role),
        content_text(value.get("content")),
        tuple(_call(each) for each in calls if isinstance(each, dict)) if isinstance(calls, list) else (),
        _responses(value),
    )


def content_text(content: Json) -> str:
    """The text of a message's content: a string, or a list of blocks of which some hold text."""
    match content:
        case None:
            return ""
        case str():
            return content
        case list():
            return "\n".join(filter(None, map(_block_text, content)))
        case {"text": str(text)}:
            return text
    return preview(content, 200)


def _block_text(block: Json) -> str:
    match block:
        case str():
            return block
        case {"text": str(text)}:
            return text
        case {"type": ("tool_use" | "tool_call" | "function_call")}:
            return ""
        case {"type": str(kind)}:
            return f"[{kind}]"
    return preview(block, 80)


def _call(value: dict[str, Json]) -> Call:
    arguments = value.get("args", value.get("arguments"))
    if isinstance(arguments, str):
        with suppress(ValueError):
            arguments = json.loads(arguments)
    return Call(str(value.get("id") or ""), str(value.get("name", "")), arguments)


def _responses(value: dict[str, Json]) -> tuple[Response, ...]:
    listed = value.get("responses")
    if isinstance(listed, list):
        return tuple(
            Response(str(each.get("id") or ""), str(each.get("name", "")), _data(each))
            for each in listed
            if isinstance(each, dict)
        )
    if "tool_call_id" in value:
        text = content_text(value.get("content"))
        return (Response(str(value["tool_call_id"]), str(value.get("name") or ""), text),)
    return ()


def _data(response: dict[str, Json]) -> str:
    for name in ("data", "content", "text", "response"):
        if name in response:
            return content_text(response[name])
    return ""


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
        parts.append("→ " + ", ".join(call_text(call, cells) for call in message.calls))
    return cut_text(" ".join(parts), cells)
