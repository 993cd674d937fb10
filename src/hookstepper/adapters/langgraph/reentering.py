"""Going on from the middle of a nested graph: the root is set before the graph, and the graph to its middle.

LangGraph's own way, to name both checkpoints in the config of a run, begins the nested graph anew in some
versions (seen with 1.1.10 and 1.2.24). So the root's checkpoint is copied as the newest, and the nested
graph's is put where the copy's task will look for it; what follows is a plain continuation.
"""

from __future__ import annotations

from typing import Any

from hookstepper.adapters.langgraph import savings
from hookstepper.adapters.langgraph.names import task_id
from hookstepper.model.errors import NotPossibleError
from hookstepper.model.ids import CheckpointId


def reentered(graph: Any, saver: Any, thread: str, at: CheckpointId) -> tuple[CheckpointId, str]:
    """The root checkpoint to go on from, which is the newest then, and the namespace of the nested graph.

    Raises:
        NotPossibleError: the checkpoint is not kept, or its task is not due at the root's.
    """
    inside = savings.inside_of(at)
    assert inside is not None
    namespace, own = inside
    config = savings.config_for(thread, own)
    config["configurable"]["checkpoint_ns"] = namespace
    saved = saver.get_tuple(config)
    if saved is None or saver.get_tuple(savings.config_for(thread, at)) is None:
        raise NotPossibleError(f"no checkpoint {at} in thread {thread!r}")
    before = graph.get_state(savings.config_for(thread, at)).tasks
    place = next((place for place, task in enumerate(before) if task.id == task_id(namespace)), None)
    if place is None:
        raise NotPossibleError(f"{namespace.partition(':')[0]} is not due at that checkpoint")
    made = graph.update_state(savings.config_for(thread, at), None, as_node="__copy__")
    root = str(made["configurable"]["checkpoint_id"])
    task = graph.get_state(savings.config_for(thread, root)).tasks[place]
    there = f"{task.name}:{task.id}"
    target = {"configurable": {"thread_id": thread, "checkpoint_ns": there}}
    saver.adopt(target, saved.checkpoint, {**saved.metadata, "parents": {"": root}})
    return CheckpointId(root), there
