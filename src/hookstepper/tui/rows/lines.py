"""Lines of a view: a row of spans, and what the cursor is on when it stands there."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from rich.cells import cell_len, get_character_cell_size

from hookstepper.model.ids import Json, NodeId
from hookstepper.model.record import Path
from hookstepper.tui.rows.row import Role, Row, Span, cut, cut_text, pad_text, plain, row, width_of
from hookstepper.values import preview
from hookstepper.values.text import clean

LONGEST = 4096
"""Characters of one program text that are looked at for one line; no terminal is that wide."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a view."""

    row: Row = ()
    id: str = ""
    """Name of what stands here, the same in the next drawing; empty if the cursor passes over the line."""
    path: Path | None = None
    """The value of the state on this line."""
    node: NodeId | None = None
    step: int | None = None
    opens: bool | None = None
    """None: nothing to open. False: closed. True: open."""
    interest: bool = False
    """True for what the keys [ and ] go to."""
    text: str = ""
    """What copying takes; empty for the characters of the row."""
    origin: int | None = None
    """The step to which W leads where the line is no value of the state: who asked for a call."""
    cursor_cell: int = 0
    """The cell that the sign of the cursor takes; by default the first, which rows leave blank."""


BLANK = Line()


def line(*pieces: str | tuple[str, Role] | Span) -> Line:
    """A line that the cursor passes over."""
    return Line(row(*pieces))


def shown(text: str, most: int = LONGEST) -> str:
    """Text of the program on one line, safe to write: `clean`, tabs as blanks, each line end as `⏎`.

    Args:
        most: characters looked at; the rest is left off without a sign, since `cut_text` adds one.
    """
    if len(text) > most:
        text = text[:most] + "…"
    return clean(text.replace("\r\n", "\n")).replace("\n", "⏎").replace("\t", "  ")


def value_text(value: Json, cells: int) -> str:
    """An encoded value on one line of at most `cells` cells; a text that is cut keeps its closing quote."""
    if not isinstance(value, str):
        return shown(preview(value, max(2, cells)))
    # Cleaned before it is quoted: a control sequence is taken out whole, not spelled out.
    head = value[: 4 * max(cells, 2) + 64]
    inner = json.dumps(clean(head), ensure_ascii=False)[1:-1]
    if len(head) == len(value) and cell_len(inner) + 2 <= cells:
        return f'"{inner}"'
    return f'"{ended(inner, cells - 2)}"'


def ended(text: str, cells: int) -> str:
    """The beginning of a text with `…` after its last visible character, in at most `cells` cells."""
    return cut_text(text + "…", cells).removesuffix("…").rstrip() + "…"


def shown_lines(text: str, most: int = 2000) -> list[str]:
    """Text of the program as lines, each safe to write, `most` at most."""
    found = text[: LONGEST * 64].splitlines() or [""]
    lines = [shown(each) for each in found[:most]]
    if len(found) > most:
        lines.append("…")
    return lines


def wrap(text: str, width: int, *, most: int = 0) -> list[str]:
    """The text in lines of at most `width` cells, broken at blanks, and between wide characters.

    Args:
        text: already safe to write.
        most: lines at most, the last one ending with `…`; 0 means no bound.
    """
    return list(_wrapped(text, max(2, width), most))


@lru_cache(maxsize=2_000)
def _wrapped(text: str, width: int, most: int) -> tuple[str, ...]:
    # Kept: a view makes all its lines anew at each step, and nearly all texts in it are the same again.
    lines: list[str] = []
    for found in _broken(text, width):
        if most and len(lines) == most:
            lines[-1] = _ended(lines[-1], width)
            break
        lines.append(found)
    return tuple(lines) or ("",)


def _ended(text: str, width: int) -> str:
    while text and cell_len(text) + 1 > width:
        text = text[:-1]
    return text.rstrip() + "…"


def _broken(text: str, width: int) -> Iterator[str]:
    current, used = "", 0
    for word in _words(text):
        bare = cell_len(word.rstrip())
        if used + bare > width:
            # Blanks that leave no room for what they indent are dropped.
            if current.strip():
                yield current.rstrip()
            current, used = "", 0
        while bare > width:
            head = _head(word, width)
            yield head
            word = word[len(head) :]
            bare = cell_len(word.rstrip())
        current += word
        used += cell_len(word)
    if current.strip():
        yield current.rstrip()


def _head(text: str, width: int) -> str:
    used = 0
    for place, char in enumerate(text):
        used += get_character_cell_size(char)
        if used > width:
            return text[: max(1, place)]
    return text


def _words(text: str) -> Iterator[str]:
    """Pieces after each of which a line may end, with the blanks that follow them."""
    start = 0
    for place in range(1, len(text)):
        before, after = text[place - 1], text[place]
        if after == " " or after in _NEVER_FIRST or before in _NEVER_LAST:
            continue
        if before == " " or _is_wide(before) or _is_wide(after):
            yield text[start:place]
            start = place
    yield text[start:]


def _is_wide(char: str) -> bool:
    return get_character_cell_size(char) == 2


_NEVER_FIRST = frozenset("，。、；：？！）】》”’…")
_NEVER_LAST = frozenset("（【《“‘")


def fitted(lines: Iterable[Line], width: int) -> list[Line]:
    """The lines, each cut with `…` where it takes more than `width` cells."""
    return [
        each if width_of(each.row) <= width else replace(each, row=cut(each.row, width)) for each in lines
    ]


def labelled(label: str, text: Iterable[str], column: int, role: Role = "") -> list[Row]:
    """A label in the left column and lines of text beside and below it."""
    rows = []
    for place, each in enumerate(text):
        head = pad_text(" " + label if place == 0 else "", column)
        rows.append(row((head, "key"), (each, role)))
    return rows


def as_text(lines: Iterable[Line], width: int) -> str:
    """The lines as plain text, each filled or cut to `width` cells: what goldens hold."""
    return "".join(pad_text(plain(each.row), width) + "\n" for each in lines)
