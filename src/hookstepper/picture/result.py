"""From a draft to the frozen result that leaves the package."""

from __future__ import annotations

from hookstepper.model.graph import Graph
from hookstepper.model.ids import NodeId
from hookstepper.picture.boxes import Stroke
from hookstepper.picture.canvas import Canvas, Ground, Row
from hookstepper.picture.draft import Draft
from hookstepper.picture.grid import Grid
from hookstepper.picture.layout import Layout, Wire
from hookstepper.picture.width import cell_width, clip


def freeze(draft: Draft, graph: Graph) -> Layout:
    """The layout of a graph, as a draft shows it."""
    scene = draft.scene
    wires = [_wire(draft, index) for index in range(len(scene.view.lines))] + _loops(draft, graph)
    wire_of: dict[tuple[NodeId, NodeId], int] = {}
    for index, wire in enumerate(wires):
        wire_of[wire.source, wire.target] = index
        for edge in wire.edges:
            wire_of[edge.source, edge.target] = index
    rows = (*draft.grid.rows(draft.width), *_legend(draft))
    ground = Ground(
        tuple(
            (place.id, place.x, place.y, place.width, place.height)
            for place in draft.places.values()
            if place.members
        ),
        tuple((frame.id, frame.x, frame.y, frame.width, frame.height) for frame in draft.frames),
        draft.ink.lines,
        tuple(wire.edges for wire in wires),
    )
    return Layout(
        graph,
        scene.options,
        draft.width,
        len(rows),
        draft.places,
        draft.frames,
        tuple(wires),
        scene.view.homes,
        tuple(draft.placed.legend),
        Canvas(draft.width, len(rows), rows, ground),
        wire_of,
        draft.ink.top,
        scene.view.boxes,
        draft.max_label,
    )


def _legend(draft: Draft) -> tuple[Row, ...]:
    texts = _legend_texts(draft.placed.legend, draft.width)
    footer = Grid(draft.width, len(texts))
    for index, text in enumerate(texts):
        footer.put(Stroke(1, index, text, "legend"))
    return footer.rows(draft.width)


def _wire(draft: Draft, index: int) -> Wire:
    line = draft.scene.view.lines[index]
    boxes = draft.scene.view.boxes
    return Wire(
        boxes[line.source].id,
        boxes[line.target].id,
        line.label,
        line.edges,
        tuple(draft.ink.paths[index]),
        index in draft.scene.back,
        draft.placed.at.get(index),
        draft.placed.badges.get(index, ""),
    )


def _loops(draft: Draft, graph: Graph) -> list[Wire]:
    """Nodes that join themselves: their loop sign is part of their text."""
    found = []
    for box in draft.scene.view.boxes:
        if box.loop is None:
            continue
        inside = frozenset(box.members)
        edges = tuple(e for e in graph.edges if e.source in inside and e.target in inside)
        place = draft.places[box.id]
        tail = cell_width(box.loop) + 1 if box.loop else 0
        label = cell_width(clip(box.label, draft.max_label))
        at = place.text_x + label + cell_width(box.suffix) - tail - 1
        cell = (at, place.text_y) if draft.scene.options.zoom != "dots" else place.center
        found.append(Wire(box.id, box.id, box.loop, edges, (cell,), True, cell))
    return found


def _legend_texts(legend: list[tuple[str, str]], width: int) -> list[str]:
    """The legend as lines of text, filled up to the width of the picture."""
    rows: list[str] = []
    for sign, text in legend:
        entry = f"{sign} {text}" if len(sign) == 1 else f"{sign}: {text}"
        if rows and cell_width(rows[-1]) + cell_width(entry) + 4 <= width:
            rows[-1] += f"   {entry}"
        else:
            rows.append(entry)
    return ["", *rows] if rows else []
