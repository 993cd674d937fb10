"""The order of all ranks while it is being improved: positions, links, and what a swap would save."""

from __future__ import annotations

from bisect import bisect_right, insort

from hookstepper.picture.scene import Item, Scene

Order = list[list[int]]
"""Serials of the items of each rank, from left to right."""
_NODE_CROSSED = 3
"""Cost of a sideways line over a node, in crossings."""


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
        self.cost = [_NODE_CROSSED if item.kind == "node" else 1 for item in self.items]
        self.free = [not item.bias for item in self.items]
        self.frame = [item.frame for item in self.items]
        self.spot = [0] * len(self.items)
        """Index on its rank."""
        self.place = [0.0] * len(self.items)
        """The same, ranks centred on each other."""
        self.layers: Order = [[item.serial for item in layer] for layer in scene.layers]
        self.stamp = [0] * len(self.layers)
        """Counts the changes of each rank."""
        self._spots: dict[int, tuple[tuple[int, int], dict[int, list[int]], dict[int, list[int]]]] = {}
        self._fans = [
            [s for s in layer if len(self.up[s]) > 1 or len(self.down[s]) > 1] for layer in self.layers
        ]
        self.sideways = [item.serial for item in self.items if len(item.flat) == 1]

    def number(self, rank: int) -> None:
        """Tell the items of a rank where they stand now."""
        layer = self.layers[rank]
        offset = (len(layer) - 1) / 2
        spot, place = self.spot, self.place
        for index, serial in enumerate(layer):
            spot[serial] = index
            place[serial] = index - offset
        self.stamp[rank] += 1

    def copy(self) -> Order:
        """The order as it stands."""
        return [list(layer) for layer in self.layers]

    def restore(self, order: Order) -> None:
        """Go back to an order that was copied."""
        for rank, layer in enumerate(order):
            self.layers[rank][:] = layer
            self.number(rank)

    def around(self, low: int, high: int) -> int:
        """A number that grows when a rank from `low` to `high`, or one beside them, changes."""
        return sum(self.stamp[max(low - 1, 0) : high + 2])

    def crossings(self) -> int:
        """Crossings of links between neighbouring ranks, and of sideways lines with what is in their way."""
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

    def neighbour_spots(self, rank: int) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
        """For each item of a rank: where its upper and its lower neighbours stand, in ascending order."""
        stamps = self.stamp
        key = (stamps[rank - 1] if rank else 0, stamps[rank + 1] if rank + 1 < len(stamps) else 0)
        known = self._spots.get(rank)
        if known is not None and known[0] == key:
            return known[1], known[2]
        spot, up, down = self.spot, self.up, self.down
        layer = self.layers[rank]
        ups = {s: [spot[o] for o in up[s]] for s in layer}
        downs = {s: [spot[o] for o in down[s]] for s in layer}
        for serial in self._fans[rank]:
            ups[serial].sort()
            downs[serial].sort()
        self._spots[rank] = key, ups, downs
        return ups, downs

    def flat_gain(self, a: int, b: int) -> int:
        """What sideways lines save if the left one of two neighbours on a rank goes right of the other."""
        spot, flat, cost = self.spot, self.flat, self.cost
        total = 0
        if flat[a]:
            at = spot[b]
            total += cost[b] * sum([1 if spot[x] > at else -1 for x in flat[a] if x != b])
        if flat[b]:
            at = spot[a]
            total += cost[a] * sum([1 if spot[x] < at else -1 for x in flat[b] if x != a])
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
