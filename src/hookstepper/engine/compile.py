"""Makes a state graph runnable: subgraphs flattened, fan-outs turned into parallel nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hookstepper.engine.actions import NodeSpec
from hookstepper.engine.config import INTERRUPTED, CompileConfig, parallel_id
from hookstepper.engine.errors import GraphSpecError
from hookstepper.engine.flatten import flattened
from hookstepper.engine.graph import Condition, EdgeTarget, StateGraph
from hookstepper.engine.strategies import REPLACE, KeyStrategy
from hookstepper.engine.validation import branch_successors, check
from hookstepper.model.ids import END, NodeId


@dataclass(frozen=True, slots=True)
class Parallel:
    """A node that stands for a fan-out: it runs branches and gathers what they return."""

    id: NodeId
    source: NodeId
    branches: tuple[NodeId, ...]
    """In declaration order; for a multi-target edge all that it may choose."""
    join: NodeId
    condition: Condition | None = None
    """The multi-target edge that chooses, None if all branches run."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A graph ready to run. Never changed after it was made."""

    name: str
    nodes: Mapping[NodeId, NodeSpec]
    parallels: Mapping[NodeId, Parallel]
    edges: Mapping[NodeId, EdgeTarget]
    """The one way on from each source; a fan-out leads to its parallel node."""
    keys: Mapping[str, KeyStrategy]
    interrupt_before: frozenset[NodeId]
    interrupt_after: frozenset[NodeId]
    boxes: tuple[NodeSpec, ...] = ()
    """Subgraphs that were flattened, outermost first."""

    def declares(self, source: NodeId, target: NodeId) -> bool:
        """True if the graph has an edge from one to the other."""
        edge = self.edges.get(source)
        if isinstance(edge, Condition):
            return target in edge.mapping.values()
        return target == edge or (edge is not None and target in self.due(edge))

    def due(self, node: NodeId | None) -> tuple[NodeId, ...]:
        """Nodes of the graph that `node` stands for: branches for a parallel node, none for END.

        None too for `__INTERRUPTED__`: they are not known while the edge has not been asked.
        """
        if node is None or node in (END, INTERRUPTED):
            return ()
        parallel = self.parallels.get(node)
        return (node,) if parallel is None else parallel.branches


def plan(graph: StateGraph, config: CompileConfig) -> Plan:
    """The plan of `graph`.

    Raises:
        SpecError: the graph is not well formed, or an interruption names no node.
    """
    check(graph)
    flat = flattened(graph, config)
    parallels: dict[NodeId, Parallel] = {}
    edges: dict[NodeId, EdgeTarget] = {}
    for source, targets in flat.edges.items():
        condition = targets[0] if isinstance(targets[0], Condition) else None
        if len(targets) == 1 and (condition is None or not condition.many):
            edges[source] = targets[0]
            continue
        parallel = _parallel(source, targets, condition, flat.edges)
        parallels[parallel.id] = parallel
        edges[source] = parallel.id
        edges[parallel.id] = parallel.join
    return Plan(
        flat.name,
        flat.nodes,
        parallels,
        edges,
        {"input": REPLACE, **flat.keys},
        _interrupts(flat.interrupt_before, flat.nodes, parallels),
        _interrupts(flat.interrupt_after, flat.nodes, parallels),
        tuple(flat.boxes),
    )


def _parallel(
    source: NodeId,
    targets: list[EdgeTarget],
    condition: Condition | None,
    edges: dict[NodeId, list[EdgeTarget]],
) -> Parallel:
    if condition is not None:
        branches = list(dict.fromkeys(condition.mapping.values()))
        joins = _joins_of_choice(source, branches, edges)
    else:
        # END among the branches is dropped without a word, as upstream does.
        branches = [target for target in targets if not isinstance(target, Condition) and target != END]
        joins = list(dict.fromkeys(join for _, join in branch_successors(source, branches, edges)))
    if len(joins) != 1:
        raise GraphSpecError(
            f"the branches of {source!r} do not meet: they lead to {', '.join(joins) or 'nothing'}",
            hint="give all branches one edge to the same node",
            upstream=f"parallel node [{source}] must have only one target, "
            f"but {_shown(joins)} have been found!",
        )
    return Parallel(parallel_id(source), source, tuple(branches), joins[0], condition)


def _joins_of_choice(
    source: NodeId, branches: list[NodeId], edges: dict[NodeId, list[EdgeTarget]]
) -> list[NodeId]:
    onward = [branch for branch in branches if edges.get(branch)]
    if not onward:
        return []
    return sorted({join for _, join in branch_successors(source, branches, edges)})


def _shown(joins: list[NodeId]) -> str:
    return f"[{', '.join(joins)}]" if joins else "0"


def _interrupts(
    ids: tuple[NodeId, ...], nodes: Mapping[NodeId, NodeSpec], parallels: Mapping[NodeId, Parallel]
) -> frozenset[NodeId]:
    for node in ids:
        if node not in nodes and node not in parallels:
            raise GraphSpecError(
                f"the graph is to stop at {node!r}, which is no node",
                hint=f"nodes: {', '.join(nodes)}",
                upstream=f"node '{node}' configured as interruption doesn't exist!",
            )
    return frozenset(ids)
