"""Columns: every item near what it is joined to, long lines straight, nothing closer than it may be.

Sources: isotonic regression by pooling adjacent violators for one rank at a time; alignment of items to
vertical blocks after Brandes and Köpf, "Fast and simple horizontal coordinate assignment" (2001).
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise

from hookstepper.picture.blocks import compact
from hookstepper.picture.scene import Item, Scene

NODE_GAP = 3
LANE_GAP = 2
STRETCH = 4
"""Links whose ends lie further apart than this stay bent: straight ones would widen the picture."""

_PINNED = 1e6
_WEAK = 0.1
"""Weights of the wishes of items on a straight spine, and of items that nothing holds."""


def place_columns(scene: Scene) -> None:
    """Set `x` of every item; the leftmost cell in use is column `scene.margin`."""
    ranks = [_Rank(scene, layer) for layer in scene.layers]
    sweeps = 12 if len(scene.nodes) <= 400 else 6
    for sweep in range(sweeps):
        for rank in ranks if sweep % 2 == 0 else reversed(ranks):
            rank.pull(down=sweep % 2 == 0, both=sweep > sweeps // 3)
    for layer in scene.layers:
        for index, item in enumerate(layer):
            item.x = round(item.fx)
            if index:
                item.x = max(item.x, layer[index - 1].x + distance(layer[index - 1], item))
    compact(scene, _alignments(scene), distance)
    least = min((item.left for layer in scene.layers for item in layer), default=1)
    for layer in scene.layers:
        for item in layer:
            item.x += scene.margin - least


def distance(a: Item, b: Item) -> int:
    """Least distance of the columns of two neighbours on a rank."""
    gap = NODE_GAP if a.kind == b.kind == "node" else LANE_GAP
    if "wall" in (a.kind, b.kind):
        gap = 2 if "node" in (a.kind, b.kind) and a.frame != b.frame else 1
    apart = a.width // 2 + b.width // 2 + 1 + max(gap, a.pad_right, b.pad_left)
    return max(apart, a.need)


class _Rank:
    """One rank: its items, their distances, and what each is joined to with which weight."""

    def __init__(self, scene: Scene, layer: list[Item]) -> None:
        self.layer = layer
        self.offsets = [0]
        for a, b in pairwise(layer):
            self.offsets.append(self.offsets[-1] + distance(a, b))
        middle = self.offsets[-1] / 2
        for item, offset in zip(layer, self.offsets, strict=False):
            item.fx = offset - middle
        self.up = [_Joined(item.up) for item in layer]
        self.down = [_Joined(item.down) for item in layer]
        self.both = [_Joined(item.up + item.down) for item in layer]
        self.pinned = [item.serial in scene.pinned for item in layer]

    def pull(self, down: bool, both: bool) -> None:
        """Move the rank to the weighted least squares of where its items want to be, in order and apart."""
        joined = self.both if both else self.up if down else self.down
        blocks: list[tuple[float, float, int]] = []
        for index, item in enumerate(self.layer):
            if self.pinned[index]:
                want, weight = 0.0, _PINNED
            else:
                want, weight = joined[index].wish(item)
            weighted, count = weight * (want - self.offsets[index]), 1
            while blocks and blocks[-1][0] * weight > weighted * blocks[-1][1]:
                before = blocks.pop()
                weighted, weight, count = weighted + before[0], weight + before[1], count + before[2]
            blocks.append((weighted, weight, count))
        at = 0
        for weighted, weight, count in blocks:
            column = weighted / weight
            for index in range(at, at + count):
                self.layer[index].fx = column + self.offsets[index]
            at += count


class _Joined:
    """What one item is joined to in one direction."""

    __slots__ = ("links", "total")

    def __init__(self, links: list[tuple[Item, int]]) -> None:
        self.links = links
        self.total = float(sum(weight for _, weight in links))

    def wish(self, item: Item) -> tuple[float, float]:
        """Where the item wants to be, and how much."""
        if self.total:
            links = self.links
            if len(links) == 1:
                return links[0][0].fx, self.total
            return sum([other.fx * weight for other, weight in links]) / self.total, self.total
        flat = item.flat
        return (sum(other.fx for other in flat) / len(flat) if flat else item.fx), _WEAK


def _alignments(scene: Scene) -> list[tuple[Item, Item]]:
    """Links to be drawn straight: at most one up and one down for an item, none crossing another."""
    chosen: list[tuple[Item, Item]] = []
    for layer in scene.layers:
        offers: list[tuple[int, int, Item, Item]] = []
        for a in layer:
            for b, weight in a.down:
                worth = _worth(scene, a, b, weight)
                if worth is not None:
                    offers.append((-worth, len(offers), a, b))
        offers.sort(key=lambda offer: offer[:2])
        taken: list[tuple[int, int]] = []
        for _, _, a, b in offers:
            at = bisect_left(taken, (a.spot, b.spot))
            before_ok = at == 0 or (taken[at - 1][0] < a.spot and taken[at - 1][1] < b.spot)
            after_ok = at == len(taken) or (taken[at][0] > a.spot and taken[at][1] > b.spot)
            if before_ok and after_ok:
                taken.insert(at, (a.spot, b.spot))
                chosen.append((a, b))
    return chosen


def _worth(scene: Scene, a: Item, b: Item, weight: int) -> int | None:
    """How much a link wants to be straight; None if a bend is better."""
    if a.kind == b.kind == "wall":
        return 5000
    if a.serial in scene.pinned and b.serial in scene.pinned:
        return 1000
    if a.kind == b.kind == "bend" and a.chain is not None:
        worth = 100 + (50 if a.chain.kind != "far" else 0) + len(a.chain.bends)
    else:
        if not _is_middle(b, a.down) or not _is_middle(a, b.up):
            return None
        worth = 10 * weight - len(a.down) - len(b.up)
    return None if abs(a.fx - b.fx) > STRETCH else worth


def _is_middle(item: Item, links: list[tuple[Item, int]]) -> bool:
    """True if an odd number of links has its middle one at the item: even fans stay centred."""
    if len(links) % 2 == 0:
        return False
    return sorted(other.spot for other, _ in links)[len(links) // 2] == item.spot
