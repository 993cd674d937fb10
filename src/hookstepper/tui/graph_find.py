"""Finding a node by its name: what a text may mean, best first, and near names when it means nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

from hookstepper.model.graph import Graph, Node
from hookstepper.model.ids import NodeId

_NEAR = 0.6
"""Least likeness, by the ratio of `difflib`, of a name that is offered when none matches."""
_MOST_NEAR = 5
_LONGEST = 80
"""Characters of a name that are compared for likeness; the comparison takes quadratic time."""


@dataclass(frozen=True, slots=True)
class Found:
    """The nodes that a text may mean, best first."""

    nodes: tuple[NodeId, ...] = ()
    exact: bool = True
    """False if nothing matches, and the nodes only have names like it."""


def find_nodes(graph: Graph, text: str) -> Found:
    """Nodes by shown name or id: equal, begun with, a word begun with, held, its letters in order, else near.

    Case does not matter. Of equal rank, the node that was registered first comes first.
    """
    wanted = text.casefold().strip()
    if not wanted:
        return Found()
    ranked = [
        (rank, index, node.id)
        for index, node in enumerate(graph.nodes)
        if (rank := _rank(wanted, *_names(node))) < _NONE
    ]
    if ranked:
        return Found(tuple(node for _, _, node in sorted(ranked)))
    near = sorted(
        (-likeness, index, node.id)
        for index, node in enumerate(graph.nodes)
        if (likeness := max(_likeness(wanted, name) for name in _names(node))) >= _NEAR
    )
    return Found(tuple(node for _, _, node in near[:_MOST_NEAR]), exact=False)


def node_named(graph: Graph, text: str) -> NodeId | None:
    """The node with that id, else the only one with that shown name; None if there is no such node."""
    if graph.node(NodeId(text)) is not None:
        return NodeId(text)
    named = [node.id for node in graph.nodes if node.label == text]
    return named[0] if len(named) == 1 else None


_NONE = 5


def _names(node: Node) -> tuple[str, ...]:
    return node.label.casefold(), str(node.id).casefold()


def _rank(wanted: str, label: str, id_: str) -> int:
    rank = min(_rank_of_one(wanted, label), _rank_of_one(wanted, id_))
    if rank < _NONE or len(wanted) < 2:
        return rank
    # In the label only: an id such as `_AGENT_HOOK_…` has the letters of many words.
    letters = iter(label)
    return 4 if all(letter in letters for letter in wanted) else _NONE


def _rank_of_one(wanted: str, name: str) -> int:
    if name == wanted:
        return 0
    if name.startswith(wanted):
        return 1
    starts = _places(wanted, name)
    if not starts:
        return _NONE
    return 2 if any(not name[start - 1].isalnum() for start in starts) else 3


def _places(wanted: str, name: str) -> list[int]:
    return [found.start() for found in re.finditer(f"(?={re.escape(wanted)})", name) if found.start()]


def _likeness(wanted: str, name: str) -> float:
    """Likeness to the whole name or to one word of it, from 0 to 1."""
    words = [name[:_LONGEST], *re.split(r"\W+", name[:_LONGEST])]
    return max(SequenceMatcher(None, wanted[:_LONGEST], word).ratio() for word in words)
