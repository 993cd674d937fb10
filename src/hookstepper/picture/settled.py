"""The order of a picture that follows an older one: what was there keeps its place beside what was there."""

from __future__ import annotations

from dataclasses import dataclass

from hookstepper.model.ids import NodeId
from hookstepper.picture.layout import Layout
from hookstepper.picture.scene import Item, Scene
from hookstepper.picture.view import View

_SHARE = 0.5
"""Least share of the boxes that an older picture has to know; with fewer the order is made anew."""


@dataclass(frozen=True, slots=True)
class Before:
    """What an older picture of nearly the same graph tells about the boxes of a new one."""

    ranks: dict[NodeId, int]
    columns: dict[NodeId, int]


def before_of(view: View, previous: Layout | None) -> Before | None:
    """Ranks and columns of the boxes that an older picture shows too; None if it shows too few of them."""
    if previous is None:
        return None
    places = {box.id: previous.place(box.id) or previous.places.get(box.id) for box in view.boxes}
    known = {name: place for name, place in places.items() if place is not None}
    if len(known) < _SHARE * len(view.boxes):
        return None
    return Before(
        {name: place.rank for name, place in known.items()},
        {name: place.center[0] for name, place in known.items()},
    )


def settled_keys(scene: Scene, before: Before) -> tuple[list[float], set[int]]:
    """A column for every item, old ones as they were; and the serials of the nodes that are new."""
    keys: dict[int, float] = {}
    boxes = scene.view.boxes
    for item in scene.nodes:
        column = before.columns.get(boxes[item.box].id)
        if column is not None:
            keys[item.serial] = float(column)
    new = [item for item in scene.nodes if item.serial not in keys]
    lines = [(scene.nodes[line.source], scene.nodes[line.target]) for line in scene.view.lines]
    for item in new:
        near = [keys[b.serial] for a, b in lines if a is item and b.serial in keys]
        near += [keys[a.serial] for a, b in lines if b is item and a.serial in keys]
        # A little right of its neighbours: what was there stays on the left of what comes.
        keys[item.serial] = sum(near) / len(near) + 0.5 if near else max(keys.values(), default=0.0) + 1
    for chain in scene.chains:
        target = scene.nodes[scene.view.lines[chain.lines[0]].target]
        sources = [scene.nodes[scene.view.lines[index].source] for index in chain.lines]
        for rank, bend in chain.bends.items():
            keys[bend.serial] = _between(rank, sources, target, keys)
    for layer in scene.layers:
        for item in layer:
            keys.setdefault(item.serial, 0.0)
    return [keys[serial] for serial in range(len(keys))], {item.serial for item in new}


def _between(rank: int, sources: list[Item], target: Item, keys: dict[int, float]) -> float:
    """Where a straight line to the target passes a rank."""
    end = keys[target.serial]
    start = sum(keys[item.serial] for item in sources) / len(sources)
    top = sum(item.rank for item in sources) / len(sources)
    if top == target.rank:
        return end
    share = min(max((rank - top) / (target.rank - top), 0.0), 1.0)
    return start + (end - start) * share
