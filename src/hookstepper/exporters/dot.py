"""Graphviz DOT, written without any Graphviz installed."""

from __future__ import annotations

from collections.abc import Iterator

from hookstepper.exporters import ExportOptions
from hookstepper.exporters.blocks import Block, Choice, blocks
from hookstepper.exporters.signs import legal
from hookstepper.model.graph import Edge, Graph, Node, NodeKind
from hookstepper.model.ids import END, START, NodeId

_SHAPES: dict[NodeKind, str] = {
    "start": "circle",
    "end": "doublecircle",
    "model": "hexagon",
    "tool": "component",
    "before_agent": "cds",
    "before_model": "cds",
    "after_model": "cds",
    "after_agent": "cds",
}


class DotExporter:
    """Writes `.dot`."""

    suffix = ".dot"

    def export(self, graph: Graph, options: ExportOptions) -> str:
        """The graph from top to bottom; subgraphs are clusters, edges that nobody declared are dotted."""
        root = blocks(graph, show_never=options.show_never is not False)
        title = graph.name if options.title is None else options.title
        return "\n".join([*_head(title), *_members(root, 1), *_edges(root, _blocks_by_id(root)), "}"]) + "\n"


def _head(title: str) -> Iterator[str]:
    yield f"digraph {_quoted(title or 'graph')} {{"
    yield f"  graph [label={_label(title)}, labelloc=t, compound=true, rankdir=TB, fontname=sans];"
    yield "  node [shape=box, style=rounded, fontname=sans];"
    yield "  edge [fontname=sans, fontsize=11];"


def _members(block: Block, depth: int) -> Iterator[str]:
    pad = "  " * depth
    if block.node is None or block.start is not None:
        yield f"{pad}{_quoted(block.start or START)} [label=start, shape=circle];"
    if block.node is None or block.end is not None:
        yield f"{pad}{_quoted(block.end or END)} [label=end, shape=doublecircle];"
    for member in block.members:
        if not isinstance(member, Block):
            shape = _SHAPES.get(member.kind)
            extra = f", shape={shape}" if shape else ""
            yield f"{pad}{_quoted(member.id)} [label={_label(_shown(member))}{extra}];"
            continue
        assert member.node is not None
        yield f"{pad}subgraph {_quoted('cluster_' + member.node.id)} {{"
        yield f"{pad}  graph [label={_label(_shown(member.node))}, style=rounded];"
        yield from _members(member, depth + 1)
        yield f"{pad}}}"


def _edges(block: Block, inside: dict[NodeId, Block]) -> Iterator[str]:
    for move in block.moves:
        for edge in move.edges if isinstance(move, Choice) else (move,):
            yield "  " + _edge(edge, inside)
    for member in block.members:
        if isinstance(member, Block):
            yield from _edges(member, inside)


def _edge(edge: Edge, inside: dict[NodeId, Block]) -> str:
    """One edge; an end that is a cluster is drawn to a node inside it and cut at the cluster's border."""
    facts = [f"label={_label(edge.label)}"] if edge.label else []
    if edge.evidence != "declared":
        facts.append("style=dotted")
    elif edge.kind != "fixed":
        facts.append("style=dashed")
    ends = []
    for node_id, cut in ((edge.source, "ltail"), (edge.target, "lhead")):
        block = inside.get(node_id)
        ends.append(_inner(block, cut) if block else node_id)
        if block:
            facts.append(f"{cut}={_quoted('cluster_' + node_id)}")
    attributes = f" [{', '.join(facts)}]" if facts else ""
    return f"{_quoted(ends[0])} -> {_quoted(ends[1])}{attributes};"


def _inner(block: Block, cut: str) -> NodeId:
    """A node of the block: its end if an edge leaves it, its start if one comes in, else any."""
    wished = block.end if cut == "ltail" else block.start
    if wished is not None:
        return wished
    for member in block.members:
        return _inner(member, cut) if isinstance(member, Block) else member.id
    assert block.node is not None
    return block.start or block.end or block.node.id


def _blocks_by_id(block: Block) -> dict[NodeId, Block]:
    found: dict[NodeId, Block] = {}
    for member in block.members:
        if isinstance(member, Block):
            assert member.node is not None
            found |= {member.node.id: member} | _blocks_by_id(member)
    return found


def _shown(node: Node) -> str:
    return node.label or node.id


def _quoted(name: str) -> str:
    """A DOT string. Graphviz keeps a doubled backslash in a name as two, so names stay distinct."""
    return '"' + legal(name).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _label(text: str) -> str:
    # An `&` begins an HTML entity even in plain labels.
    return _quoted(text.replace("&", "&amp;")).replace("\n", "\\n")
