"""From a view to items: ranks, the spine, chains and lanes for long lines, walls for open subgraphs."""

from __future__ import annotations

from itertools import pairwise

from hookstepper.picture.options import Options
from hookstepper.picture.ranks import back_lines, ranks_of, root_of
from hookstepper.picture.scene import Chain, Item, Route, RouteKind, Scene, link
from hookstepper.picture.settled import Before
from hookstepper.picture.view import View
from hookstepper.picture.width import cell_width

SPINE_SHARE = 0.6
"""Least share of the boxes on the main path for it to be drawn as a straight spine."""
_AT_END = 3
"""What it is worth to a path that it leads to END: decides between ways that are equal otherwise."""


def build(view: View, options: Options, before: Before | None = None) -> Scene:
    """A scene with every box on its rank and every long line as a chain; nothing is ordered or placed."""
    scene = Scene(view, options)
    root = root_of(view)
    scene.back, scene.topo = back_lines(view, root)
    known = [before.ranks.get(box.id, 0) for box in view.boxes] if before else None
    scene.rank = ranks_of(view, scene.back, scene.topo, root, known)
    scene.layers = [[] for _ in range(max(scene.rank, default=-1) + 1)]
    scene.spine = _main_path(scene, root)
    enough = len(scene.spine) >= SPINE_SHARE * len(view.boxes) and not view.groups
    scene.is_spine = enough if options.mode == "auto" else options.mode == "spine"
    for index, box in enumerate(view.boxes):
        item = scene.add("node", scene.rank[index], 1, box.frame)
        item.box = index
        scene.nodes.append(item)
    _Router(scene).run()
    _raise_walls(scene)
    return scene


def _main_path(scene: Scene, root: int) -> list[int]:
    """The heaviest way down from the root: fixed lines count most, skipped ranks cost."""
    if not scene.view.boxes:
        return []
    best = [(_AT_END if box.kind == "end" else 0, -1) for box in scene.view.boxes]
    leaving: list[list[int]] = [[] for _ in scene.view.boxes]
    for index, line in enumerate(scene.view.lines):
        if index not in scene.back and line.evidence != 3:
            leaving[line.source].append(index)
    for box in reversed(scene.topo):
        for index in leaving[box]:
            line = scene.view.lines[index]
            span = scene.rank[line.target] - scene.rank[box]
            worth = (12 if not line.dashed else 6) if line.evidence < 2 else 3
            total = best[line.target][0] + worth - 10 * (span - 1)
            if total > best[box][0]:
                best[box] = (total, line.target)
    path = [root]
    while (following := best[path[-1]][1]) >= 0:
        path.append(following)
    return path


class _Router:
    """Decides for every line how it runs, and makes the bends that it needs."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.on_spine = set(scene.spine)
        self.bundles: dict[tuple[object, ...], Chain] = {}

    def run(self) -> None:
        scene = self.scene
        for index, line in enumerate(scene.view.lines):
            upper, lower = scene.nodes[line.source], scene.nodes[line.target]
            if index in scene.back:
                self._back(index, upper, lower)
            elif lower.rank - upper.rank == 1:
                self._step(index, upper, lower)
            elif self._takes_lane(index):
                self._lane(index, upper, lower)
            else:
                self._far(index, upper, lower)
        for chain in scene.chains:
            ranks = sorted(chain.bends)
            for a, b in pairwise(ranks):
                link(chain.bends[a], chain.bends[b], 8)
        self._tie_sideways()
        scene.pinned = self._pinned()

    def _takes_lane(self, index: int) -> bool:
        line = self.scene.view.lines[index]
        return self.scene.is_spine and line.dashed and line.source in self.on_spine

    def _chain(self, key: tuple[object, ...], kind: RouteKind, index: int, side: int) -> Chain:
        scene = self.scene
        line = scene.view.lines[index]
        chain = self.bundles.get(key)
        if chain is None:
            frame = scene.common(scene.nodes[line.source].frame, scene.nodes[line.target].frame)
            chain = Chain(len(scene.chains), kind, line.target, side, frame)
            self.bundles[key] = chain
            scene.chains.append(chain)
        chain.lines.append(index)
        scene.routes.append(Route(kind, chain))
        return chain

    def _step(self, index: int, upper: Item, lower: Item) -> None:
        scene = self.scene
        line = scene.view.lines[index]
        weight = 1 if line.dashed else 2
        if scene.is_spine and line.source in self.on_spine and line.target in self.on_spine:
            weight *= 50
        link(upper, lower, weight)
        scene.routes.append(Route("step", None))

    def _back(self, index: int, source: Item, target: Item) -> None:
        scene = self.scene
        side = 1 if scene.is_spine else 0
        frame = scene.common(source.frame, target.frame)
        key = ("back", target.serial, frame, -1 if scene.is_spine else source.rank)
        chain = self._chain(key, "back", index, side)
        cover(scene, chain, target.rank, source.rank)
        if scene.is_spine:
            source.pad_right = max(source.pad_right, label_room(scene, index))

    def _lane(self, index: int, upper: Item, lower: Item) -> None:
        scene = self.scene
        line = scene.view.lines[index]
        reaches = line.target in self.on_spine
        side = -1 if reaches else 1
        chain = self._chain(("lane", lower.serial, side), "lane", index, side)
        cover(scene, chain, upper.rank, lower.rank if reaches else lower.rank - 1)
        if side < 0:
            upper.pad_left = max(upper.pad_left, label_room(scene, index))
        else:
            upper.pad_right = max(upper.pad_right, label_room(scene, index))

    def _far(self, index: int, upper: Item, lower: Item) -> None:
        scene = self.scene
        weight = 1 if scene.view.lines[index].dashed else 2
        chain = self._chain(("far", index), "far", index, 0)
        cover(scene, chain, upper.rank + 1, lower.rank - 1)
        link(upper, chain.bends[upper.rank + 1], weight)
        link(chain.bends[lower.rank - 1], lower, weight)

    def _tie_sideways(self) -> None:
        scene = self.scene
        ended: set[int] = set()
        for line, route in zip(scene.view.lines, scene.routes, strict=True):
            chain = route.chain
            if chain is None or route.kind == "far":
                continue
            source, target = scene.nodes[line.source], scene.nodes[line.target]
            chain.bends[source.rank].flat.append(source)
            if target.rank in chain.bends:
                chain.bends[target.rank].flat.append(target)
            elif chain.serial not in ended:
                ended.add(chain.serial)
                link(chain.bends[target.rank - 1], target, 1)

    def _pinned(self) -> set[int]:
        scene = self.scene
        if not scene.is_spine:
            return set()
        pinned = {scene.nodes[box].serial for box in scene.spine}
        for a, b in pairwise(scene.spine):
            for line, route in zip(scene.view.lines, scene.routes, strict=True):
                if line.source == a and line.target == b and route.kind == "far" and route.chain:
                    pinned |= {bend.serial for bend in route.chain.bends.values()}
        return pinned


def label_room(scene: Scene, index: int) -> int:
    """Cells that the label of a sideways line needs beside its source."""
    label = scene.view.lines[index].label
    return cell_width(label) + 4 if label and scene.options.zoom != "dots" else 0


def cover(scene: Scene, chain: Chain, low: int, high: int) -> None:
    """Give a chain a bend on every rank from `low` to `high` and between those and what it has."""
    for rank in range(min([low, *chain.bends]), max([high, *chain.bends]) + 1):
        if rank not in chain.bends:
            bend = scene.add("bend", rank, 1, chain.frame)
            bend.chain = chain
            bend.bias = chain.side
            chain.bends[rank] = bend


def _raise_walls(scene: Scene) -> None:
    """A wall left and right of every open subgraph on each rank that it covers."""
    spans: dict[int, tuple[int, int]] = {}
    for layer in scene.layers:
        for item in layer:
            for frame in scene.path(item.frame):
                low, high = spans.get(frame, (item.rank, item.rank))
                spans[frame] = (min(low, item.rank), max(high, item.rank))
    for frame in sorted(spans):
        low, high = spans[frame]
        walls: dict[int, tuple[Item, Item]] = {}
        for rank in range(low, high + 1):
            pair = scene.add("wall", rank, 1, frame), scene.add("wall", rank, 1, frame)
            pair[0].bias, pair[1].bias = -1, 1
            walls[rank] = pair
        for rank in range(low, high):
            for side in (0, 1):
                link(walls[rank][side], walls[rank + 1][side], 20)
        scene.walls[frame] = walls
