"""Tab strips: of the inspector, and of all panes where only one fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hookstepper.tui.rows.row import Row, Span, row, width_of
from hookstepper.tui.words import tr


@dataclass(frozen=True, slots=True)
class Tab:
    """One word of a strip."""

    id: str
    """Command id that opens it."""
    key: str
    word: str
    """English; translated here."""


@dataclass(frozen=True, slots=True)
class Strip:
    """The tabs that fit, and where each begins and ends."""

    row: Row
    places: tuple[tuple[str, int, int], ...]
    """Command id, first column and the column after the last one."""


def strip(
    tabs: Sequence[Tab],
    current: str,
    cells: int,
    *,
    gap: str,
    more: Tab | None = None,
    first_to_go: Sequence[str] = (),
) -> Strip:
    """The tabs from the left, always the current one, and `more` if some are left out or it always counts.

    Args:
        current: command id of the tab in view.
        gap: what stands between two tabs.
        first_to_go: command ids of the tabs that give way before the others.
    """
    kept = list(tabs)
    tail = [more] if more is not None else []
    while len(kept) > 1 and _width([*kept, *tail], gap) > cells:
        others = [tab for tab in reversed(kept) if tab.id != current]
        kept.remove(next((tab for name in first_to_go for tab in others if tab.id == name), others[0]))
    pieces: list[Span] = []
    places: list[tuple[str, int, int]] = []
    for tab in [*kept, *tail]:
        if pieces:
            pieces.append(Span(gap, "muted"))
        start = width_of(tuple(pieces))
        pieces += _tab(tab, tab.id == current)
        places.append((tab.id, start, width_of(tuple(pieces))))
    return Strip(tuple(pieces), tuple(places))


def _tab(tab: Tab, current: bool) -> Row:
    word = Span(f" {tr(tab.word)}", "current" if current else "")
    return (Span(tab.key, "key"), word)


def _width(tabs: Sequence[Tab], gap: str) -> int:
    return sum(width_of(_tab(tab, False)) for tab in tabs) + len(gap) * (len(tabs) - 1)


def underline(found: Strip, current: str, cells: int) -> Row:
    """The line under a strip: doubled under the current tab."""
    for command, start, end in found.places:
        if command == current:
            tail = "─" * (cells - end)
            return row(("─" * start, "muted"), ("═" * (end - start), "current"), (tail, "muted"))
    return row(("─" * cells, "muted"))
