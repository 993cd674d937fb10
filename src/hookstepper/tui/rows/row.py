"""The shape that all rows share: spans of text, each with the role that tells its colour."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from rich.cells import cell_len, chop_cells

Role = Literal[
    "",
    "muted",
    "strong",
    "title",
    "key",
    "current",
    "next",
    "done",
    "added",
    "removed",
    "changed",
    "failed",
    "waiting",
    "warning",
    "ok",
    "model",
    "tool",
    "human",
    "framework",
    "breakpoint",
    "name",
    "string",
    "number",
    "cursor",
    "disabled",
]
"""What a piece of text means; `styles/roles.tcss` gives each a colour."""


class Span(NamedTuple):
    """A piece of one row."""

    text: str
    role: Role = ""


Row: TypeAlias = tuple[Span, ...]
"""One line, left to right; holds no line break and no control character."""


def row(*pieces: str | tuple[str, Role] | Span) -> Row:
    """A row of pieces; a bare string has no role."""
    return tuple(Span(piece) if isinstance(piece, str) else Span(*piece) for piece in pieces)


def plain(line: Row) -> str:
    """The text of a row without roles."""
    return "".join(span.text for span in line)


def width_of(line: Row) -> int:
    """Terminal cells that a row takes."""
    return sum(cell_len(span.text) for span in line)


def cut_text(text: str, cells: int) -> str:
    """`text`, ended with `…` if it takes more than `cells` terminal cells."""
    if cell_len(text) <= cells:
        return text
    if cells < 1:
        return ""
    return _first_cells(text, cells - 1) + "…"


def pad_text(text: str, cells: int) -> str:
    """`text` cut or filled with spaces to exactly `cells` terminal cells."""
    text = cut_text(text, cells)
    return text + " " * (cells - cell_len(text))


def cut(line: Row, cells: int) -> Row:
    """A row cut from the right to at most `cells` cells, with `…` where something is missing."""
    if width_of(line) <= cells:
        return line
    kept: list[Span] = []
    left = cells
    for span in line:
        wide = cell_len(span.text)
        if wide < left:
            kept.append(span)
            left -= wide
            continue
        # One cell too much to come: this span must hold the ellipsis, even if it would just fit.
        kept.append(Span(_ellipsed(span.text, left), span.role))
        break
    return tuple(kept)


def _ellipsed(text: str, cells: int) -> str:
    if cells < 1:
        return ""
    return _first_cells(text, cells - 1) + "…"


_SIGNS_A_CELL = 8
"""Code points that a cell is taken to hold at most: a long text is not measured to its end to be cut."""


def _first_cells(text: str, cells: int) -> str:
    """As much of a text as `cells` cells hold."""
    if cells < 1 or not text:
        return ""
    if text.isascii():
        return text[:cells]
    return chop_cells(text[: cells * _SIGNS_A_CELL], cells)[0]


def spread(left: Row, right: Row, cells: int) -> Row:
    """`left` and `right` at the two ends of `cells` cells; `left` is cut first."""
    room = max(0, cells - width_of(right))
    left = cut(left, max(0, room - 1))
    gap = max(0, cells - width_of(left) - width_of(right))
    return cut((*left, Span(" " * gap), *right), cells)
