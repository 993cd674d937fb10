"""Jumps by hand: which words a node takes, where each leads, and what it would skip.

Reads the graph only; nothing of the program is called. The rules are those of the agent compilers that
put `jump_to` on edges: a declared word is legal at its own node, and at the loop exit of an agent with
tools all words are, since that router asks no declaration. Every word means a place of the graph that the
node stands in: a nested agent has its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from hookstepper.model.anchors import anchors_at, end_of, mates
from hookstepper.model.graph import HOOK_KINDS, Graph
from hookstepper.model.ids import START, NodeId, scope_of

WORDS = ("end", "model", "tool")


@dataclass(frozen=True, slots=True)
class JumpChoice:
    """One line of the Jump dialog."""

    word: str
    target: NodeId | None
    """Where it leads; None if the graph has no such place."""
    offered: bool
    why_not: str = ""
    """Stable word if not offered: `not_declared`, `no_tools`, `no_anchor`, `own_node`, `reads_no_jump`."""
    path: tuple[NodeId, ...] = ()
    """Nodes from the target on, along default edges, as far as no router has to decide."""
    skips: tuple[NodeId, ...] = ()
    """Nodes of the chain after this one that would not run."""
    loops: bool = False
    """True if the path comes back to the node that jumps."""


def choices(graph: Graph, node_id: NodeId) -> tuple[JumpChoice, ...]:
    """All three words at a node, offered or not, in the order end, model, tool."""
    return tuple(_choice(graph, node_id, word) for word in WORDS)


def target_of(graph: Graph, word: str, node_id: NodeId = START) -> NodeId | None:
    """The node that a jump word means in the graph that holds a node; by default the root graph."""
    anchors, scope = anchors_at(graph, node_id), scope_of(node_id)
    if word == "end":
        return anchors.exit or end_of(graph, scope)
    if word == "model" and anchors.loop_entry is not None:
        return anchors.loop_entry
    return next((n.id for n in mates(graph, scope) if n.kind == word and n.kind in ("model", "tool")), None)


def next_reader(graph: Graph, node_id: NodeId) -> NodeId | None:
    """The next node along default edges that takes a jump; None if there is none before the end."""
    return next((n for n in default_path(graph, node_id) if _takes_jumps(graph, n)), None)


def skipped(graph: Graph, node_id: NodeId, target: NodeId, *, with_node: bool = False) -> tuple[NodeId, ...]:
    """Hooks and model nodes that do not run if `target` comes right after `node_id`.

    Args:
        with_node: the node itself is skipped too, as when the next node is set by hand.
    """
    chain = (node_id, *default_path(graph, node_id)) if with_node else default_path(graph, node_id)
    before = chain[: chain.index(target)] if target in chain else chain
    kinds = {node.id: node.kind for node in graph.nodes}
    left: list[NodeId] = []
    for name in before:
        if kinds.get(name) in HOOK_KINDS or kinds.get(name) == "model":
            left.append(name)
        if name == anchors_at(graph, node_id).loop_exit:
            break
    return tuple(name for name in left if name != target)


def default_path(graph: Graph, node_id: NodeId) -> tuple[NodeId, ...]:
    """Nodes that follow along fixed edges and default choices, without the node, up to END or a loop."""
    path: list[NodeId] = []
    seen = {node_id}
    here: NodeId | None = node_id
    while here is not None:
        here = _default_target(graph, here)
        if here is None or here in seen:
            break
        path.append(here)
        seen.add(here)
    return tuple(path)


def _default_target(graph: Graph, node_id: NodeId) -> NodeId | None:
    ways = [edge for edge in graph.leaving(node_id) if edge.evidence != "never" and edge.kind != "jump"]
    if not ways:
        return None
    plain = [edge for edge in ways if edge.kind == "fixed"] or [e for e in ways if e.label in ("", "done")]
    return (plain or ways)[0].target


def _takes_jumps(graph: Graph, node_id: NodeId) -> bool:
    node = graph.node(node_id)
    return node is not None and (bool(node.jumps) or _open_router(graph, node_id))


def _open_router(graph: Graph, node_id: NodeId) -> bool:
    loop_exit = anchors_at(graph, node_id).loop_exit
    return node_id == loop_exit and target_of(graph, "tool", node_id) is not None


def _choice(graph: Graph, node_id: NodeId, word: str) -> JumpChoice:
    target = target_of(graph, word, node_id)
    why_not = _why_not(graph, node_id, word, target)
    if why_not or target is None:
        return JumpChoice(word, target, offered=False, why_not=why_not or "no_anchor")
    path = (target, *default_path(graph, target))
    return JumpChoice(
        word,
        target,
        offered=True,
        path=path,
        skips=skipped(graph, node_id, target),
        loops=node_id in path,
    )


def _why_not(graph: Graph, node_id: NodeId, word: str, target: NodeId | None) -> str:
    node = graph.node(node_id)
    if word == "tool" and target is None:
        return "no_tools"
    if node is None or target is None:
        return "no_anchor"
    if _open_router(graph, node_id):
        return ""
    if not node.jumps:
        return "reads_no_jump"
    if word not in node.jumps:
        return "not_declared"
    return "own_node" if word == "model" and target == node_id else ""
