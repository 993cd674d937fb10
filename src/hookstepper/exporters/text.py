"""The picture in character cells, as it stands on the screen."""

from __future__ import annotations

from hookstepper.exporters import ExportOptions
from hookstepper.model.graph import Graph
from hookstepper.picture import Options, draw


class TextExporter:
    """Writes `.txt`."""

    suffix = ".txt"

    def export(self, graph: Graph, options: ExportOptions) -> str:
        """The largest form that fits the width."""
        wishes = Options(words=options.words, show_never=options.show_never is True)
        return draw(graph, width=options.width, options=wishes).text() + "\n"
