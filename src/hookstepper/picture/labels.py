"""Edge labels: on a run of their own, beside it, or as a badge with the text in the legend; none is lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from hookstepper.picture.boxes import Stroke
from hookstepper.picture.glyphs import LEVEL, UPRIGHT, Glyphs
from hookstepper.picture.grid import Grid
from hookstepper.picture.ink import Cell, Ink
from hookstepper.picture.view import View
from hookstepper.picture.width import cell_width

_SHORT = 7
"""A horizontal run that begins within so many cells of the source is near it."""


@dataclass(slots=True)
class Placed:
    """Where the labels went."""

    at: dict[int, Cell] = field(default_factory=dict)
    """Line → first cell of its label."""
    badges: dict[int, str] = field(default_factory=dict)
    """Line → sign on it; its label is in the legend."""
    legend: list[tuple[str, str]] = field(default_factory=list)
    crowded: list[int] = field(default_factory=list)
    """Lines whose label did not fit on the picture."""


def place_labels(view: View, ink: Ink, grid: Grid, glyphs: Glyphs) -> Placed:
    """Put every label on the grid."""
    placed = Placed()
    for index, line in enumerate(view.lines):
        if not line.label:
            continue
        cell = _near_source(ink, grid, index, line.label)
        if cell is None:
            placed.crowded.append(index)
        else:
            placed.at[index] = cell
    for index in placed.crowded:
        _badge(view, ink, grid, glyphs, index, placed)
    return placed


def _own_cells(ink: Ink, index: int, arms: int) -> list[bool]:
    """For each cell of a path: whether only this line uses it, with exactly these arms."""
    return [
        len(ink.lines[cell]) == 1 and ink.top[cell][0] == arms and position < len(ink.paths[index]) - 1
        for position, cell in enumerate(ink.paths[index])
    ]


def _near_source(ink: Ink, grid: Grid, index: int, label: str) -> Cell | None:
    """In or beside the first own run that has room, from the source on; else across a vertical run."""
    path = ink.paths[index]
    level, upright = _own_cells(ink, index, LEVEL), _own_cells(ink, index, UPRIGHT)
    for start, end in _runs(level, upright):
        run = path[start : end + 1]
        if level[start]:
            found = _inside(grid, run, label, start == 0)
        else:
            found = _soon_inside(grid, path, level, end + 1, label) or _beside(grid, run, label)
        if found is not None:
            return found
    return _across(grid, [cell for cell, mine in zip(path, upright, strict=True) if mine], label)


def _runs(level: list[bool], upright: list[bool]) -> Iterator[tuple[int, int]]:
    """First and last index of each maximal straight run of own cells."""
    start = 0
    while start < len(level):
        own = level if level[start] else upright
        end = start
        while own[start] and end + 1 < len(own) and own[end + 1]:
            end += 1
        if own[start]:
            yield start, end
        start = end + 1


def _soon_inside(grid: Grid, path: list[Cell], level: list[bool], start: int, label: str) -> Cell | None:
    """In a horizontal run that follows a short vertical one: better than beside that."""
    while start < min(len(level), _SHORT) and not level[start]:
        start += 1
    if start >= min(len(level), _SHORT):
        return None
    end = start
    while end + 1 < len(level) and level[end + 1]:
        end += 1
    return _inside(grid, path[start : end + 1], label, False)


def _inside(grid: Grid, run: list[Cell], label: str, at_source: bool) -> Cell | None:
    """Over the cells of a horizontal run, one line cell kept at each end."""
    count = cell_width(label)
    if len(run) < count + 3:
        return None
    left, right = sorted((run[0][0], run[-1][0]))
    y = run[0][1]
    if at_source:
        x = left + 1 if run[0][0] == left else right - count - 2
    else:
        x = (left + right - count - 1) // 2
    grid.put(Stroke(x, y, f" {label} ", "label"))
    return x + 1, y


def _beside(grid: Grid, run: list[Cell], label: str) -> Cell | None:
    """Right or left of a vertical run."""
    count = cell_width(label)
    for x, y in run:
        if grid.is_blank(x + 1, y, count + 2):
            return _write(grid, x + 2, y, label)
        if grid.is_blank(x - count - 2, y, count + 2):
            return _write(grid, x - count - 1, y, label)
    return None


def _across(grid: Grid, run: list[Cell], label: str) -> Cell | None:
    """Over one cell of a vertical run, with blanks on both sides."""
    count = cell_width(label)
    half = count // 2
    for x, y in run[:-1]:
        if grid.is_blank(x - half - 1, y, half + 1) and grid.is_blank(x + 1, y, count - half + 1):
            return _write(grid, x - half, y, label)
    return None


def _write(grid: Grid, x: int, y: int, label: str) -> Cell:
    grid.put(Stroke(x, y, label, "label"))
    return x, y


def _badge(view: View, ink: Ink, grid: Grid, glyphs: Glyphs, index: int, placed: Placed) -> None:
    """A sign on a cell that only this line uses; without such a cell the legend names both ends."""
    line = view.lines[index]
    path = ink.paths[index]
    known = {text: sign for sign, text in placed.legend if sign in glyphs.badges}
    sign = known.get(line.label) or (glyphs.badges[len(known)] if len(known) < len(glyphs.badges) else "")
    for arms in (LEVEL, UPRIGHT):
        own = _own_cells(ink, index, arms)
        spots = [
            c for c, mine in zip(path, own, strict=True) if mine and "label" not in grid.roles[c[1]][c[0]]
        ]
        if spots and sign:
            x, y = spots[len(spots) // 2]
            grid.put(Stroke(x, y, sign, "label badge"))
            placed.badges[index] = sign
            if line.label not in known:
                placed.legend.append((sign, line.label))
            return
    arrow = "→" if glyphs.badges.startswith("①") else ">"
    ends = f"{view.boxes[line.source].label} {arrow} {view.boxes[line.target].label}"
    placed.legend.append((ends, line.label))
