"""The overview in a corner of the picture: braille dots for nodes and lines, the window tinted."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.geometry import Offset, Region, Size
from textual.strip import Strip

from hookstepper.model.ids import NodeId
from hookstepper.picture import Layout

if TYPE_CHECKING:
    from hookstepper.tui.graph_view import GraphView

_WIDEST, _HIGHEST = 26, 12
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""Bits of the braille patterns, by row and column inside one cell (Unicode block U+2800)."""
_BLANK = 0x2800


class GraphMap:
    """Overview of one layout, scaled to a corner of its view."""

    def __init__(self, view: GraphView) -> None:
        self._view = view
        self._key: tuple[int, Size] | None = None
        self._cells: list[list[int]] = []
        self._nodes: dict[NodeId, tuple[int, int]] = {}
        self._wanted: bool | None = None
        self._region: Region | None = None
        self._look: tuple[object, ...] = ()
        self._strips: dict[int, Strip] = {}
        """Rows of the map, for one window, one set of current nodes and one theme."""

    @property
    def wanted(self) -> bool | None:
        """True and False show and hide it; None shows it if the picture is much larger than the view."""
        return self._wanted

    @wanted.setter
    def wanted(self, wanted: bool | None) -> None:
        self._wanted = wanted
        self.settle()
        self._view.refresh()

    @property
    def region(self) -> Region | None:
        """Where it stands in the view; None if it is not shown."""
        return self._region

    def settle(self) -> bool:
        """Find its place again; True if that has changed. For after a change of size, marks or cursor."""
        before, self._region = self._region, self._fitting()
        return self._region != before

    def _fitting(self) -> Region | None:
        view, canvas = self._view, self._view.canvas
        width, height = min(_WIDEST, view.size.width // 4), min(_HIGHEST, view.size.height // 3)
        if canvas is None or width < 8 or height < 4 or self._wanted is False:
            return None
        larger = canvas.width > view.size.width or canvas.height > view.size.height
        much = canvas.width * canvas.height > 4 * view.size.width * view.size.height
        if not larger or not (much or self._wanted):
            return None
        right, bottom = view.size.width - width - 1, view.size.height - height
        corners = [Region(x, y, width, height) for x in (right, 0) for y in (0, bottom)]
        shown = self._marked()
        # Where ▶ or the cursor stands it would hide what matters most.
        return next((corner for corner in corners if not any(map(corner.overlaps, shown))), corners[0])

    def _marked(self) -> list[Region]:
        """Where the nodes that run next and the one under the cursor stand in the view."""
        view, plan = self._view, self._view.plan
        nodes = {*view.current_nodes, *((view.cursor_node,) if view.cursor_node is not None else ())}
        places = [place for node in nodes if plan is not None and (place := plan.place(node)) is not None]
        shift = view.origin - view.scroll_offset
        return [Region(place.x, place.y, place.width, place.height).translate(shift) for place in places]

    def over(self, strip: Strip, y: int) -> Strip:
        """A line of the view with the map drawn over its right end."""
        region, plan = self.region, self._view.plan
        if region is None or plan is None or not region.y <= y < region.bottom:
            return strip
        self._build(plan, region.size)
        lit = frozenset(self._nodes[node] for node in self._view.current_nodes if node in self._nodes)
        look = (self._key, self._window(region.size), lit, self._view.glyphs, self._view.painter.style("map"))
        if look != self._look:
            self._look, self._strips = look, {}
        row = y - region.y
        mine = self._strips.get(row)
        if mine is None:
            mine = self._strips[row] = self._strip(row, region.width, look[1], lit)
        rest = strip.crop(region.right)
        return Strip.join([strip.crop(0, region.x), mine, rest])

    def _strip(self, row: int, width: int, window: Region, lit: frozenset[tuple[int, int]]) -> Strip:
        roles = [
            "map-current" if (x, row) in lit else "map-window" if window.contains(x, row) else "map"
            for x in range(width)
        ]
        segments = []
        for role, run in groupby(range(width), key=roles.__getitem__):
            text = "".join(self._sign(self._cells[row][x]) for x in run)
            segments.append(Segment(text, self._view.painter.style(role)))
        return Strip(segments, width)

    def _sign(self, dots: int) -> str:
        if self._view.glyphs != "ascii":
            return chr(_BLANK | dots)
        return "#" if dots.bit_count() > 4 else ":" if dots else " "

    def _build(self, plan: Layout, size: Size) -> None:
        if self._key == (id(plan), size):
            return
        self._key = (id(plan), size)
        columns, rows = size.width * 2, size.height * 4
        self._cells = [[0] * size.width for _ in range(size.height)]
        self._nodes = {}
        for wire in plan.wires:
            for x, y in wire.cells[::2]:
                self._dot(x * columns // plan.width, y * rows // plan.height)
        for place in plan.places.values():
            top, bottom = place.y * rows // plan.height, (place.y + place.height) * rows // plan.height
            left, right = place.x * columns // plan.width, (place.x + place.width) * columns // plan.width
            for y in range(top, max(bottom, top + 1)):
                for x in range(left, max(right, left + 1)):
                    self._dot(x, y)
            for member in place.members:
                self._nodes[member] = ((left + right) // 4, (top + bottom) // 8)

    def _dot(self, x: int, y: int) -> None:
        row, column = y // 4, x // 2
        if row < len(self._cells) and column < len(self._cells[row]):
            self._cells[row][column] |= _DOTS[y % 4][x % 2]

    def _window(self, size: Size) -> Region:
        view, canvas = self._view, self._view.canvas
        assert canvas is not None
        left, top = view.scroll_offset
        right, bottom = left + view.size.width, top + view.size.height
        x0, x1 = left * size.width // canvas.width, -(-right * size.width // canvas.width)
        y0, y1 = top * size.height // canvas.height, -(-bottom * size.height // canvas.height)
        return Region(x0, y0, max(x1 - x0, 1), max(y1 - y0, 1))

    def aim(self, x: int, y: int) -> Offset | None:
        """Scroll offset that centres what a cell of the view shows on the map; None off the map."""
        region, canvas = self.region, self._view.canvas
        if region is None or canvas is None or not region.contains(x, y):
            return None
        column = (x - region.x) * canvas.width // region.width
        row = (y - region.y) * canvas.height // region.height
        return Offset(column - self._view.size.width // 2, row - self._view.size.height // 2)
