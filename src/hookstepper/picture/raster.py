"""Marks on a laid out picture. Only the rows that a mark touches are made anew."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from hookstepper.model.ids import NodeId
from hookstepper.picture.boxes import Stroke, strokes
from hookstepper.picture.canvas import Canvas, Row
from hookstepper.picture.glyphs import SETS, lit_glyph
from hookstepper.picture.grid import write
from hookstepper.picture.layout import Cell, Frame, Layout, Wire
from hookstepper.picture.marks import ASCII_GLYPHS, NO_MARKS, Marks, mark_of


def raster(plan: Layout, marks: Marks = NO_MARKS) -> Canvas:
    """The picture with marks. Untouched rows are those of `plan.base`, so that `is` tells what changed."""
    if marks == NO_MARKS:
        return plan.base
    sheet = _Sheet(plan)
    _light(sheet, plan, marks)
    for box in plan.boxes:
        place = plan.places[box.id]
        if _is_marked(place.members, marks):
            for stroke in strokes(box, place, plan.options, plan.max_label, marks):
                sheet.put(stroke, keep_ports=plan.options.zoom == "box")
    for frame in plan.frames:
        _mark_title(sheet, plan, frame, marks)
    for node, word in marks.jumps:
        _write_jump(sheet, plan, node, word)
    return sheet.canvas()


class _Sheet:
    """A copy of the base canvas, row by row when a row is first written on."""

    def __init__(self, plan: Layout) -> None:
        self.plan = plan
        self.open: dict[int, tuple[list[str], list[str]]] = {}

    def row(self, y: int) -> tuple[list[str], list[str]]:
        if y not in self.open:
            row = self.plan.base.rows[y]
            self.open[y] = list(row.chars), list(row.roles)
        return self.open[y]

    def put(self, stroke: Stroke, keep_ports: bool = False) -> None:
        if not 0 <= stroke.y < self.plan.height:
            return
        chars, roles = self.row(stroke.y)
        if not keep_ports or len(stroke.text) < 3:
            write(chars, roles, stroke)
            return
        before = self.plan.base.rows[stroke.y].chars
        write(chars, roles, stroke)
        for x in (stroke.x, stroke.x + len(stroke.text) - 1):
            if before[x] in _PORT_CELLS:
                chars[x] = before[x]
        if stroke.text[1] in "─━═-=*":
            for x in range(stroke.x, stroke.x + len(stroke.text)):
                if before[x] in _PORT_CELLS:
                    chars[x] = before[x]

    def is_blank(self, x: int, y: int, count: int) -> bool:
        chars, _ = self.row(y)
        return x >= 0 and x + count <= len(chars) and all(char == " " for char in chars[x : x + count])

    def canvas(self) -> Canvas:
        base = self.plan.base
        rows = list(base.rows)
        for y, (chars, roles) in self.open.items():
            if tuple(chars) != tuple(rows[y].chars) or tuple(roles) != tuple(rows[y].roles):
                rows[y] = Row(tuple(chars), tuple(roles))
        return replace(base, rows=tuple(rows))


def _mark_title(sheet: _Sheet, plan: Layout, frame: Frame, marks: Marks) -> None:
    """Tell on the title of an open subgraph that a run is at it, or will be, in the blanks around the title.

    What ran in it shows on its nodes, and is not said again.
    """
    mark = mark_of(marks, (frame.id,))
    urgent = mark is not None and mark[0] in _ON_TITLES
    point = frame.id in marks.breakpoints or frame.id in marks.disabled
    cells = _title_cells(plan, frame) if urgent or point else None
    if cells is None:
        return
    left, right, y = cells
    chars, roles = sheet.row(y)

    def sign(glyph: str) -> str:
        return glyph if plan.options.glyphs == "unicode" else ASCII_GLYPHS[glyph]

    if urgent and mark is not None:
        chars[left] = sign(mark[1])
        word = mark[0].replace("_", "-")
        for x in range(left, right + 1):
            roles[x] += f" {word}"
    if point:
        enabled = frame.id in marks.breakpoints
        chars[right] = sign("●" if enabled else "○")
        roles[right] += " breakpoint" if enabled else " breakpoint disabled"


def _title_cells(plan: Layout, frame: Frame) -> tuple[int, int, int] | None:
    """First and last column of a title, with the blanks around it, and its row; None if there is none."""
    for y in (frame.y, frame.y + frame.height - 1):
        roles = plan.base.rows[y].roles
        found = [x for x in range(frame.x, frame.x + frame.width) if "title" in roles[x].split()]
        if found:
            return found[0], found[-1], y
    return None


_ON_TITLES = frozenset({"failed", "waiting", "current", "next"})
_PORT_CELLS = frozenset("┬┴├┤┯┷┠┨╤╧╟╢+‖")


def _is_marked(members: tuple[NodeId, ...], marks: Marks) -> bool:
    if mark_of(marks, members) is not None or marks.cursor in members:
        return True
    jumping = {node for node, _ in marks.jumps}
    return any(m in marks.breakpoints or m in marks.disabled or m in jumping for m in members)


def _light(sheet: _Sheet, plan: Layout, marks: Marks) -> None:
    """Make lit lines bold, and tell observed ones by role; under a bridge nothing is drawn."""
    glyphs = SETS[plan.options.glyphs]
    for links, word in ((marks.observed, "observed"), (marks.lit, "lit")):
        arms: dict[Cell, int] = {}
        ends: set[Cell] = set()
        for index in sorted({plan.wire_of[link] for link in links if link in plan.wire_of}):
            wire = plan.wires[index]
            if wire.source == wire.target:
                continue
            ends.add(wire.cells[-1])
            for cell, mask in _own_arms(plan, wire).items():
                if index in plan.arms[cell][1]:
                    arms[cell] = arms.get(cell, 0) | mask
        for (x, y), lit in arms.items():
            chars, roles = sheet.row(y)
            if word in roles[x].split():
                continue
            if word == "lit" and (x, y) not in ends and roles[x].startswith("edge"):
                mask = plan.arms[x, y][0]
                style = 1 if "dashed" in roles[x] else 0
                chars[x] = lit_glyph(glyphs, mask, lit & mask, style) if lit & mask else chars[x]
            roles[x] += f" {word}"


def _own_arms(plan: Layout, wire: Wire) -> dict[Cell, int]:
    """Directions of one line on each of its cells, towards its source on the first."""
    arms = dict.fromkeys(wire.cells, 0)
    for (x0, y0), (x1, y1) in pairwise(wire.cells):
        out, into = (2, 8) if x1 > x0 else (8, 2) if x1 < x0 else (4, 1) if y1 > y0 else (1, 4)
        arms[x0, y0] |= out
        arms[x1, y1] |= into
    if wire.cells:
        source = plan.places[wire.source]
        x, y = wire.cells[0]
        arms[x, y] |= 1 if y >= source.y + source.height else 8 if x >= source.x + source.width else 2
    return arms


def _write_jump(sheet: _Sheet, plan: Layout, node: NodeId, word: str) -> None:
    """Name the target of a waiting jump beside its node, if the cells there are empty."""
    place = plan.place(node)
    if place is None or plan.options.zoom == "dots":
        return
    sign = "↷" if plan.options.glyphs == "unicode" else ASCII_GLYPHS["↷"]
    text = f"{sign} {word}"
    for x in (place.x + place.width + 1, place.x - len(text) - 1):
        if sheet.is_blank(x - 1, place.text_y, len(text) + 2):
            sheet.put(Stroke(x, place.text_y, text, "jump"))
            return
