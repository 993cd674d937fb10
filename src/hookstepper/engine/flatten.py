"""Takes subgraphs that were added as state graphs apart: their nodes become nodes of the parent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from hookstepper.engine.actions import NodeSpec
from hookstepper.engine.config import CompileConfig
from hookstepper.engine.errors import GraphSpecError
from hookstepper.engine.graph import Condition, EdgeTarget, StateGraph
from hookstepper.engine.strategies import KeyStrategy
from hookstepper.model.ids import END, START, NodeId


@dataclass(slots=True)
class Flat:
    """A graph without subgraphs, while it is being made."""

    name: str
    nodes: dict[NodeId, NodeSpec]
    edges: dict[NodeId, list[EdgeTarget]]
    keys: dict[str, KeyStrategy]
    interrupt_before: tuple[NodeId, ...] = ()
    interrupt_after: tuple[NodeId, ...] = ()
    boxes: list[NodeSpec] = field(default_factory=list)


def inner_id(subgraph: str, node: str) -> NodeId:
    """Id in the parent of a node of a flattened subgraph."""
    return NodeId(f"{subgraph}-{node}")


def flattened(graph: StateGraph, config: CompileConfig) -> Flat:
    """`graph` with all its state graphs taken apart, those inside of those too.

    Raises:
        SpecError: a subgraph is joined to its parent in a way that cannot be taken apart.
    """
    flat = Flat(
        graph.name,
        dict(graph.nodes),
        {source: list(targets) for source, targets in graph.edges.items()},
        dict(graph.keys),
        tuple(NodeId(node) for node in config.interrupt_before),
        tuple(NodeId(node) for node in config.interrupt_after),
    )
    for spec in list(flat.nodes.values()):
        if isinstance(spec.action, StateGraph):
            _take_apart(flat, spec, flattened(spec.action, _bare(config)), config)
    return flat


def _bare(config: CompileConfig) -> CompileConfig:
    return CompileConfig(saver=None, compat=config.compat)


def _take_apart(flat: Flat, spec: NodeSpec, child: Flat, config: CompileConfig) -> None:
    box = spec.id
    entry = inner_id(box, _entry(box, child))
    way_out = _way_out(flat, box)
    if box in flat.interrupt_after:
        then = (
            ""
            if isinstance(way_out, Condition)
            else f" consider to use 'interruption before' node: '{way_out}'"
        )
        raise GraphSpecError(
            f"the graph is to stop after {box!r}, which is a subgraph",
            hint="stop before the node that follows it",
            upstream=f"'interruption after' on subgraph is not supported yet!{then}",
        )
    _redirect(flat, box, entry)
    _adopt(flat, spec, child, way_out, config)
    flat.interrupt_before = tuple(entry if node == box else node for node in flat.interrupt_before)
    for key, strategy in child.keys.items():
        flat.keys.setdefault(key, strategy)


def _entry(box: NodeId, child: Flat) -> NodeId:
    starts = child.edges[START]
    if len(starts) > 1:
        raise GraphSpecError(
            f"the subgraph {box!r} begins with parallel branches",
            hint="put one node before them, or compile the subgraph on its own",
            upstream="subgraph not support start with parallel branches yet!",
        )
    if isinstance(starts[0], Condition):
        raise GraphSpecError(
            f"the subgraph {box!r} begins with a conditional edge",
            hint="put one node before it, or compile the subgraph on its own",
            upstream=f"the target for node '{box}' is null!",
        )
    return starts[0]


def _way_out(flat: Flat, box: NodeId) -> EdgeTarget:
    targets = flat.edges.get(box, [])
    if not targets:
        raise GraphSpecError(
            f"the subgraph {box!r} has no edge to go on",
            hint="add an edge from it, to END if it is the last",
            upstream="No value present",
        )
    many = isinstance(targets[0], Condition) and targets[0].many
    if len(targets) > 1 or many:
        raise GraphSpecError(
            f"the subgraph {box!r} is followed by parallel branches",
            hint="put one node behind it, or compile the subgraph on its own",
            upstream="subgraph not support routes to parallel branches yet!",
        )
    return targets[0]


def _redirect(flat: Flat, box: NodeId, entry: NodeId) -> None:
    """Let edges to the subgraph lead to its first node; what is rewritten moves to the end of the list."""
    hit = [source for source, targets in flat.edges.items() if source != box and _leads_to(targets, box)]
    itself = _leads_to(flat.edges[box], box)
    if not hit and not itself:
        raise GraphSpecError(
            f"no edge leads to the subgraph {box!r}",
            hint="add an edge to it, or take it out",
            upstream=f"the node '{box}' is not present as target in graph!",
        )
    for source in hit:
        targets = flat.edges.pop(source)
        flat.edges[source] = [
            _moved(target, lambda node: entry if node == box else node) for target in targets
        ]


def _leads_to(targets: list[EdgeTarget], node: NodeId) -> bool:
    return any(
        node in target.mapping.values() if isinstance(target, Condition) else target == node
        for target in targets
    )


def _adopt(flat: Flat, spec: NodeSpec, child: Flat, way_out: EdgeTarget, config: CompileConfig) -> None:
    box = spec.id
    entry = inner_id(box, _entry(box, child))
    out = _moved(way_out, lambda node: entry if node == box else node)

    def place(node: NodeId) -> NodeId:
        return END if node == END else inner_id(box, node)

    nodes: dict[NodeId, NodeSpec] = {}
    for old in flat.nodes.values():
        if old.id != box:
            nodes[old.id] = old
            continue
        for inner in child.nodes.values():
            name = place(inner.id)
            if name in flat.nodes:
                raise GraphSpecError(
                    f"node {inner.id!r} of subgraph {box!r} becomes {name!r}, which is there already",
                    hint="give one of the two another id",
                )
            nodes[name] = _renamed(inner, box)
    flat.nodes = nodes
    flat.boxes += [replace(spec), *(_renamed(inner, box) for inner in child.boxes)]
    flat.edges.pop(box)
    for source, targets in child.edges.items():
        if source != START:
            moved = [_outward(_moved(target, place), out, config) for target in targets]
            flat.edges[place(source)] = moved


def _renamed(inner: NodeSpec, box: NodeId) -> NodeSpec:
    parent = box if inner.parent is None else inner_id(box, inner.parent)
    return replace(inner, id=inner_id(box, inner.id), parent=parent)


def _moved(target: EdgeTarget, place: Callable[[NodeId], NodeId]) -> EdgeTarget:
    if not isinstance(target, Condition):
        return place(target)
    onward = target.onward and _moved(target.onward, place)
    return replace(
        target,
        mapping={key: place(node) for key, node in target.mapping.items()},
        never=frozenset(place(node) for node in target.never),
        onward=onward if isinstance(onward, Condition) else None,
    )


def _outward(target: EdgeTarget, out: EdgeTarget, config: CompileConfig) -> EdgeTarget:
    """Let what led to the subgraph's END lead to where the subgraph leads."""
    if not isinstance(target, Condition):
        return out if target == END else target
    if END not in target.mapping.values():
        return target
    if not isinstance(out, Condition):
        return _moved(target, lambda node: out if node == END else node)
    # Upstream leaves END in the mapping here, and so ends the whole run.
    return target if config.compat == "upstream" else replace(target, onward=out)
