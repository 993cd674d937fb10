"""Checkpoints and where they are kept: the saver port, and the saver in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from threading import RLock
from typing import Any, Protocol

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
    """Belongs to the saver; never changed after it was handed over."""
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

    keeps_objects: bool
    """True if states are kept as live objects: the engine then hands over a copy."""

    def put(self, thread: str, checkpoint: Checkpoint, retain: int | None = None) -> None:
        """Add a checkpoint as the newest; if `retain` is above 0, keep only that many."""
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
    """Keeps checkpoints as long as the process lives."""

    keeps_objects = True

    def __init__(self) -> None:
        self._lock = RLock()
        self._threads: dict[str, list[Checkpoint]] = {}  # newest last

    def put(self, thread: str, checkpoint: Checkpoint, retain: int | None = None) -> None:
        """Add a checkpoint as the newest."""
        with self._lock:
            rows = self._threads.setdefault(thread, [])
            rows.append(checkpoint)
            if retain is not None and retain > 0:
                del rows[:-retain]

    def replace(self, thread: str, old: CheckpointId, checkpoint: Checkpoint) -> None:
        """Put a checkpoint in the place of another."""
        with self._lock:
            rows = self._threads.get(thread, [])
            for index, row in enumerate(rows):
                if row.id == old:
                    rows[index] = checkpoint
                    return
        raise missing(thread, old)

    def get(self, thread: str, checkpoint: CheckpointId | None = None) -> Checkpoint | None:
        """The checkpoint with that id, by default the newest."""
        with self._lock:
            rows = self._threads.get(thread, [])
            if checkpoint is None:
                return rows[-1] if rows else None
            return next((row for row in reversed(rows) if row.id == checkpoint), None)

    def history(self, thread: str, limit: int | None = None) -> Sequence[Checkpoint]:
        """Checkpoints of the thread, newest first."""
        with self._lock:
            rows = self._threads.get(thread, [])[::-1]
        return rows if limit is None else rows[:limit]

    def threads(self) -> Sequence[str]:
        """Threads that hold checkpoints."""
        with self._lock:
            return [thread for thread, rows in self._threads.items() if rows]

    def release(self, thread: str) -> Tag:
        """Take all checkpoints of the thread out."""
        with self._lock:
            return Tag(thread, tuple(reversed(self._threads.pop(thread, []))))


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
