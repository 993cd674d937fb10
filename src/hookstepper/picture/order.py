"""The order of items on each rank, for few crossings.

Sources: weighted median and transpose after Gansner, Koutsofios, North, Vo (1993); barycentre after Sugiyama,
Tagawa, Toda (1981); sifting after Matuszewski, Schönfeld, Molitor (1999); counting by insertion. Subgraphs
stay together because each rank is sorted level by level.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Callable
from random import Random

from hookstepper.picture.scene import Item, Scene

Key = Callable[[Item], float]
_NODE_CROSSED = 3
"""Cost of a sideways line over a node, in crossings."""


def order(scene: Scene) -> int:
    """Order every rank; returns the crossings left. Deterministic: the random starts have a fixed seed."""
    return _Orderer(scene).run()


class _Orderer:
    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.layers = scene.layers
        self.size = sum(map(len, scene.layers))
        self.grouped = bool(scene.view.groups)

    def run(self) -> int:
        starts = 1 if self.size > 1500 else 2 if self.size > 500 else 4
        topo = self.scene.topo
        shuffle = Random(1)
        best: tuple[int, list[list[Item]]] | None = None
        for attempt in range(starts):
            seeds = topo if attempt == 0 else shuffle.sample(topo, len(topo))
            found = self._one_start(seeds, mirrored=attempt == 1)
            if best is None or found[0] < best[0]:
                best = found
            if best[0] == 0:
                break
        assert best is not None
        for index, layer in enumerate(best[1]):
            self.layers[index][:] = layer
            self.scene.number(self.layers[index])
        return best[0]

    def _one_start(self, seeds: list[int], mirrored: bool) -> tuple[int, list[list[Item]]]:
        self._first_order(seeds, mirrored)
        count = self._crossings()
        best = count, [list(layer) for layer in self.layers]
        stall = 0
        for sweep in range(24 if self.size < 1500 else 8):
            if best[0] == 0 or stall > 6:
                break
            self._sweep(sweep)
            self._transpose()
            if sweep >= 3 and sweep % 2:
                self._sift()
            count = self._crossings()
            stall += 1
            if count < best[0]:
                best = count, [list(layer) for layer in self.layers]
                stall = 0
        return best

    def _first_order(self, seeds: list[int], mirrored: bool) -> None:
        """Nodes as the depth-first search found them; bends beside what they belong to."""
        scene = self.scene
        sign = -1 if mirrored else 1
        place = {box: sign * index for index, box in enumerate(seeds)}
        known: dict[int, float] = {}
        for box, item in enumerate(scene.nodes):
            known[item.serial] = place[box]
        for layer in self.layers:
            for item in layer:
                if item.chain is not None:
                    near = [known[other.serial] for other in item.flat if other.serial in known]
                    known[item.serial] = (max(near) if near else place[item.chain.target]) + 0.5
        keys: dict[int, list[float]] = {}
        for layer in self.layers:
            for item in layer:
                for frame in scene.path(item.frame):
                    keys.setdefault(frame, []).append(known.get(item.serial, 0.0))
        means = {frame: sum(values) / len(values) for frame, values in keys.items()}
        for layer in self.layers:
            self._sort(layer, lambda item: known.get(item.serial, 0.0), means)

    def _sweep(self, sweep: int) -> None:
        down = sweep % 2 == 0
        keys = self._group_keys(down)
        nudge = 1e-6 if sweep % 4 < 2 else -1e-6
        key = _median_key(down, nudge) if sweep % 8 < 4 else _mean_key(down, nudge)
        for layer in self.layers if down else reversed(self.layers):
            self._sort(layer, key, keys)

    def _group_keys(self, down: bool) -> dict[int, float]:
        """One key for each subgraph, the same on all ranks, so that two subgraphs never change sides."""
        if not self.grouped:
            return {}
        sums: dict[int, list[float]] = {}
        for layer in self.layers:
            for item in layer:
                near = item.up if down else item.down
                where = sum(other.pos for other, _ in near) / len(near) if near else item.pos
                for frame in self.scene.path(item.frame):
                    sums.setdefault(frame, []).append(where)
        return {frame: sum(values) / len(values) for frame, values in sums.items()}

    def _sort(self, layer: list[Item], key: Key, group_keys: dict[int, float]) -> None:
        if self.grouped:
            layer[:] = self._sorted_level(layer, 0, key, group_keys)
        else:
            layer.sort(key=lambda item: (item.bias, _lane_key(item) if item.bias else key(item)))
        self.scene.number(layer)

    def _sorted_level(
        self, items: list[Item], depth: int, key: Key, group_keys: dict[int, float]
    ) -> list[Item]:
        """Items of one subgraph on one rank: walls outermost, inner subgraphs as wholes."""
        inner: dict[int, list[Item]] = {}
        entries: list[tuple[tuple[int, float, int], list[Item]]] = []
        for item in items:
            path = self.scene.path(item.frame)
            if len(path) > depth:
                inner.setdefault(path[depth], []).append(item)
            elif item.bias:
                outer = 2 * item.bias if item.kind == "wall" else item.bias
                entries.append(((outer, _lane_key(item), 0), [item]))
            else:
                entries.append(((0, key(item), 0), [item]))
        for frame, members in inner.items():
            mean = sum(key(item) for item in members) / len(members)
            where = group_keys.get(frame, mean)
            entries.append(((0, where, frame + 1), self._sorted_level(members, depth + 1, key, group_keys)))
        entries.sort(key=lambda entry: entry[0])
        return [item for _, part in entries for item in part]

    def _crossings(self) -> int:
        total = 0
        for layer in self.layers[:-1]:
            ends: list[int] = []
            for item in layer:
                for spot in sorted(other.spot for other, _ in item.down):
                    total += len(ends) - bisect_right(ends, spot)
                    ends.append(spot) if not ends or spot >= ends[-1] else insort(ends, spot)
        return total + sum(self._sideways(item) for layer in self.layers for item in layer if item.flat)

    def _sideways(self, bend: Item) -> int:
        layer = self.layers[bend.rank]
        total = 0
        for node in bend.flat:
            low, high = sorted((bend.spot, node.spot))
            total += sum(_NODE_CROSSED if item.kind == "node" else 1 for item in layer[low + 1 : high])
        return total

    def _transpose(self) -> None:
        """Swap neighbours while that saves crossings."""
        for layer in self.layers:
            ups = {item.serial: [other.spot for other, _ in item.up] for item in layer}
            downs = {item.serial: [other.spot for other, _ in item.down] for item in layer}
            for _ in range(4):
                improved = False
                for index in range(len(layer) - 1):
                    a, b = layer[index], layer[index + 1]
                    if a.bias or b.bias or a.frame != b.frame:
                        continue
                    gain = _excess(ups[a.serial], ups[b.serial]) + _excess(downs[a.serial], downs[b.serial])
                    if gain > 0:
                        layer[index], layer[index + 1] = b, a
                        a.spot, b.spot = b.spot, a.spot
                        improved = True
                if not improved:
                    break
            self.scene.number(layer)

    def _sift(self) -> None:
        """Move every item to the place on its rank where it crosses least."""
        for layer in self.layers:
            if len(layer) < 3:
                continue
            excess = _excess_on(layer)
            for item in list(layer):
                if not item.bias:
                    _sift_one(layer, item, excess)
            self.scene.number(layer)


def _excess_on(layer: list[Item]) -> Callable[[Item, Item], int]:
    """Crossings saved by swapping two items of a rank, while the neighbouring ranks stay as they are."""
    ups = {item.serial: [other.spot for other, _ in item.up] for item in layer}
    downs = {item.serial: [other.spot for other, _ in item.down] for item in layer}
    return lambda a, b: _excess(ups[a.serial], ups[b.serial]) + _excess(downs[a.serial], downs[b.serial])


def _sift_one(layer: list[Item], item: Item, excess: Callable[[Item, Item], int]) -> None:
    here = layer.index(item)
    best, goal = 0, here
    for step in (-1, 1):
        gain = 0
        at = here + step
        while 0 <= at < len(layer) and not layer[at].bias and layer[at].frame == item.frame:
            other = layer[at]
            gain += excess(other, item) if step < 0 else excess(item, other)
            if gain > best:
                best, goal = gain, at
            at += step
    if goal != here:
        layer.pop(here)
        layer.insert(goal, item)


def _excess(left: list[int], right: list[int]) -> int:
    """Crossings between the links of two neighbours, less those after swapping them."""
    total = 0
    for a in left:
        for b in right:
            total += (a > b) - (a < b)
    return total


def _lane_key(item: Item) -> float:
    """Longer lanes stand further out, lanes that lead back outside of those that lead on."""
    chain = item.chain
    if chain is None:
        return 0.0
    return len(chain.bends) * chain.side + (0 if chain.kind == "back" else 0.5)


def _median_key(down: bool, nudge: float) -> Key:
    def key(item: Item) -> float:
        near = item.up if down else item.down
        if not near:
            return _flat_key(item)
        spots = sorted(other.pos for other, _ in near)
        middle = len(spots) // 2
        median = spots[middle] if len(spots) % 2 else (spots[middle - 1] + spots[middle]) / 2
        return median + nudge * item.pos

    return key


def _mean_key(down: bool, nudge: float) -> Key:
    def key(item: Item) -> float:
        near = item.up if down else item.down
        if not near:
            return _flat_key(item)
        return sum(other.pos * weight for other, weight in near) / sum(w for _, w in near) + nudge * item.pos

    return key


def _flat_key(item: Item) -> float:
    if item.flat:
        return sum(other.pos for other in item.flat) / len(item.flat) + 0.01
    return item.pos
