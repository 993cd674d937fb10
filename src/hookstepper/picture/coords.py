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


def place_columns(scene: Scene) -> None:
    """Set `x` of every item; the leftmost cell in use is column 1."""
    for layer in scene.layers:
        _spread(layer)
    sweeps = 12 if len(scene.nodes) <= 400 else 6
    for sweep in range(sweeps):
        for layer in scene.layers if sweep % 2 == 0 else reversed(scene.layers):
            _pull(scene, layer, sweep, both=sweep > sweeps // 3)
    for layer in scene.layers:
        for index, item in enumerate(layer):
            item.x = round(item.fx)
            if index:
                item.x = max(item.x, layer[index - 1].x + distance(layer[index - 1], item))
    compact(scene, _alignments(scene), distance)
    least = min((item.left for layer in scene.layers for item in layer), default=1)
    for layer in scene.layers:
        for item in layer:
            item.x += 1 - least


def distance(a: Item, b: Item) -> int:
    """Least distance of the columns of two neighbours on a rank."""
    gap = NODE_GAP if a.kind == b.kind == "node" else LANE_GAP
    if "wall" in (a.kind, b.kind):
        gap = 2 if "node" in (a.kind, b.kind) and a.frame != b.frame else 1
    apart = a.width // 2 + b.width // 2 + 1 + max(gap, a.pad_right, b.pad_left)
    return max(apart, a.need)


def _spread(layer: list[Item]) -> None:
    x = 0
    for index, item in enumerate(layer):
        x = 0 if index == 0 else x + distance(layer[index - 1], item)
        item.fx = float(x)
    for item in layer:
        item.fx -= x / 2


def _pull(scene: Scene, layer: list[Item], sweep: int, both: bool) -> None:
    """Move one rank to the weighted least squares of where its items want to be, in order and apart."""
    wanted: list[float] = []
    weights: list[float] = []
    for item in layer:
        if item.serial in scene.pinned:
            wanted.append(0.0)
            weights.append(1e6)
            continue
        near = item.up + item.down if both else item.up if sweep % 2 == 0 else item.down
        if near:
            total = sum(weight for _, weight in near)
            wanted.append(sum(other.fx * weight for other, weight in near) / total)
            weights.append(float(total))
        else:
            flat = item.flat
            wanted.append(sum(other.fx for other in flat) / len(flat) if flat else item.fx)
            weights.append(0.1)
    offsets = [0]
    for a, b in pairwise(layer):
        offsets.append(offsets[-1] + distance(a, b))
    blocks: list[list[float]] = []
    for index, want in enumerate(wanted):
        block = [weights[index] * (want - offsets[index]), weights[index], 1]
        while blocks and blocks[-1][0] * block[1] > block[0] * blocks[-1][1]:
            before = blocks.pop()
            block = [before[0] + block[0], before[1] + block[1], before[2] + block[2]]
        blocks.append(block)
    at = 0
    for weighted, weight, count in blocks:
        for _ in range(int(count)):
            layer[at].fx = weighted / weight + offsets[at]
            at += 1


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
