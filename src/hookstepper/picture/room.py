"""Room for what is written beside the lines: labels next to nodes, titles on borders, ports on nodes."""

from __future__ import annotations

from dataclasses import dataclass

from hookstepper.picture.channels import Channel, channels_of
from hookstepper.picture.coords import place_columns
from hookstepper.picture.scene import Item, Scene
from hookstepper.picture.width import cell_width

_ROOMY = 60
"""Most boxes for which every sideways line gets room for its label beside its source."""
_WIDENINGS = 4
"""Most rounds of widening nodes for the lines that enter them."""


@dataclass(frozen=True, slots=True)
class Wants:
    """What a try is asked for: room that a first one lacked, or as little width as can be."""

    crowded: frozenset[int] = frozenset()
    """Lines whose label did not fit."""
    titles: tuple[tuple[int, int], ...] = ()
    """Subgraph and cells that its title lacks."""
    compact: bool = False
    """True reserves room only for crowded labels."""
    flush: bool = False
    """True leaves no blank column at either side."""

    def __bool__(self) -> bool:
        return bool(self.crowded or self.titles)


def reserve(scene: Scene, wants: Wants) -> None:
    """Room for the labels of sideways lines, and, where labels were crowded, between neighbours."""
    for layer in scene.layers:
        for item in layer:
            item.pad_left = item.pad_right = item.need = 0
    if scene.options.zoom == "dots":
        return
    roomy = len(scene.view.boxes) <= _ROOMY and not wants.compact
    for index, route in enumerate(scene.routes):
        line = scene.view.lines[index]
        if not line.label:
            continue
        source, room = scene.nodes[line.source], cell_width(line.label) + 4
        wanted = scene.is_spine or index in wants.crowded or roomy
        if route.side_out and route.chain is not None and wanted:
            if route.chain.bends[source.rank].spot > source.spot:
                source.pad_right = max(source.pad_right, room)
            else:
                source.pad_left = max(source.pad_left, room)
        elif index in wants.crowded:
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


def place_and_join(scene: Scene) -> dict[int, Channel]:
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


def widen_walls(scene: Scene, wants: Wants) -> None:
    """Make every open subgraph wide enough for its title."""
    lacking = dict(wants.titles)
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
