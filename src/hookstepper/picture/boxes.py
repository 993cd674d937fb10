"""What a node looks like: its size, and its text with and without marks."""

from __future__ import annotations

from dataclasses import dataclass

from hookstepper.model.graph import HOOK_KINDS
from hookstepper.model.ids import NodeId
from hookstepper.picture.glyphs import SETS, border_style
from hookstepper.picture.layout import Place
from hookstepper.picture.marks import ASCII_GLYPHS, Marks, mark_of
from hookstepper.picture.options import GlyphSet, Options, Zoom, plain
from hookstepper.picture.view import Box
from hookstepper.picture.width import cell_width, clip

_ENDS = ("start", "end")


@dataclass(frozen=True, slots=True)
class Stroke:
    """Text to put at a cell, with its role."""

    x: int
    y: int
    text: str
    role: str


def size_of(box: Box, zoom: Zoom, max_label: int, glyphs: GlyphSet) -> tuple[int, int]:
    """Width (odd, so that the middle is a cell) and height of a node, room for every mark included.

    A dot that may ask a person has brackets, the right one being that sign. In ASCII each dot has brackets,
    or the marks `v` and `>` would be taken for arrows.
    """
    if not box.members:
        return 1, 1
    if zoom == "dots":
        return (3 if box.asks or glyphs == "ascii" else 1), 1
    inner = text_width(box, max_label)
    inner = max([inner, *(cell_width(line) for line in box.lines)])
    width = inner + (4 if box.kind in _ENDS else 6)
    width += 1 - width % 2
    if zoom != "box":
        return width, 1
    height = 3 + len(box.lines)
    return width, height + 1 - height % 2


def text_width(box: Box, max_label: int) -> int:
    """Cells of the widest text that the node may show."""
    label = max(cell_width(clip(text, max_label)) for text in (box.label, *box.stages))
    return label + cell_width(box.suffix)


def text_offset(box: Box, zoom: Zoom, width: int) -> tuple[int, int, int]:
    """Offsets from the node's left top: column of the mark, column of the label, row of both."""
    if zoom == "dots" or not box.members:
        return width // 2, width // 2, 0
    row = 1 if zoom == "box" else 0
    return (1, 2, row) if box.kind in _ENDS else (2, 4, row)


def role_of(box: Box) -> str:
    """Role words of a node without marks."""
    kind = "hook" if box.kind in HOOK_KINDS else box.kind
    words = f"node {kind}"
    if box.unknown:
        words += " unknown"
    if box.hidden:
        words += " hidden"
    return words + (" asks" if box.asks else "")


def strokes(box: Box, place: Place, options: Options, max_label: int, marks: Marks) -> list[Stroke]:
    """Everything to be drawn for a node, in order; later strokes cover earlier ones.

    With equal `box`, `place` and `options` the same cells are covered whatever the marks.
    """
    role = role_of(box)
    if not box.members:
        return [Stroke(place.x, place.y, "?", role + " unknown")]
    mark = mark_of(marks, place.members)
    if mark is not None:
        role += f" {mark[0].replace('_', '-')}"
    if marks.cursor is not None and marks.cursor in place.members:
        role += " cursor"
    glyph = "" if mark is None or _goes_without(box, mark[0]) else _set_glyph(mark[1], options)
    if options.zoom == "dots":
        kind = "hook" if box.kind in HOOK_KINDS else box.kind
        dot = SETS[options.glyphs].dots[kind]
        point = _breakpoint(place.members, marks, options)
        sides = _brackets(box, place, options, role) if place.width > 1 else []
        return [*sides, Stroke(place.x + place.width // 2, place.y, glyph or point or dot, role)]
    out = _frame(box, place, options, role) if options.zoom == "box" else _brackets(box, place, options, role)
    label = _label(box, place.members, marks)
    shown = clip(label, max_label)
    if shown != label:
        shown = shown[:-1] + plain("…", options.glyphs)
    out.append(Stroke(place.text_x, place.text_y, shown, role))
    if box.stages and shown == box.label:
        head, _, count = shown.rpartition(" ")
        out.append(Stroke(place.text_x + cell_width(head) + 1, place.text_y, count, f"{role} fold"))
    at = place.text_x + cell_width(shown)
    for text, word in box.parts:
        out.append(Stroke(at, place.text_y, text, f"{role} {word}"))
        at += cell_width(text)
    for row, line in enumerate(box.lines, 1):
        out.append(Stroke(place.text_x, place.text_y + row, line, role + " ring"))
    if glyph and mark is not None:
        out.append(Stroke(place.mark_x, place.text_y, glyph, role + " mark"))
    if any(node in place.members for node, _ in marks.jumps):
        at = place.mark_x + (1 if box.kind not in _ENDS else 0)
        out.append(Stroke(at, place.text_y, _set_glyph("↷", options), role + " jump"))
    point = _breakpoint(place.members, marks, options)
    if point:
        state = "breakpoint" if point in "●*" else "breakpoint disabled"
        out.append(Stroke(place.x, place.text_y, point, f"{role} {state}"))
    return out


def _goes_without(box: Box, mark: str) -> bool:
    """START and END run nothing: that they were passed is told by role alone."""
    return box.kind in _ENDS and mark in ("done", "earlier", "quiet")


def _label(box: Box, members: tuple[NodeId, ...], marks: Marks) -> str:
    """Of a folded chain: the stage of the member that a run is at."""
    for held in (marks.failed, marks.waiting, marks.current):
        for index, member in enumerate(members):
            if box.stages and member in held:
                return box.stages[index]
    return box.label


def _breakpoint(members: tuple[NodeId, ...], marks: Marks, options: Options) -> str:
    if any(node in marks.breakpoints for node in members):
        return _set_glyph("●", options)
    return _set_glyph("○", options) if any(node in marks.disabled for node in members) else ""


def _set_glyph(glyph: str, options: Options) -> str:
    return glyph if options.glyphs == "unicode" else ASCII_GLYPHS[glyph]


def _brackets(box: Box, place: Place, options: Options, role: str) -> list[Stroke]:
    """The one-row form; a node that may ask a person closes with the sign of a pause."""
    left, right = ("(", ")") if box.kind in _ENDS else ("[", "]")
    if box.asks:
        right = _set_glyph("‖", options)
    blank = " " * (place.width - 2)
    return [Stroke(place.x, place.y, left + blank + right, role)]


def _frame(box: Box, place: Place, options: Options, role: str) -> list[Stroke]:
    top_left, top, top_right, side, bottom_left, bottom_right = tuple(
        SETS[options.glyphs].borders[border_style(box.kind)]
    )
    bar, blank = top * (place.width - 2), " " * (place.width - 2)
    bottom = place.y + place.height - 1
    out = [Stroke(place.x, place.y, top_left + bar + top_right, role)]
    out += [Stroke(place.x, y, side + blank + side, role) for y in range(place.y + 1, bottom)]
    out.append(Stroke(place.x, bottom, bottom_left + bar + bottom_right, role))
    if box.asks:
        out.append(Stroke(place.x + 2, place.y, _set_glyph("‖", options), role))
    return out
