"""The graph as JSON: the form that programs read, and that can be read back whole."""

from __future__ import annotations

import json
from typing import cast

from hookstepper.exporters import ExportOptions
from hookstepper.model.graph import Edge, Graph, Node
from hookstepper.model.ids import Json
from hookstepper.model.jsonform import to_json


class JsonExporter:
    """Writes `.json`: `{"nodes": […], "edges": […], "anchors": {…}, …}`."""

    suffix = ".json"

    def export(self, graph: Graph, options: ExportOptions) -> str:
        """The graph with all that is known of it; fields that say nothing are left out."""
        keep = options.show_never is not False
        edges = [_edge(edge) for edge in graph.edges if keep or edge.evidence != "never"]
        anchors = graph.anchors
        page: dict[str, Json] = {
            "name": graph.name,
            "nodes": [_node(node) for node in graph.nodes],
            "edges": list(edges),
            "anchors": {
                "entry": anchors.entry,
                "loop_entry": anchors.loop_entry,
                "loop_exit": anchors.loop_exit,
                "exit": anchors.exit,
            },
        }
        rest = cast("dict[str, Json]", to_json(graph))
        page |= {key: value for key, value in rest.items() if key not in page}
        return _dump(page) + "\n"


def _node(node: Node) -> Json:
    known = cast("dict[str, Json]", to_json(node))
    return {"id": node.id, "label": node.label, "kind": node.kind} | known


def _edge(edge: Edge) -> Json:
    known: dict[str, Json] = {"source": edge.source, "target": edge.target, "kind": edge.kind}
    return known | {"label": edge.label, "evidence": edge.evidence}


def _dump(page: Json) -> str:
    text = json.dumps(page, ensure_ascii=False, indent=2)
    # Half of a surrogate pair is a legal Python string and an illegal file.
    return text if text.isascii() or _is_utf8(text) else json.dumps(page, indent=2)


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
