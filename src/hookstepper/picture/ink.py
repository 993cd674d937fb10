"""Lines on cells: which arms each cell has, and what is joined there.

Two lines on one cell are joined only if they belong to one conductor; else they cross, and the vertical one
bridges the horizontal one. So a junction glyph always means joined.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from hookstepper.picture.glyphs import EAST, LEVEL, NORTH, SOUTH, UPRIGHT, WEST
from hookstepper.picture.wires import Conductor, Leg

Cell = tuple[int, int]
_Entry = tuple[int, int, set[Conductor]]
"""Line, its arms on the cell, its conductors there."""


@dataclass(slots=True)
class Ink:
    """All lines of one layout on their cells."""

    paths: list[list[Cell]] = field(default_factory=list)
    """Of each line: its cells in order."""
    lines: dict[Cell, list[int]] = field(default_factory=dict)
    """Every line that runs through a cell."""
    top: dict[Cell, tuple[int, list[int]]] = field(default_factory=dict)
    """Arms and lines of what is drawn: all lines of the cell, or those of the bridge."""
    crossings: int = 0
    flaws: list[Cell] = field(default_factory=list)
    """Cells where lines that are not joined meet otherwise than in a plain crossing."""
    arms: list[dict[Cell, int]] = field(default_factory=list)
    """Of each line: cell → directions of its own arms."""


def ink_of(paths: list[list[Leg]], first_arms: list[int]) -> Ink:
    """Lay all paths on cells.

    Args:
        first_arms: direction from the first cell of each path towards its source; 0 if it has no cell.
    """
    ink = Ink()
    entries: dict[Cell, list[_Entry]] = {}
    for index, legs in enumerate(paths):
        cells, conductors = _walk(legs)
        ink.paths.append(cells)
        arms = _arms(cells)
        if cells:
            arms[cells[0]] |= first_arms[index]
        ink.arms.append(arms)
        for cell, mask in arms.items():
            entries.setdefault(cell, []).append((index, mask, conductors[cell]))
    for cell, present in entries.items():
        ink.lines[cell] = [index for index, _, _ in present]
        if len(present) == 1:
            ink.top[cell] = present[0][1], [present[0][0]]
        else:
            ink.top[cell] = _resolve(ink, cell, present)
    return ink


def _walk(legs: list[Leg]) -> tuple[list[Cell], dict[Cell, set[Conductor]]]:
    cells: list[Cell] = []
    conductors: dict[Cell, set[Conductor]] = {}
    for leg in legs:
        for cell in _cells_of(leg):
            if not cells or cells[-1] != cell:
                cells.append(cell)
            conductors.setdefault(cell, set()).add(leg.conductor)
    return cells, conductors


def _cells_of(leg: Leg) -> Iterable[Cell]:
    if leg.x0 == leg.x1:
        step = 1 if leg.y1 >= leg.y0 else -1
        return [(leg.x0, y) for y in range(leg.y0, leg.y1 + step, step)]
    step = 1 if leg.x1 >= leg.x0 else -1
    return [(x, leg.y0) for x in range(leg.x0, leg.x1 + step, step)]


def _arms(cells: list[Cell]) -> dict[Cell, int]:
    arms = dict.fromkeys(cells, 0)
    for (x0, y0), (x1, y1) in pairwise(cells):
        if x1 > x0:
            arms[x0, y0] |= EAST
            arms[x1, y1] |= WEST
        elif x1 < x0:
            arms[x0, y0] |= WEST
            arms[x1, y1] |= EAST
        elif y1 > y0:
            arms[x0, y0] |= SOUTH
            arms[x1, y1] |= NORTH
        else:
            arms[x0, y0] |= NORTH
            arms[x1, y1] |= SOUTH
    return arms


def _resolve(ink: Ink, cell: Cell, present: list[_Entry]) -> tuple[int, list[int]]:
    groups: list[tuple[int, list[int], set[Conductor]]] = []
    for index, mask, conductors in present:
        lines = [index]
        mine = set(conductors)
        for group in [group for group in groups if group[2] & mine]:
            groups.remove(group)
            mask |= group[0]
            lines = group[1] + lines
            mine |= group[2]
        groups.append((mask, lines, mine))
    if len(groups) == 1:
        return groups[0][0], groups[0][1]
    if len(groups) == 2 and {groups[0][0], groups[1][0]} == {UPRIGHT, LEVEL}:
        ink.crossings += 1
        upright = groups[0] if groups[0][0] == UPRIGHT else groups[1]
        return upright[0], upright[1]
    ink.flaws.append(cell)
    mask = 0
    for group in groups:
        mask |= group[0]
    return mask, [line for group in groups for line in group[1]]
