"""The layout as a whole: view, ranks, order, columns, rows, paths, labels, in that order."""

from __future__ import annotations

from collections.abc import Iterator

from hookstepper.model.graph import Graph
from hookstepper.picture.build import build
from hookstepper.picture.draft import Draft, draft
from hookstepper.picture.lanes import settle
from hookstepper.picture.layout import Layout
from hookstepper.picture.options import Options
from hookstepper.picture.order import order
from hookstepper.picture.result import freeze
from hookstepper.picture.room import Wants
from hookstepper.picture.scene import Scene
from hookstepper.picture.view import view_of

_SHORTER = (28, 20, 14, 10)
"""Label lengths that are tried, one after another, when a picture is wider than asked."""
_SECOND_TRY = 150
"""Most boxes for which labels without room cause a second try; larger graphs use the legend at once."""


def layout(graph: Graph, options: Options | None = None) -> Layout:
    """Place every node and edge of a graph on a grid of terminal cells.

    Returns:
        Places in flow order (rank by rank from START, left to right); coordinates are cells, origin top
        left. The same graph and options give the same layout in every process.

    Source: layered drawing after Sugiyama, Tagawa, Toda (1981); each module names its own sources.
    """
    options = options or Options()
    scene = build(view_of(graph, options), options)
    if scene.view.boxes:
        order(scene)
        settle(scene)
    best = None
    for max_label, compact in _ladder(options):
        found = _best_of_two(scene, max_label, compact)
        if best is None or found.width < best.width:
            best = found
        if options.width is None or best.width <= options.width:
            break
    assert best is not None
    return freeze(best, graph)


def _ladder(options: Options) -> Iterator[tuple[int, bool]]:
    """Label length and whether to save room, from the finest picture to the narrowest."""
    yield options.max_label, False
    yield options.max_label, True
    for limit in _SHORTER:
        if limit < options.max_label:
            yield limit, True


def _best_of_two(scene: Scene, max_label: int, compact: bool) -> Draft:
    """A draft; if labels or titles found no room, another one that makes room for them."""
    first = draft(scene, max_label, Wants(compact=compact))
    wants = first.wants(compact)
    if wants and len(scene.view.boxes) <= _SECOND_TRY:
        second = draft(scene, max_label, wants)
        if len(second.placed.crowded) <= len(first.placed.crowded):
            return second
    return first
