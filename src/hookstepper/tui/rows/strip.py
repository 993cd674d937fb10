"""The timeline on one line, for screens that have no room for its lanes."""

from __future__ import annotations

from hookstepper.client.view import View
from hookstepper.model.ids import NodeId
from hookstepper.tui.rows.columns import Columns
from hookstepper.tui.rows.facts import Lane, lane_of
from hookstepper.tui.rows.row import Role, Row, row, width_of
from hookstepper.tui.rows.timeline import glyph_of
from hookstepper.tui.rows.timeline_window import CELL, pending
from hookstepper.tui.words import tr

STRIP_LEAD = 30
"""Cells of the numbers in the one-line form, as long as that is enough."""


def strip_row(columns: Columns, view: View, width: int) -> Row:
    """The timeline on one line: numbers, the lane that acts, a glyph a step, and who is waited for."""
    tail = row((tr("human: you") if view.stop is not None and view.stop.asks else "", "waiting"), " ")
    ahead = pending(columns, view)
    lane = _acting(view, ahead)
    count = len(columns.all) + (1 if ahead is not None else 0)
    if not count:
        return row(" " * width)
    at = columns.of_step(view.at) if view.looking_back else count - 1
    # A column takes three cells at least, so that no more than these can be in sight.
    first, last = max(0, at - width // 3), min(count, at + width // 3 + 1)
    while True:
        left = _strip_numbers(columns, first, last, at, view.looking_back)
        middle = row("  ", (tr(lane), "strong"), " ")
        glyphs = _strip_glyphs(columns, view, ahead, first, last, at)
        used = width_of(left) + width_of(middle) + width_of(glyphs) + width_of(tail)
        if used <= width or last - first <= 1:
            break
        # The side with more columns between it and the step in view gives way.
        if at - first >= last - 1 - at:
            first += max(1, (used - width) // CELL)
            first = min(first, at)
        else:
            last = max(at + 1, last - max(1, (used - width) // CELL))
    # The lane's name has a place of its own while there is room, so that it does not move with each step.
    lead = max(0, min(STRIP_LEAD - width_of(left), width - used))
    gap = max(0, width - used - lead)
    return (*left, *row(" " * lead), *middle, *glyphs, *row(" " * gap), *tail)


def _acting(view: View, ahead: tuple[NodeId, str] | None) -> Lane:
    if view.looking_back and 0 <= view.at < len(view.trace.steps):
        return lane_of(view.trace.steps[view.at].kind)
    node = view.graph.node(ahead[0]) if ahead is not None and view.graph is not None else None
    return lane_of(node.kind) if node is not None else "framework"


def _strip_numbers(columns: Columns, first: int, last: int, at: int, back: bool) -> Row:
    pieces: list[tuple[str, Role]] = [("…" if first else "", "muted")]
    for number in range(first, last):
        if number > first:
            pieces.append(("│" if columns.opens_group(number) else " ", "muted"))
        step = columns.all[number].first + 1 if number < len(columns.all) else columns.next_number
        text = f"[{step}]" if back and number == at else str(step)
        pieces.append((text, "current" if number == at else "muted"))
    return row(" ", *pieces)


def _strip_glyphs(
    columns: Columns, view: View, ahead: tuple[NodeId, str] | None, first: int, last: int, at: int
) -> Row:
    pieces: list[tuple[str, Role]] = []
    for number in range(first, last):
        if number > first and columns.opens_group(number):
            pieces.append(("│", "muted"))
        if number >= len(columns.all):
            glyph = ahead[1] if ahead is not None else ""
            pieces.append((glyph, "waiting" if glyph == "‖" else "next"))
            continue
        step = view.trace.steps[columns.all[number].first]
        lane = lane_of(step.kind)
        pieces.append((glyph_of(step, lane), "current" if number == at else lane))
    return row(*pieces)
