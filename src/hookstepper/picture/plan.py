"""The layout as a whole: view, ranks, order, columns, rows, paths, labels, in that order."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hookstepper.model.graph import Graph
from hookstepper.picture.boxes import size_of
from hookstepper.picture.build import build
from hookstepper.picture.draft import Draft, draft
from hookstepper.picture.lanes import settle
from hookstepper.picture.layout import Layout
from hookstepper.picture.options import Options
from hookstepper.picture.order import order
from hookstepper.picture.result import freeze
from hookstepper.picture.room import Wants
from hookstepper.picture.scene import Scene
from hookstepper.picture.settled import before_of
from hookstepper.picture.view import view_of

Progress = Callable[[float], None]
"""Told the share of the work that is done, from 0 to 1; what it raises ends the work."""
_ORDERED = 0.3
"""Share of the work that is done when the order is found, measured on graphs of 60 to 1000 nodes."""
_SHORTER = (28, 24, 20, 16, 13, 10)
_SHORTER_OF_MANY = (24, 16, 10)
"""Label lengths that are tried, one after another, when a picture is wider than asked; fewer for a graph
of many boxes, since each try costs time."""
_FINE = 60
"""Most boxes for which every length is tried."""
_SECOND_TRY = 150
"""Most boxes for which labels without room cause a second try; larger graphs use the legend at once."""


def layout(
    graph: Graph,
    options: Options | None = None,
    previous: Layout | None = None,
    progress: Progress | None = None,
) -> Layout:
    """Place every node and edge of a graph on a grid of terminal cells.

    Args:
        previous: an older picture of nearly the same graph. Its nodes keep their order and, where the edges
            allow it, their ranks, so that a reader finds them again. A node or an edge more costs few
            crossings; who changes much asks for a new picture.
        progress: told how far the work is, in the caller's thread; it may raise to give up.

    Returns:
        Places in flow order (rank by rank from START, left to right); coordinates are cells, origin top
        left. The same graph and options give the same layout in every process.

    Source: layered drawing after Sugiyama, Tagawa, Toda (1981); each module names its own sources.
    """
    return Planner(graph, previous, progress).layout(options or Options())


class Planner:
    """Lays out one graph in several forms; forms with the same boxes share ranks and order."""

    def __init__(
        self, graph: Graph, previous: Layout | None = None, progress: Progress | None = None
    ) -> None:
        self._graph = graph
        self._previous = previous
        self._progress = progress or _silent
        self._scenes: dict[tuple[object, ...], Scene] = {}

    def layout(self, options: Options, height: int | None = None) -> Layout:
        """The graph in one form.

        Args:
            height: rows available; if the form is higher, no time is spent on making it narrower.
        """
        scene = self._scene(options)
        best = None
        done = _ORDERED
        tries = list(_ladder(options, len(scene.view.boxes)))
        if options.width is not None and self.least(options)[0] > options.width:
            tries = tries[-1:]  # none will fit; the last is the narrowest
        for max_label, compact in tries:
            self._progress(done)
            found = draft(scene, max_label, Wants(compact=compact))
            if options.width is not None and found.width - 2 <= options.width < found.width:
                # Two blank columns are worth less than the names of all nodes.
                found = draft(scene, max_label, Wants(compact=compact, flush=True))
            done += (1 - done) / 2
            if best is None or found.width < best.width:
                best = found
            if options.width is None or best.width <= options.width:
                break
            if height is not None and found.grid.height > height:
                break
        assert best is not None
        return freeze(_with_room(scene, best, options), self._graph)

    def least(self, options: Options) -> tuple[int, int]:
        """Columns and rows that the form takes at the very least; costs little beside a layout."""
        scene = self._scene(options)
        shortest = min(options.max_label, _SHORTER[-1])
        width, height = 0, max(0, len(scene.layers) - 1)
        for layer in scene.layers:
            sizes = [
                size_of(scene.view.boxes[item.box], options.zoom, shortest, options.glyphs)
                for item in layer
                if item.kind == "node"
            ]
            width = max(width, sum(size[0] for size in sizes))
            height += max((size[1] for size in sizes), default=1)
        return width, height

    def _scene(self, options: Options) -> Scene:
        view = view_of(self._graph, options)
        folds = options.zoom == "folded", options.folded, options.unfolded, options.collapsed
        key = (*folds, options.show_never, options.never_of, options.mode)
        scene = self._scenes.get(key)
        if scene is None:
            before = before_of(view, self._previous)
            scene = build(view, options, before)
            if view.boxes:
                order(scene, before, lambda share: self._progress(_ORDERED * share))
                settle(scene)
            self._scenes[key] = scene
        scene.view, scene.options = view, options
        return scene


def _silent(share: float) -> None:
    """Nobody wants to know."""


def _ladder(options: Options, boxes: int) -> Iterator[tuple[int, bool]]:
    """Label length and whether to save room, from the finest picture to the narrowest."""
    yield options.max_label, False
    yield options.max_label, True
    for limit in _SHORTER if boxes <= _FINE else _SHORTER_OF_MANY:
        if limit < options.max_label:
            yield limit, True


def _with_room(scene: Scene, first: Draft, options: Options) -> Draft:
    """The draft, or another one that makes room for labels and titles that found none in it."""
    wants = first.wants()
    if not wants or len(scene.view.boxes) > _SECOND_TRY:
        return first
    second = draft(scene, first.max_label, wants)
    too_wide = options.width is not None and first.width <= options.width < second.width
    better = len(second.placed.crowded) <= len(first.placed.crowded) and not too_wide
    return second if better else first
