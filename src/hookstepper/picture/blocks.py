"""Aligned items as vertical blocks, pushed apart and pulled together in whole cells."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from itertools import pairwise

from hookstepper.picture.scene import Item, Scene

_FAR = 10**6
Distance = Callable[[Item, Item], int]


def compact(scene: Scene, aligned: list[tuple[Item, Item]], distance: Distance) -> None:
    """Give the items of each block one column, near the mean of their wishes, all distances kept.

    Alignments do not cross, so blocks can be sorted from left to right (Brandes and Köpf, 2001, lemma 1).
    """
    blocks = _Blocks(scene, aligned, distance)
    blocks.push()
    for turn in range(6):
        blocks.pull(turn % 2 == 1)
    for serial, item in blocks.items.items():
        item.x = blocks.x[blocks.of[serial]]


class _Blocks:
    def __init__(self, scene: Scene, aligned: list[tuple[Item, Item]], distance: Distance) -> None:
        self.items = {item.serial: item for layer in scene.layers for item in layer}
        self.of = _roots(self.items, aligned)
        members: dict[int, list[Item]] = defaultdict(list)
        for serial, item in self.items.items():
            members[self.of[serial]].append(item)
        self.fixed = {self.of[serial] for serial in scene.pinned if serial in self.of}
        self.want = {block: 0 if block in self.fixed else _wish(inner) for block, inner in members.items()}
        self.before: dict[int, dict[int, int]] = {block: {} for block in members}
        self.after: dict[int, dict[int, int]] = {block: {} for block in members}
        for layer in scene.layers:
            for a, b in pairwise(layer):
                left, right = self.of[a.serial], self.of[b.serial]
                apart = max(distance(a, b), self.after[left].get(right, 0))
                self.after[left][right] = apart
                self.before[right][left] = apart
        self.sequence = self._left_to_right()
        self.near = self._neighbours(scene)
        self.x = dict(self.want)

    def _left_to_right(self) -> list[int]:
        waiting = {block: len(left) for block, left in self.before.items()}
        ready = [block for block, count in waiting.items() if not count]
        for block in ready:
            for right in self.after[block]:
                waiting[right] -= 1
                if not waiting[right]:
                    ready.append(right)
        return ready

    def _neighbours(self, scene: Scene) -> dict[int, list[int]]:
        near: dict[int, list[int]] = defaultdict(list)
        for layer in scene.layers:
            for a in layer:
                mine = self.of[a.serial]
                for b, weight in a.down:
                    other = self.of[b.serial]
                    if other != mine:
                        near[mine] += [other] * min(weight, 9)
                        near[other] += [mine] * min(weight, 9)
                near[mine] += [self.of[other.serial] for other in a.flat]
        return near

    def push(self) -> None:
        """Move blocks right of fixed ones right and the others left until every distance holds."""
        for block in self.sequence:
            if block not in self.fixed:
                self.x[block] = max(self._low(block), self.x[block])
        for block in reversed(self.sequence):
            if block not in self.fixed:
                limit = self._high(block)
                self.x[block] = min(self.x[block], limit) if self.fixed else min(self.want[block], limit)
        for block in self.sequence:
            self.x[block] = max(self._low(block), self.x[block])

    def pull(self, rightwards: bool) -> None:
        """Move every block towards the median of what it is joined to, as far as its neighbours allow."""
        for block in self.sequence if rightwards else reversed(self.sequence):
            near = self.near.get(block)
            if block in self.fixed or not near:
                continue
            columns = sorted(self.x[other] for other in near)
            middle = len(columns) // 2
            median = columns[middle] if len(columns) % 2 else (columns[middle - 1] + columns[middle]) // 2
            self.x[block] = min(max(median, self._low(block)), self._high(block))

    def _low(self, block: int) -> int:
        return max((self.x[left] + apart for left, apart in self.before[block].items()), default=-_FAR)

    def _high(self, block: int) -> int:
        return min((self.x[right] - apart for right, apart in self.after[block].items()), default=_FAR)


def _roots(items: dict[int, Item], aligned: list[tuple[Item, Item]]) -> dict[int, int]:
    parent = {serial: serial for serial in items}

    def find(serial: int) -> int:
        while parent[serial] != serial:
            parent[serial] = parent[parent[serial]]
            serial = parent[serial]
        return serial

    for a, b in aligned:
        parent[find(b.serial)] = find(a.serial)
    return {serial: find(serial) for serial in items}


def _wish(members: list[Item]) -> int:
    weights = [3 if item.kind == "node" else 1 for item in members]
    return round(sum(item.fx * w for item, w in zip(members, weights, strict=True)) / sum(weights))
