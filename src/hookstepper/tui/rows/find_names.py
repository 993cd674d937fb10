"""The row of names that a typed text may mean."""

from __future__ import annotations

from hookstepper.model.graph import Graph
from hookstepper.tui.graph_find import Found
from hookstepper.tui.rows.lines import shown
from hookstepper.tui.rows.row import Row, Span, row, width_of
from hookstepper.tui.words import tr

_MOST = 12
"""Names shown at most, for a graph of a thousand nodes and one letter."""


def names_row(graph: Graph, text: str, found: Found, at: int, width: int) -> Row:
    """How many there are, then the names from the chosen one on, as many as fit into `width` cells."""
    if not text.strip():
        return row((tr("↑ ↓ choose · Enter stays · Esc goes back"), "muted"))
    if not found.nodes:
        return row((tr("no node is called like that"), "failed"))
    head = tr("{n} of {all}", n=at + 1, all=len(found.nodes)) if found.exact else tr("none; near it")
    spans: list[Span] = [Span(head, "muted")]
    used = width_of(tuple(spans))
    for place, node in enumerate(found.nodes[at : at + _MOST]):
        known = graph.node(node)
        name = shown(known.label if known is not None else node)
        piece = Span(f"  {name}", "current" if place == 0 and found.exact else "")
        used += width_of((piece,))
        if used > width and place:
            spans.append(Span(" …", "muted"))
            break
        spans.append(piece)
    return tuple(spans)
