"""Which columns of the timeline are in sight, and where each is drawn."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len

from hookstepper.client.view import View
from hookstepper.model.ids import NodeId
from hookstepper.tui.rows.columns import Columns

CELL = 4
"""Cells of one column."""


BAR = "│ "
"""What stands before the first column of each group but the first in sight."""


LABELS = 14
"""Cells of the lane names."""


@dataclass(frozen=True, slots=True)
class Window:
    """Which columns are in sight."""

    first: int
    last: int
    """The column after the last one in sight; the column of what runs next counts as one."""
    ahead: bool
    """True if the column of what runs next is in sight."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a column is drawn: `start` is its first cell."""

    column: int
    start: int


def window(columns: Columns, view: View, width: int, first: int | None = None) -> Window:
    """The columns that fit into the width; they hold the step in view, or begin at `first`."""
    count = len(columns.all) + (1 if pending(columns, view) else 0)
    if first is not None:
        start = max(0, min(first, count - 1))
    else:
        at = columns.of_step(view.at) if view.looking_back else count - 1
        start = _start(columns, at, count, width)
    last = start
    used = LABELS
    while last < count:
        used += CELL + (cell_len(BAR) if last > start and columns.opens_group(last) else 0)
        if used > width:
            break
        last += 1
    last = max(last, min(start + 1, count))
    return Window(start, last, last == count and pending(columns, view) is not None)


def _start(columns: Columns, at: int, count: int, width: int) -> int:
    """The first column in sight: 0 while all fits, else `at` has up to a third of the room after it."""
    if _cells(columns, 0, count) <= width - LABELS:
        return 0
    after = min(count - 1 - at, max(0, (width - LABELS) // CELL // 3))
    end = min(count, at + after + 1)
    start = end
    while start > 0 and _cells(columns, start - 1, end) <= width - LABELS:
        start -= 1
    return max(0, min(start, at))


def _cells(columns: Columns, first: int, last: int) -> int:
    if (last - first) * CELL > 4000:
        return (last - first) * CELL
    bars = sum(1 for each in range(first + 1, last) if columns.opens_group(each))
    return (last - first) * CELL + bars * cell_len(BAR)


def pending(columns: Columns, view: View) -> tuple[NodeId, str] | None:
    """The node that runs next or now and its glyph, at the live end; None if none does."""
    if not columns.live:
        return None
    if view.stop is not None and view.stop.asks:
        return view.stop.asks[0].node, "‖"
    if view.failed_at is not None and view.phase == "failed":
        return view.failed_at, "✗"
    if view.live:
        return view.live[0].site.node, "▶"
    if view.stop is not None and view.stop.next and view.phase in ("ready", "stopped"):
        return view.stop.next[0], "▶"
    return None


def places(columns: Columns, seen: Window) -> list[Place]:
    """Where each column in sight begins."""
    found: list[Place] = []
    at = LABELS
    for number in range(seen.first, seen.last):
        if number > seen.first and columns.opens_group(number):
            at += cell_len(BAR)
        found.append(Place(number, at))
        at += CELL
    return found
