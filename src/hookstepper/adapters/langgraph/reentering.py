"""Going on from the middle of a nested graph: the root is set before the graph, and the graph to its middle.

LangGraph's own way, to name all checkpoints in the config of a run, begins the nested graph anew in some
versions (seen with 1.1.10 and 1.2.24). So the root's checkpoint is copied as the newest, and that of each
graph on the way is put where the copy's task will look for it; what follows is a plain continuation.
"""

from __future__ import annotations

from typing import Any

from hookstepper.adapters.langgraph import savings
from hookstepper.adapters.langgraph.names import task_id
from hookstepper.model.errors import NotPossibleError
from hookstepper.model.ids import CheckpointId


def reentered(graph: Any, saver: Any, thread: str, at: CheckpointId) -> tuple[CheckpointId, tuple[str, ...]]:
    """The root checkpoint to go on from, which is the newest then, and the namespaces of the graphs that
    lead to the middle, outermost first.

    Raises:
        NotPossibleError: a checkpoint is not kept, or a task is not due where it should be.
    """
    inside = savings.inside_of(at)
    assert inside is not None
    namespace, own = inside
    old = [_place(thread, "", savings.root_of(at)), *_way(saver, thread, namespace, own)]
    saved = [saver.get_tuple(place) for place in old]
    if None in saved:
        raise NotPossibleError(f"no checkpoint {at} in thread {thread!r}")
    names = namespace.split("|")
    orders = [_order(graph, place, name) for place, name in zip(old, names, strict=False)]
    made = graph.update_state(old[0], None, as_node="__copy__")
    root = CheckpointId(str(made["configurable"]["checkpoint_id"]))
    here, parents, ways = _place(thread, "", root), {"": str(root)}, []
    for order, inner in zip(orders, saved[1:], strict=True):
        task = graph.get_state(here).tasks[order]
        outer = here["configurable"]["checkpoint_ns"]
        there = f"{outer}|{task.name}:{task.id}" if outer else f"{task.name}:{task.id}"
        saver.adopt(
            {"configurable": {"thread_id": thread, "checkpoint_ns": there}},
            inner.checkpoint,
            {**inner.metadata, "parents": dict(parents)},
        )
        parents[there] = str(inner.checkpoint["id"])
        here = _place(thread, there, parents[there])
        ways.append(there)
    return root, tuple(ways)


def _place(thread: str, namespace: str, checkpoint: str) -> dict[str, Any]:
    config = savings.config_for(thread, checkpoint)
    config["configurable"]["checkpoint_ns"] = namespace
    return config


def _way(saver: Any, thread: str, namespace: str, own: str) -> list[dict[str, Any]]:
    """Where the checkpoints lie of the graphs that lead to a nested one, outermost first, its own last."""
    last = _place(thread, namespace, own)
    saved = saver.get_tuple(last)
    parents = (saved.metadata.get("parents") or {}) if saved is not None else {}
    parts = namespace.split("|")
    outer = ["|".join(parts[:depth]) for depth in range(1, len(parts))]
    return [*(_place(thread, name, str(parents.get(name, ""))) for name in outer), last]


def _order(graph: Any, place: dict[str, Any], name: str) -> int:
    """Which of the tasks that are due at a checkpoint has that name, `node:task`.

    Raises:
        NotPossibleError: none of them.
    """
    due = graph.get_state(place).tasks
    found = next((order for order, task in enumerate(due) if task.id == task_id(name)), None)
    if found is None:
        raise NotPossibleError(f"{name.partition(':')[0]} is not due at that checkpoint")
    return found
