"""The space between two ranks: which lines share a net there, and at which columns nets meet the nodes.

A net is a star: one source and its targets, or one target and its sources. So a junction inside a net is
never ambiguous. Two nets may share a port on top of a node only if both end there.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from hookstepper.picture.scene import Item, Scene

Pair = tuple[Item, Item]


@dataclass(slots=True)
class Seg:
    """One line inside one channel."""

    line: int
    tops: tuple[Item, ...]
    """Items of the rank above: the source, or two for a turn from one down and up into the other."""
    bottoms: tuple[Item, ...]


class Net:
    """All segments of one channel that are joined."""

    __slots__ = (
        "bottom_ports", "bottoms", "drop", "first", "high", "key", "lines", "low", "second",
        "section", "serial", "tops",
    )  # fmt: skip

    def __init__(self, serial: int, key: tuple[str, int]) -> None:
        self.serial = serial
        self.key = key
        self.lines: list[int] = []
        self.tops: dict[int, int] = {}
        """Serial of an item above → column of its pin."""
        self.bottoms: dict[int, int] = {}
        self.bottom_ports: dict[int, int] = {}
        """Serial of a node below → key of the port there, if other nets share it."""
        self.low = 0
        self.high = 0
        self.first: int | None = None
        """Track of its horizontal run; None if it is straight."""
        self.second: int | None = None
        """Track of its lower run if it is split by a dogleg."""
        self.drop = 0
        """Column of the dogleg."""
        self.section = 1

    def columns(self) -> list[int]:
        return [*self.tops.values(), *self.bottoms.values()]

    def measure(self) -> None:
        columns = self.columns()
        self.low, self.high = min(columns), max(columns)


@dataclass(slots=True)
class Channel:
    """One channel: its segments, its nets, the port columns of the nodes above and below."""

    index: int
    """Rank above it; -1 above all."""
    segs: list[Seg] = field(default_factory=list)
    nets: dict[tuple[str, int], Net] = field(default_factory=dict)
    net_of: dict[int, Net] = field(default_factory=dict)
    """Line → its net here."""


def channels_of(scene: Scene) -> dict[int, Channel]:
    """Every channel that a line runs through, with nets and ports; tracks are not chosen yet."""
    channels: dict[int, Channel] = defaultdict(lambda: Channel(-1))
    for line in range(len(scene.view.lines)):
        for rank, tops, bottoms in segments(scene, line):
            channel = channels[rank]
            channel.index = rank
            channel.segs.append(Seg(line, tops, bottoms))
    for channel in channels.values():
        _join(scene, channel)
    return dict(channels)


def segments(scene: Scene, index: int) -> list[tuple[int, tuple[Item, ...], tuple[Item, ...]]]:
    """(channel, items above, items below) for each channel of a line, from source to target."""
    line, route = scene.view.lines[index], scene.routes[index]
    source, target = scene.nodes[line.source], scene.nodes[line.target]
    chain = route.chain
    if chain is None:
        return [(source.rank, (source,), (target,))]
    bends = chain.bends
    out: list[tuple[int, tuple[Item, ...], tuple[Item, ...]]] = []
    if route.kind == "back":
        if not route.side_out:
            out.append((source.rank, (source, bends[source.rank]), ()))
        out += [(r, (bends[r],), (bends[r + 1],)) for r in range(source.rank - 1, target.rank - 1, -1)]
        if not route.side_in:
            out.append((target.rank - 1, (), (bends[target.rank], target)))
        return out
    before = bends[source.rank] if route.side_out else source
    for rank in range(source.rank, target.rank - 1):
        out.append((rank, (before,), (bends[rank + 1],)))
        before = bends[rank + 1]
    last = bends[target.rank] if route.side_in else target
    out.append((target.rank - 1, (before,), (last,)))
    return out


def _join(scene: Scene, channel: Channel) -> None:
    """Group segments to nets and give every net its pins."""
    outs: dict[int, set[int]] = defaultdict(set)
    ins: dict[int, set[int]] = defaultdict(set)
    hubs: set[int] = set()
    for seg in channel.segs:
        if len(seg.tops) == 2:
            outs[seg.tops[0].serial].add(seg.tops[1].serial)
        elif len(seg.bottoms) == 2:
            ins[seg.bottoms[1].serial].add(seg.bottoms[0].serial)
        else:
            outs[seg.tops[0].serial].add(seg.bottoms[0].serial)
            ins[seg.bottoms[0].serial].add(seg.tops[0].serial)
    for seg in channel.segs:
        if len(seg.tops) == 2 and len(outs[seg.tops[0].serial]) == 1:
            hubs.add(seg.tops[1].serial)
    slides = _slides(channel, outs, ins)
    for seg in channel.segs:
        key = _net_key(seg, outs, ins, hubs)
        net = channel.nets.get(key)
        if net is None:
            net = channel.nets[key] = Net(len(channel.nets), key)
        net.lines.append(seg.line)
        channel.net_of[seg.line] = net
        for item in seg.tops:
            net.tops[item.serial] = slides.get((item.serial, 0), item.x)
        for item in seg.bottoms:
            net.bottoms[item.serial] = slides.get((item.serial, 1), item.x)
    for net in channel.nets.values():
        net.measure()
        net.section = _section(scene, channel, net)
    _share_ports(scene, channel)


def _net_key(
    seg: Seg, outs: dict[int, set[int]], ins: dict[int, set[int]], hubs: set[int]
) -> tuple[str, int]:
    if len(seg.bottoms) == 2:
        return "in", seg.bottoms[1].serial
    top = seg.tops[0].serial
    if len(seg.tops) == 2:
        return ("out", top) if len(outs[top]) > 1 else ("hub", seg.tops[1].serial)
    if top in hubs:
        return "hub", top
    bottom = seg.bottoms[0].serial
    return ("in", bottom) if len(outs[top]) == 1 and len(ins[bottom]) > 1 else ("out", top)


def _slides(
    channel: Channel, outs: dict[int, set[int]], ins: dict[int, set[int]]
) -> dict[tuple[int, int], int]:
    """Port columns off the middle, where that makes a line straight: (serial, 1 for its top side) → column.

    A node with one line on a side may have it at any column of that side.
    """
    slides: dict[tuple[int, int], int] = {}
    for seg in channel.segs:
        if len(seg.tops) != 1 or len(seg.bottoms) != 1:
            continue
        a, b = seg.tops[0], seg.bottoms[0]
        left_a, right_a = _span(a, len(outs[a.serial]) == 1)
        left_b, right_b = _span(b, len(ins[b.serial]) == 1)
        low, high = max(left_a, left_b), min(right_a, right_b)
        if low <= high:
            column = min(max(a.x if a.width <= b.width else b.x, low), high)
            slides[a.serial, 0] = column
            slides[b.serial, 1] = column
    return slides


def _span(item: Item, alone: bool) -> tuple[int, int]:
    if item.kind != "node" or not alone or item.width < 5:
        return item.x, item.x
    return item.left + 2, item.right - 2


def _section(scene: Scene, channel: Channel, net: Net) -> int:
    """0: inside a subgraph that ends above, 2: inside one that begins below, 1: between them."""
    items = [
        item for seg in channel.segs if channel.net_of[seg.line] is net for item in seg.tops + seg.bottoms
    ]
    for frame, walls in scene.walls.items():
        if all(frame in scene.path(item.frame) for item in items):
            if max(walls) == channel.index:
                return 0
            if min(walls) == channel.index + 1:
                return 2
    return 1


def _share_ports(scene: Scene, channel: Channel) -> None:
    """Where several nets enter one node: one port for those that end there, own ports for the others."""
    entering: dict[int, list[Net]] = defaultdict(list)
    for net in channel.nets.values():
        for serial in net.bottoms:
            entering[serial].append(net)
    nodes = {item.serial: item for item in scene.layers[channel.index + 1]} if entering else {}
    for serial, nets in entering.items():
        if len(nets) > 1:
            _assign_ports(scene, nodes[serial], nets)
    for net in channel.nets.values():
        net.measure()


def _assign_ports(scene: Scene, node: Item, nets: list[Net]) -> None:
    groups = _port_groups(node, nets)
    columns = _port_columns(node, groups)
    if columns is None:
        scene.tight[node.serial] = 2 * len(groups) + 1
        columns = [node.x] * len(groups)
    for group, column in zip(groups, columns, strict=True):
        for net in group:
            net.bottoms[node.serial] = column
            if len(group) > 1:
                net.bottom_ports[node.serial] = column


def _port_groups(node: Item, nets: list[Net]) -> list[list[Net]]:
    """Nets that may share a port, from left to right."""
    left: list[Net] = []
    right: list[Net] = []
    straight: list[Net] = []
    passing: list[Net] = []
    for net in nets:
        others = [x for serial, x in net.tops.items()]
        others += [x for serial, x in net.bottoms.items() if serial != node.serial]
        if all(x == node.x for x in others):
            straight.append(net)
        elif all(x < node.x for x in others):
            left.append(net)
        elif all(x > node.x for x in others):
            right.append(net)
        else:
            passing.append(net)
    covering = [net for net in passing if node.x in net.tops.values()]
    if not covering:
        shared = left + straight + right
        groups = [[net] for net in passing] + ([shared] if shared else [])
    else:
        groups = [[net] for net in passing] + [group for group in (left, right) if group]
    return sorted(groups, key=lambda group: _pull_of(node, group))


def _pull_of(node: Item, group: list[Net]) -> tuple[float, int]:
    columns = [x for net in group for x in net.columns()]
    return sum(columns) / len(columns) - node.x, group[0].serial


def _port_columns(node: Item, groups: list[list[Net]]) -> list[int] | None:
    """A column for each group, two cells apart if the node is wide enough, around its middle.

    A group with a pin straight above keeps the middle column. None if the node is too narrow.
    """
    count = len(groups)
    if count == 1:
        return [node.x]
    middle = next(
        (index for index, group in enumerate(groups) if any(node.x in net.tops.values() for net in group)),
        (count - 1) // 2,
    )
    room_left, room_right = node.x - node.left, node.right - node.x
    for step in (2, 1):
        if middle * step <= room_left and (count - 1 - middle) * step <= room_right:
            return [node.x + (index - middle) * step for index in range(count)]
    return None
