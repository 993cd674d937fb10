"""The largest form of a picture that fits."""

from __future__ import annotations

from dataclasses import replace

from hookstepper.model.graph import Graph
from hookstepper.picture.canvas import Canvas
from hookstepper.picture.layout import Layout
from hookstepper.picture.marks import NO_MARKS, Marks
from hookstepper.picture.options import ZOOMS, Options, Zoom
from hookstepper.picture.plan import Planner, Progress
from hookstepper.picture.raster import raster


def fit(
    graph: Graph,
    width: int | None,
    height: int | None,
    options: Options | None = None,
    previous: Layout | None = None,
    progress: Progress | None = None,
) -> Layout:
    """The layout in the largest form that fits: boxes, one row a node, hook chains folded, dots.

    Args:
        width: cells; None is no limit.
        height: rows; None is no limit.
        previous: an older picture that this one should resemble; see `layout`.
        progress: see `layout`.

    Returns:
        The first form that fits whole. If none does, the one-row form, hook chains folded if they must be,
        with labels shortened to the width, for a picture that is scrolled up and down; else dots.
    """
    options = replace(options or Options(), width=width)
    planner = Planner(graph, previous, progress)

    def fits(columns: int, rows: int) -> bool:
        return (width is None or columns <= width) and (height is None or rows <= height)

    for zoom in ZOOMS:
        if not fits(*planner.least(replace(options, zoom=zoom))):
            continue
        plan = planner.layout(replace(options, zoom=zoom), height)
        if fits(plan.width, plan.height):
            return plan
    tall_forms: tuple[Zoom, ...] = ("row", "folded")
    for tall in tall_forms:
        plan = planner.layout(replace(options, zoom=tall))
        if width is None or plan.width <= width:
            return plan
    return planner.layout(replace(options, zoom="dots"))


def draw(
    graph: Graph,
    *,
    width: int | None = None,
    height: int | None = None,
    options: Options | None = None,
    marks: Marks = NO_MARKS,
    previous: Layout | None = None,
) -> Canvas:
    """A graph as a picture in the largest form that fits `width` cells and `height` rows.

    Args:
        previous: an older picture that this one should resemble; see `layout`.
    """
    return raster(fit(graph, width, height, options, previous), marks)
