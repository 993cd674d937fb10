"""A mutable canvas: characters and roles, cell by cell, wide characters on two cells."""

from __future__ import annotations

from hookstepper.picture.boxes import Stroke
from hookstepper.picture.canvas import Row
from hookstepper.picture.width import cells_of


class Grid:
    """Rows of cells that strokes are put on."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self.chars = [[" "] * width for _ in range(height)]
        self.roles = [[""] * width for _ in range(height)]

    def put(self, stroke: Stroke) -> None:
        """Write a text; what stands outside of the grid is dropped, never half of a wide character."""
        if 0 <= stroke.y < self.height:
            write(self.chars[stroke.y], self.roles[stroke.y], stroke)

    def set(self, x: int, y: int, char: str, role: str) -> None:
        """Write one narrow character where no wide one stands."""
        self.chars[y][x] = char
        self.roles[y][x] = role

    def used_width(self) -> int:
        """Columns up to the last one that is not empty."""
        used = 0
        for chars in self.chars:
            end = len(chars)
            while end > used and chars[end - 1] == " ":
                end -= 1
            used = max(used, end)
        return used

    def is_blank(self, x: int, y: int, count: int) -> bool:
        """True if `count` cells from (x, y) on are inside and empty."""
        if not (0 <= y < self.height and x >= 0 and x + count <= self.width):
            return False
        return all(char == " " for char in self.chars[y][x : x + count]) and not any(
            self.roles[y][x : x + count]
        )

    def rows(self, width: int) -> tuple[Row, ...]:
        """The first `width` cells of every row."""
        return tuple(
            Row(tuple(chars[:width]), tuple(roles[:width]))
            for chars, roles in zip(self.chars, self.roles, strict=True)
        )


def write(chars: list[str], roles: list[str], stroke: Stroke) -> None:
    """Put a stroke on one row, wide characters and what they stood on kept whole."""
    x = stroke.x
    for cell in cells_of(stroke.text):
        if 0 <= x < len(chars):
            if chars[x] == "" and x and cell != "":
                chars[x - 1] = " " if chars[x - 1] and cells_of(chars[x - 1])[1:] else chars[x - 1]
            if cell != "" and x + 1 < len(chars) and chars[x + 1] == "" and cells_of(cell)[1:] == []:
                chars[x + 1] = " "
            chars[x] = cell
            roles[x] = stroke.role
        x += 1
