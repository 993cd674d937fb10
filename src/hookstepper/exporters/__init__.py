"""Graphs as files: one module a format, found by name through a table and then through entry points.

Nobody imports a concrete exporter: `exporter("mermaid")` loads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal, Protocol, cast

from hookstepper.model.errors import UsageError
from hookstepper.model.graph import Graph

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

BUILT_IN: dict[str, str] = {
    "text": "hookstepper.exporters.text:TextExporter",
    "mermaid": "hookstepper.exporters.mermaid:MermaidExporter",
    "plantuml": "hookstepper.exporters.plantuml:PlantUmlExporter",
    "dot": "hookstepper.exporters.dot:DotExporter",
    "svg": "hookstepper.exporters.svg:SvgExporter",
    "html": "hookstepper.exporters.html:HtmlExporter",
    "png": "hookstepper.exporters.rendered:PngExporter",
    "pdf": "hookstepper.exporters.rendered:PdfExporter",
    "json": "hookstepper.exporters.json:JsonExporter",
}
"""Format to `module:attribute`; the attribute is called without arguments and gives an `Exporter`."""

ENTRY_POINTS = "hookstepper.exporters"
"""Group in which other packages add formats; a built-in name cannot be taken over."""


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What a person may choose about a file; an exporter ignores what does not concern it."""

    dialect: Literal["safe", "upstream"] = "safe"
    """safe: any name gives a file that parses. upstream: byte for byte what Spring AI Alibaba prints, which
    breaks on names with quotes or brackets. Mermaid and PlantUML only."""
    conditions: bool = False
    """Draw a rhombus where a way is chosen; else dashed edges lead straight to the choices. Mermaid and
    PlantUML only; both forms are in the file, one of them as comments."""
    names: Literal["id", "label"] = "id"
    """What is written on a node of Mermaid and PlantUML. Only ids can be read back."""
    title: str | None = None
    """Title of the picture; None for the graph's own name."""
    width: int | None = None
    """Cells that a text picture may take; None for its natural width."""
    show_never: bool | None = None
    """Keep edges that the rules can never take. None: in files that describe a graph, not in pictures."""
    words: Mapping[str, str] = field(default_factory=dict)
    """The interface language's words for what the picture itself writes, by English word."""
    glyphs: Literal["unicode", "safe", "ascii"] = "unicode"
    """Characters of a text picture: all, none that some terminals draw two cells wide, or ASCII alone."""
    zoom: Literal["box", "row", "folded", "dots"] | None = None
    """Form of a text picture; None for the largest that fits the width."""


class Exporter(Protocol):
    """Writes a graph in one format."""

    suffix: str
    """Of the file, with its dot."""

    def export(self, graph: Graph, options: ExportOptions) -> str | bytes:
        """The file's whole content; text is written as UTF-8 and ends in a line break."""
        ...


def exporter(name: str) -> Exporter:
    """The exporter for the format `name`.

    Raises:
        UsageError: no such format (the hint lists all), or its package fails to load.
    """
    place = BUILT_IN.get(name)
    if place is not None:
        module, _, attr = place.partition(":")
        return cast(Exporter, getattr(import_module(module), attr)())
    for entry in _brought():
        if entry.name != name:
            continue
        try:
            return cast(Exporter, entry.load()())
        except Exception as error:  # another package's code: whatever it raises is told, not passed on
            raise UsageError(f"format {name!r} failed to load: {type(error).__name__}: {error}") from error
    raise UsageError(f"no format {name!r}", hint=f"formats: {', '.join(formats())}")


def format_of(file: str) -> str:
    """The format that a file's suffix tells; text for a name without one.

    Raises:
        UsageError: no format has this suffix.
    """
    suffix = PurePath(file).suffix.lower()
    if not suffix:
        return "text"
    suffixes = {exporter(name).suffix: name for name in reversed(formats())}
    if suffix not in suffixes:
        known = ", ".join(sorted(suffixes))
        raise UsageError(f"no format has the suffix {suffix!r}", hint=f"--format NAME, or one of {known}")
    return suffixes[suffix]


def formats() -> tuple[str, ...]:
    """All formats: ours in the order of the table, then those of other packages by name."""
    return (*BUILT_IN, *sorted({entry.name for entry in _brought()} - BUILT_IN.keys()))


def _brought() -> Iterable[EntryPoint]:
    from importlib.metadata import entry_points  # 15 ms that a built-in format does not need

    return entry_points(group=ENTRY_POINTS)
