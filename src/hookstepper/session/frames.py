"""The frames of a stop: from the gate outwards to the run."""

from __future__ import annotations

from hookstepper.model.gates import Frame, FrameKind, Site
from hookstepper.model.graph import Graph
from hookstepper.model.ids import NodeId
from hookstepper.ports.verdict import Point

_INNER: dict[str, FrameKind] = {"layer": "layer", "model": "model", "tool": "tool", "part": "part"}


def frames_of(point: Point, graph: Graph | None) -> tuple[Frame, ...]:
    """Frames of a stop, innermost first: call or layer, node, subgraphs, graph, run."""
    site = point.site
    frames: list[Frame] = []
    if site.kind in _INNER:
        detail = f"ring {site.ring}" if site.kind == "layer" else ""
        frames.append(Frame(_INNER[site.kind], site.name, site, detail=detail))
    if point.attempt > 1:
        frames.append(Frame("attempt", f"attempt {point.attempt}"))
    path = str(site.node).split(":")
    frames.append(_node_frame(graph, site.node, path[-1], "node"))
    frames += [
        _node_frame(graph, NodeId(":".join(path[:depth])), path[depth - 1], "subgraph")
        for depth in range(len(path) - 1, 0, -1)
    ]
    frames.append(Frame("graph", graph.name if graph is not None else ""))
    frames.append(Frame("run", str(point.task), detail=f"superstep {point.superstep}"))
    return tuple(frames)


def _node_frame(graph: Graph | None, node_id: NodeId, name: str, kind: FrameKind) -> Frame:
    node = graph.node(node_id) if graph is not None else None
    label = node.label if node is not None else name
    return Frame(kind, label, Site("node", node_id), node.source if node is not None else None)
