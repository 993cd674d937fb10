"""PlantUML use case diagrams, in the form that Spring AI Alibaba prints, for any name.

Source of the grammar: the upstream generator as observed. Source of what PlantUML can read: version 1.2024.8
(versions before 2022 refuse the upstream form itself, at `circle start<<input>>`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookstepper.exporters import ExportOptions
from hookstepper.exporters.blocks import Block, blocks, local_id, without_labels
from hookstepper.exporters.names import Names
from hookstepper.exporters.page import Page
from hookstepper.exporters.signs import legal
from hookstepper.model.graph import Graph, Node
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


class _Page(Page):
    """Lines of one diagram."""

    comment = "'"

    def head(self, title: str) -> Iterator[str]:
        yield f"@startuml {re.sub('[^A-Za-z0-9]', '_', title) or 'unnamed'}"
        yield from _SKIN
        yield f'title "{self._escaped(title)}"'
        author = "powered by spring-ai-alibaba" if self.raw else "drawn by hookstepper"
        yield from ("footer", "", author, "end footer")
        yield from (f"circle start<<input>> as {START}", f"circle stop as {END}")

    def node(self, node: Node) -> str:
        return f"usecase {self._named(node)}<<Node>>"

    def nested(self, block: Block) -> Iterator[str]:
        assert block.node is not None
        # Upstream's form is a diagram of its own inside a box: no edge can cross its border.
        opening, closing = ((" [", "{{"), ("}}", "]")) if self.raw else ((" {",), ("}",))
        name = local_id(block.node) if self.raw else self._named(block.node)
        yield f"package {name}{opening[0]}"
        yield from opening[1:]
        start, end = self.names.ends(block)
        if block.start is not None:
            yield f'circle " " as {start}'
        if block.end is not None:
            yield f"circle exit as {end}"
        yield from self.body(block)
        yield from closing

    def condition(self, name: str) -> str:
        return f'hexagon "check state" as {name}<<Condition>>'

    def way(self, source: str, target: str, label: str, *, chosen: bool) -> str:
        return f'"{source}" {".down.>" if chosen else "-down->"} "{target}"{label}'

    def label(self, text: str) -> str:
        return f': "{self._escaped(text)}"'

    def _named(self, node: Node) -> str:
        text, name = self.text(node), self.names.node(node.id)
        return f'"{text}"' if self.raw or text == name else f'"{self._escaped(text)}" as {_alias(name)}'

    def _escaped(self, text: str) -> str:
        return text if self.raw else escape(text)


def _alias(name: str) -> str:
    return name if name.isidentifier() else f'"{name}"'
