"""A target that did not load: the traceback cut to the user's own code, and what to try."""

from __future__ import annotations

from hookstepper.model.events import Failure, TargetNotLoaded, TraceLine
from hookstepper.tui.rows.lines import shown, wrap
from hookstepper.tui.rows.row import Row, row
from hookstepper.tui.words import tr


def load_error_rows(found: TargetNotLoaded, cells: int, *, whole: bool = False) -> list[Row]:
    """The error, the lines of the user's code that led to it, the hint, and what could be meant.

    Args:
        whole: True shows the frames of libraries and of hookstepper too.
    """
    rows: list[Row] = [row((" " + tr("The target did not load."), "failed")), ()]
    rows += failure_rows(found.failure, cells, whole=whole)
    if found.choices:
        rows += [
            (),
            row((" " + tr("It could be one of these; name it after the file, as FILE:NAME"), "muted")),
        ]
        rows += [row(f"   {shown(choice)}") for choice in found.choices]
    rows += [(), row((" " + tr("Mend it, then R loads it again. o shows what it printed."), "muted"))]
    return rows


def failure_rows(failure: Failure, cells: int, *, whole: bool = False) -> list[Row]:
    """An exception of the user's program: its title, its own lines, its hint."""
    rows = [row((" " + line, "failed")) for line in wrap(shown(failure.title), max(10, cells - 2), most=6)]
    lines = [line for line in failure.lines if whole or line.mine]
    hidden = len(failure.lines) - len(lines)
    for line in lines:
        rows += _frame_rows(line)
    if hidden:
        rows.append(
            row((" " + tr("your code only; {n} more frames, x shows the whole stack", n=hidden), "muted"))
        )
    if failure.hint:
        rows += [
            (),
            *(row((" " + line, "strong")) for line in wrap(shown(failure.hint), max(10, cells - 2), most=6)),
        ]
    return rows


def _frame_rows(line: TraceLine) -> list[Row]:
    place = line.place
    name = shown(place.file).rsplit("/", 1)[-1]
    at = f"{name}:{place.line}" if place.line is not None else name
    rows = [row(" ", (at, "strong" if line.mine else "muted"), "  ", (shown(place.function), "muted"))]
    if line.code:
        rows.append(row((f"   {place.line or ''} ▶  ", "muted"), shown(line.code.strip())))
    return rows
