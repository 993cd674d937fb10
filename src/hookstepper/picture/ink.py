"""Lines on cells: which arms each cell has, and what is joined there.

Two lines on one cell are joined only if they belong to one conductor; else they cross, and the vertical one
bridges the horizontal one. So a junction glyph always means joined.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hookstepper.picture.glyphs import EAST, LEVEL, NORTH, SOUTH, UPRIGHT, WEST
from hookstepper.picture.wires import Conductor, Leg

Cell = tuple[int, int]
_ARMS = {
    (0, 0): (0, 0),
    (1, 0): (EAST, WEST),
    (-1, 0): (WEST, EAST),
    (0, 1): (SOUTH, NORTH),
    (0, -1): (NORTH, SOUTH),
}
"""Direction of travel → arm ahead and arm behind."""
_Entry = tuple[int, int, set[Conductor]]
"""Line, its arms on the cell, its conductors there."""
_Span = tuple[int, int, int, int, Conductor]
"""First and last column, first and last row, and the conductor of a leg."""


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


def ink_of(paths: list[list[Leg]], first_arms: list[int]) -> Ink:
    """Lay all paths on cells.

    Args:
        first_arms: direction from the first cell of each path towards its source; 0 if it has no cell.
    """
    ink = Ink()
    lines = ink.lines
    masks: dict[Cell, list[int]] = {}
    for index, legs in enumerate(paths):
        arms = _arms(legs)
        ink.paths.append(list(arms))
        if arms:
            first = ink.paths[-1][0]
            arms[first] |= first_arms[index]
        for cell, mask in arms.items():
            if cell in lines:
                lines[cell].append(index)
                masks[cell].append(mask)
            else:
                lines[cell] = [index]
                masks[cell] = [mask]
    spans: dict[int, list[_Span]] = {}
    for cell, present in lines.items():
        if len(present) == 1:
            ink.top[cell] = masks[cell][0], present
        else:
            for index in present:
                if index not in spans:
                    spans[index] = [_span(leg) for leg in paths[index]]
            entries = [
                (index, mask, _conductors(spans[index], cell))
                for index, mask in zip(present, masks[cell], strict=True)
            ]
            ink.top[cell] = _resolve(ink, cell, entries)
    return ink


def _arms(legs: list[Leg]) -> dict[Cell, int]:
    """Cells of a path in order, each with the directions in which the path leaves it."""
    arms: dict[Cell, int] = {}
    for leg in legs:
        x, y = leg.x0, leg.y0
        dx, dy = (leg.x1 > x) - (leg.x1 < x), (leg.y1 > y) - (leg.y1 < y)
        ahead, behind = _ARMS[dx, dy]
        length = abs(leg.x1 - x) + abs(leg.y1 - y)
        arms[x, y] = arms.get((x, y), 0) | (ahead if length else 0)
        if not length:
            continue
        both = ahead | behind
        if dx:
            inner = [(column, y) for column in range(x + dx, leg.x1, dx)]
        else:
            inner = [(x, row) for row in range(y + dy, leg.y1, dy)]
        arms.update(dict.fromkeys(inner, both))
        last = (leg.x1, leg.y1)
        arms[last] = arms.get(last, 0) | behind
    return arms


def _span(leg: Leg) -> _Span:
    """The cells that a leg covers, and what it belongs to."""
    left, right = (leg.x0, leg.x1) if leg.x0 <= leg.x1 else (leg.x1, leg.x0)
    top, bottom = (leg.y0, leg.y1) if leg.y0 <= leg.y1 else (leg.y1, leg.y0)
    return left, right, top, bottom, leg.conductor


def _conductors(spans: list[_Span], cell: Cell) -> set[Conductor]:
    """What the legs of a path on one cell belong to."""
    x, y = cell
    return {
        conductor
        for left, right, top, bottom, conductor in spans
        if left <= x <= right and top <= y <= bottom
    }


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
