"""Lights that run along edges; the clock stops when none is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.timer import Timer

from hookstepper.tui.graph_paint import Overlay

if TYPE_CHECKING:
    from hookstepper.tui.graph_view import GraphView

FRAMES = 30
"""Frames a second while something moves."""
CELLS = 1.5
"""Cells that a light moves in a frame, at least."""
LONGEST = 24
"""Frames that a light takes at most; over a long path it is faster."""
_TAIL = ("dot", "tail-1", "tail-2", "tail-3")
_MOST = 12
"""Lights at once; when steps come faster, the oldest end early."""

_Cells = tuple[tuple[int, int], ...]


class Dots:
    """The moving lights of one view."""

    def __init__(self, view: GraphView) -> None:
        self._view = view
        self._alive: list[tuple[_Cells, float]] = []
        self._timer: Timer | None = None

    @property
    def moving(self) -> bool:
        """True while a light is on its way."""
        return bool(self._alive)

    @property
    def ticking(self) -> bool:
        """True while the clock runs; it costs a repaint a frame."""
        return self._timer is not None

    def start(self, cells: _Cells) -> None:
        """Send a light along a path."""
        if not cells:
            return
        self._alive = [*self._alive, (cells, 0.0)][-_MOST:]
        self._draw()
        if self._timer is None:
            self._timer = self._view.set_interval(1 / FRAMES, self.tick)

    def clear(self) -> None:
        """Put all lights out."""
        self._alive = []
        self._stop()

    def tick(self) -> None:
        """One frame."""
        moved = [(cells, at + max(CELLS, len(cells) / LONGEST)) for cells, at in self._alive]
        self._alive = [(cells, at) for cells, at in moved if at - len(_TAIL) < len(cells)]
        self._draw()
        if not self._alive:
            self._stop()

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _draw(self) -> None:
        overlay: Overlay = {}
        sign = "●" if self._view.glyphs == "unicode" else "*"
        for cells, at in self._alive:
            for behind, role in enumerate(_TAIL):
                index = int(at) - behind
                if 0 <= index < len(cells):
                    x, y = cells[index]
                    glyph = sign if behind == 0 else ""
                    overlay.setdefault(y, {}).setdefault(x, (glyph, role))
        self._view.refresh_rows(self._view.painter.overlay(overlay))
