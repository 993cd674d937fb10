"""Edge labels: on a run of their own, beside it, or as a badge with the text in the legend; none is lost."""

from __future__ import annotations

from dataclasses import dataclass, field

from hookstepper.picture.boxes import Stroke
from hookstepper.picture.glyphs import LEVEL, UPRIGHT, Glyphs
from hookstepper.picture.grid import Grid
from hookstepper.picture.ink import Cell, Ink
from hookstepper.picture.view import View
from hookstepper.picture.width import cell_width


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
        cell = _on_run(ink, grid, index, line.label) or _beside(ink, grid, index, line.label)
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


def _on_run(ink: Ink, grid: Grid, index: int, label: str) -> Cell | None:
    """Inside the first horizontal run of its own that is long enough; near the source if it starts there."""
    path = ink.paths[index]
    own = _own_cells(ink, index, LEVEL)
    count = cell_width(label)
    start = 0
    while start < len(path):
        end = start
        while own[start] and end + 1 < len(path) and own[end + 1]:
            end += 1
        if own[start] and end - start + 1 >= count + 3:
            left, right = sorted((path[start][0], path[end][0]))
            y = path[start][1]
            if any(char in ("",) for char in grid.chars[y][left : right + 1]):
                return None
            if start == 0:
                x = left + 1 if path[start][0] == left else right - count - 2
            else:
                x = (left + right - count - 1) // 2
            grid.put(Stroke(x, y, f" {label} ", "label"))
            return x + 1, y
        start = end + 1
    return None


def _beside(ink: Ink, grid: Grid, index: int, label: str) -> Cell | None:
    """Right or left of a vertical run of its own, else across it."""
    count = cell_width(label)
    own = _own_cells(ink, index, UPRIGHT)
    run = [cell for cell, mine in zip(ink.paths[index], own, strict=True) if mine]
    for x, y in run:
        if grid.is_blank(x + 1, y, count + 2):
            return _write(grid, x + 2, y, label)
        if grid.is_blank(x - count - 2, y, count + 2):
            return _write(grid, x - count - 1, y, label)
    for x, y in run[:-1]:
        half = count // 2
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
    known = {text: sign for sign, text in placed.legend}
    fresh = len(placed.legend) < len(glyphs.badges)
    sign = known.get(line.label) or (glyphs.badges[len(placed.legend)] if fresh else "")
    for arms in (LEVEL, UPRIGHT):
        own = _own_cells(ink, index, arms)
        spots = [c for c, mine in zip(path, own, strict=True) if mine and grid.roles[c[1]][c[0]] != "label"]
        if spots and sign:
            x, y = spots[len(spots) // 2]
            grid.put(Stroke(x, y, sign, "label badge"))
            placed.badges[index] = sign
            if line.label not in known:
                placed.legend.append((sign, line.label))
            return
    ends = f"{view.boxes[line.source].label} → {view.boxes[line.target].label}"
    placed.legend.append((ends, line.label))
