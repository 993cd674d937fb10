"""What the Next message dialog says: where the run will start, and what is left over from the last one."""

from __future__ import annotations

import json

from hookstepper.client.view import View
from hookstepper.model.ids import START, Json
from hookstepper.tui.rows.ahead import label_of
from hookstepper.tui.rows.lines import shown, wrap
from hookstepper.tui.rows.row import Row, Span, cut_text, row
from hookstepper.tui.rows.typed import typed
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


def thread_row(view: View, *, new: bool) -> Row:
    """The two threads to choose from."""
    name = cut_text(shown(view.thread), 24)
    count = message_count(view)
    stay = tr("{thread}, {n} messages stay", thread=name, n=count) if count else name
    marks = ("( )", "(•)") if new else ("(•)", "( )")
    return (
        Span(tr("Thread") + "   "),
        Span(f"{marks[0]} {stay}", "" if new else "current"),
        Span("     "),
        Span(f"{marks[1]} {tr('a new one')}", "current" if new else ""),
    )


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
