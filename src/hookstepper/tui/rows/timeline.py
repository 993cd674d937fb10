"""The timeline: one column a step, one lane for each who acts, marks below.

Only the columns in sight are looked at, so that a record of ten thousand steps costs what ten steps cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from rich.cells import cell_len

from hookstepper.client.view import View
from hookstepper.model.ids import NodeId
from hookstepper.model.record import StepDone
from hookstepper.tui.rows.columns import Column, Columns, marks_text
from hookstepper.tui.rows.facts import LANES, Lane, lane_of, seconds
from hookstepper.tui.rows.row import Role, Row, cut_text, pad_text, row
from hookstepper.tui.rows.timeline_window import BAR, CELL, LABELS, Place, Window, pending, places
from hookstepper.tui.words import tr

Unit = Literal["time", "tokens"]
_GLYPHS: dict[Lane, str] = {"framework": "●", "model": "◆", "tool": "■", "human": "✎"}


def timeline_rows(
    columns: Columns, view: View, width: int, height: int, seen: Window, *, unit: Unit = "time"
) -> list[Row]:
    """The rows that fit into the height, the most important ones first to stay.

    Groups, numbers and four lanes are 6; `time` is the 7th, `marks` the 8th. With room for 7 the marks take
    the place of the times while there are marks to show.
    """
    sheet = _Sheet(columns, view, width, seen, unit)
    rows = [sheet.groups(), sheet.numbers(), *(sheet.lane(lane) for lane in LANES)]
    marks, times = sheet.marks(), sheet.times()
    if height >= 8:
        rows += [marks, times]
    elif height == 7:
        rows.append(marks if len(marks) > 1 and sheet.has_marks else times)
    return rows[: max(0, height)]


class _Sheet:
    """One drawing: cells are put at places, bars fill in between."""

    def __init__(self, columns: Columns, view: View, width: int, seen: Window, unit: Unit) -> None:
        self.columns = columns
        self.view = view
        self.width = width
        self.places = places(columns, seen)
        self.unit = unit
        self.has_marks = False
        self.at = columns.of_step(view.at) if view.looking_back else -1
        self.bars = [
            place.start - cell_len(BAR) for place in self.places[1:] if columns.opens_group(place.column)
        ]

    def column(self, place: Place) -> Column | None:
        """The column of a place; None for the one of what runs next."""
        return self.columns.all[place.column] if place.column < len(self.columns.all) else None

    def line(self, name: str, cells: Sequence[tuple[int, str, Role]], name_role: Role = "muted") -> Row:
        """A row of texts at their cells, cut where the next one or a bar begins."""
        marks: list[tuple[int, str, Role]] = [(at, "│", "muted") for at in self.bars]
        items = sorted([*cells, *marks], key=lambda item: item[0])
        pieces: list[tuple[str, Role]] = [(pad_text("  " + name, LABELS), name_role)]
        used = LABELS
        for place, (at, text, role) in enumerate(items):
            if at < used:
                continue
            limit = items[place + 1][0] if place + 1 < len(items) else self.width
            text = cut_text(text, max(0, min(limit, self.width) - at))
            pieces += [(" " * (at - used), ""), (text, role)]
            used = at + cell_len(text)
        return row(*(piece for piece in pieces if piece[0]))

    def groups(self) -> Row:
        cells: list[tuple[int, str, Role]] = []
        last = None
        for place in self.places:
            group = self.columns.group_of(place.column)
            if group is not None and group is not last:
                cells.append((place.start, group_text(group.kind, group.number), "title"))
            last = group
        return self.line("", cells)

    def numbers(self) -> Row:
        cells: list[tuple[int, str, Role]] = []
        for place in self.places:
            column = self.column(place)
            number = self.view.trace.last + 2 if column is None else column.first + 1
            role: Role = "current" if place.column == self.at else "next" if column is None else "muted"
            cells.append((place.start, str(number), role))
        return self.line("", cells)

    def lane(self, lane: Lane) -> Row:
        cells = [cell for place in self.places if (cell := self._cell(place, lane)) is not None]
        lit = self._lit() == lane
        return self.line(tr(lane), cells, "strong" if lit else "muted")

    def _lit(self) -> Lane:
        """The lane of the step in view, or of what runs next."""
        if self.view.looking_back and 0 <= self.view.at < len(self.view.trace.steps):
            return lane_of(self.view.trace.steps[self.view.at].kind)
        ahead = pending(self.columns, self.view)
        node = self.view.graph.node(ahead[0]) if ahead is not None and self.view.graph is not None else None
        return lane_of(node.kind) if node is not None else "framework"

    def _cell(self, place: Place, lane: Lane) -> tuple[int, str, Role] | None:
        column = self.column(place)
        if column is None:
            return self._ahead(place, lane)
        steps = [self.view.trace.steps[index] for index in column.steps]
        if lane == "human":
            acted = any(self.view.trace.human(step.index) for step in steps)
            return (place.start, _GLYPHS["human"], "human") if acted else None
        mine = [step for step in steps if lane_of(step.kind) == lane]
        if not mine:
            return None
        glyph = glyph_of(mine[0], lane)
        if len(mine) > 1:
            glyph += str(len(mine))
        role: Role = "failed" if mine[0].error else "muted" if glyph == "∅" else lane
        return (place.start, glyph, "current" if place.column == self.at else role)

    def _ahead(self, place: Place, lane: Lane) -> tuple[int, str, Role] | None:
        ahead = pending(self.columns, self.view)
        if ahead is None or self._lit_ahead(ahead[0]) != lane:
            return None
        role: Role = {"‖": "waiting", "✗": "failed"}.get(ahead[1], "next")  # type: ignore[assignment]
        return (place.start, ahead[1], role)

    def _lit_ahead(self, node_id: NodeId) -> Lane:
        node = self.view.graph.node(node_id) if self.view.graph is not None else None
        return lane_of(node.kind) if node is not None else "framework"

    def marks(self) -> Row:
        cells: list[tuple[int, str, Role]] = []
        for place in self.places:
            column = self.column(place)
            text = marks_text(self.view, column) if column is not None else ""
            if place.column == self.at:
                text = "▲" + text
            if text:
                role: Role = "current" if place.column == self.at else "warning"
                cells.append((place.start, text, role))
        self.has_marks = bool(cells)
        return self.line(tr("marks"), cells)

    def times(self) -> Row:
        texts = [(place, self._measure(place)) for place in self.places]
        cells: list[tuple[int, str, Role]] = []
        for number, (place, text) in enumerate(texts):
            tight = (
                number + 1 < len(texts)
                and texts[number + 1][1]
                and texts[number + 1][0].start == place.start + CELL
            )
            if text:
                cells.append((place.start, _tighter(text) if tight else text, "muted"))
        return self.line(tr("time") if self.unit == "time" else tr("tokens"), cells)

    def _measure(self, place: Place) -> str:
        column = self.column(place)
        if column is None:
            return ""
        steps = [self.view.trace.steps[index] for index in column.steps]
        if self.unit == "tokens":
            return short_count(sum(step.usage.total for step in steps if step.usage is not None))
        return seconds(max(step.duration_us for step in steps))


def _tighter(text: str) -> str:
    """Three cells instead of four, where the next column holds a number too."""
    if len(text) < CELL:
        return text
    return text[1:] if text.startswith("0") else text.split(".")[0] + text[-1]


def short_count(count: int) -> str:
    """A number in at most four cells: `212`, `1.2k`, `34k`; empty for none."""
    if count <= 0:
        return ""
    if count < 1000:
        return str(count)
    if count < 9950:
        return f"{count / 1000:.1f}k"
    return f"{count / 1000:.0f}k" if count < 999_500 else f"{count / 1_000_000:.0f}M"


def glyph_of(step: StepDone, lane: Lane) -> str:
    """The sign of one step: failed, ran but wrote nothing, or its lane's."""
    if step.error:
        return "✗"
    if not step.delta and lane == "framework":
        return "∅"
    return _GLYPHS[lane]


def group_text(kind: str, number: int) -> str:
    """`setup`, `turn 2`, `end`."""
    if kind == "turn":
        return tr("turn {n}", n=number)
    return tr(kind) if kind else ""


def timeline_titles(view: View) -> tuple[str, str]:
    """Both ends of the frame's upper edge."""
    branch = view.trace.steps[view.at].branch if 0 <= view.at < len(view.trace.steps) else ""
    name = tr("Timeline")
    if len(view.trace.branches) > 1:
        name = f"{name} · {branch}"
    if view.looking_back:
        count = view.trace.last + 1
        where = (
            tr("the input, looking back")
            if view.at < 0
            else tr("step {n} of {count}, looking back", n=view.at + 1, count=count)
        )
        return (f"{name} · {branch}" if branch and len(view.trace.branches) < 2 else name), where
    return name, tr(", . look back   < > marks   G live")
