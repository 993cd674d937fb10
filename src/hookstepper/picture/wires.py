"""Paths: every line as straight legs from the source's border to the arrow."""

from __future__ import annotations

from dataclasses import dataclass

from hookstepper.picture.channels import Channel, Net, segments
from hookstepper.picture.rows import Rows
from hookstepper.picture.scene import Item, Scene

Conductor = tuple[str, int, int]
"""What a leg belongs to: legs of different lines on one cell are joined only if they share one."""


@dataclass(frozen=True, slots=True)
class Leg:
    """A straight piece; it has both its end cells."""

    x0: int
    y0: int
    x1: int
    y1: int
    conductor: Conductor


class _Pen:
    """Draws one path point by point."""

    def __init__(self) -> None:
        self.legs: list[Leg] = []
        self.at: tuple[int, int] | None = None

    def to(self, x: int, y: int, conductor: Conductor) -> None:
        """Draw to a cell; the first call only sets the pen down."""
        if self.at is None:
            self.legs.append(Leg(x, y, x, y, conductor))
        elif self.at != (x, y):
            self.legs.append(Leg(*self.at, x, y, conductor))
        self.at = (x, y)


def paths_of(scene: Scene, channels: dict[int, Channel], rows: Rows) -> list[list[Leg]]:
    """The legs of every line of the view, in order; every leg is horizontal or vertical."""
    return [_path(scene, channels, rows, index) for index in range(len(scene.view.lines))]


def _path(scene: Scene, channels: dict[int, Channel], rows: Rows, index: int) -> list[Leg]:
    line, route = scene.view.lines[index], scene.routes[index]
    source, target = scene.nodes[line.source], scene.nodes[line.target]
    chain = route.chain
    pen = _Pen()
    own: Conductor = ("chain", chain.serial, 0) if chain is not None else ("line", index, 0)
    if route.side_out and chain is not None:
        bend = chain.bends[source.rank]
        beside = source.right + 1 if bend.x > source.x else source.left - 1
        pen.to(beside, middle_row(source), own)
        pen.to(bend.x, middle_row(source), own)
    for rank, tops, bottoms in segments(scene, index):
        net = channels[rank].net_of[index]
        conductor: Conductor = own if _is_chain_net(net, tops) else ("net", rank, net.serial)
        if len(tops) == 2:
            _turn_down(pen, rows, rank, net, tops, conductor)
        elif len(bottoms) == 2:
            _turn_up(pen, rows, rank, net, bottoms, conductor)
        elif route.kind == "back":
            _rise(pen, rows, rank, net, tops[0], bottoms[0], own)
        else:
            _fall(pen, rows, rank, net, tops[0], bottoms[0], conductor)
    if route.side_in and chain is not None:
        bend = chain.bends[target.rank]
        beside = target.right + 1 if bend.x > target.x else target.left - 1
        pen.to(bend.x, middle_row(target), own)
        pen.to(beside, middle_row(target), ("into", target.serial, 0))
    return pen.legs


def middle_row(item: Item) -> int:
    """Row at which lines leave an item sideways."""
    return item.y + item.height // 2


def _is_chain_net(net: Net, tops: tuple[Item, ...]) -> bool:
    """True if all lines of the net are those of one chain, so that they are one conductor throughout."""
    if net.key[0] == "hub":
        return True
    return len(tops) == 1 and tops[0].kind == "bend" and net.key == ("out", tops[0].serial)


def _fall(pen: _Pen, rows: Rows, rank: int, net: Net, top: Item, bottom: Item, conductor: Conductor) -> None:
    """From the rank above down to the rank below."""
    a, b = net.tops[top.serial], net.bottoms[bottom.serial]
    pen.to(a, top.y + top.height if top.kind == "node" else rows.first[rank], conductor)
    if net.first is not None:
        _cross(pen, rows, rank, net, a, b, conductor)
    end = bottom.y - 1 if bottom.kind == "node" else rows.last[rank]
    port = net.bottom_ports.get(bottom.serial)
    pen.to(b, end, ("port", rank, port) if port is not None else conductor)


def _cross(pen: _Pen, rows: Rows, rank: int, net: Net, a: int, b: int, conductor: Conductor) -> None:
    """Along the run of a net from column `a` to column `b`, downwards through its dogleg if it has one."""
    if net.second is None:
        if a != b:
            pen.to(a, rows.run(rank, net), conductor)
            pen.to(b, rows.run(rank, net), conductor)
        return
    pen.to(a, rows.run(rank, net), conductor)
    pen.to(net.drop, rows.run(rank, net), conductor)
    pen.to(net.drop, rows.run(rank, net, lower=True), conductor)
    pen.to(b, rows.run(rank, net, lower=True), conductor)


def _rise(pen: _Pen, rows: Rows, rank: int, net: Net, top: Item, bottom: Item, conductor: Conductor) -> None:
    """From a bend of the rank below up to one of the rank above."""
    a, b = net.bottoms[bottom.serial], net.tops[top.serial]
    pen.to(a, rows.last[rank], conductor)
    if net.first is not None and net.second is None and a != b:
        pen.to(a, rows.run(rank, net), conductor)
        pen.to(b, rows.run(rank, net), conductor)
    elif net.second is not None:
        pen.to(a, rows.run(rank, net, lower=True), conductor)
        pen.to(net.drop, rows.run(rank, net, lower=True), conductor)
        pen.to(net.drop, rows.run(rank, net), conductor)
        pen.to(b, rows.run(rank, net), conductor)
    pen.to(b, rows.first[rank], conductor)


def _turn_down(
    pen: _Pen, rows: Rows, rank: int, net: Net, tops: tuple[Item, ...], conductor: Conductor
) -> None:
    """Out of the bottom of a node, along, and up again into a bend of the same rank."""
    node, bend = tops
    a, b = net.tops[node.serial], net.tops[bend.serial]
    pen.to(a, node.y + node.height, conductor)
    pen.to(a, rows.run(rank, net), conductor)
    pen.to(b, rows.run(rank, net), conductor)
    pen.to(b, rows.first[rank], conductor)


def _turn_up(
    pen: _Pen, rows: Rows, rank: int, net: Net, bottoms: tuple[Item, ...], conductor: Conductor
) -> None:
    """Up from a bend, along, and down into the node beside it."""
    bend, node = bottoms
    a, b = net.bottoms[bend.serial], net.bottoms[node.serial]
    lower = net.second is not None
    pen.to(a, rows.last[rank], conductor)
    pen.to(a, rows.run(rank, net, lower), conductor)
    pen.to(b, rows.run(rank, net, lower), conductor)
    port = net.bottom_ports.get(node.serial)
    pen.to(b, node.y - 1, ("port", rank, port) if port is not None else conductor)
