"""What holds for every picture, checked on the finished layout only."""

from __future__ import annotations

import random
from collections import defaultdict

from hookstepper.picture import Layout, Marks, raster
from hookstepper.picture.width import cell_width

NORTH, EAST, SOUTH, WEST = 1, 2, 4, 8
STEP = {NORTH: (0, -1), EAST: (1, 0), SOUTH: (0, 1), WEST: (-1, 0)}
BACK = {NORTH: SOUTH, SOUTH: NORTH, EAST: WEST, WEST: EAST}


def broken_laws(plan: Layout) -> list[str]:
    """A sentence for each law that a layout breaks."""
    out: list[str] = []
    cells = _node_cells(plan, out)
    _check_paths(plan, cells, out)
    _check_joints(plan, out)
    _check_labels(plan, out)
    _check_frames(plan, out)
    for y, row in enumerate(plan.base.rows):
        if len(row.chars) != plan.width or len(row.roles) != plan.width:
            out.append(f"row {y} has another width")
        if cell_width("".join(row.chars)) != plan.width:
            out.append(f"row {y} takes {cell_width(''.join(row.chars))} cells, not {plan.width}")
    return out


def broken_lights(plan: Layout, seed: int) -> list[str]:
    """A sentence for each cell at which a lit line looks joined to one that it crosses."""
    chance = random.Random(seed)
    picked = [wire for wire in plan.wires if wire.source != wire.target and chance.random() < 0.3]
    lit = {plan.wires.index(wire) for wire in picked}
    canvas = raster(plan, Marks(lit=frozenset((wire.source, wire.target) for wire in picked)))
    out: list[str] = []
    for (x, y), (_, top) in plan.arms.items():
        row, base = canvas.rows[y], plan.base.rows[y]
        shown = "lit" in row.roles[x].split()
        if shown != bool(lit.intersection(top)):
            out.append(f"cell {x},{y} is lit for a line that is not drawn on it")
        if not shown and row.chars[x] != base.chars[x]:
            out.append(f"cell {x},{y} changed though nothing on it is lit")
    return out


def _node_cells(plan: Layout, out: list[str]) -> dict[tuple[int, int], str]:
    cells: dict[tuple[int, int], str] = {}
    for place in plan.places.values():
        for y in range(place.y, place.y + place.height):
            for x in range(place.x, place.x + place.width):
                if (x, y) in cells:
                    out.append(f"{place.id} lies over {cells[x, y]}")
                cells[x, y] = place.id
    start = [place for place in plan.places.values() if place.kind == "start"]
    top = min((place.y for place in plan.places.values()), default=0)
    inner = {node.id for node in plan.graph.nodes if node.parent is not None}
    if start and start[0].id not in inner and start[0].y != top:
        out.append("START is not on top")
    return cells


def _check_paths(plan: Layout, cells: dict[tuple[int, int], str], out: list[str]) -> None:
    for wire in plan.wires:
        if wire.source == wire.target:
            continue
        name = f"{wire.source} → {wire.target}"
        if not wire.cells:
            out.append(f"{name} is not drawn")
            continue
        if any(cell in cells for cell in wire.cells):
            out.append(f"{name} runs over {next(cells[c] for c in wire.cells if c in cells)}")
        for (x0, y0), (x1, y1) in zip(wire.cells, wire.cells[1:], strict=False):
            if abs(x0 - x1) + abs(y0 - y1) != 1:
                out.append(f"{name} has a gap at {x0},{y0}")
        around = {(wire.cells[0][0] + dx, wire.cells[0][1] + dy) for dx, dy in STEP.values()}
        if wire.source not in {cells.get(cell) for cell in around}:
            out.append(f"{name} does not begin beside its source")
        around = {(wire.cells[-1][0] + dx, wire.cells[-1][1] + dy) for dx, dy in STEP.values()}
        if wire.target not in {cells.get(cell) for cell in around}:
            out.append(f"{name} does not end beside its target")


def _check_joints(plan: Layout, out: list[str]) -> None:
    """Arms that are drawn are those of the lines on top; others on the cell only cross straight under them.

    And wherever lines are joined they share their source or their target.
    """
    arms: dict[tuple[int, int], dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for index, wire in enumerate(plan.wires):
        if wire.source == wire.target:
            continue
        for a, b in zip(wire.cells, wire.cells[1:], strict=False):
            direction = next(d for d, (dx, dy) in STEP.items() if (a[0] + dx, a[1] + dy) == b)
            arms[a][index] |= direction
            arms[b][index] |= BACK[direction]
        x, y = wire.cells[0]
        source = plan.places[wire.source]
        toward = NORTH if y >= source.y + source.height else WEST if x >= source.x + source.width else EAST
        arms[x, y][index] |= toward
    for cell, present in arms.items():
        drawn, top = plan.arms[cell]
        joined = 0
        for index in top:
            joined |= present[index]
        if joined != drawn:
            out.append(f"cell {cell} shows arms {drawn}, its lines have {joined}")
        under = [index for index in present if index not in top]
        if any(present[index] != EAST | WEST for index in under) or (under and drawn != NORTH | SOUTH):
            out.append(f"cell {cell} is a crossing that does not look like one")
        if not _connected([plan.wires[index] for index in sorted(top)]):
            out.append(f"cell {cell} joins lines that share neither source nor target")


def _connected(wires: list[object]) -> bool:
    left = list(wires)
    group = [left.pop()]
    for wire in group:
        for other in list(left):
            if other.source == wire.source or other.target == wire.target:  # type: ignore[attr-defined]
                left.remove(other)
                group.append(other)
    return not left


def _check_labels(plan: Layout, out: list[str]) -> None:
    legend = dict(plan.legend)
    for wire in plan.wires:
        if not wire.label or plan.options.zoom == "dots" or wire.source == wire.target:
            continue
        name = f"label {wire.label!r} of {wire.source} → {wire.target}"
        if wire.label_at is not None:
            x, y = wire.label_at
            written = "".join(plan.base.rows[y].chars[x : x + cell_width(wire.label)])
            if written != wire.label:
                out.append(f"{name} reads {written!r}")
        elif wire.badge:
            shown = [plan.base.rows[y].chars[x] for x, y in wire.cells]
            if legend.get(wire.badge) != wire.label or wire.badge not in shown:
                out.append(f"{name} is not in the legend")
        elif wire.label not in [label for sign, label in plan.legend if len(sign) > 1]:
            out.append(f"{name} is lost")


def _check_frames(plan: Layout, out: list[str]) -> None:
    parents = {node.id: node.parent for node in plan.graph.nodes}
    # The `?` of a node that may go anywhere stands where its node does.
    stubs = {wire.target: parents.get(wire.source) for wire in plan.wires if not wire.edges}
    parents |= stubs
    for frame in plan.frames:
        right, bottom = frame.x + frame.width, frame.y + frame.height
        for place in plan.places.values():
            within = _is_within(parents, place.id, frame.id)
            x1, y1 = place.x + place.width, place.y + place.height
            apart = x1 <= frame.x or place.x >= right or y1 <= frame.y or place.y >= bottom
            enclosed = frame.x < place.x and x1 < right and frame.y < place.y and y1 < bottom
            if within and not enclosed:
                out.append(f"{place.id} sticks out of {frame.id}")
            if not within and not apart:
                out.append(f"{place.id} lies in {frame.id}")


def _is_within(parents: dict[str, object], node: str, frame: str) -> bool:
    seen: set[object] = set()
    at = parents.get(node)
    while at is not None and at not in seen:
        if at == frame:
            return True
        seen.add(at)
        at = parents.get(at)  # type: ignore[arg-type]
    return False
