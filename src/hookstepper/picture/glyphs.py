"""Characters of lines, arrows and borders in three sets: full, narrow only, ASCII."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from unicodedata import name as unicode_name

from hookstepper.model.graph import HOOK_KINDS, NodeKind
from hookstepper.picture.options import GlyphSet

NORTH, EAST, SOUTH, WEST = 1, 2, 4, 8
UPRIGHT, LEVEL = NORTH | SOUTH, EAST | WEST
OPPOSITE = {NORTH: SOUTH, SOUTH: NORTH, EAST: WEST, WEST: EAST}

_JOINTS = {
    0: " ", 1: "╵", 2: "╶", 3: "╰", 4: "╷", 5: "│", 6: "╭", 7: "├",
    8: "╴", 9: "╯", 10: "─", 11: "┴", 12: "╮", 13: "┤", 14: "┬", 15: "┼",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Glyphs:
    """One character set. Every glyph takes one cell."""

    joints: Mapping[int, str]
    """Directions with an arm (sum of NORTH, EAST, SOUTH, WEST) → glyph of a joint."""
    upright: str
    """Vertical line: fixed, conditional, inferred, only observed, never taken."""
    level: str
    """Horizontal line, in the same order."""
    arrows: Mapping[int, str]
    """Direction of travel → arrow head."""
    small_arrows: Mapping[int, str]
    """The same in zoom `dots`."""
    borders: Mapping[str, str]
    """Border style → top left, top, top right, side, bottom left, bottom right."""
    ports: Mapping[tuple[str, int], str]
    """(border style, direction out of the box) → border cell at which a line leaves."""
    dots: Mapping[str, str]
    """Node kind → its one cell in zoom `dots`."""
    badges: str
    """Signs for labels that stand in the legend."""

    def line(self, arms: int, style: int) -> str:
        """Glyph of a line cell; `style` as in `upright`, joints have one form for all."""
        if arms == UPRIGHT:
            return self.upright[style]
        return self.level[style] if arms == LEVEL else self.joints[arms]


def _plain_joints(corner: str) -> dict[int, str]:
    single = {0: " ", 1: "|", 4: "|", 5: "|", 2: "-", 8: "-", 10: "-"}
    return {arms: single.get(arms, corner) for arms in range(16)}


_DOTS = {"start": "○", "end": "◎", "model": "◆", "tool": "■", "subgraph": "▣", "plain": "□", "hook": "•"}
_PORTS = {
    ("round", SOUTH): "┬", ("round", NORTH): "┴", ("round", EAST): "├", ("round", WEST): "┤",
    ("square", SOUTH): "┬", ("square", NORTH): "┴", ("square", EAST): "├", ("square", WEST): "┤",
    ("heavy", SOUTH): "┯", ("heavy", NORTH): "┷", ("heavy", EAST): "┠", ("heavy", WEST): "┨",
    ("double", SOUTH): "╤", ("double", NORTH): "╧", ("double", EAST): "╟", ("double", WEST): "╢",
}  # fmt: skip
_UNICODE = Glyphs(
    joints=_JOINTS,
    upright="│┆┊╎⋮",
    level="─┄┈╌⋯",
    arrows={NORTH: "▲", EAST: "▶", SOUTH: "▼", WEST: "◀"},
    small_arrows={NORTH: "▴", EAST: "▸", SOUTH: "▾", WEST: "◂"},
    borders={"round": "╭─╮│╰╯", "square": "┌─┐│└┘", "heavy": "┏━┓┃┗┛", "double": "╔═╗║╚╝"},
    ports=_PORTS,
    dots=_DOTS,
    badges="①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳",
)
_ASCII = Glyphs(
    joints=_plain_joints("+"),
    upright="|:;!'",
    level="-.,~'",
    arrows={NORTH: "^", EAST: ">", SOUTH: "v", WEST: "<"},
    small_arrows={NORTH: "^", EAST: ">", SOUTH: "v", WEST: "<"},
    borders={"round": "+-+|++", "square": "+-+|++", "heavy": "#=####", "double": "*=****"},
    ports=dict.fromkeys(_PORTS, "+"),
    dots={"start": "o", "end": "@", "model": "M", "tool": "T", "subgraph": "G", "plain": "n", "hook": "h"},
    badges="123456789abcdefghijklmnopqrstuvwxyz",
)
_SAFE = Glyphs(
    joints=_plain_joints("+"),
    upright="|╎:!'",
    level="-╌.~'",
    arrows={NORTH: "▴", EAST: "▸", SOUTH: "▾", WEST: "◂"},
    small_arrows={NORTH: "▴", EAST: "▸", SOUTH: "▾", WEST: "◂"},
    borders=_ASCII.borders,
    ports=_ASCII.ports,
    dots=_ASCII.dots,
    badges=_ASCII.badges,
)
SETS: Mapping[GlyphSet, Glyphs] = {"unicode": _UNICODE, "safe": _SAFE, "ascii": _ASCII}


def border_style(kind: NodeKind) -> str:
    """Border of a node kind: models heavy, subgraphs double, hooks and ends round, the rest square."""
    if kind == "model":
        return "heavy"
    if kind == "subgraph":
        return "double"
    return "round" if kind in HOOK_KINDS or kind in ("start", "end") else "square"


@cache
def _weighted_joints() -> dict[tuple[int, int], str]:
    """(light arms, heavy arms) → glyph, read from the names of the box drawing characters."""
    sides = {
        "UP": NORTH, "RIGHT": EAST, "DOWN": SOUTH, "LEFT": WEST, "VERTICAL": UPRIGHT, "HORIZONTAL": LEVEL,
    }  # fmt: skip
    found: dict[tuple[int, int], str] = {}
    for code in range(0x2500, 0x2580):
        words = unicode_name(chr(code)).removeprefix("BOX DRAWINGS ").replace(" AND ", " ").split()
        if not all(word in sides or word in ("LIGHT", "HEAVY") for word in words):
            continue
        arms = {"LIGHT": 0, "HEAVY": 0}
        leading = words[0] in arms
        weight, pending = "", 0
        for word in words:
            if word in sides:
                if leading:
                    arms[weight] |= sides[word]
                pending |= sides[word]
            else:
                weight = word
                if not leading:
                    arms[word] |= pending
                pending = 0
        found.setdefault((arms["LIGHT"], arms["HEAVY"]), chr(code))
    return found


def lit_glyph(glyphs: Glyphs, arms: int, lit: int, style: int) -> str:
    """Glyph of a line cell with some arms lit: those are heavy, or `#` without heavy lines."""
    if not lit:
        return glyphs.line(arms, style)
    if glyphs is not _UNICODE:
        return "#"  # these sets have no heavy lines, and colour alone tells nothing on paper
    if lit == arms and style and arms in (UPRIGHT, LEVEL):
        return "┇" if arms == UPRIGHT else "┅"
    return _weighted_joints().get((arms & ~lit, lit), glyphs.line(arms, style))
