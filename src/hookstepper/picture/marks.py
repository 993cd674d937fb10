"""What a run adds to a picture: where it is, where it was, what stops it. A mark never moves a cell."""

from __future__ import annotations

from dataclasses import dataclass

from hookstepper.model.ids import NodeId

Link = tuple[NodeId, NodeId]
"""Source and target of an edge."""


@dataclass(frozen=True, slots=True)
class Marks:
    """State of a run on its picture. A node may stand in several sets: the most urgent mark is shown."""

    current: frozenset[NodeId] = frozenset()
    """▶ held: run next; several in a parallel superstep."""
    next: frozenset[NodeId] = frozenset()
    """› then, as predicted."""
    done: frozenset[NodeId] = frozenset()
    """✓ ran in this turn."""
    earlier: frozenset[NodeId] = frozenset()
    """· ran in an earlier turn."""
    skipped: frozenset[NodeId] = frozenset()
    """⊘ jumped over."""
    failed: frozenset[NodeId] = frozenset()
    """✗"""
    waiting: frozenset[NodeId] = frozenset()
    """‖ waits for a person."""
    quiet: frozenset[NodeId] = frozenset()
    """∅ ran in this turn and wrote nothing."""
    by_hand: frozenset[NodeId] = frozenset()
    """✎ a person acted here."""
    breakpoints: frozenset[NodeId] = frozenset()
    """● in place of the left bracket."""
    disabled: frozenset[NodeId] = frozenset()
    """○ a breakpoint that is switched off."""
    jumps: tuple[tuple[NodeId, str], ...] = ()
    """Jumps asked for by hand that wait at a node: (node, `end`) shows as `↷ end`."""
    cursor: NodeId | None = None
    lit: frozenset[Link] = frozenset()
    """Edges drawn bold: the path taken."""
    observed: frozenset[Link] = frozenset()
    """Edges that a run took; told apart from those that are only declared."""


NO_MARKS = Marks()

SHOWN: tuple[tuple[str, str], ...] = (
    ("failed", "✗"),
    ("waiting", "‖"),
    ("current", "▶"),
    ("skipped", "⊘"),
    ("next", "›"),
    ("by_hand", "✎"),
    ("quiet", "∅"),
    ("done", "✓"),
    ("earlier", "·"),
)
"""Field of `Marks` and its glyph, most urgent first."""

ASCII_GLYPHS = {
    "✗": "x", "‖": "=", "▶": ">", "⊘": "/", "›": "-", "✎": "h",
    "∅": "0", "✓": "v", "·": ".", "●": "*", "○": "o", "↷": "~",
}  # fmt: skip


def mark_of(marks: Marks, nodes: tuple[NodeId, ...]) -> tuple[str, str] | None:
    """Field name and glyph of the most urgent mark on any of the nodes, or None."""
    for name, glyph in SHOWN:
        held: frozenset[NodeId] = getattr(marks, name)
        if held and any(node in held for node in nodes):
            return name, glyph
    return None
