"""Reading what was saved: a ladder of ways, since a state can be too broken for the first."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any

from hookstepper.adapters.langgraph.channels import public_state
from hookstepper.adapters.langgraph.names import node_id
from hookstepper.model.ids import CheckpointId, NodeId
from hookstepper.ports.target import CheckpointRow, Snapshot

Config = dict[str, Any]


@contextmanager
def written_anew(saver: Any) -> Iterator[None]:
    """While entered, a state update of LangGraph starts from a checkpoint alone, as newer versions do.

    Before 1.0.4 it also applied what the tasks that are due there had written once, on another line.
    """
    saver.hides_writes = _applies_old_writes()
    try:
        yield
    finally:
        saver.hides_writes = False


@functools.cache
def _applies_old_writes() -> bool:
    numbers = re.match(r"(\d+)\.(\d+)\.(\d+)", version("langgraph"))
    return numbers is not None and tuple(map(int, numbers.groups())) < (1, 0, 4)


def is_saver(checkpointer: Any) -> bool:
    """True for a saver, False for None and for the flags that nested graphs take."""
    return hasattr(checkpointer, "get_tuple")


def place_inside(root: str, namespace: str, checkpoint: str) -> CheckpointId:
    """The id of a nested graph's checkpoint: with it goes the root's checkpoint at which the graph ran."""
    return CheckpointId(f"{root}@{namespace}@{checkpoint}")


def root_of(checkpoint: str) -> CheckpointId:
    """The root's checkpoint that an id names, alone or with a nested graph's."""
    return CheckpointId(checkpoint.partition("@")[0])


def inside_of(checkpoint: str) -> tuple[str, str] | None:
    """Namespace and checkpoint of the nested graph that an id names, None if it names the root's alone."""
    inside = checkpoint.partition("@")[2]
    namespace, _, own = inside.rpartition("@")
    return (namespace, own) if inside else None


def config_for(thread: str, checkpoint: str | None = None) -> Config:
    """The config that names a thread, and one checkpoint of it."""
    configurable: dict[str, Any] = {"thread_id": thread, "checkpoint_ns": ""}
    if checkpoint:
        configurable["checkpoint_id"] = str(root_of(checkpoint))
    return {"configurable": configurable}


def head_of(saver: Any, thread: str) -> CheckpointId | None:
    """The newest checkpoint of a thread, or None."""
    saved = saver.get_tuple(config_for(thread))
    return CheckpointId(str(saved.checkpoint["id"])) if saved is not None else None


def versions_seen(saver: Any, thread: str, at: str | None) -> dict[str, Any]:
    """Who had seen what at a checkpoint: from its change LangGraph's nodes can be told that ran."""
    saved = saver.get_tuple(config_for(thread, at))
    return dict(saved.checkpoint.get("versions_seen", {})) if saved is not None else {}


def done_tasks(saver: Any, config: Config | None) -> frozenset[str]:
    """Ids of the tasks that have written their results on top of a checkpoint."""
    saved = saver.get_tuple(config) if config else None
    writes = (saved.pending_writes or ()) if saved is not None else ()
    # A result without any write is saved as one to this channel.
    return frozenset(task for task, channel, _ in writes if is_result(channel))


def is_result(channel: str) -> bool:
    """True for a write of a task that came to its end."""
    return not channel.startswith("__") or channel in (
        "__root__",
        "__no_writes__",
        "__pregel_tasks",
        "__return__",
    )


def bare_state(saver: Any, config: Config) -> Any:
    """What is left of a state that cannot be read: its questions, each with the task that asked."""
    saved = saver.get_tuple(config)
    asked: list[SimpleNamespace] = []
    for task, channel, value in saved.pending_writes or () if saved is not None else ():
        if channel == "__interrupt__":
            asked.append(SimpleNamespace(name=str(task), interrupts=tuple(value), state=None))
    return SimpleNamespace(values={}, tasks=tuple(asked))


def read_snapshot(graph: Any, saver: Any, thread: str, at: str | None) -> Snapshot:
    """State and what is due at a checkpoint of a thread; never raises, but says what could not be read."""
    snapshot = read_config(graph, saver, config_for(thread, at))
    missing = at and snapshot.checkpoint is None and not snapshot.trouble
    return replace(snapshot, trouble=(f"no checkpoint {at}",)) if missing else snapshot


def read_config(graph: Any, saver: Any, config: Config) -> Snapshot:
    """State and what is due at a checkpoint; never raises, but says what could not be read.

    A state that its own schema refuses cannot be read by LangGraph any more; the saved values still can.
    """
    trouble: list[str] = []
    try:
        saved = saver.get_tuple(config)
    except Exception as error:  # a foreign saver may raise anything
        return Snapshot({}, (), None, (_told("the saver", error),))
    if saved is None:
        return Snapshot({}, (), None)
    identity = CheckpointId(str(saved.checkpoint["id"]))
    values: Mapping[str, object] = public_state(saved.checkpoint.get("channel_values", {}))
    due: tuple[NodeId, ...] = ()
    try:
        # By its own id: of a thread whose newest state two tasks have written at once only that can be read.
        state = graph.get_state({"configurable": {**config["configurable"], "checkpoint_id": identity}})
        due = tuple(node_id(name) for name in state.next)
        if isinstance(state.values, Mapping):
            # Channels that save only their changes are put together by LangGraph; the raw values lack them.
            values = {**values, **state.values}
        trouble += [_told(task.name, task.error) for task in state.tasks if task.error]
    except Exception as error:  # user types validate while LangGraph reads
        trouble.append(_told("the state", error))
    return Snapshot(values, due, identity, tuple(trouble))


def rows(graph: Any, saver: Any, thread: str, limit: int) -> list[CheckpointRow]:
    """Saved states of a thread, newest first, read without building whole snapshots."""
    found: list[CheckpointRow] = []
    newer_seen: Mapping[str, Any] | None = None
    saved_all = list(saver.list(config_for(thread), limit=limit + 1))
    for place, saved in enumerate(saved_all[:limit]):
        older = saved_all[place + 1].checkpoint if place + 1 < len(saved_all) else {"versions_seen": {}}
        seen, before = saved.checkpoint.get("versions_seen", {}), older.get("versions_seen", {})
        ran = [name for name in seen if seen[name] != before.get(name) and not name.startswith("__i")]
        parent = (saved.parent_config or {}).get("configurable", {}).get("checkpoint_id")
        due = _due(graph, saved, newer_seen)
        found.append(
            CheckpointRow(
                CheckpointId(str(saved.checkpoint["id"])),
                node_id(ran[-1]) if ran else NodeId(""),
                due,
                CheckpointId(str(parent)) if parent else None,
            )
        )
        newer_seen = seen
    return found


def _due(graph: Any, saved: Any, _newer: Mapping[str, Any] | None) -> tuple[NodeId, ...]:
    values = saved.checkpoint.get("channel_values", {})
    pulled = [name.removeprefix("branch:to:") for name in values if name.startswith("branch:to:")]
    sent = [str(one.node) for one in values.get("__pregel_tasks") or () if hasattr(one, "node")]
    known = set(graph.nodes)
    return tuple(node_id(name) for name in dict.fromkeys((*pulled, *sent)) if name in known)


def _told(what: str, error: object) -> str:
    kind = f"{type(error).__name__}: " if isinstance(error, BaseException) else ""
    return f"{what} could not be read: {kind}{error}" if kind else f"{what} failed: {error}"
