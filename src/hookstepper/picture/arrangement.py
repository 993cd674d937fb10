"""The order of all ranks while it is being improved: positions, links, and what a swap would save."""

from __future__ import annotations

from bisect import bisect_right, insort

from hookstepper.picture.scene import Item, Scene

Order = list[list[int]]
"""Serials of the items of each rank, from left to right."""
Saved = tuple[Order, list[int]]
"""An order and the version of each of its ranks."""


class Arrangement:
    """Serials of items, rank by rank. Whoever changes a rank calls `number` for it."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.items: list[Item] = sorted((i for layer in scene.layers for i in layer), key=lambda i: i.serial)
        self.up = [[other.serial for other, _ in item.up] for item in self.items]
        self.down = [[other.serial for other, _ in item.down] for item in self.items]
        self.flat: list[list[int]] = [[] for _ in self.items]
        """Items of the same rank that a sideways line joins, seen from both ends."""
        for item in self.items:
            # Several lines into one bend of a rank become a bus below the nodes: it may stand anywhere.
            for other in item.flat if len(item.flat) == 1 else ():
                self.flat[item.serial].append(other.serial)
                self.flat[other.serial].append(item.serial)
        self.free = [not item.bias for item in self.items]
        self.frame = [item.frame for item in self.items]
        self.is_plain = [not any(item.bias for item in layer) for layer in scene.layers]
        """False for ranks with lanes or edges of subgraphs, which keep to their side."""
        self.spot = [0] * len(self.items)
        """Index on its rank."""
        self.place = [0.0] * len(self.items)
        """The same, ranks centred on each other."""
        self.layers: Order = [[item.serial for item in layer] for layer in scene.layers]
        self.stamp = [0] * len(self.layers)
        """Version of each rank: equal versions, equal order. What was found out for one stays true."""
        self._versions = 0
        self.calm: dict[object, tuple[int, ...]] = {}
        """What cannot be improved as long as the ranks around it have these versions."""
        self._spots_above: list[list[int]] = [[] for _ in self.items]
        self._spots_below: list[list[int]] = [[] for _ in self.items]
        self._above_of = [-1] * len(self.layers)
        self._below_of = [-1] * len(self.layers)
        """Versions of the ranks above and below that these spots were seen with."""
        self._counts: list[tuple[int, int, int]] = [(-1, -1, 0)] * len(self.layers)
        self._fans = [
            [s for s in layer if len(self.up[s]) > 1 or len(self.down[s]) > 1] for layer in self.layers
        ]
        self._sideways: list[list[int]] = [[] for _ in self.layers]
        for item in self.items:
            if len(item.flat) == 1:
                self._sideways[item.rank].append(item.serial)

    def number(self, rank: int) -> None:
        """Tell the items of a rank where they stand now."""
        layer = self.layers[rank]
        offset = (len(layer) - 1) / 2
        spot, place = self.spot, self.place
        for index, serial in enumerate(layer):
            spot[serial] = index
            place[serial] = index - offset
        self.touch(rank)

    def touch(self, rank: int) -> None:
        """Give a rank that was changed a new version."""
        self._versions += 1
        self.stamp[rank] = self._versions

    def copy(self) -> Saved:
        """The order as it stands."""
        return [list(layer) for layer in self.layers], list(self.stamp)

    def restore(self, saved: Saved) -> None:
        """Go back to an order that was copied."""
        for rank, (layer, version) in enumerate(zip(*saved, strict=True)):
            if self.stamp[rank] != version:
                self.layers[rank][:] = layer
                self.number(rank)
                self.stamp[rank] = version

    def around(self, low: int, high: int) -> tuple[int, ...]:
        """Versions of the ranks from `low` to `high` and of those beside them."""
        return tuple(self.stamp[max(low - 1, 0) : high + 2])

    def crossings(self) -> int:
        """Crossings of links between neighbouring ranks, and of sideways lines with what is in their way."""
        return sum(map(self._count, range(len(self.layers))))

    def is_clear(self, rank: int) -> bool:
        """True if it is known that nothing crosses on a rank, above it or below it."""
        counts, stamp = self._counts, self.stamp
        for at in (rank - 1, rank) if rank else (rank,):
            here, below, count = counts[at]
            if count or here != stamp[at] or below != (stamp[at + 1] if at + 1 < len(stamp) else 0):
                return False
        return True

    def _count(self, rank: int) -> int:
        """Crossings on a rank and between it and the next."""
        here = self.stamp[rank]
        below = self.stamp[rank + 1] if rank + 1 < len(self.layers) else 0
        known = self._counts[rank]
        if known[0] != here or known[1] != below:
            links = self._links_crossed(rank) if below else 0
            known = self._counts[rank] = here, below, links + self._sideways_crossed(rank)
        return known[2]

    def _links_crossed(self, rank: int) -> int:
        total = 0
        spot, down = self.spot, self.down
        ends: list[int] = []
        for serial in self.layers[rank]:
            below = down[serial]
            for at in (spot[below[0]],) if len(below) == 1 else sorted([spot[o] for o in below]):
                if not ends or at >= ends[-1]:
                    ends.append(at)
                else:
                    total += len(ends) - bisect_right(ends, at)
                    insort(ends, at)
        return total

    def _sideways_crossed(self, rank: int) -> int:
        spot = self.spot
        return sum(
            abs(spot[serial] - spot[other]) - 1
            for serial in self._sideways[rank]
            for other in self.flat[serial]
        )

    def spots_of_neighbours(self, rank: int) -> tuple[list[list[int]], list[list[int]]]:
        """For each item of a rank: where its upper and its lower neighbours stand, in ascending order."""
        layer = self.layers[rank]
        above, below = self._spots_above, self._spots_below
        # They depend on the order of the neighbouring rank alone: while that has its version, they stay.
        if rank and self._above_of[rank] != self.stamp[rank - 1]:
            self._above_of[rank] = self.stamp[rank - 1]
            self._look(rank, self.up, above)
        if rank + 1 < len(self.layers) and self._below_of[rank] != self.stamp[rank + 1]:
            self._below_of[rank] = self.stamp[rank + 1]
            self._look(rank, self.down, below)
        return [above[serial] for serial in layer], [below[serial] for serial in layer]

    def _look(self, rank: int, links: list[list[int]], spots: list[list[int]]) -> None:
        """See where the neighbours on one side of a rank stand now."""
        spot = self.spot
        for serial in self.layers[rank]:
            spots[serial] = [spot[other] for other in links[serial]]
        for serial in self._fans[rank]:
            spots[serial].sort()

    def flat_gain(self, a: int, b: int) -> int:
        """What sideways lines save if the left one of two neighbours on a rank goes right of the other."""
        spot, flat = self.spot, self.flat
        total = 0
        if flat[a]:
            at = spot[b]
            total += sum([1 if spot[x] > at else -1 for x in flat[a] if x != b])
        if flat[b]:
            at = spot[a]
            total += sum([1 if spot[x] < at else -1 for x in flat[b] if x != a])
        return total


def excess(left: list[int], right: list[int]) -> int:
    """Crossings between the links of two neighbours, less those after swapping them."""
    if len(left) == 1 == len(right):
        return (left[0] > right[0]) - (left[0] < right[0])
    total = 0
    for x in left:
        for y in right:
            total += (x > y) - (x < y)
    return total
