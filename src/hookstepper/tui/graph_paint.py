"""Rows of a canvas as strips: role words to styles, cached row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style as RichStyle
from textual.strip import Strip

from hookstepper.picture import Canvas

if TYPE_CHECKING:
    from hookstepper.tui.graph_view import GraphView

ROLE_WORDS = (
    "edge", "dashed", "back", "inferred", "never", "observed", "lit", "label", "badge", "legend", "border",
    "title", "tint", "node", "start", "end", "model", "tool", "subgraph", "hidden", "unknown", "anchor",
    "ring", "earlier", "done", "quiet", "next", "current", "skipped", "failed", "waiting", "by-hand", "jump",
    "breakpoint", "disabled", "cursor", "map", "map-window", "map-current", "dot", "tail-1", "tail-2",
    "tail-3",
)  # fmt: skip
"""Words of roles that have a style of their own; others change nothing."""
FILLED = frozenset({"current", "failed", "waiting"})
"""Roles that give a box a background."""

Overlay = dict[int, dict[int, tuple[str, str]]]
"""Row → column → (glyph or empty, role) put over the picture while something moves."""


class Painter:
    """Strips of one canvas. A strip is made when its row is first seen and kept until the row changes."""

    def __init__(self, view: GraphView) -> None:
        self._view = view
        self._canvas: Canvas | None = None
        self._strips: list[Strip | None] = []
        self._styles: dict[tuple[str, int], RichStyle] = {}
        self._overlay: Overlay = {}

    def restart(self, canvas: Canvas) -> None:
        """Forget the old picture."""
        self._canvas = canvas
        self._strips = [None] * canvas.height
        self._overlay = {}

    def change(self, canvas: Canvas) -> dict[int, tuple[int, int]]:
        """Take another canvas of the same layout; returns the rows that differ and their columns."""
        old, self._canvas = self._canvas, canvas
        changed: dict[int, tuple[int, int]] = {}
        for y, row in enumerate(canvas.rows):
            if old is None or row is not old.rows[y]:
                self._strips[y] = None
                changed[y] = (0, canvas.width - 1)
        return changed

    def overlay(self, overlay: Overlay) -> dict[int, tuple[int, int]]:
        """Put another overlay on the picture; returns the rows that differ and their columns."""
        old, self._overlay = self._overlay, overlay
        changed: dict[int, tuple[int, int]] = {}
        for y in old.keys() | overlay.keys():
            if 0 <= y < len(self._strips):
                self._strips[y] = None
                columns = old.get(y, {}).keys() | overlay.get(y, {}).keys()
                changed[y] = (min(columns), max(columns))
        return changed

    def forget_styles(self) -> None:
        """The theme changed."""
        self._styles.clear()
        self._strips = [None] * len(self._strips)

    def line(self, row: int, left: int, width: int) -> Strip:
        """`width` cells of a row from column `left` on, blank where there is no picture."""
        blank = self._style("", 0)
        if not 0 <= row < len(self._strips):
            return Strip.blank(width, blank)
        strip = self._strips[row]
        if strip is None:
            strip = self._strips[row] = self._strip(row)
        if left < 0:
            margin = min(-left, width)
            rest = strip.crop_extend(0, width - margin, blank)
            return Strip([Segment(" " * margin, blank), *rest], width)
        return strip.crop_extend(left, left + width, blank)

    def _strip(self, y: int) -> Strip:
        assert self._canvas is not None
        row = self._canvas.rows[y]
        chars, roles = list(row.chars), list(row.roles)
        for x, (glyph, role) in self._overlay.get(y, {}).items():
            if 0 <= x < len(chars):
                # A light colours the letters of a label and goes on behind it: the text stays readable.
                is_label = "label" in roles[x].split()
                roles[x] = f"{roles[x]} {role}"
                if glyph and not is_label and chars[x] != "" and (x + 1 >= len(chars) or chars[x + 1] != ""):
                    chars[x] = glyph
        depths = self._depths(y)
        segments: list[Segment] = []
        start, count = 0, len(chars)
        while start < count:
            role, depth = roles[start], depths[start] if depths else 0
            end = start + 1
            # A wide character that a terminal measures otherwise must not shift what follows: new segment.
            while end < count and roles[end] == role and (not depths or depths[end] == depth):
                if chars[end - 1] == "" and chars[end] != "":
                    break
                end += 1
            segments.append(Segment("".join(chars[start:end]), self._style(role, depth)))
            start = end
        return Strip(segments, count)

    def _depths(self, y: int) -> list[int]:
        """How many open subgraphs lie under each cell of a row; empty if none does."""
        assert self._canvas is not None
        depths: list[int] = []
        for _, left, top, width, height in self._canvas.ground.frames:
            if top <= y < top + height:
                depths = depths or [0] * self._canvas.width
                for x in range(left, min(left + width, len(depths))):
                    depths[x] += 1
        return depths

    def style(self, role: str) -> RichStyle:
        """The style of role words on the view's own background."""
        return self._style(role, 0)

    def _style(self, role: str, depth: int) -> RichStyle:
        style = self._styles.get((role, depth))
        if style is None:
            view = self._view
            # All classes at once and not as partial styles: a partial one loses its background (Textual 8.2).
            names = ["graph--tint"] * depth
            words = [word for word in role.split() if word in ROLE_WORDS]
            # A filled box decides the colour of all that stands in it, or an anchor would vanish in the fill.
            names += [f"graph--{word}" for word in sorted(words, key=FILLED.__contains__)]
            visual = view.get_visual_style(*names) if names else view.visual_style
            style = visual.rich_style
            if "cursor" in words:
                style += RichStyle(reverse=True)  # component styles drop `reverse` (Textual 8.2)
            self._styles[role, depth] = style
        return style
