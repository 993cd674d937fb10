"""The top line: what is debugged, and with what."""

from __future__ import annotations

import re

from hookstepper.client.view import View
from hookstepper.tui.rows.lines import shown
from hookstepper.tui.rows.row import Role, Row, Span, cut_text, spread
from hookstepper.tui.words import language, tr


def top_row(view: View, cells: int) -> Row:
    """Target, thread, run and rules on the left; engine, interpreter and language on the right."""
    target = shown(view.target).rsplit("/", 1)[-1]
    if view.loaded is not None and ":" not in target and view.loaded.attr:
        target = f"{target}:{shown(view.loaded.attr)}"
    left: list[Span] = [
        Span(" "),
        Span("hookstepper", "title"),
        Span("  "),
        Span(cut_text(target, 40), "strong"),
    ]
    if view.watching:
        left += _word(tr("watching files"), "waiting")
    left += _word(tr("thread {name}", name=_thread_name(view.thread)))
    if view.run:
        left += _word(tr("run {n}", n=view.run))
    if view.graph is not None and view.graph.rules:
        left += _word(tr("upstream rules") if view.graph.rules == "upstream" else tr("fixed rules"))
    right: list[str] = []
    if view.graph is not None and view.graph.engine:
        right.append(tr(shown(view.graph.engine)))
    if view.loaded is not None and view.loaded.interpreter:
        right.append(shown(view.loaded.interpreter))
    right.append(language())
    return spread(
        tuple(left), (Span(cut_text(" · ".join(right), max(2, cells // 2)), "muted"), Span(" ")), cells
    )


def _thread_name(thread: str) -> str:
    """A name as it is; of an id that a program made, as much as tells it from others."""
    if _MADE.fullmatch(thread):
        return thread[:8] + "…"
    return cut_text(shown(thread), 24)


_MADE = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def _word(text: str, role: Role = "muted") -> list[Span]:
    return [Span("   "), Span(text, role)]
