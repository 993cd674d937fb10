"""The picture in character cells, as it stands on the screen."""

from __future__ import annotations

from dataclasses import replace

from hookstepper.exporters import ExportOptions
from hookstepper.model.graph import Graph
from hookstepper.picture import Options, draw, layout


class TextExporter:
    """Writes `.txt`."""

    suffix = ".txt"

    def export(self, graph: Graph, options: ExportOptions) -> str:
        """The form that was asked for, else the largest that fits the width."""
        never = options.show_never is True
        wishes = Options(words=options.words, show_never=never, glyphs=options.glyphs)
        if options.zoom is None:
            return draw(graph, width=options.width, options=wishes).text() + "\n"
        return layout(graph, replace(wishes, zoom=options.zoom, width=options.width)).base.text() + "\n"
