"""What may come after a node, as the graph alone tells: no router is asked for a status line."""

from __future__ import annotations

from dataclasses import dataclass

from hookstepper.model.graph import Edge, Graph
from hookstepper.model.ids import NodeId


@dataclass(frozen=True, slots=True)
class Ahead:
    """The ways out of one node."""

    default: NodeId | None
    """Where the run goes if nobody jumps; None if a router decides or nothing is known."""
    jumps: tuple[tuple[str, NodeId], ...] = ()
    """Jump word and target, for each jump that the node declares."""
    choices: tuple[NodeId, ...] = ()
    """Targets that a router chooses from; empty if there is no choice but the jumps."""


def ahead(graph: Graph, node: NodeId) -> Ahead:
    """The ways out of `node` that the rules can take."""
    edges = [edge for edge in graph.leaving(node) if edge.evidence != "never"]
    jumps = tuple((_word(edge), edge.target) for edge in edges if edge.kind == "jump")
    rest = [edge for edge in edges if edge.kind != "jump"]
    targets = tuple(dict.fromkeys(edge.target for edge in rest))
    if len(targets) == 1:
        return Ahead(targets[0], jumps)
    return Ahead(None, jumps, targets)


def _word(edge: Edge) -> str:
    return edge.label.removeprefix("jump ").strip()


def label_of(graph: Graph | None, node: NodeId | str) -> str:
    """What the picture writes for a node; its id if the graph does not hold it."""
    return graph.label(NodeId(node)) if graph is not None else str(node)
