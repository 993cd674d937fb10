"""Checkpoints and where they are kept: the saver port, and the saver in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from operator import is_
from threading import RLock
from typing import Any, Protocol

from hookstepper.engine.clone import clone, is_shared
from hookstepper.model.errors import NotPossibleError
from hookstepper.model.ids import CheckpointId, NodeId


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The state after a node, and what is due."""

    id: CheckpointId
    node_id: NodeId
    """The node that ran before; START for the first."""
    next_node_id: NodeId
    """END at the end, `__PARALLEL__(x)` for a fan-out, `__INTERRUPTED__` if the edge was not asked."""
    state: Mapping[str, Any]
    """Live when it is handed to a saver, which keeps a copy; nobody changes what a saver hands out."""
    parent: CheckpointId | None = None
    """The checkpoint that the run went on from; None for the first of a thread."""
    step: int = 0
    """How many nodes had been executed, so that a resumed run goes on counting."""


@dataclass(frozen=True, slots=True)
class Tag:
    """What a release hands out: a thread's checkpoints, newest first. The thread is empty afterwards."""

    thread: str
    checkpoints: tuple[Checkpoint, ...]


class Saver(Protocol):
    """Keeps checkpoints by thread. May be called from several threads at once."""

    def put(self, thread: str, checkpoint: Checkpoint, retain: int | None = None) -> None:
        """Add a copy of a checkpoint as the newest; if `retain` is above 0, keep only that many."""
        ...

    def replace(self, thread: str, old: CheckpointId, checkpoint: Checkpoint) -> None:
        """Put a checkpoint in the place of another.

        Raises:
            NotPossibleError: the thread has no checkpoint `old`.
        """
        ...

    def get(self, thread: str, checkpoint: CheckpointId | None = None) -> Checkpoint | None:
        """The checkpoint with that id, by default the newest; None if there is none."""
        ...

    def history(self, thread: str, limit: int | None = None) -> Sequence[Checkpoint]:
        """Checkpoints of the thread, newest first."""
        ...

    def outline(self, thread: str, limit: int | None = None) -> Sequence[Checkpoint]:
        """`history` with empty states: for lists, which need not read them."""
        ...

    def threads(self) -> Sequence[str]:
        """Threads that hold checkpoints, in the order in which they began."""
        ...

    def release(self, thread: str) -> Tag:
        """Take all checkpoints of the thread out."""
        ...


def missing(thread: str, checkpoint: CheckpointId) -> NotPossibleError:
    """The error for a checkpoint that is not there."""
    return NotPossibleError(
        f"thread {thread!r} has no checkpoint {checkpoint}",
        hint="the history lists those it has",
    )


class MemorySaver:
    """Keeps checkpoints as long as the process lives.

    Lists of unchangeable items that only grow share their storage, so that a conversation of n messages
    takes room for n of them, not for its square.
    """

    def __init__(self) -> None:
        self._lock = RLock()
        self._threads: dict[str, list[Checkpoint]] = {}  # newest last, states packed

    def put(self, thread: str, checkpoint: Checkpoint, retain: int | None = None) -> None:
        """Add a checkpoint as the newest."""
        with self._lock:
            rows = self._threads.setdefault(thread, [])
            rows.append(_packed(checkpoint, rows[-1].state if rows else {}))
            if retain is not None and retain > 0:
                del rows[:-retain]

    def replace(self, thread: str, old: CheckpointId, checkpoint: Checkpoint) -> None:
        """Put a checkpoint in the place of another."""
        with self._lock:
            rows = self._threads.get(thread, [])
            for index, row in enumerate(rows):
                if row.id == old:
                    rows[index] = _packed(checkpoint, {})
                    return
        raise missing(thread, old)

    def get(self, thread: str, checkpoint: CheckpointId | None = None) -> Checkpoint | None:
        """The checkpoint with that id, by default the newest."""
        with self._lock:
            rows = self._threads.get(thread, [])
            if checkpoint is None:
                return _unpacked(rows[-1]) if rows else None
            found = next((row for row in reversed(rows) if row.id == checkpoint), None)
            return None if found is None else _unpacked(found)

    def history(self, thread: str, limit: int | None = None) -> Sequence[Checkpoint]:
        """Checkpoints of the thread, newest first."""
        with self._lock:
            return [_unpacked(row) for row in self._newest_first(thread, limit)]

    def outline(self, thread: str, limit: int | None = None) -> Sequence[Checkpoint]:
        """`history` with empty states."""
        with self._lock:
            return [replace(row, state={}) for row in self._newest_first(thread, limit)]

    def _newest_first(self, thread: str, limit: int | None) -> list[Checkpoint]:
        rows = self._threads.get(thread, [])[::-1]
        return rows if limit is None else rows[:limit]

    def threads(self) -> Sequence[str]:
        """Threads that hold checkpoints."""
        with self._lock:
            return [thread for thread, rows in self._threads.items() if rows]

    def release(self, thread: str) -> Tag:
        """Take all checkpoints of the thread out."""
        with self._lock:
            rows = self._threads.pop(thread, [])
            return Tag(thread, tuple(_unpacked(row) for row in reversed(rows)))


@dataclass(slots=True)
class _Grown:
    """The first `count` items of a list that later checkpoints go on filling."""

    items: list[Any]
    count: int


def _packed(checkpoint: Checkpoint, before: Mapping[str, Any]) -> Checkpoint:
    state = {key: _pack(value, before.get(key)) for key, value in checkpoint.state.items()}
    return replace(checkpoint, state=state)


def _pack(value: Any, before: Any) -> Any:
    if type(value) is not list:
        return clone(value)
    if isinstance(before, _Grown) and before.count <= len(value):
        items, count = before.items, before.count
        added = value[count:]
        if all(map(is_, value, islice(items, count))) and all(map(is_shared, added)):
            items.extend(added)  # only the newest checkpoint is grown, and its list is the whole one
            return _Grown(items, len(items))
    if all(map(is_shared, value)):
        return _Grown(list(value), len(value))
    return clone(value)


def _unpacked(checkpoint: Checkpoint) -> Checkpoint:
    state = {
        key: value.items[: value.count] if isinstance(value, _Grown) else value
        for key, value in checkpoint.state.items()
    }
    return replace(checkpoint, state=state)


class VersionedMemorySaver(MemorySaver):
    """A memory saver that keeps each release under a version, counted from 1."""

    def __init__(self) -> None:
        super().__init__()
        self._versions: dict[str, dict[int, Tag]] = {}

    def release(self, thread: str) -> Tag:
        """Take all checkpoints out and keep them as the next version."""
        with self._lock:
            tag = super().release(thread)
            versions = self._versions.setdefault(thread, {})
            versions[max(versions, default=0) + 1] = tag
            return tag

    def versions(self, thread: str) -> Sequence[int]:
        """Versions that the thread was released under."""
        with self._lock:
            return sorted(self._versions.get(thread, {}))

    def version(self, thread: str, version: int) -> Tag | None:
        """What was released under that version, or None."""
        with self._lock:
            return self._versions.get(thread, {}).get(version)


def renumbered(checkpoint: Checkpoint, new_id: CheckpointId, **changes: Any) -> Checkpoint:
    """A copy under another id, whose parent is the original."""
    return replace(checkpoint, id=new_id, parent=checkpoint.id, **changes)
