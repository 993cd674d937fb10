"""The upper edge of a frame: words at both ends and the line between them."""

from __future__ import annotations

from rich.cells import cell_len
from textual.content import Content

from hookstepper.tui.rows.row import cut_text

EDGE_CELLS = 6
"""Two corners, and one piece of line and one blank at each end of what is written on the edge."""


def edge(left: str, right: str, cells: int, *, focused: bool) -> Content:
    """The words in their colour, in at most `cells` cells; the line between them keeps that of the border."""
    text = edge_text(left, right, cells, "━" if focused else "─")
    words = "bold $border" if focused else "$text-muted"
    head, found, tail = text.partition(" ━" if focused else " ─")
    if not found:
        return Content.styled(text, words)
    fill = len(tail) - len(tail.lstrip("━─"))
    return Content.assemble((head, words), found + tail[:fill], (tail[fill:], words))


def edge_text(left: str, right: str, cells: int, line: str) -> str:
    """`left ──── right` in exactly `cells` cells; the right words give way first."""
    left = cut_text(left, max(0, cells))
    room = cells - cell_len(left) - 3
    if not right or room < 4:
        return left
    right = cut_text(right, room)
    fill = cells - cell_len(left) - cell_len(right) - 2
    return f"{left} {line * fill} {right}"
