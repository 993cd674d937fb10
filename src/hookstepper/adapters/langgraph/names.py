"""How LangGraph names nodes, namespaces and tasks, and what those names are here.

A node that runs has a namespace such as `team:1f0c|writer:88ab`: one part for each graph it is nested in,
each with the id of the task that runs it. A number alone counts repeated calls of a graph; a name alone is
the node of a graph with `checkpointer=True`, whose state is the same for all of its tasks.
Source: `langgraph_checkpoint_ns` as the public callback metadata carries it.
"""

from __future__ import annotations

from hookstepper.model.graph import NodeKind
from hookstepper.model.ids import END, START, NodeId, TaskId

THEIR_START = "__start__"
THEIR_END = "__end__"
ERROR_HANDLER = "__error_handler__"
"""Prefix of the node that LangGraph adds for a node's error handler."""
_HOOK_ENDINGS: tuple[NodeKind, ...] = ("before_agent", "before_model", "after_model", "after_agent")


def node_id(name: str, scope: str = "") -> NodeId:
    """The path of the node that LangGraph calls `name`, inside the subgraph node `scope`."""
    own = {THEIR_START: START, THEIR_END: END}.get(name, name)
    return NodeId(f"{scope}:{own}" if scope else own)


def their_name(node: str) -> str:
    """The last part of a path, as LangGraph names it."""
    own = node.rpartition(":")[2]
    return {str(START): THEIR_START, str(END): THEIR_END}.get(own, own)


def path_of(namespace: str) -> str:
    """The path that a namespace stands for, task ids and counters left out.

    The last part of a node's namespace always has its task's id."""
    if "|" not in namespace:
        return namespace.rpartition(":")[0] or namespace
    parts = [part.rpartition(":")[0] if ":" in part else part for part in namespace.split("|")]
    return ":".join([part for part in parts if not part.isdecimal()])


def own_namespace(namespace: str) -> str:
    """A node's namespace; that of an error handler hangs below the failed node, though it is its sibling."""
    if ERROR_HANDLER not in namespace:
        return namespace
    parts = namespace.split("|")
    if len(parts) > 1 and parts[-1].startswith(ERROR_HANDLER):
        del parts[-2]
    return "|".join(parts)


def graph_namespace(namespace: str) -> str:
    """The namespace of the graph that a node's namespace lies in."""
    return namespace.rpartition("|")[0]


def task_id(namespace: str) -> TaskId:
    """The task that a node's namespace ends in."""
    return TaskId(namespace.rpartition(":")[2])


def hook_kind(name: str) -> NodeKind | None:
    """The hook position that a middleware node's name ends in, or None if it is no such name."""
    ending = name.rpartition(".")[2]
    return next((kind for kind in _HOOK_ENDINGS if kind == ending and "." in name), None)
