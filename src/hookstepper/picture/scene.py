"""The working state of one layout: items on ranks, chains of long lines, links between neighbouring ranks.

Mutable and private to the layout; `layout.Layout` is what leaves the package.
"""

from __future__ import annotations

from typing import Literal

from hookstepper.picture.options import Options
from hookstepper.picture.view import View

ItemKind = Literal["node", "bend", "wall"]
RouteKind = Literal["step", "far", "lane", "back"]
"""`step`: to the next rank. `far`: down over several ranks. `lane`: down beside the spine, leaving its
source sideways. `back`: up beside the nodes, from side to side."""


class Item:
    """Something that takes columns on one rank: a node, one cell of a long line, a wall of a subgraph."""

    __slots__ = (
        "bias", "box", "chain", "down", "flat", "frame", "fx", "height", "kind", "need", "pad_left",
        "pad_right", "pos", "rank", "serial", "spot", "up", "width", "x", "y",
    )  # fmt: skip

    def __init__(self, serial: int, kind: ItemKind, rank: int, width: int, frame: int | None) -> None:
        self.serial = serial
        self.kind = kind
        self.rank = rank
        self.width = width
        self.frame = frame
        self.box = -1
        self.chain: Chain | None = None
        self.bias = 0
        """-1 and 1 keep an item at the left or right end of its rank or of its subgraph."""
        self.up: list[tuple[Item, int]] = []
        self.down: list[tuple[Item, int]] = []
        self.flat: list[Item] = []
        """Items of the same rank that a sideways line joins it to."""
        self.spot = 0
        """Index on its rank."""
        self.pos = 0.0
        self.fx = 0.0
        self.x = 0
        """Column of the middle cell."""
        self.y = 0
        self.height = 1
        self.pad_left = 0
        self.pad_right = 0
        """Cells kept free beside it for the label of a line that leaves sideways."""
        self.need = 0
        """Least distance of its column to the next item's, for a label beside its line."""

    @property
    def left(self) -> int:
        return self.x - self.width // 2

    @property
    def right(self) -> int:
        return self.x + self.width // 2


class Chain:
    """One line, or several to one target, over more than two ranks: a bend on each."""

    __slots__ = ("bends", "frame", "kind", "lines", "serial", "side", "target")

    def __init__(self, serial: int, kind: RouteKind, target: int, side: int, frame: int | None) -> None:
        self.serial = serial
        self.kind = kind
        self.target = target
        self.side = side
        self.frame = frame
        self.bends: dict[int, Item] = {}
        self.lines: list[int] = []


class Route:
    """How one line runs."""

    __slots__ = ("chain", "kind", "side_in", "side_out")

    def __init__(self, kind: RouteKind, chain: Chain | None) -> None:
        self.kind = kind
        self.chain = chain
        self.side_out = False
        """True if it leaves its source sideways."""
        self.side_in = False


class Scene:
    """All items of one layout, rank by rank."""

    def __init__(self, view: View, options: Options) -> None:
        self.view = view
        self.options = options
        self.rank: list[int] = []
        self.back: set[int] = set()
        self.topo: list[int] = []
        self.spine: list[int] = []
        self.is_spine = False
        self.layers: list[list[Item]] = []
        self.nodes: list[Item] = []
        """Item of every box."""
        self.chains: list[Chain] = []
        self.routes: list[Route] = []
        """Route of every line of the view."""
        self.walls: dict[int, dict[int, tuple[Item, Item]]] = {}
        """Subgraph → rank → its left and right wall."""
        self.pinned: set[int] = set()
        """Serials of the items of a straight spine."""
        self.tight: dict[int, int] = {}
        """Nodes too narrow for the lines that enter them from above: serial → columns wanted."""
        self.items = 0
        self.margin = 1
        """Blank columns at the left."""

    def add(self, kind: ItemKind, rank: int, width: int, frame: int | None) -> Item:
        """A new item at the end of its rank."""
        item = Item(self.items, kind, rank, width, frame)
        self.items += 1
        self.layers[rank].append(item)
        return item

    def path(self, frame: int | None) -> tuple[int, ...]:
        """Subgraphs from the outermost to this one."""
        return () if frame is None else self.view.groups[frame].path

    def common(self, a: int | None, b: int | None) -> int | None:
        """The innermost subgraph around both."""
        both = None
        for x, y in zip(self.path(a), self.path(b), strict=False):
            if x != y:
                break
            both = x
        return both

    def number(self, layer: list[Item]) -> None:
        """Tell every item of a rank where it stands, ranks centred on each other."""
        offset = (len(layer) - 1) / 2
        for index, item in enumerate(layer):
            item.spot = index
            item.pos = index - offset


def link(upper: Item, lower: Item, weight: int) -> None:
    """Join two items of neighbouring ranks."""
    upper.down.append((lower, weight))
    lower.up.append((upper, weight))
