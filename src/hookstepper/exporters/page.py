"""The walk over a graph that Mermaid and PlantUML files share; each format says how a line is written."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

from hookstepper.exporters import ExportOptions
from hookstepper.exporters.blocks import START_CONDITION, Block, Choice, Move, local_id
from hookstepper.exporters.names import Names
from hookstepper.model.graph import Edge, Node


class Page(ABC):
    """Lines of one file."""

    comment: str
    """What begins a line that is a comment."""

    def __init__(self, names: Names, options: ExportOptions, raw: bool) -> None:
        self.names = names
        self.raw = raw
        """True for the upstream dialect: names and labels as they are, readable or not."""
        self._by_label = options.names == "label"
        # Both forms of a choice are written; the one that is not wanted becomes a comment.
        self._rhombus = "" if options.conditions else self.comment
        self._direct = self.comment if options.conditions else ""

    def body(self, block: Block) -> Iterator[str]:
        """All lines of one block: members, then choices, then ways."""
        for member in block.members:
            if isinstance(member, Block):
                yield from self.nested(member)
            else:
                yield self.node(member)
        for choice in block.choices:
            yield self._rhombus + self.condition(self.names.condition(block, choice.name))
        for move in block.moves:
            yield from self._move(block, move)

    def _move(self, block: Block, move: Move) -> Iterator[str]:
        if isinstance(move, Edge):
            yield self._way(move, chosen=False)
            return
        rhombus = self.names.condition(block, move.name)
        if move.name == START_CONDITION:
            yield self._rhombus + self.condition(rhombus)
        yield self._rhombus + self.way(self.names.node(move.source), rhombus, "", chosen=True)
        yield from self._choices(rhombus, move)

    def _choices(self, rhombus: str, choice: Choice) -> Iterator[str]:
        for edge in choice.edges:
            target, label = self.names.node(edge.target), self._label(edge)
            yield self._rhombus + self.way(rhombus, target, label, chosen=True)
            yield self._direct + self._way(edge, chosen=True)

    def _way(self, edge: Edge, *, chosen: bool) -> str:
        # Upstream prints no label on a way that is not chosen.
        label = "" if self.raw and not chosen else self._label(edge)
        return self.way(self.names.node(edge.source), self.names.node(edge.target), label, chosen=chosen)

    def text(self, node: Node) -> str:
        """What is written on a node, not escaped."""
        return node.label if self._by_label and node.label else local_id(node)

    def _label(self, edge: Edge) -> str:
        return self.label(edge.label) if edge.label and edge.label != edge.target else ""

    @abstractmethod
    def node(self, node: Node) -> str:
        """The line of one node."""

    @abstractmethod
    def nested(self, block: Block) -> Iterator[str]:
        """The lines of a subgraph, its body among them."""

    @abstractmethod
    def condition(self, name: str) -> str:
        """The line of the rhombus of a choice."""

    @abstractmethod
    def way(self, source: str, target: str, label: str, *, chosen: bool) -> str:
        """The line of an edge; `chosen` if it is one way of several."""

    @abstractmethod
    def label(self, text: str) -> str:
        """The label of an edge as it stands on its line."""
