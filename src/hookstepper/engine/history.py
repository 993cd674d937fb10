"""Saved states of a graph: reading, updating, editing, and asking where one would lead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from hookstepper.engine.checkpoints import Checkpoint, Saver, missing, renumbered
from hookstepper.engine.clone import clone_state
from hookstepper.engine.config import RETAINED, RunConfig
from hookstepper.engine.effects import Effects
from hookstepper.engine.outputs import StateSnapshot
from hookstepper.engine.routing import ask_edge
from hookstepper.engine.state import State
from hookstepper.engine.strategies import apply_update, merged
from hookstepper.model.errors import InvalidValueError, NotPossibleError
from hookstepper.model.ids import START, CheckpointId, NodeId
from hookstepper.model.record import Route

if TYPE_CHECKING:
    from hookstepper.engine.run import CompiledGraph


def saver_of(graph: CompiledGraph) -> Saver:
    """The graph's saver.

    Raises:
        NotPossibleError: it has none.
    """
    if graph.config.saver is None:
        raise NotPossibleError(
            f"the graph {graph.name!r} keeps no checkpoints", hint="compile it with a saver"
        )
    return graph.config.saver


def checkpoint_of(graph: CompiledGraph, config: RunConfig) -> Checkpoint:
    """The checkpoint that the config names, by default the newest of its thread.

    Raises:
        NotPossibleError: there is none.
    """
    found = saver_of(graph).get(config.thread, config.checkpoint_id)
    if found is None and config.checkpoint_id is not None:
        raise missing(config.thread, config.checkpoint_id)
    if found is None:
        raise NotPossibleError(
            f"thread {config.thread!r} has no checkpoint", hint="run the graph on that thread first"
        )
    return found


def snapshot(graph: CompiledGraph, checkpoint: Checkpoint, config: RunConfig | None) -> StateSnapshot:
    """A checkpoint as the caller may keep it."""
    return StateSnapshot(
        clone_state(checkpoint.state),
        checkpoint.node_id,
        checkpoint.next_node_id,
        graph.plan.due(checkpoint.next_node_id),
        checkpoint.id,
        (config or RunConfig()).thread,
        checkpoint.parent,
    )


def snapshots(graph: CompiledGraph, config: RunConfig, limit: int | None) -> Sequence[StateSnapshot]:
    """Checkpoints of the thread, newest first."""
    rows = saver_of(graph).history(config.thread, limit)
    return [snapshot(graph, row, config) for row in rows]


def update(
    graph: CompiledGraph, config: RunConfig, values: Mapping[str, Any], as_node: str | None
) -> Effects[RunConfig]:
    """Merge values into a checkpoint; see `CompiledGraph.update_state`."""
    given: Any = values
    if not isinstance(given, Mapping):
        raise InvalidValueError(f"the values are a {type(given).__name__}, not a mapping of state keys")
    old = checkpoint_of(graph, config)
    state = merged(clone_state(old.state), clone_state(values), graph.plan.keys)
    node, next_node = old.node_id, old.next_node_id
    if as_node is not None:
        node = _known(graph, as_node)
        way = yield from ask_edge(graph.plan, node, State(state, graph.plan.keys), config)
        if way.update and way.next not in graph.plan.parallels:
            apply_update(state, way.update, graph.plan.keys)
        next_node = way.next
    fresh = renumbered(
        old, CheckpointId(graph.config.new_id()), state=state, node_id=node, next_node_id=next_node
    )
    saver = saver_of(graph)
    if config.checkpoint_id is None:
        saver.put(config.thread, fresh, config.metadata.get(RETAINED))
    else:
        saver.replace(config.thread, old.id, replace(fresh, parent=old.parent))
    return config.copy(checkpoint_id=fresh.id, next_node=next_node)


def edit(
    graph: CompiledGraph,
    config: RunConfig,
    values: Mapping[str, Any],
    mode: Literal["raw", "reducer"],
    due: Sequence[NodeId] | None,
) -> CheckpointId:
    """A new checkpoint made from another; see `CompiledGraph.edit`."""
    old = checkpoint_of(graph, config)
    next_node = old.next_node_id if due is None else graph.position_of(due, old.node_id)
    state = clone_state(old.state)
    apply_update(state, clone_state(values), graph.plan.keys if mode == "reducer" else {})
    fresh = renumbered(old, CheckpointId(graph.config.new_id()), state=state, next_node_id=next_node)
    saver_of(graph).put(config.thread, fresh)
    return fresh.id


def route_from(
    graph: CompiledGraph, node: NodeId, values: Mapping[str, Any], config: RunConfig
) -> Effects[Route]:
    """Where a state would lead after a node."""
    state = State(clone_state(values), graph.plan.keys, graph.config.store)
    way = yield from ask_edge(graph.plan, _known(graph, node), state, config)
    return way.route


def _known(graph: CompiledGraph, node: str) -> NodeId:
    if node == START or node in graph.plan.nodes or node in graph.plan.parallels:
        return NodeId(node)
    raise NotPossibleError(f"there is no node {node!r}", hint=f"nodes: {', '.join(graph.plan.nodes)}")
