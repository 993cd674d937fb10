"""A graph drawn in character cells: layout, marks, canvas. Integers and words only; no terminal library.

    options = Options(zoom="row")
    plan = layout(graph, options)          # slow part: once per graph and options
    canvas = raster(plan, marks)           # fast part: once per change of marks
    print(canvas.text())

`draw(graph, width=80)` does all of it with the largest form that fits.
"""

from hookstepper.picture.canvas import Canvas, Hit, Row
from hookstepper.picture.draw import draw, fit
from hookstepper.picture.layout import Direction, Frame, Layout, Place, Wire
from hookstepper.picture.marks import Link, Marks, mark_of
from hookstepper.picture.options import ZOOMS, Mode, Options, Words, Zoom, say
from hookstepper.picture.plan import layout
from hookstepper.picture.raster import raster
from hookstepper.picture.width import cell_width, clean, clip

__all__ = [
    "ZOOMS",
    "Canvas",
    "Direction",
    "Frame",
    "Hit",
    "Layout",
    "Link",
    "Marks",
    "Mode",
    "Options",
    "Place",
    "Row",
    "Wire",
    "Words",
    "Zoom",
    "cell_width",
    "clean",
    "clip",
    "draw",
    "fit",
    "layout",
    "mark_of",
    "raster",
    "say",
]
