"""The layout as a whole: view, ranks, order, columns, rows, paths, labels, in that order."""

from __future__ import annotations

from dataclasses import dataclass

from hookstepper.model.graph import Graph
from hookstepper.model.ids import NodeId
from hookstepper.picture.boxes import Stroke, size_of, strokes, text_offset
from hookstepper.picture.build import build
from hookstepper.picture.canvas import Canvas
from hookstepper.picture.channels import Channel, channels_of
from hookstepper.picture.coords import place_columns
from hookstepper.picture.glyphs import EAST, NORTH, SETS, SOUTH, WEST, Glyphs, border_style
from hookstepper.picture.grid import Grid
from hookstepper.picture.ink import Cell, Ink, ink_of
from hookstepper.picture.labels import Placed, place_labels
from hookstepper.picture.lanes import settle
from hookstepper.picture.layout import Frame, Layout, Place, Wire
from hookstepper.picture.marks import NO_MARKS
from hookstepper.picture.options import Options
from hookstepper.picture.order import order
from hookstepper.picture.rows import Rows, place_rows
from hookstepper.picture.scene import Item, Scene
from hookstepper.picture.view import view_of
from hookstepper.picture.width import cell_width, clip
from hookstepper.picture.wires import Leg, paths_of

_SHORTER = (28, 20, 14, 10)
"""Label lengths that are tried, one after another, when a picture is wider than asked."""
_ROOMY = 60
"""Most boxes for which every sideways line gets room for its label beside its source."""
_WIDENINGS = 4
"""Most rounds of widening nodes for the lines that enter them."""
_SECOND_PASS = 150
"""Most boxes for which labels without room cause a second layout; larger graphs use the legend at once."""

_EVIDENCE = ("", " inferred", " observed-only", " never")


def layout(graph: Graph, options: Options | None = None) -> Layout:
    """Place every node and edge of a graph on a grid of terminal cells.

    Returns:
        Places in flow order (rank by rank from START, left to right); coordinates are cells, origin top
        left. The same graph and options give the same layout in every process.

    Source: layered drawing after Sugiyama, Tagawa, Toda (1981); each module names its own sources.
    """
    options = options or Options()
    view = view_of(graph, options)
    scene = build(view, options)
    if view.boxes:
        order(scene)
        settle(scene)
    drawing = _draw(scene, options.max_label)
    if options.width is not None:
        for limit in _SHORTER:
            if drawing.width <= options.width or limit >= options.max_label:
                continue
            drawing = _draw(scene, limit)
    return drawing.layout(graph)


@dataclass(slots=True)
class _Drawing:
    """One try: a scene with columns and rows, inked and labelled."""

    scene: Scene
    rows: Rows
    ink: Ink
    grid: Grid
    placed: Placed
    places: dict[NodeId, Place]
    frames: tuple[Frame, ...]
    short_titles: tuple[tuple[int, int], ...]
    """Subgraph and cells that its title lacks."""
    max_label: int
    width: int

    def layout(self, graph: Graph) -> Layout:
        """The frozen result."""
        scene = self.scene
        rows = list(self.grid.rows(self.width))
        legend = _legend_rows(self.placed.legend, self.width)
        footer = Grid(self.width, len(legend))
        for index, text in enumerate(legend):
            footer.put(Stroke(1, index, text, "legend"))
        rows += footer.rows(self.width)
        wires = tuple(self._wire(index) for index in range(len(scene.view.lines)))
        loops = tuple(self._loops(graph))
        wire_of: dict[tuple[NodeId, NodeId], int] = {}
        for index, wire in enumerate(wires + loops):
            wire_of[wire.source, wire.target] = index
            for edge in wire.edges:
                wire_of[edge.source, edge.target] = index
        base = Canvas(
            self.width,
            len(rows),
            tuple(rows),
            {
                (x, y): place.id
                for place in self.places.values()
                for y in range(place.y, place.y + place.height)
                for x in range(place.x, place.x + place.width)
            },
            {
                cell: tuple(edge for index in lines for edge in scene.view.lines[index].edges)
                for cell, lines in self.ink.lines.items()
            },
            tuple((frame.id, frame.x, frame.y, frame.width, frame.height) for frame in self.frames),
        )
        return Layout(
            graph,
            scene.options,
            self.width,
            len(rows),
            self.places,
            self.frames,
            wires + loops,
            scene.view.homes,
            tuple(self.placed.legend),
            base,
            wire_of,
            {cell: (arms, frozenset(lines)) for cell, (arms, lines) in self.ink.top.items()},
            scene.view.boxes,
            self.max_label,
        )

    def _wire(self, index: int) -> Wire:
        line = self.scene.view.lines[index]
        boxes = self.scene.view.boxes
        return Wire(
            boxes[line.source].id,
            boxes[line.target].id,
            line.label,
            line.edges,
            tuple(self.ink.paths[index]),
            index in self.scene.back,
            self.placed.at.get(index),
            self.placed.badges.get(index, ""),
        )

    def _loops(self, graph: Graph) -> list[Wire]:
        """Nodes that join themselves: their loop sign is part of their text."""
        found = []
        for box in self.scene.view.boxes:
            if box.loop:
                inside = frozenset(box.members)
                edges = tuple(e for e in graph.edges if e.source in inside and e.target in inside)
                place = self.places[box.id]
                label = clip(box.label, self.max_label)
                at = place.text_x + cell_width(label) + cell_width(box.suffix.partition("↻")[0])
                cell = (at, place.text_y) if self.scene.options.zoom != "dots" else (place.x, place.y)
                found.append(Wire(box.id, box.id, box.suffix.partition("↻ ")[2], edges, (cell,), True, cell))
        return found


@dataclass(frozen=True, slots=True)
class _Wants:
    """What found no room in a first try."""

    crowded: frozenset[int] = frozenset()
    """Lines whose label did not fit."""
    titles: tuple[tuple[int, int], ...] = ()
    """Subgraph and cells that its title lacks."""

    def __bool__(self) -> bool:
        return bool(self.crowded or self.titles)


def _draw(scene: Scene, max_label: int) -> _Drawing:
    drawing = _try(scene, max_label, _Wants())
    wants = _Wants(frozenset(drawing.placed.crowded), drawing.short_titles)
    if wants and len(scene.view.boxes) <= _SECOND_PASS:
        again = _try(scene, max_label, wants)
        if len(again.placed.crowded) <= len(drawing.placed.crowded):
            return again
    return drawing


def _try(scene: Scene, max_label: int, wants: _Wants) -> _Drawing:
    """Columns, rows, paths and labels for one label length; the order of the scene stays."""
    options = scene.options
    for item in scene.nodes:
        item.width, item.height = size_of(scene.view.boxes[item.box], options.zoom, max_label)
    _reserve(scene, wants.crowded)
    _widen_walls(scene, dict(wants.titles))
    channels = _place_and_join(scene)
    rows = place_rows(scene, channels, wants.crowded)
    paths = paths_of(scene, channels, rows)
    ink = ink_of(paths, [_towards(scene, index, legs) for index, legs in enumerate(paths)])
    _mend_cells(scene, ink)
    right = max((item.right for layer in scene.layers for item in layer), default=0)
    right = max([right, *(cell[0] for cell in ink.lines)])
    longest = max((cell_width(line.label) for line in scene.view.lines), default=0)
    grid = Grid(right + longest + 6, rows.height)
    frames = _frames(scene, rows)
    glyphs = SETS[options.glyphs]
    for frame in frames.values():
        _border(grid, frame, glyphs)
    _lines(grid, scene, ink, glyphs)
    places = _places(scene, max_label)
    for box in scene.view.boxes:
        for stroke in strokes(box, places[box.id], options, max_label, NO_MARKS):
            grid.put(stroke)
    if options.zoom == "box":
        _ports(grid, scene, ink, glyphs)
    short = tuple((index, lack) for index, frame in frames.items() if (lack := _title(grid, frame, glyphs)))
    placed = place_labels(scene.view, ink, grid, glyphs) if options.zoom != "dots" else Placed()
    shown = tuple(frames.values())
    used = max((len(row) for row in (_stripped(chars) for chars in grid.chars)), default=0)
    return _Drawing(scene, rows, ink, grid, placed, places, shown, short, max_label, max(used + 1, 2))


def _stripped(chars: list[str]) -> list[str]:
    end = len(chars)
    while end and chars[end - 1] == " ":
        end -= 1
    return chars[:end]


def _reserve(scene: Scene, crowded: frozenset[int]) -> None:
    """Room for the labels of sideways lines, and, where labels were crowded, between neighbours."""
    for layer in scene.layers:
        for item in layer:
            item.pad_left = item.pad_right = item.need = 0
    if scene.options.zoom == "dots":
        return
    for index, route in enumerate(scene.routes):
        line = scene.view.lines[index]
        if not line.label:
            continue
        source, room = scene.nodes[line.source], cell_width(line.label) + 4
        wanted = scene.is_spine or index in crowded or len(scene.view.boxes) <= _ROOMY
        if route.side_out and route.chain is not None and wanted:
            if route.chain.bends[source.rank].spot > source.spot:
                source.pad_right = max(source.pad_right, room)
            else:
                source.pad_left = max(source.pad_left, room)
        elif index in crowded:
            first = _first_below(scene, index)
            first.need = max(first.need, room + 1)


def _first_below(scene: Scene, index: int) -> Item:
    """The item on the rank below the source that a line comes to first, or its way up."""
    line, route = scene.view.lines[index], scene.routes[index]
    source = scene.nodes[line.source]
    if route.chain is None:
        return scene.nodes[line.target]
    rank = source.rank if route.kind == "back" else source.rank + 1
    return route.chain.bends.get(rank) or scene.nodes[line.target]


def _place_and_join(scene: Scene) -> dict[int, Channel]:
    """Columns and nets; a node that is too narrow for what enters it is widened, which moves the others."""
    channels: dict[int, Channel] = {}
    for _ in range(_WIDENINGS):
        scene.tight.clear()
        place_columns(scene)
        channels = channels_of(scene)
        if not scene.tight:
            break
        for item in scene.nodes:
            item.width = max(item.width, scene.tight.get(item.serial, 0))
    return channels


def _widen_walls(scene: Scene, lacking: dict[int, int]) -> None:
    """Make every open subgraph wide enough for its title."""
    for frame, walls in scene.walls.items():
        title = cell_width(scene.view.groups[frame].title) + 6
        inside = max(_taken(scene, rank, frame) for rank in walls)
        missing = max(title - inside, 0)
        for left, right in walls.values():
            left.pad_right = (
                2 + (missing + 1) // 2 + lacking.get(frame, 0) if missing or frame in lacking else 0
            )
            right.pad_left = 2 + missing // 2 if missing else 0


def _taken(scene: Scene, rank: int, frame: int) -> int:
    """Cells that the nodes of a subgraph take on one rank, gaps included."""
    layer = scene.layers[rank]
    return sum(item.width + 3 for item in layer if item.kind == "node" and frame in scene.path(item.frame))


def _towards(scene: Scene, index: int, legs: list[Leg]) -> int:
    """Direction from the first cell of a path to its source."""
    if not legs:
        return 0
    source = scene.nodes[scene.view.lines[index].source]
    if legs[0].y0 >= source.y + source.height:
        return NORTH
    return WEST if legs[0].x0 > source.right else EAST


def _mend_cells(scene: Scene, ink: Ink) -> None:
    """Give lines that share their last cell one entry there: it is drawn as an arrow, not as a joint."""
    for index, path in enumerate(ink.paths):
        if path:
            arms, lines = ink.top[path[-1]]
            ink.top[path[-1]] = arms, lines if index in lines else [*lines, index]
    del scene


def _places(scene: Scene, max_label: int) -> dict[NodeId, Place]:
    del max_label
    places: dict[NodeId, Place] = {}
    for layer in scene.layers:
        for item in layer:
            if item.kind != "node":
                continue
            box = scene.view.boxes[item.box]
            mark, text, row = text_offset(box, scene.options.zoom)
            places[box.id] = Place(
                box.id, box.kind, item.left, item.y, item.width, item.height, item.rank, box.members,
                item.left + text, item.y + row, item.left + mark,
            )  # fmt: skip
    return places


def _frames(scene: Scene, rows: Rows) -> dict[int, Frame]:
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


def _border(grid: Grid, frame: Frame, glyphs: Glyphs) -> None:
    top_left, top, top_right, side, bottom_left, bottom_right = tuple(glyphs.borders["round"])
    bar = top * (frame.width - 2)
    last = frame.y + frame.height - 1
    grid.put(Stroke(frame.x, frame.y, top_left + bar + top_right, "border"))
    for y in range(frame.y + 1, last):
        grid.put(Stroke(frame.x, y, side, "border"))
        grid.put(Stroke(frame.x + frame.width - 1, y, side, "border"))
    grid.put(Stroke(frame.x, last, bottom_left + bar + bottom_right, "border"))


def _title(grid: Grid, frame: Frame, glyphs: Glyphs) -> int:
    """Write the title where no line crosses the top border; returns how many cells it lacks there."""
    bar = glyphs.borders["round"][1]
    full = cell_width(frame.title)
    for room in range(frame.width - 5, 0, -1):
        title = clip(frame.title, room)
        count = cell_width(title) + 2
        for x in range(frame.x + 2, frame.x + frame.width - 1 - count):
            if all(char == bar for char in grid.chars[frame.y][x : x + count]):
                grid.put(Stroke(x, frame.y, f" {title} ", "title"))
                return max(0, full - room)
    return full


def _lines(grid: Grid, scene: Scene, ink: Ink, glyphs: Glyphs) -> None:
    lines = scene.view.lines
    for (x, y), (arms, present) in ink.top.items():
        dashed = all(lines[index].dashed for index in present)
        evidence = min(lines[index].evidence for index in present)
        style = evidence + 1 if evidence else int(dashed)
        role = "edge" + (" dashed" if dashed else "") + _EVIDENCE[evidence]
        if all(index in scene.back for index in present):
            role += " back"
        grid.put(Stroke(x, y, glyphs.line(arms, style), role))
    for index, path in enumerate(ink.paths):
        if path:
            x, y = path[-1]
            role = grid.roles[y][x] or "edge"
            heading = _heading(scene, index, path)
            if " arrow" not in role:
                role = role.replace("edge", "edge arrow", 1)
            grid.put(Stroke(x, y, glyphs.arrows[heading], role))


def _heading(scene: Scene, index: int, path: list[Cell]) -> int:
    """Direction in which a line meets its target."""
    target = scene.nodes[scene.view.lines[index].target]
    x, y = path[-1]
    if y < target.y:
        return SOUTH
    if y >= target.y + target.height:
        return NORTH
    return EAST if x < target.left else WEST


def _ports(grid: Grid, scene: Scene, ink: Ink, glyphs: Glyphs) -> None:
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


def _legend_rows(legend: list[tuple[str, str]], width: int) -> list[str]:
    """The legend as lines of text, filled up to the width of the picture."""
    rows: list[str] = []
    for sign, text in legend:
        entry = f"{sign} {text}" if len(sign) == 1 else f"{sign}: {text}"
        if rows and cell_width(rows[-1]) + cell_width(entry) + 4 <= width:
            rows[-1] += f"   {entry}"
        else:
            rows.append(entry)
    return ["", *rows] if rows else []
