"""PNG and PDF, made by Graphviz's `dot` where it is installed."""

from __future__ import annotations

import shutil
import subprocess

from hookstepper.exporters import ExportOptions
from hookstepper.exporters.dot import DotExporter
from hookstepper.model.errors import NotPossibleError
from hookstepper.model.graph import Graph

_SECONDS = 60
"""Graphviz takes minutes on graphs with thousands of edges; a person has given up by then."""


class PngExporter:
    """Writes `.png`."""

    suffix = ".png"

    def export(self, graph: Graph, options: ExportOptions) -> bytes:
        """The graph as Graphviz lays it out.

        Raises:
            NotPossibleError: there is no `dot`, or it failed or took too long.
        """
        return _rendered(graph, options, "png")


class PdfExporter:
    """Writes `.pdf`."""

    suffix = ".pdf"

    def export(self, graph: Graph, options: ExportOptions) -> bytes:
        """The graph as Graphviz lays it out.

        Raises:
            NotPossibleError: there is no `dot`, or it failed or took too long.
        """
        return _rendered(graph, options, "pdf")


def _rendered(graph: Graph, options: ExportOptions, form: str) -> bytes:
    dot = shutil.which("dot")
    if dot is None:
        raise NotPossibleError(
            f"{form} needs Graphviz: there is no `dot` on the PATH",
            hint="install graphviz, or take svg or html, which need nothing",
        )
    source = DotExporter().export(graph, options)
    try:
        done = subprocess.run(
            [dot, f"-T{form}"], input=source.encode(), capture_output=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotPossibleError(
            f"Graphviz gave no {form}: {error}", hint="svg and html need no Graphviz"
        ) from None
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise NotPossibleError(f"Graphviz gave no {form}: {said[0] if said else done.returncode}")
    return done.stdout
