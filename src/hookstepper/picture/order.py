"""The order of items on each rank, for few crossings.

Sources: weighted median and several starts after Gansner, Koutsofios, North, Vo (1993); barycentre after
Sugiyama, Tagawa, Toda (1981). Subgraphs stay together because each rank is sorted level by level.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from hookstepper.picture.arrangement import Arrangement, Saved
from hookstepper.picture.reinsert import Reinserter
from hookstepper.picture.scene import Item, Scene
from hookstepper.picture.settled import Before, settled_keys
from hookstepper.picture.swap import sift, transpose

Key = Callable[[int], float]
_STALL = 5
"""Sweeps without improvement after which a start is given up."""
_WORTH = 0.995
"""Share of the crossings that a sweep has to reach to count as an improvement."""


@dataclass(frozen=True, slots=True)
class _Effort:
    """How much is tried."""

    items: int
    """Most items of a graph that gets this effort."""
    starts: int
    sweeps: int
    polishes: int
    rounds: int
    """Most rounds of one transposition."""


_EFFORTS = (
    _Effort(items=400, starts=2, sweeps=12, polishes=3, rounds=6),
    _Effort(items=1500, starts=1, sweeps=12, polishes=2, rounds=6),
    _Effort(items=10**9, starts=1, sweeps=6, polishes=1, rounds=3),
)
"""Found by measuring crossings against time on random graphs of 60, 200 and 1000 nodes."""


def order(scene: Scene, before: Before | None = None, progress: Callable[[float], None] | None = None) -> int:
    """Order every rank; returns the crossings left. Deterministic: nothing is random.

    Args:
        before: what an older picture tells; its nodes keep their order, new ones and long lines find theirs.
        progress: told the share of the work that is done, from 0 to 1; it may raise to give up.
    """
    orderer = _Orderer(scene, progress)
    return orderer.follow(before) if before else orderer.run()


class _Orderer:
    """Works on serials of items; the scene is changed at the end."""

    def __init__(self, scene: Scene, progress: Callable[[float], None] | None) -> None:
        self.scene = scene
        self._progress = progress
        self.state = Arrangement(scene)
        for rank in range(len(scene.layers)):
            self.state.number(rank)
        self.items = self.state.items
        self.grouped = bool(scene.view.groups)
        self.reinserter = Reinserter(self.state)
        self.chains = [(chain, min(chain.bends), max(chain.bends)) for chain in scene.chains]

    def run(self) -> int:
        """Sweeps from several starts, then polishing of the best; large graphs get less of each."""
        state = self.state
        effort = next(effort for effort in _EFFORTS if len(self.items) <= effort.items)
        best: tuple[int, Saved] | None = None
        seeds = (partial(self._breadth_first, True), partial(self._breadth_first, False), self._depth_first)
        for attempt, seed in enumerate(seeds[: effort.starts]):
            self._first_order(seed())
            found = self._improve(effort, attempt)
            if best is None or found[0] < best[0]:
                best = found
            if best[0] == 0:
                break
        assert best is not None
        if best[0]:
            best = self._polish(best, effort)
        state.restore(best[1])
        self._give_back()
        return best[0]

    def follow(self, before: Before) -> int:
        """Keep the order of the nodes of an older picture; only new nodes and long lines may move."""
        state = self.state
        keys, new = settled_keys(self.scene, before)
        self._first_order(keys, self.scene.nodes)
        best = state.crossings(), state.copy()
        for _ in range(_EFFORTS[0].polishes):
            for chain, _, _ in self.chains:
                self.reinserter.improve(chain)
            for rank in range(len(state.layers)):
                sift(state, rank, new)
            now = state.crossings()
            if now >= best[0]:
                break
            best = now, state.copy()
        state.restore(best[1])
        self._give_back()
        return best[0]

    def _tell(self, share: float) -> None:
        if self._progress is not None:
            self._progress(share)

    def _give_back(self) -> None:
        """Put the order found into the scene."""
        for layer, serials in zip(self.scene.layers, self.state.layers, strict=True):
            layer[:] = [self.items[serial] for serial in serials]
            self.scene.number(layer)

    def _improve(self, effort: _Effort, turn: int) -> tuple[int, Saved]:
        """Sweep up and down; the best order met."""
        best = self.state.crossings(), self.state.copy()
        stall = 0
        for sweep in range(turn, turn + effort.sweeps):
            if best[0] == 0 or stall >= _STALL:
                break
            self._tell((turn + (sweep - turn) / effort.sweeps) / (effort.starts + effort.polishes))
            self._sweep(sweep)
            transpose(self.state, effort.rounds, with_ties=sweep % 4 < 2)
            count = self.state.crossings()
            stall = 0 if count < best[0] * _WORTH else stall + 1
            if count < best[0]:
                best = count, self.state.copy()
        return best

    def _polish(self, start: tuple[int, Saved], effort: _Effort) -> tuple[int, Saved]:
        """Reinsert long lines, sift, transpose until nothing helps; only where something changed."""
        state, calm = self.state, self.state.calm
        best = start
        state.restore(best[1])
        for turn in range(effort.polishes):
            self._tell((effort.starts + turn) / (effort.starts + effort.polishes))
            for chain, low, high in self.chains:
                if calm.get(chain) != state.around(low, high):
                    self.reinserter.improve(chain)
                    calm[chain] = state.around(low, high)
            for rank in range(len(state.layers)):
                if calm.get(rank) != state.around(rank, rank):
                    sift(state, rank)
                    calm[rank] = state.around(rank, rank)
            transpose(state, effort.rounds, with_ties=False)
            now = state.crossings()
            if now >= best[0]:
                break
            best = now, state.copy()
        return best

    def _breadth_first(self, down: bool) -> list[float]:
        """Where a search from the top (or the bottom) finds each item; that often is a good order already."""
        ahead, behind = (self.state.down, self.state.up) if down else (self.state.up, self.state.down)
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

    def _first_order(self, known: list[float], weighty: list[Item] | None = None) -> None:
        """Sort every rank by what is known of its items; a subgraph stands at the mean of some."""
        sums: dict[int, list[float]] = {}
        for item in weighty or self.items:
            for frame in self.scene.path(item.frame):
                sums.setdefault(frame, []).append(known[item.serial])
        means = {frame: sum(values) / len(values) for frame, values in sums.items()}
        for rank in range(len(self.state.layers)):
            self._sort(rank, known.__getitem__, means)

    def _sweep(self, sweep: int) -> None:
        near = self.state.up if sweep % 2 == 0 else self.state.down
        means = self._group_means(near)
        nudge = 1e-6 if sweep % 4 < 2 else -1e-6
        key = self._median(near, nudge) if sweep % 4 < 2 else self._mean(near, nudge)
        ranks = range(len(self.state.layers))
        for rank in ranks if sweep % 2 == 0 else reversed(ranks):
            self._sort(rank, key, means)

    def _group_means(self, near: list[list[int]]) -> dict[int, float]:
        """One key for each subgraph, the same on all ranks, so that two subgraphs never change sides."""
        if not self.grouped:
            return {}
        place = self.state.place
        sums: dict[int, list[float]] = {}
        for item in self.items:
            others = near[item.serial]
            where = sum(place[o] for o in others) / len(others) if others else place[item.serial]
            for frame in self.scene.path(item.frame):
                sums.setdefault(frame, []).append(where)
        return {frame: sum(values) / len(values) for frame, values in sums.items()}

    def _sort(self, rank: int, key: Key, means: dict[int, float]) -> None:
        items, free = self.items, self.state.free
        layer = self.state.layers[rank]
        before = list(layer)
        if self.grouped:
            layer[:] = self._sorted_level(layer, 0, key, means)
        elif all(free[s] for s in layer):
            layer.sort(key=key)
        else:
            layer.sort(key=lambda s: (0, key(s)) if free[s] else (items[s].bias, _lane_key(items[s])))
        if layer != before:
            self.state.number(rank)

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
        place = self.state.place

        def key(serial: int) -> float:
            others = near[serial]
            if not others:
                return self._beside(serial, key)
            if len(others) == 1:
                return place[others[0]] + nudge * place[serial]
            spots = sorted([place[o] for o in others])
            middle = len(spots) // 2
            median = spots[middle] if len(spots) % 2 else (spots[middle - 1] + spots[middle]) / 2
            return median + nudge * place[serial]

        return key

    def _mean(self, near: list[list[int]], nudge: float) -> Key:
        place = self.state.place

        def key(serial: int) -> float:
            others = near[serial]
            if not others:
                return self._beside(serial, key)
            return sum([place[o] for o in others]) / len(others) + nudge * place[serial]

        return key

    def _beside(self, serial: int, key: Key) -> float:
        flat, place = self.state.flat[serial], self.state.place
        if flat and self.items[serial].kind == "bend":
            side = 0.01 if place[serial] > place[flat[0]] else -0.01
            return sum(key(o) for o in flat) / len(flat) + side
        return place[serial]


def _lane_key(item: Item) -> float:
    """Longer lanes stand further out, lanes that lead back outside of those that lead on."""
    chain = item.chain
    if chain is None:
        return 0.0
    return len(chain.bends) * chain.side + (0 if chain.kind == "back" else 0.5)
