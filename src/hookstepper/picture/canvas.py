"""The finished picture as rows of cells: a character and a role each, no colours, no terminal library."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from hookstepper.model.graph import Edge
from hookstepper.model.ids import NodeId


@dataclass(frozen=True, slots=True)
class Row:
    """One row. Rows that did not change between two canvases of one layout are the same object."""

    chars: Sequence[str]
    """One string a cell: a character with its combining marks; empty is the right half of a wide one."""
    roles: Sequence[str]
    """One a cell: words separated by spaces, such as `node model current`; empty is background."""

    def text(self) -> str:
        """The row as text, without trailing blanks."""
        return "".join(self.chars).rstrip()

    def spans(self) -> Iterator[tuple[str, str]]:
        """(text, role) of maximal runs of cells with one role, left to right."""
        for role, cells in groupby(zip(self.chars, self.roles, strict=True), key=lambda cell: cell[1]):
            yield "".join(char for char, _ in cells), role


@dataclass(frozen=True, slots=True)
class Hit:
    """What lies under one cell: a node, or edges, or the frame of a subgraph, or nothing."""

    node: NodeId | None = None
    """A folded chain answers with its first node."""
    edges: tuple[Edge, ...] = ()
    frame: NodeId | None = None
    """The innermost open subgraph around the cell."""


NO_HIT = Hit()
Rectangle = tuple[NodeId, int, int, int, int]
"""Id, left, top, width, height."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What lies where, the same for all canvases of one layout."""

    places: tuple[Rectangle, ...] = ()
    frames: tuple[Rectangle, ...] = ()
    """Open subgraphs, outer ones first."""
    lines: Mapping[tuple[int, int], Sequence[int]] = field(default_factory=dict)
    """Cell → indexes of the lines on it."""
    edges: tuple[tuple[Edge, ...], ...] = ()
    """Edges of each line."""

    def at(self, x: int, y: int) -> Hit:
        """What lies at a cell."""
        for name, left, top, width, height in self.places:
            if top <= y < top + height and left <= x < left + width:
                return Hit(node=name)
        edges = tuple(edge for index in self.lines.get((x, y), ()) for edge in self.edges[index])
        frame = None
        for name, left, top, width, height in self.frames:
            if left <= x < left + width and top <= y < top + height:
                frame = name
        return Hit(edges=edges, frame=frame) if edges or frame is not None else NO_HIT


@dataclass(frozen=True, slots=True)
class Canvas:
    """A picture of `width` × `height` cells. Every row has `width` cells."""

    width: int
    height: int
    rows: tuple[Row, ...]
    ground: Ground = field(default=Ground(), repr=False)

    def text(self) -> str:
        """The whole picture as plain text, without trailing blanks, one line a row."""
        return "\n".join(row.text() for row in self.rows)

    def hit(self, x: int, y: int) -> Hit:
        """What is drawn at column `x` and row `y`, both from 0."""
        return self.ground.at(x, y)
