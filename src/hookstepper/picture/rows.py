"""Rows: the y of every rank, track, subgraph border and arrow, from top to bottom."""

from __future__ import annotations

from dataclasses import dataclass, field

from hookstepper.picture.channels import Channel, Net, Seg
from hookstepper.picture.scene import Scene
from hookstepper.picture.tracks import assign_tracks
from hookstepper.picture.width import cell_width


@dataclass(slots=True)
class Rows:
    """Rows of one layout. A channel is named by the rank above it."""

    first: dict[int, int] = field(default_factory=dict)
    """First row of each channel."""
    last: dict[int, int] = field(default_factory=dict)
    tracks: dict[tuple[int, int], int] = field(default_factory=dict)
    """(channel, section) → row of its track 0."""
    borders: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Open subgraph → rows of its top and bottom border."""
    height: int = 0

    def run(self, channel: int, net: Net, lower: bool = False) -> int:
        """Row of the horizontal run of a net, or of its lower half."""
        track = net.second if lower else net.first
        assert track is not None
        return self.tracks[channel, net.section] + track


def place_rows(scene: Scene, channels: dict[int, Channel], crowded: frozenset[int]) -> Rows:
    """Set `y` of every item and the rows of everything between the ranks.

    Args:
        crowded: lines whose label found no place before; their channel gets a row more.
    """
    rows = Rows()
    tops: dict[int, int] = {}
    y = 0
    for index in range(-1, len(scene.layers)):
        channel = channels.get(index, Channel(index))
        ends = _frames(scene, lambda ranks, at=index: max(ranks) == at)
        starts = _frames(scene, lambda ranks, at=index: min(ranks) == at + 1)
        walls = {wall.x for pair in scene.walls.values() for walls in pair.values() for wall in walls}
        count = [assign_tracks(channel, walls, section) for section in (0, 1, 2)]
        before, after = _label_rows(scene, channel, crowded)
        rows.first[index] = y
        rows.tracks[index, 0] = y
        y += count[0]
        for depth in sorted({depth for depth, _ in ends}, reverse=True):
            for _, frame in (entry for entry in ends if entry[0] == depth):
                rows.borders[frame] = (tops[frame], y)
            y += 1
        y += before
        rows.tracks[index, 1] = y
        y += count[1] + after
        for depth in sorted({depth for depth, _ in starts}):
            for _, frame in (entry for entry in starts if entry[0] == depth):
                tops[frame] = y
            y += 1
        rows.tracks[index, 2] = y
        y += count[2]
        if any(item.kind == "node" for seg in channel.segs for item in seg.bottoms):
            y += 1  # arrows
        if 0 <= index < len(scene.layers) - 1:
            y = max(y, rows.first[index] + 1)
        rows.last[index] = y - 1
        if index + 1 < len(scene.layers):
            layer = scene.layers[index + 1]
            height = max((item.height for item in layer), default=1)
            for item in layer:
                item.y = y + (height - item.height) // 2
            y += height
    rows.height = y
    return rows


def _frames(scene: Scene, wanted: object) -> list[tuple[int, int]]:
    """(depth, subgraph) of the subgraphs whose ranks satisfy a condition."""
    assert callable(wanted)
    return [(len(scene.path(frame)), frame) for frame, walls in scene.walls.items() if wanted(walls)]


def _label_rows(scene: Scene, channel: Channel, crowded: frozenset[int]) -> tuple[int, int]:
    """Rows kept free before and after the tracks for labels that fit on no horizontal run."""
    before = after = extra = 0
    if scene.options.zoom == "dots":
        return 0, 0
    for seg in channel.segs:
        label = scene.view.lines[seg.line].label
        source = scene.nodes[scene.view.lines[seg.line].source]
        if not label or source not in seg.tops:
            continue
        net = channel.net_of[seg.line]
        if _own_run(net, seg) >= cell_width(label) + 3:
            continue
        if len(net.tops) > 1:
            before = 1
        else:
            after = 1
            extra += seg.line in crowded
    return before, after + min(extra, 2)


def _own_run(net: Net, seg: Seg) -> int:
    """Cells of the horizontal run of a net that only one of its segments uses."""
    if net.low == net.high or len(seg.bottoms) == 2:
        return 0
    start = net.tops[seg.tops[0].serial]
    end = net.tops[seg.tops[1].serial] if len(seg.tops) == 2 else net.bottoms[seg.bottoms[0].serial]
    if start == end:
        return 0
    far, near = (end, start) if net.key[0] == "out" else (start, end)
    low, high = min(far, near), max(far, near)
    others = [x for x in net.columns() if low <= x <= high and x != far]
    nearest = min(others, key=lambda x: abs(x - far), default=near)
    return abs(far - nearest) - 1
