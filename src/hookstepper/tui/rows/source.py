"""The Source tab: the function behind a node, the line of its definition, and the line where it is held."""

from __future__ import annotations

import ast
import io
import keyword
import token
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from hookstepper.client.view import View
from hookstepper.model.gates import Frame
from hookstepper.model.graph import SourcePlace
from hookstepper.model.ids import END, START, NodeId
from hookstepper.tui.rows.facts import label, node_of, place_text, step_in_view
from hookstepper.tui.rows.lines import BLANK, Line, line, shown, wrap
from hookstepper.tui.rows.row import Role, Row, Span, row
from hookstepper.tui.rows.state import Folding, value_lines
from hookstepper.tui.words import tr

LARGEST = 2_000_000
"""Bytes of a source file that is read; larger ones are data."""
ABOVE = 2
"""Lines shown above a function."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """The text of a file as it is now; `problem` says why there is none."""

    lines: tuple[str, ...] = ()
    problem: str = ""


def place_in_view(view: View, chosen: NodeId | None) -> tuple[SourcePlace | None, NodeId | None, bool]:
    """What the tab is about: a place, its node, and whether a task is held on that very line."""
    frame = line_frame(view)
    stop = view.stop
    if frame is not None and stop is not None and stop.site is not None and chosen in (None, stop.site.node):
        return frame.source, stop.site.node, True
    step = step_in_view(view)
    node = chosen or next(iter(view.next_nodes), None) or (step.site.node if step is not None else None)
    if node in (START, END):
        node = step.site.node if step is not None else None
    found = node_of(view, node) if node is not None else None
    return (found.source if found is not None else None), node, False


def line_frame(view: View) -> Frame | None:
    """The frame of the program's own code in which the task is held; None if it is in none."""
    if view.stop is None or view.looking_back:
        return None
    return next((frame for frame in view.stop.frames if frame.kind == "line"), None)


def source_lines(view: View, width: int, chosen: NodeId | None, folding: Folding) -> list[Line]:
    """The function, or with `folding.whole` the file; locals stand below while a line is held."""
    place, node, held = place_in_view(view, chosen)
    if node is None:
        return [line(" ", (tr("Nothing runs next, and no step is in view."), "muted"))]
    if place is None or not place.file:
        said = tr("{node} has no source: built into the framework.", node=label(view, node))
        return [line(" ", (each, "muted")) for each in wrap(said, width - 2)]
    head: list[Line] = [
        Line(row(" ", (label(view, node), "title"), f"  {place_text(place)}"), "src:", node=node)
    ]
    source = read_source(place.file)
    if source.problem:
        said = tr("Not readable: {why}", why=shown(source.problem))
        return [*head, *(line(" ", (each, "muted")) for each in wrap(said, width - 2))]
    first, last = (1, len(source.lines)) if folding.whole else _extent(source.lines, place)
    mark = place.line if held else None
    lines = [*head, BLANK]
    coloured = _coloured(source.lines)
    lines += [_numbered(n, coloured[n - 1], mark, place.line) for n in range(first, last + 1)]
    frame = line_frame(view)
    if held and frame is not None and isinstance(frame.locals, dict):
        lines += [BLANK, line(" ", (tr("Locals of {name}", name=shown(frame.name, 60)), "title"))]
        lines += value_lines(view, width, folding, frame.locals, "locals")
    return lines


def _numbered(number: int, text: Row, held_at: int | None, defined_at: int | None) -> Line:
    here = number == held_at
    mark: tuple[str, Role] = ("▶", "current") if here else (" ", "")
    if not here and number == defined_at and held_at is None:
        mark = ("»", "next")
    body = tuple(Span(span.text, "current") for span in text) if here else text
    spans = row(" ", (f"{number:>4}", "muted"), " ", mark, " ")
    return Line((*spans, *body), f"src:{number}", interest=number in (held_at, defined_at))


def current_place(lines: Sequence[Line]) -> int:
    """Index of the line that should be in sight: where the task is held, else the definition."""
    for n, each in enumerate(lines):
        if each.interest:
            return n
    return 0


def read_source(file: str) -> SourceFile:
    """The file's lines; read anew when the file changed."""
    try:
        stamp = Path(file).stat()
    except (OSError, ValueError) as error:
        return SourceFile(problem=getattr(error, "strerror", None) or str(error))
    if stamp.st_size > LARGEST:
        return SourceFile(problem=tr("{n} bytes are too many", n=f"{stamp.st_size:,}"))
    return _read(file, stamp.st_mtime_ns, stamp.st_size)


@lru_cache(maxsize=16)
def _read(file: str, _changed: int, _size: int) -> SourceFile:
    try:
        with tokenize.open(file) as opened:
            return SourceFile(tuple(opened.read().splitlines()))
    except (OSError, SyntaxError, UnicodeError, ValueError) as error:
        return SourceFile(problem=str(error))


def _extent(lines: tuple[str, ...], place: SourcePlace) -> tuple[int, int]:
    """First and last line of the function at a place; some lines around it if it cannot be parsed."""
    at = min(max(place.line or 1, 1), max(len(lines), 1))
    first, last = _function(lines, at) or (at, min(at + 40, len(lines)))
    return max(1, first - ABOVE), last


@lru_cache(maxsize=16)
def _functions(lines: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    try:
        tree = ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            found.append((first, node.end_lineno or node.lineno))
    return tuple(found)


def _function(lines: tuple[str, ...], at: int) -> tuple[int, int] | None:
    """The innermost function or class that holds a line."""
    around = [(first, last) for first, last in _functions(lines) if first <= at <= last]
    return min(around, key=lambda pair: pair[1] - pair[0], default=None)


# ------------------------------------------------------------------------------------------ colours


@lru_cache(maxsize=16)
def _coloured(lines: tuple[str, ...]) -> tuple[Row, ...]:
    """Each line as a row; keywords, texts, numbers and comments in their roles."""
    lines = tuple(shown(text) for text in lines)
    roles: dict[int, list[tuple[int, int, Role]]] = {}
    try:
        for found in tokenize.generate_tokens(io.StringIO("\n".join(lines) + "\n").readline):
            role = _role(found)
            if role:
                for number in range(found.start[0], found.end[0] + 1):
                    start = found.start[1] if number == found.start[0] else 0
                    end = found.end[1] if number == found.end[0] else 1 << 30
                    roles.setdefault(number, []).append((start, end, role))
    except (tokenize.TokenError, SyntaxError, ValueError):
        pass  # what was read up to there keeps its colours
    return tuple(_painted(text, roles.get(number, [])) for number, text in enumerate(lines, 1))


def _role(found: tokenize.TokenInfo) -> Role:
    if found.type == token.COMMENT:
        return "muted"
    if found.type == token.NUMBER:
        return "number"
    if found.type == token.STRING or tokenize.tok_name[found.type].startswith("FSTRING"):
        return "string"
    return "key" if found.type == token.NAME and keyword.iskeyword(found.string) else ""


def _painted(text: str, pieces: Sequence[tuple[int, int, Role]]) -> Row:
    spans: list[Span] = []
    at = 0
    for start, end, role in pieces:
        if start > at:
            spans.append(Span(text[at:start]))
        spans.append(Span(text[max(start, at) : end], role))
        at = max(at, min(end, len(text)))
    if at < len(text):
        spans.append(Span(text[at:]))
    return tuple(spans)
