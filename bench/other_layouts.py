"""The same graph through other layout packages; each is imported only when it is measured."""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Callable
from functools import partial
from typing import Any

from hookstepper.model.graph import Graph
from hookstepper.picture import cell_width

MOST = {"networkx": 1000, "grandalf": 1000, "netext": 60}
"""Most nodes of a graph that a package is given; beyond it one run takes longer than all others together."""


def others(dot: str | None) -> dict[str, Callable[[Graph], object] | None]:
    """Package → what lays a graph out with it; None if the package is not installed."""
    found: dict[str, Callable[[Graph], object] | None] = {
        "networkx": by_networkx if dot is None else partial(by_networkx, dot=dot),
        "grandalf": by_grandalf,
        "netext": by_netext,
    }
    return {name: work if importlib.util.find_spec(name) else None for name, work in found.items()}


def by_networkx(graph: Graph, dot: str | None = None) -> object:
    """Ranks of the graph without its cycles; with `dot`, the graph as DOT and Graphviz's positions for it."""
    import subprocess

    import networkx

    drawn: Any = networkx.DiGraph()
    drawn.add_nodes_from((node.id, {"width": cell_width(node.label) + 6}) for node in graph.nodes)
    drawn.add_edges_from((edge.source, edge.target) for edge in graph.edges)
    if dot is None:
        for cycle in list(networkx.strongly_connected_components(drawn)):
            if len(cycle) > 1:
                inside = networkx.dfs_labeled_edges(drawn.subgraph(cycle))
                drawn.remove_edges_from([(a, b) for a, b, kind in inside if kind == "nontree"])
        return list(networkx.topological_generations(drawn))
    number = {name: index for index, name in enumerate(drawn)}
    lines = ["digraph {", 'node [shape=box, fixedsize=true, label="", height=0.6];']
    lines += [f"n{number[name]} [width={data['width'] / 10}];" for name, data in drawn.nodes(data=True)]
    lines += [f"n{number[a]} -> n{number[b]};" for a, b in drawn.edges]
    text = "\n".join([*lines, "}"])
    return subprocess.run([dot, "-Tplain"], input=text, capture_output=True, text=True, check=True).stdout


def by_grandalf(graph: Graph) -> object:
    """Positions and bends; no routes in cells, no labels, no raster."""
    from grandalf.graphs import Edge, Vertex
    from grandalf.graphs import Graph as Drawn
    from grandalf.layouts import SugiyamaLayout, VertexViewer

    vertices = {node.id: Vertex(node.id) for node in graph.nodes}
    for node in graph.nodes:
        vertices[node.id].view = VertexViewer(cell_width(node.label) + 6, 3)
    ways = [Edge(vertices[edge.source], vertices[edge.target]) for edge in graph.edges]
    drawn = Drawn(list(vertices.values()), ways)
    for part in drawn.C:
        plan = SugiyamaLayout(part)
        plan.init_all()
        plan.draw()
    return [vertex.view.xy for vertex in vertices.values()]


def by_netext(graph: Graph) -> object:
    """Positions, routes and raster."""
    from netext import ConsoleGraph
    from rich.console import Console

    console = Console(file=io.StringIO(), width=400, force_terminal=False)
    nodes: dict[Any, dict[str, Any]] = {node.id: {} for node in graph.nodes}
    console.print(ConsoleGraph(nodes, [(edge.source, edge.target) for edge in graph.edges], console=console))
    return console.file
