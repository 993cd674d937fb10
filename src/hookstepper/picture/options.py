"""What a caller may ask of a picture: its size, its words, what is folded and what is left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from hookstepper.model.ids import NodeId

Zoom = Literal["box", "row", "folded", "dots"]
ZOOMS: tuple[Zoom, ...] = ("box", "row", "folded", "dots")
"""From the largest form to the smallest: bordered boxes, one row a node, one row a node with hook chains
folded, one cell a node."""

Mode = Literal["auto", "spine", "layered"]
GlyphSet = Literal["unicode", "safe", "ascii"]
GLYPH_SETS: tuple[GlyphSet, ...] = ("unicode", "safe", "ascii")
"""`safe` avoids characters that some terminals draw two cells wide, `ascii` avoids all but ASCII."""

Words = Mapping[str, str] | Callable[[str], str]
"""English word to shown word. Asked for: the anchors (`entry`, `loop entry`, `loop exit`, `exit`), names of
hook kinds (`before agent`, …), `hidden`, every edge label, `jump` for labels that start with it, and `, `
between merged labels. A word that a mapping lacks is shown as it is."""


@dataclass(frozen=True, slots=True)
class Options:
    """How one graph is drawn. Equal options and equal graphs give equal pictures."""

    zoom: Zoom = "box"
    width: int | None = None
    """Cells available: node labels are shortened towards it; None keeps them whole. Never a hard limit."""
    max_label: int = 40
    """Most cells of a node label, whatever the width."""
    mode: Mode = "auto"
    """`spine` keeps the main path straight, lanes beside it; `auto` decides by the share of nodes on it."""
    glyphs: GlyphSet = "unicode"
    words: Words = field(default_factory=dict)
    collapsed: frozenset[NodeId] = frozenset()
    """Subgraph nodes drawn as one box; the others are drawn open."""
    folded: frozenset[NodeId] = frozenset()
    """Hook chains folded in every zoom, named by any of their nodes."""
    unfolded: frozenset[NodeId] = frozenset()
    """Hook chains kept open in zoom `folded`, named by any of their nodes."""
    open_rings: frozenset[NodeId] = frozenset()
    """Nodes whose interceptors are listed by name and not only counted."""
    show_never: bool = False
    """True draws edges that the rules can never take, faint; they shape nothing."""
    never_of: frozenset[NodeId] = frozenset()
    """Nodes whose own never-taken edges are drawn although `show_never` is off."""


_PLAIN = str.maketrans(
    {"‹": "<", "›": ">", "◎": "@", "↻": "@", "⇢": ">", "×": "x", "…": "~", "→": ">", "▸": ">"}
)


def plain(text: str, glyphs: GlyphSet) -> str:
    """Our own signs in a text (never a user's label) in the characters of a glyph set."""
    return text if glyphs == "unicode" else text.translate(_PLAIN)


def say(words: Words, word: str) -> str:
    """The shown form of an English word; a label `jump X` falls back to the word for `jump` and X."""
    found = words(word) if callable(words) else words.get(word, word)
    head, _, rest = word.partition(" ")
    if found == word and head == "jump" and rest:
        return f"{say(words, head)} {rest}"
    return found
