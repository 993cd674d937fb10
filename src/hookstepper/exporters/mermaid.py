"""Mermaid flowcharts, in the form that Spring AI Alibaba prints, for any name.

Source of the grammar: the upstream generator as observed. Source of what Mermaid can read: its own parser,
version 11.17.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookstepper.exporters import ExportOptions
from hookstepper.exporters.blocks import Block, blocks, without_labels
from hookstepper.exporters.names import Names
from hookstepper.exporters.page import Page
from hookstepper.exporters.signs import legal
from hookstepper.model.graph import Graph, Node
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


class _Page(Page):
    """Lines of one flowchart."""

    comment = "\t%%"

    def head(self, title: str) -> Iterator[str]:
        if title:
            yield from ("---", f"title: {title if self.raw else _yaml(title)}", "---")
        yield "flowchart TD"
        yield from (f"\t{START}((start))", f"\t{END}((stop))")

    def foot(self) -> Iterator[str]:
        yield ""
        for name in (START, END):
            yield f"\tclassDef {name} fill:black,stroke-width:1px,font-size:xx-small;"

    def node(self, node: Node) -> str:
        return f'\t{self.names.node(node.id)}("{self._escaped(self.text(node))}")'

    def nested(self, block: Block) -> Iterator[str]:
        assert block.node is not None
        name, text = self.names.node(block.node.id), self._escaped(self.text(block.node))
        yield f"subgraph {name}" if self.raw or text == name else f'subgraph {name} ["{text}"]'
        start, end = self.names.ends(block)
        if block.start is not None:
            yield f"\t{start}((start)):::{start}"
        if block.end is not None:
            yield f"\t{end}((stop)):::{end}"
        yield from self.body(block)
        yield "end"

    def condition(self, name: str) -> str:
        return f'\t{name}{{"check state"}}'

    def way(self, source: str, target: str, label: str, *, chosen: bool) -> str:
        return f"\t{_styled(source)} {'-.->' if chosen else '-->'}{label} {_styled(target)}"

    def label(self, text: str) -> str:
        if self.raw or (_WORDS.fullmatch(text) and text.lower() not in _KEYWORDS):
            return f"|{text}|"
        return f'|"{escape(text)}"|'

    def _escaped(self, text: str) -> str:
        return text if self.raw else escape(text)


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
