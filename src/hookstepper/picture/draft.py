"""One try at a picture: columns, rows, paths, ink and labels for one label length."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hookstepper.model.ids import NodeId
from hookstepper.picture.boxes import size_of, strokes
from hookstepper.picture.glyphs import EAST, NORTH, SETS, WEST
from hookstepper.picture.grid import Grid
from hookstepper.picture.ink import Ink, ink_of
from hookstepper.picture.labels import Placed, place_labels
from hookstepper.picture.layout import Frame, Place
from hookstepper.picture.marks import NO_MARKS
from hookstepper.picture.paint import (
    frames_of,
    paint_border,
    paint_lines,
    paint_ports,
    paint_title,
    places_of,
)
from hookstepper.picture.room import Wants, place_and_join, reserve, widen_walls
from hookstepper.picture.rows import place_rows
from hookstepper.picture.scene import Scene
from hookstepper.picture.width import cell_width
from hookstepper.picture.wires import Leg, paths_of


@dataclass(slots=True)
class Draft:
    """A scene with columns and rows, inked and labelled."""

    scene: Scene
    ink: Ink
    grid: Grid
    placed: Placed
    places: dict[NodeId, Place]
    frames: tuple[Frame, ...]
    short_titles: tuple[tuple[int, int], ...]
    """Subgraph and cells that its title lacks."""
    max_label: int
    width: int

    tried: Wants
    """What it was asked for."""

    def wants(self) -> Wants:
        """What a second try has to make room for."""
        return replace(self.tried, crowded=frozenset(self.placed.crowded), titles=self.short_titles)


def draft(scene: Scene, max_label: int, wants: Wants) -> Draft:
    """Place, route and paint a scene; its order stays as it is."""
    options = scene.options
    scene.margin = 0 if wants.flush else 1
    for item in scene.nodes:
        item.width, item.height = size_of(scene.view.boxes[item.box], options.zoom, max_label, options.glyphs)
    reserve(scene, wants)
    widen_walls(scene, wants)
    channels = place_and_join(scene)
    rows = place_rows(scene, channels, wants.crowded)
    paths = paths_of(scene, channels, rows)
    ink = ink_of(paths, [_towards(scene, index, legs) for index, legs in enumerate(paths)])
    frames = frames_of(scene, rows)
    places = places_of(scene)
    grid = Grid(_reach(scene, ink), rows.height)
    glyphs = SETS[options.glyphs]
    for frame in frames.values():
        paint_border(grid, frame, glyphs)
    paint_lines(grid, scene, ink, glyphs)
    for box in scene.view.boxes:
        for stroke in strokes(box, places[box.id], options, max_label, NO_MARKS):
            grid.put(stroke)
    if options.zoom == "box":
        paint_ports(grid, scene, ink, glyphs)
    lacks = {index: paint_title(grid, frame, glyphs) for index, frame in frames.items()}
    short = tuple((index, lack) for index, lack in lacks.items() if lack)
    placed = place_labels(scene.view, ink, grid, glyphs) if options.zoom != "dots" else Placed()
    width = max(grid.used_width() + scene.margin, 2)
    shown = tuple(frames.values())
    return Draft(scene, ink, grid, placed, places, shown, short, max_label, width, wants)


def _reach(scene: Scene, ink: Ink) -> int:
    """Columns that the picture may need: items, lines, and a label right of them."""
    right = max((item.right for layer in scene.layers for item in layer), default=0)
    right = max([right, *(x for x, _ in ink.lines)])
    return right + max((cell_width(line.label) for line in scene.view.lines), default=0) + 6


def _towards(scene: Scene, index: int, legs: list[Leg]) -> int:
    """Direction from the first cell of a path to its source."""
    if not legs:
        return 0
    source = scene.nodes[scene.view.lines[index].source]
    if legs[0].y0 >= source.y + source.height:
        return NORTH
    return WEST if legs[0].x0 > source.right else EAST
