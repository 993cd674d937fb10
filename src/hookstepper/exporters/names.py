"""Names inside a diagram file: the node's own id where the format can read it, else one made for it."""

from __future__ import annotations

import re
from collections.abc import Callable

from hookstepper.exporters.blocks import START_CONDITION, Block, local_id
from hookstepper.model.ids import END, START, NodeId


class Names:
    """Legible names for the nodes and conditions of one file, unique in it.

    A node of the subgraph `outer` is named `inner_outer`, its start and end `__START__outer` and
    `__END__outer`, a subgraph by its bare id, as upstream does.
    """

    def __init__(
        self, root: Block, *, safe: Callable[[str], bool], raw: bool = False, scopes: bool = False
    ) -> None:
        """
        Args:
            safe: says whether the format can read a name as it is; others are made anew.
            raw: use all ids as they are, unreadable or not, even if two things end up with one name.
            scopes: names begin anew inside each subgraph; only sound with `raw`.
        """
        self._safe = safe
        self._raw = raw
        self._scopes = scopes
        self._taken: set[str] = set()
        self._nodes: dict[NodeId, str] = {}
        self._titles: dict[NodeId | None, str] = {}
        self._add(root, "")

    def node(self, node_id: NodeId) -> str:
        """The name of a node, also of a start or an end."""
        return self._nodes[node_id]

    def ends(self, block: Block) -> tuple[str, str]:
        """Names of a block's start and end, whether or not the graph has nodes for them."""
        title = self._titles[block.id]
        return START + title, END + title

    def condition(self, block: Block, name: str) -> str:
        """The name of a choice of that block."""
        return _within(name, self._titles[block.id])

    def _add(self, block: Block, title: str) -> None:
        own = (START_CONDITION, *(choice.name for choice in block.choices))
        while not self._raw and not self._taken.isdisjoint(_derived(own, title)):
            title += "_"
        self._titles[block.id] = title
        self._taken.update(_derived(own, title))
        for node_id, name in zip((block.start, block.end), self.ends(block), strict=True):
            if node_id is not None:
                self._nodes[node_id] = name
        nested = []
        for member in block.members:
            if isinstance(member, Block):
                assert member.node is not None
                name = self._make(local_id(member.node), member.node.label)
                self._nodes[member.node.id] = name
                nested.append((member, name))
            else:
                self._nodes[member.id] = self._make(_within(local_id(member), title), member.label)
        for inner, name in nested:
            self._add(inner, "" if self._scopes else name)

    def _make(self, wish: str, label: str) -> str:
        if self._raw:
            return wish
        name = wish
        if not self._safe(name):
            letters = re.sub(r"\W+", "_", label, flags=re.ASCII).strip("_")
            name = f"n_{letters}" if letters else "n"
        unique, number = name, 2
        while unique in self._taken:
            unique, number = f"{name}_{number}", number + 1
        self._taken.add(unique)
        return unique


def _within(name: str, title: str) -> str:
    return f"{name}_{title}" if title else name


def _derived(conditions: tuple[str, ...], title: str) -> set[str]:
    return {START + title, END + title, *(_within(name, title) for name in conditions)}
