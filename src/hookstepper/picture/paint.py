"""The picture without marks, stroke by stroke: borders, lines, nodes, ports, titles."""

from __future__ import annotations

from hookstepper.model.ids import NodeId
from hookstepper.picture.boxes import Stroke, text_offset
from hookstepper.picture.glyphs import EAST, NORTH, SOUTH, WEST, Glyphs, border_style
from hookstepper.picture.grid import Grid
from hookstepper.picture.ink import Cell, Ink
from hookstepper.picture.layout import Frame, Place
from hookstepper.picture.rows import Rows
from hookstepper.picture.scene import Scene
from hookstepper.picture.width import cell_width, clip

_EVIDENCE = ("", " inferred", " observed-only", " never")


def places_of(scene: Scene) -> dict[NodeId, Place]:
    """Rectangle of every box, in flow order."""
    places: dict[NodeId, Place] = {}
    for layer in scene.layers:
        for item in layer:
            if item.kind != "node":
                continue
            box = scene.view.boxes[item.box]
            mark, text, row = text_offset(box, scene.options.zoom, item.width)
            places[box.id] = Place(
                box.id, box.kind, item.left, item.y, item.width, item.height, item.rank, box.members,
                item.left + text, item.y + row, item.left + mark,
            )  # fmt: skip
    return places


def frames_of(scene: Scene, rows: Rows) -> dict[int, Frame]:
    """Rectangles of the open subgraphs, outer ones first."""
    out: dict[int, Frame] = {}
    for frame, walls in scene.walls.items():
        left = min(pair[0].x for pair in walls.values())
        right = max(pair[1].x for pair in walls.values())
        top, bottom = rows.borders[frame]
        group = scene.view.groups[frame]
        width, height = right - left + 1, bottom - top + 1
        out[frame] = Frame(group.id, group.title, left, top, width, height, len(group.path))
    return dict(sorted(out.items(), key=lambda entry: entry[1].depth))


def paint_border(grid: Grid, frame: Frame, glyphs: Glyphs) -> None:
    """The border of an open subgraph."""
    top_left, top, top_right, side, bottom_left, bottom_right = tuple(glyphs.borders["round"])
    bar = top * (frame.width - 2)
    last = frame.y + frame.height - 1
    grid.put(Stroke(frame.x, frame.y, top_left + bar + top_right, "border"))
    for y in range(frame.y + 1, last):
        grid.put(Stroke(frame.x, y, side, "border"))
        grid.put(Stroke(frame.x + frame.width - 1, y, side, "border"))
    grid.put(Stroke(frame.x, last, bottom_left + bar + bottom_right, "border"))


def paint_title(grid: Grid, frame: Frame, glyphs: Glyphs) -> int:
    """Write the title where no line crosses the top border, else the bottom one, else as much as fits on top.

    Returns how many cells it lacks on top.
    """
    bar = glyphs.borders["round"][1]
    full = cell_width(frame.title)
    bottom = frame.y + frame.height - 1
    tries = [(frame.title, y, edge) for y in (frame.y, bottom) for edge in (1, 0)]
    tries += [(clip(frame.title, room), frame.y, 0) for room in range(min(full, frame.width - 4) - 1, 0, -1)]
    for title, y, edge in tries:
        count = cell_width(title) + 2
        for x in range(frame.x + 2 - edge, frame.x + frame.width - count - edge):
            if all(char == bar for char in grid.chars[y][x : x + count + 2 * edge]):
                grid.put(Stroke(x + edge, y, f" {title} ", "title"))
                return 0 if y == frame.y and title == frame.title else full - cell_width(title) or 1
    return full


def _look(dashed: bool, evidence: int, back: bool) -> tuple[int, str]:
    """Style number and role of a line."""
    role = "edge" + (" dashed" if dashed else "") + _EVIDENCE[evidence] + (" back" if back else "")
    return evidence + 1 if evidence else int(dashed), role


def paint_lines(grid: Grid, scene: Scene, ink: Ink, glyphs: Glyphs) -> None:
    """All lines and their arrows."""
    lines, back = scene.view.lines, scene.back
    own = [_look(line.dashed, line.evidence, index in back) for index, line in enumerate(lines)]
    chars, roles = grid.chars, grid.roles
    for (x, y), (arms, present) in ink.top.items():
        if len(present) == 1:
            style, role = own[present[0]]
        else:
            dashed = all(lines[index].dashed for index in present)
            evidence = min(lines[index].evidence for index in present)
            style, role = _look(dashed, evidence, all(index in back for index in present))
        chars[y][x] = glyphs.line(arms, style)
        roles[y][x] = role
    for index, path in enumerate(ink.paths):
        if path:
            x, y = path[-1]
            role = grid.roles[y][x] or "edge"
            heading = _heading(scene, index, path)
            if " arrow" not in role:
                role = role.replace("edge", "edge arrow", 1)
            # A full arrow beside a dot that is marked ▶ would look like the mark.
            arrows = glyphs.small_arrows if scene.options.zoom == "dots" else glyphs.arrows
            grid.set(x, y, arrows[heading], role)


def _heading(scene: Scene, index: int, path: list[Cell]) -> int:
    """Direction in which a line meets its target."""
    target = scene.nodes[scene.view.lines[index].target]
    x, y = path[-1]
    if y < target.y:
        return SOUTH
    if y >= target.y + target.height:
        return NORTH
    return EAST if x < target.left else WEST


def paint_ports(grid: Grid, scene: Scene, ink: Ink, glyphs: Glyphs) -> None:
    """Border cells at which lines leave their boxes."""
    for index, path in enumerate(ink.paths):
        if not path:
            continue
        source = scene.nodes[scene.view.lines[index].source]
        style = border_style(scene.view.boxes[source.box].kind)
        x, y = path[0]
        if y >= source.y + source.height:
            cell, direction = (x, source.y + source.height - 1), SOUTH
        elif x > source.right:
            cell, direction = (source.right, y), EAST
        else:
            cell, direction = (source.left, y), WEST
        grid.put(Stroke(*cell, glyphs.ports[style, direction], grid.roles[cell[1]][cell[0]]))
