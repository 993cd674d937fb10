"""The order of items on each rank, for few crossings.

Sources: weighted median, transpose and several starts after Gansner, Koutsofios, North, Vo (1993); barycentre
after Sugiyama, Tagawa, Toda (1981); sifting after Matuszewski, Schönfeld, Molitor (1999). Subgraphs stay
together because each rank is sorted level by level.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Callable

from hookstepper.picture.reinsert import Reinserter
from hookstepper.picture.scene import Item, Scene

Key = Callable[[int], float]
Order = list[list[int]]
"""Serials of the items of each rank, from left to right."""
_NODE_CROSSED = 3
"""Cost of a sideways line over a node, in crossings."""
_STALL = 8
"""Sweeps without improvement after which a start is given up."""


_WORTH = 0.995
"""Share of the crossings that a sweep has to reach to count as an improvement."""
_POLISHES = 8
_TRANSPOSE_ROUNDS = 6


def order(scene: Scene) -> int:
    """Order every rank; returns the crossings left. Deterministic: the random starts have a fixed seed."""
    return _Orderer(scene).run()


class _Orderer:
    """Works on serials of items; the scene is changed at the end."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.items: list[Item] = [None] * scene.items  # type: ignore[list-item]
        for layer in scene.layers:
            for item in layer:
                self.items[item.serial] = item
        self.up = [[other.serial for other, _ in item.up] for item in self.items]
        self.down = [[other.serial for other, _ in item.down] for item in self.items]
        self.flat: list[list[int]] = [[] for _ in self.items]
        """Items of the same rank that a sideways line joins, seen from both ends."""
        for item in self.items:
            # Several lines into one bend of a rank become a bus below the nodes: it may stand anywhere.
            for other in item.flat if len(item.flat) == 1 else ():
                self.flat[item.serial].append(other.serial)
                self.flat[other.serial].append(item.serial)
        self.cost = [_NODE_CROSSED if item.kind == "node" else 1 for item in self.items]
        self.free = [not item.bias for item in self.items]
        self.frame = [item.frame for item in self.items]
        self.spot = [0] * len(self.items)
        self.place = [0.0] * len(self.items)
        self.layers: Order = [[item.serial for item in layer] for layer in scene.layers]
        self.sideways = [item.serial for item in self.items if len(item.flat) == 1]
        self.grouped = bool(scene.view.groups)

    def run(self) -> int:
        """Three starts of few sweeps, many sweeps from the best of them, then sifting."""
        short, long = (4, 24) if len(self.items) <= 1500 else (2, 6)
        best: tuple[int, Order] | None = None
        for attempt, known in enumerate(
            (self._breadth_first(True), self._breadth_first(False), self._depth_first())
        ):
            self._first_order(known)
            found = self._improve(short, attempt)
            if best is None or found[0] < best[0]:
                best = found
            if best[0] == 0:
                break
        assert best is not None
        if best[0]:
            self._restore(best[1])
            best = self._improve(long, 0)
        self._restore(best[1])
        crossings = self._polish(best[0]) if best[0] else 0
        for layer, serials in zip(self.scene.layers, self.layers, strict=True):
            layer[:] = [self.items[serial] for serial in serials]
            self.scene.number(layer)
        return crossings

    def _restore(self, order: Order) -> None:
        self.layers = [list(layer) for layer in order]
        for layer in self.layers:
            self._number(layer)

    def _improve(self, sweeps: int, turn: int) -> tuple[int, Order]:
        """Sweep up and down; the best order met."""
        best = self._crossings(), [list(layer) for layer in self.layers]
        stall = 0
        for sweep in range(turn, turn + sweeps):
            if best[0] == 0 or stall >= _STALL:
                break
            self._sweep(sweep)
            self._transpose(with_ties=sweep % 4 < 2)
            count = self._crossings()
            stall = 0 if count < best[0] * _WORTH else stall + 1
            if count < best[0]:
                best = count, [list(layer) for layer in self.layers]
        return best

    def _polish(self, count: int) -> int:
        """Sift and transpose until neither helps."""
        reinserter = Reinserter(self.items, self.layers, self.spot, self.cost, self.flat)
        for _ in range(_POLISHES):
            kept = [list(layer) for layer in self.layers]
            for chain in self.scene.chains:
                reinserter.improve(chain)
            for layer in self.layers:
                self._number(layer)
            self._sift()
            self._transpose(with_ties=False)
            now = self._crossings()
            if now >= count:
                self._restore(kept)
                break
            count = now
        return count

    def _number(self, layer: list[int]) -> None:
        offset = (len(layer) - 1) / 2
        for index, serial in enumerate(layer):
            self.spot[serial] = index
            self.place[serial] = index - offset

    def _breadth_first(self, down: bool) -> list[float]:
        """Where a search from the top (or the bottom) finds each item; that often is a good order already."""
        ahead, behind = (self.down, self.up) if down else (self.up, self.down)
        known = [-1.0] * len(self.items)
        found = 0
        roots = [s for s in range(len(self.items)) if not behind[s] and self.items[s].kind == "node"]
        for root in [*roots, *range(len(self.items))]:
            if known[root] >= 0:
                continue
            known[root] = found
            found += 1
            queue = [root]
            for serial in queue:
                for other in (*ahead[serial], *(item.serial for item in self.items[serial].flat)):
                    if known[other] < 0:
                        known[other] = found
                        found += 1
                        queue.append(other)
        return known

    def _depth_first(self) -> list[float]:
        """Nodes as the search for loops found them; bends beside what they belong to."""
        rank_of = {box: index for index, box in enumerate(self.scene.topo)}
        known = [0.0] * len(self.items)
        for item in self.items:
            if item.kind == "node":
                known[item.serial] = rank_of[item.box]
        for item in self.items:
            if item.chain is not None:
                near = [known[other.serial] for other in item.flat]
                known[item.serial] = (max(near) if near else rank_of[item.chain.target]) + 0.5
        return known

    def _first_order(self, known: list[float]) -> None:
        sums: dict[int, list[float]] = {}
        for item in self.items:
            for frame in self.scene.path(item.frame):
                sums.setdefault(frame, []).append(known[item.serial])
        means = {frame: sum(values) / len(values) for frame, values in sums.items()}
        for layer in self.layers:
            self._sort(layer, known.__getitem__, means)

    def _sweep(self, sweep: int) -> None:
        near = self.up if sweep % 2 == 0 else self.down
        means = self._group_means(near)
        nudge = 1e-6 if sweep % 4 < 2 else -1e-6
        key = self._median(near, nudge) if sweep % 8 < 4 else self._mean(near, nudge)
        for layer in self.layers if sweep % 2 == 0 else reversed(self.layers):
            self._sort(layer, key, means)

    def _group_means(self, near: list[list[int]]) -> dict[int, float]:
        """One key for each subgraph, the same on all ranks, so that two subgraphs never change sides."""
        if not self.grouped:
            return {}
        place = self.place
        sums: dict[int, list[float]] = {}
        for item in self.items:
            others = near[item.serial]
            where = sum(place[o] for o in others) / len(others) if others else place[item.serial]
            for frame in self.scene.path(item.frame):
                sums.setdefault(frame, []).append(where)
        return {frame: sum(values) / len(values) for frame, values in sums.items()}

    def _sort(self, layer: list[int], key: Key, means: dict[int, float]) -> None:
        items = self.items
        if self.grouped:
            layer[:] = self._sorted_level(layer, 0, key, means)
        else:
            layer.sort(key=lambda s: (0, key(s)) if self.free[s] else (items[s].bias, _lane_key(items[s])))
        self._number(layer)

    def _sorted_level(self, serials: list[int], depth: int, key: Key, means: dict[int, float]) -> list[int]:
        """Items of one subgraph on one rank: walls outermost, inner subgraphs as wholes."""
        inner: dict[int, list[int]] = {}
        entries: list[tuple[tuple[int, float, int], list[int]]] = []
        for serial in serials:
            item = self.items[serial]
            path = self.scene.path(item.frame)
            if len(path) > depth:
                inner.setdefault(path[depth], []).append(serial)
            elif item.bias:
                outer = 2 * item.bias if item.kind == "wall" else item.bias
                entries.append(((outer, _lane_key(item), 0), [serial]))
            else:
                entries.append(((0, key(serial), 0), [serial]))
        for frame, members in inner.items():
            where = means[frame]
            entries.append(((0, where, frame + 1), self._sorted_level(members, depth + 1, key, means)))
        entries.sort(key=lambda entry: entry[0])
        return [serial for _, part in entries for serial in part]

    def _median(self, near: list[list[int]], nudge: float) -> Key:
        place = self.place

        def key(serial: int) -> float:
            others = near[serial]
            if not others:
                return self._beside(serial)
            if len(others) == 1:
                return place[others[0]] + nudge * place[serial]
            spots = sorted([place[o] for o in others])
            middle = len(spots) // 2
            median = spots[middle] if len(spots) % 2 else (spots[middle - 1] + spots[middle]) / 2
            return median + nudge * place[serial]

        return key

    def _mean(self, near: list[list[int]], nudge: float) -> Key:
        place = self.place

        def key(serial: int) -> float:
            others = near[serial]
            if not others:
                return self._beside(serial)
            return sum([place[o] for o in others]) / len(others) + nudge * place[serial]

        return key

    def _beside(self, serial: int) -> float:
        flat = self.flat[serial]
        if flat and self.items[serial].kind == "bend":
            return sum(self.place[o] for o in flat) / len(flat) + 0.01
        return self.place[serial]

    def _crossings(self) -> int:
        total = 0
        spot = self.spot
        for layer in self.layers[:-1]:
            ends: list[int] = []
            for serial in layer:
                below = self.down[serial]
                for at in (spot[below[0]],) if len(below) == 1 else sorted([spot[o] for o in below]):
                    if not ends or at >= ends[-1]:
                        ends.append(at)
                    else:
                        total += len(ends) - bisect_right(ends, at)
                        insort(ends, at)
        for serial in self.sideways:
            layer = self.layers[self.items[serial].rank]
            for other in self.flat[serial]:
                low, high = sorted((spot[serial], spot[other]))
                total += sum([self.cost[s] for s in layer[low + 1 : high]])
        return total

    def _gain(self, ups: dict[int, list[int]], downs: dict[int, list[int]]) -> Callable[[int, int], int]:
        """Crossings saved if the left one of two neighbours on a rank goes to the right of the other."""
        spot, flat, cost = self.spot, self.flat, self.cost

        def gain(a: int, b: int) -> int:
            total = 0
            for left, right in ((ups[a], ups[b]), (downs[a], downs[b])):
                if left and right:
                    for x in left:
                        for y in right:
                            total += (x > y) - (x < y)
            if flat[a]:
                at = spot[b]
                total += cost[b] * sum([1 if spot[x] > at else -1 for x in flat[a] if x != b])
            if flat[b]:
                at = spot[a]
                total += cost[a] * sum([1 if spot[x] < at else -1 for x in flat[b] if x != a])
            return total

        return gain

    def _neighbour_spots(self, layer: list[int]) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
        spot = self.spot
        ups = {s: [spot[o] for o in self.up[s]] for s in layer}
        return ups, {s: [spot[o] for o in self.down[s]] for s in layer}

    def _transpose(self, with_ties: bool) -> None:
        """Swap neighbours while that saves crossings; with ties, also those whose swap costs nothing."""
        dirty = set(range(len(self.layers)))
        for _ in range(_TRANSPOSE_ROUNDS):
            again: set[int] = set()
            for index in sorted(dirty):
                if self._transpose_layer(self.layers[index], with_ties):
                    again |= {index - 1, index, index + 1}
            dirty = {index for index in again if 0 <= index < len(self.layers)}
            if not dirty:
                break

    def _transpose_layer(self, layer: list[int], with_ties: bool) -> bool:
        if len(layer) < 2:
            return False
        spot, free, frame = self.spot, self.free, self.frame
        ups, downs = self._neighbour_spots(layer)
        gain = self._gain(ups, downs)
        improved = False
        for at in range(len(layer) - 1):
            a, b = layer[at], layer[at + 1]
            if not free[a] or not free[b] or frame[a] != frame[b]:
                continue
            saved = gain(a, b)
            tie = with_ties and saved == 0 and (_cross(ups[a], ups[b]) or _cross(downs[a], downs[b]))
            if saved > 0 or tie:
                layer[at], layer[at + 1] = b, a
                spot[a], spot[b] = spot[b], spot[a]
                improved = improved or saved > 0
        self._number(layer)
        return improved

    def _sift(self) -> None:
        """Move every item to the place on its rank where it crosses least."""
        for layer in self.layers:
            if len(layer) < 3:
                continue
            gain = self._gain(*self._neighbour_spots(layer))
            for serial in list(layer):
                if self.free[serial]:
                    self._sift_one(layer, serial, gain)

    def _sift_one(self, layer: list[int], serial: int, gain: Callable[[int, int], int]) -> None:
        here = self.spot[serial]
        frame, free = self.frame, self.free
        best, goal = 0, here
        for step in (-1, 1):
            total, at = 0, here + step
            while 0 <= at < len(layer) and free[layer[at]] and frame[layer[at]] == frame[serial]:
                other = layer[at]
                # The moving item is compared from beside the other one: its own spot must say so.
                self.spot[serial] = at - step
                total += gain(other, serial) if step < 0 else gain(serial, other)
                if total > best:
                    best, goal = total, at
                at += step
            self.spot[serial] = here
        if goal != here:
            layer.pop(here)
            layer.insert(goal, serial)
            self._number(layer)


def _cross(left: list[int], right: list[int]) -> bool:
    return any(x > y for x in left for y in right)


def _lane_key(item: Item) -> float:
    """Longer lanes stand further out, lanes that lead back outside of those that lead on."""
    chain = item.chain
    if chain is None:
        return 0.0
    return len(chain.bends) * chain.side + (0 if chain.kind == "back" else 0.5)
