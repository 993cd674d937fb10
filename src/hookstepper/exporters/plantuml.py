"""PlantUML use case diagrams, in the form that Spring AI Alibaba prints, for any name.

Source of the grammar: the upstream generator as observed. Source of what PlantUML can read: version 1.2024.8
(versions before 2022 refuse the upstream form itself, at `circle start<<input>>`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookstepper.exporters import ExportOptions
from hookstepper.exporters.blocks import (
    START_CONDITION,
    Block,
    Choice,
    Move,
    blocks,
    local_id,
    without_labels,
)
from hookstepper.exporters.names import Names
from hookstepper.exporters.signs import legal
from hookstepper.model.graph import Edge, Graph, Node
from hookstepper.model.ids import END, START

_SKIN = (
    "skinparam usecaseFontSize 14",
    "skinparam usecaseStereotypeFontSize 12",
    "skinparam hexagonFontSize 14",
    "skinparam hexagonStereotypeFontSize 12",
)
_READABLE = re.compile(r"[A-Za-z0-9_.\-\[\]]+(?: [A-Za-z0-9_.\-\[\]]+)*", re.ASCII)
_MARKUP = re.compile(r"__|--|\.\.|\[\[|\]\]")
"""Doubled signs are markup to PlantUML: what is between two of them is set in another type, or is a link."""
_PLAIN_TEXT = " _-.,()[]"


class PlantUmlExporter:
    """Writes `.puml`."""

    suffix = ".puml"

    def export(self, graph: Graph, options: ExportOptions) -> str:
        """The graph as a use case diagram from top to bottom."""
        raw = options.dialect == "upstream"
        root = blocks(graph, show_never=options.show_never is not False)
        if raw and graph.rules:
            root = without_labels(root)
        page = _Page(Names(root, safe=_is_readable, raw=raw, scopes=raw), options, raw)
        title = graph.name if options.title is None else options.title
        return "\n".join([*page.head(title), *page.body(root), "@enduml"]) + "\n"


def escape(text: str) -> str:
    """`text` for the inside of a quoted PlantUML label: every sign that could mean something by its code."""
    text = legal(text)
    doubled = {i for found in _MARKUP.finditer(text) for i in range(*found.span())}
    edges = (0, len(text) - 1)
    return "".join(
        c
        if c.isalnum() or (c in _PLAIN_TEXT and i not in doubled and not (c == " " and i in edges))
        else f"<U+{ord(c):04X}>"
        for i, c in enumerate(text)
    )


def _is_readable(name: str) -> bool:
    return bool(_READABLE.fullmatch(name)) and not _MARKUP.search(name)


class _Page:
    """Lines of one file."""

    def __init__(self, names: Names, options: ExportOptions, raw: bool) -> None:
        self._names = names
        self._by_label = options.names == "label"
        self._raw = raw
        # Both forms of a choice are written; the one that is not wanted becomes a comment.
        self._rhombus = "" if options.conditions else "'"
        self._direct = "'" if options.conditions else ""

    def head(self, title: str) -> Iterator[str]:
        yield f"@startuml {re.sub('[^A-Za-z0-9]', '_', title) or 'unnamed'}"
        yield from _SKIN
        yield f'title "{self._escaped(title)}"'
        author = "powered by spring-ai-alibaba" if self._raw else "drawn by hookstepper"
        yield from ("footer", "", author, "end footer")
        yield from (f"circle start<<input>> as {START}", f"circle stop as {END}")

    def body(self, block: Block) -> Iterator[str]:
        for member in block.members:
            if isinstance(member, Block):
                yield from self._package(member)
            else:
                yield f"usecase {self._named(member)}<<Node>>"
        for choice in block.choices:
            yield self._condition(block, choice)
        for move in block.moves:
            yield from self._move(block, move)

    def _package(self, block: Block) -> Iterator[str]:
        assert block.node is not None
        # Upstream's form is a diagram of its own inside a box: no edge can cross its border.
        opening, closing = ((" [", "{{"), ("}}", "]")) if self._raw else ((" {",), ("}",))
        name = local_id(block.node) if self._raw else self._named(block.node)
        yield f"package {name}{opening[0]}"
        yield from opening[1:]
        start, end = self._names.ends(block)
        if block.start is not None:
            yield f'circle " " as {start}'
        if block.end is not None:
            yield f"circle exit as {end}"
        yield from self.body(block)
        yield from closing

    def _condition(self, block: Block, choice: Choice) -> str:
        name = self._names.condition(block, choice.name)
        return f'{self._rhombus}hexagon "check state" as {name}<<Condition>>'

    def _move(self, block: Block, move: Move) -> Iterator[str]:
        source = self._names.node(move.source)
        if isinstance(move, Edge):
            label = "" if self._raw else self._label(move)
            yield f'"{source}" -down-> "{self._names.node(move.target)}"{label}'
            return
        if move.name == START_CONDITION:
            yield self._condition(block, move)
        rhombus = self._names.condition(block, move.name)
        yield f'{self._rhombus}"{source}" .down.> "{rhombus}"'
        for edge in move.edges:
            target, label = self._names.node(edge.target), self._label(edge)
            yield f'{self._rhombus}"{rhombus}" .down.> "{target}"{label}'
            yield f'{self._direct}"{source}" .down.> "{target}"{label}'

    def _named(self, node: Node) -> str:
        text = node.label if self._by_label and node.label else local_id(node)
        name = self._names.node(node.id)
        return f'"{text}"' if self._raw or text == name else f'"{self._escaped(text)}" as {_alias(name)}'

    def _label(self, edge: Edge) -> str:
        if not edge.label or edge.label == edge.target:
            return ""
        return f': "{self._escaped(edge.label)}"'

    def _escaped(self, text: str) -> str:
        return text if self._raw else escape(text)


def _alias(name: str) -> str:
    return name if name.isidentifier() else f'"{name}"'
