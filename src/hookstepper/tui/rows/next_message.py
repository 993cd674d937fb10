"""What the Next message dialog says: where the run will start, and what is left over from the last one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from hookstepper.client.view import View
from hookstepper.model.ids import START, Json
from hookstepper.trace.marks import JUMP_KEY
from hookstepper.tui.rows.ahead import label_of
from hookstepper.tui.rows.lines import shown, wrap
from hookstepper.tui.rows.row import Row, cut_text, row
from hookstepper.tui.rows.typed import read_typed, typed
from hookstepper.tui.words import tr


def first_text(view: View) -> str:
    """What the field holds at first: the input of before, or what the target suggests."""
    if view.trace.last >= 0:
        return ""
    value = view.input if view.input is not None else None
    if value is None and view.loaded is not None:
        value = view.loaded.sample_input
    if value is None:
        return ""
    return value if isinstance(value, str) else typed(value)


def read_input(text: str) -> tuple[Json, str]:
    """The input that a text means, and what is wrong with it: { or [ begins JSON, the rest is a message."""
    if not text.strip():
        return None, tr("type a message, or a JSON object for the state")
    if text.lstrip()[0] in "{[":
        try:
            value: Json = json.loads(text)
        except (ValueError, RecursionError) as error:
            return None, tr("not JSON: {why}", why=error)
        return value, ""
    return text, ""


@dataclass(frozen=True, slots=True)
class InputField:
    """One key of the input, as the target's schema tells of it."""

    name: str
    schema: Json
    required: bool
    first: str = ""
    """What stands in the field at first."""
    example: str = ""


def input_fields(view: View) -> tuple[InputField, ...]:
    """The keys that an input has; none where a message is all that is taken."""
    schema = view.loaded.input_schema if view.loaded is not None else None
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(schema, dict) or not isinstance(properties, dict) or not properties:
        return ()
    needed = schema.get("required")
    required = set(needed) if isinstance(needed, list) else set()
    known = _first_values(view)
    fields = []
    for name, each in properties.items():
        value = known.get(name)
        first = "" if value is None else value if isinstance(value, str) else typed(value)
        fields.append(InputField(shown(name, 60), each, name in required, first, _example(each)))
    return tuple(fields)


def _first_values(view: View) -> dict[str, Json]:
    if view.trace.last >= 0:
        return {}
    value = view.input
    if value is None and view.loaded is not None:
        value = view.loaded.sample_input
    if isinstance(value, dict):
        return value
    return {"messages": value} if isinstance(value, str) else {}


def _example(schema: Json) -> str:
    """What a value of that kind looks like."""
    if not isinstance(schema, dict):
        return ""
    options = schema.get("enum")
    if isinstance(options, list) and options:
        return " | ".join(each if isinstance(each, str) else typed(each) for each in options[:6])
    kinds = schema.get("type")
    kind = kinds[0] if isinstance(kinds, list) and kinds else kinds
    examples = {"string": tr("a text"), "integer": "3", "number": "2.5", "boolean": "true", "array": "[1, 2]"}
    return examples.get(str(kind), '{"key": "value"}' if kind == "object" else "")


def read_fields(fields: Sequence[InputField], texts: Sequence[str]) -> tuple[Json, str]:
    """The input that a filled form means, and the first thing that is wrong with it."""
    found: dict[str, Json] = {}
    for field, text in zip(fields, texts, strict=True):
        if not text.strip():
            if field.required:
                return None, tr("{name} is required", name=field.name)
            continue
        value, problem = read_typed(text, schema=field.schema if field.schema is not None else {})
        if problem:
            return None, f"{field.name}: {problem}"
        found[field.name] = value
    return found, ""


def without_jump(value: Json) -> Json:
    """The same input, taking a jump out of the state that an earlier run left in it."""
    if isinstance(value, str):
        value = {"input": value, "messages": [{"$": "msg", "role": "user", "content": value}]}
    return {**value, JUMP_KEY: None} if isinstance(value, dict) else value


def thread_words(view: View) -> tuple[str, str]:
    """The two threads to choose from, in words."""
    name = cut_text(shown(view.thread), 24)
    count = message_count(view)
    return (tr("{thread}, {n} messages stay", thread=name, n=count) if count else name), tr("a new one")


def message_count(view: View) -> int:
    """How many messages the state holds."""
    state = view.trace.state(view.trace.head) if view.trace.head >= 0 else None
    messages = state.get("messages") if isinstance(state, dict) else None
    return len(messages) if isinstance(messages, list) else 0


def start_rows(view: View, problem: str, *, new: bool, cells: int) -> list[Row]:
    """Where it starts, what is left over, and what is wrong with the text."""
    rows: list[Row] = []
    entry = _entry(view)
    if entry:
        said = tr("Will START at {node}. It is a new run, not a resume.", node=entry)
        rows.append(row((said, "muted")))
    left = leftover(view)
    if left and not new:
        warned = tr(
            "jump_to = {word} is left over in this thread: its first reader obeys it. A new thread has none.",
            word=left,
        )
        rows += [
            row((("⚠ " if n == 0 else "  ") + line, "warning"))
            for n, line in enumerate(wrap(warned, cells - 2))
        ]
    if problem:
        rows.append(row((cut_text("✗ " + problem, cells), "failed")))
    return rows


def _entry(view: View) -> str:
    graph = view.graph
    if graph is None:
        return ""
    node = graph.anchors.entry or next((edge.target for edge in graph.leaving(START)), None)
    return shown(label_of(graph, node)) if node is not None else ""


def leftover(view: View) -> str:
    """The jump word that the thread still holds, empty if none."""
    state = view.trace.state(view.trace.head) if view.trace.head >= 0 else None
    value = state.get("jump_to") if isinstance(state, dict) else None
    return shown(value) if isinstance(value, str) else ""
