"""Mermaid flowcharts, in the form that Spring AI Alibaba prints, for any name.

Source of the grammar: the upstream generator as observed. Source of what Mermaid can read: its own parser,
version 11.17.
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

_KEYWORDS = frozenset(
    (
        *("call", "class", "classdef", "click", "default", "direction", "end", "flowchart", "graph"),
        *("href", "interpolate", "linkstyle", "style", "subgraph"),
    )
)
_READABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*", re.ASCII)
_PLAIN_TEXT = " _-.,()[]{}/!?+="
"""Signs that mean nothing to Mermaid inside double quotes. `#`, `;`, `:` and `%` do even there: they begin
entities, end statements that mention `style`, and open directives."""
_WORDS = re.compile(r"[A-Za-z0-9_]+(?: [A-Za-z0-9_]+)*", re.ASCII)


class MermaidExporter:
    """Writes `.mmd`."""

    suffix = ".mmd"

    def export(self, graph: Graph, options: ExportOptions) -> str:
        """The graph as a flowchart from top to bottom."""
        raw = options.dialect == "upstream"
        root = blocks(graph, show_never=options.show_never is not False)
        if raw and graph.rules:
            root = without_labels(root)
        page = _Page(Names(root, safe=_is_readable, raw=raw), options, raw)
        title = graph.name if options.title is None else options.title
        lines = [*page.head(title), *page.body(root), *page.foot()]
        return "\n".join(lines) + "\n"


def escape(text: str) -> str:
    """`text` for the inside of a quoted Mermaid label: every sign that could mean something is an entity."""
    last = len(text) - 1
    return "".join(
        c if c.isalnum() or (c in _PLAIN_TEXT and not (c == " " and i in (0, last))) else f"#{ord(c)};"
        for i, c in enumerate(legal(text))
    )


def _is_readable(name: str) -> bool:
    return bool(_READABLE.fullmatch(name)) and name.partition(".")[0].lower() not in _KEYWORDS


class _Page:
    """Lines of one file."""

    def __init__(self, names: Names, options: ExportOptions, raw: bool) -> None:
        self._names = names
        self._by_label = options.names == "label"
        self._raw = raw
        # Both forms of a choice are written; the one that is not wanted becomes a comment.
        self._rhombus = "" if options.conditions else "\t%%"
        self._direct = "\t%%" if options.conditions else ""

    def head(self, title: str) -> Iterator[str]:
        if title:
            yield from ("---", f"title: {title if self._raw else _yaml(title)}", "---")
        yield "flowchart TD"

    def foot(self) -> Iterator[str]:
        yield ""
        for name in (START, END):
            yield f"\tclassDef {name} fill:black,stroke-width:1px,font-size:xx-small;"

    def body(self, block: Block) -> Iterator[str]:
        start, end = self._names.ends(block)
        if block.node is None:
            yield from (f"\t{start}((start))", f"\t{end}((stop))")
        else:
            if block.start is not None:
                yield f"\t{start}((start)):::{start}"
            if block.end is not None:
                yield f"\t{end}((stop)):::{end}"
        for member in block.members:
            if isinstance(member, Block):
                yield from self._subgraph(member)
            else:
                yield f'\t{self._names.node(member.id)}("{self._text(member)}")'
        for choice in block.choices:
            yield self._condition(block, choice)
        for move in block.moves:
            yield from self._move(block, move)

    def _subgraph(self, block: Block) -> Iterator[str]:
        assert block.node is not None
        name, text = self._names.node(block.node.id), self._text(block.node)
        yield f"subgraph {name}" if self._raw or text == name else f'subgraph {name} ["{text}"]'
        yield from self.body(block)
        yield "end"

    def _condition(self, block: Block, choice: Choice) -> str:
        return f'{self._rhombus}\t{self._names.condition(block, choice.name)}{{"check state"}}'

    def _move(self, block: Block, move: Move) -> Iterator[str]:
        if isinstance(move, Edge):
            label = "" if self._raw else self._label(move)
            source, target = (_styled(self._names.node(end)) for end in (move.source, move.target))
            yield f"\t{source} -->{label} {target}"
            return
        if move.name == START_CONDITION:
            yield self._condition(block, move)
        source = _styled(self._names.node(move.source))
        rhombus = _styled(self._names.condition(block, move.name))
        yield f"{self._rhombus}\t{source} -.-> {rhombus}"
        for edge in move.edges:
            label, target = self._label(edge), _styled(self._names.node(edge.target))
            yield f"{self._rhombus}\t{rhombus} -.->{label} {target}"
            yield f"{self._direct}\t{source} -.->{label} {target}"

    def _text(self, node: Node) -> str:
        text = node.label if self._by_label and node.label else local_id(node)
        return text if self._raw else escape(text)

    def _label(self, edge: Edge) -> str:
        if not edge.label or edge.label == edge.target:
            return ""
        if self._raw or (_WORDS.fullmatch(edge.label) and edge.label.lower() not in _KEYWORDS):
            return f"|{edge.label}|"
        return f'|"{escape(edge.label)}"|'


def _styled(name: str) -> str:
    return f"{name}:::{name}"


def _yaml(text: str) -> str:
    """A YAML scalar; Mermaid takes no entities out of a title, so signs are escaped as YAML has it."""
    if _WORDS.fullmatch(text) and not text[0].isdigit() and text.lower() not in ("true", "false", "null"):
        return text
    escaped = (c if c.isprintable() and c not in '"\\' else _yaml_escape(ord(c)) for c in text)
    return f'"{"".join(escaped)}"'


def _yaml_escape(code: int) -> str:
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
