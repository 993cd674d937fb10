"""Checkpoints in memory that keep objects as they are, and tell what is written to whom it concerns.

LangGraph's own savers pass state through msgpack, which changes types (a tuple comes back as a list) and
refuses what it does not know; a graph that runs without a saver must run the same under the debugger.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from hookstepper.adapters.langgraph.kept import KeptFile

_CONTAINERS = (dict, list, set)
Read = Callable[[Any], Any]


class Listener(Protocol):
    """Told of every write, on the thread that makes it."""

    def saved(self, namespace: str, checkpoint: dict[str, Any], metadata: dict[str, Any]) -> None:
        """A checkpoint was saved."""
        ...

    def wrote(self, task: str, writes: Sequence[tuple[str, Any]], path: str) -> None:
        """A task's writes were saved."""
        ...


class Nobody:
    """Listens, and forgets."""

    def saved(self, namespace: str, checkpoint: dict[str, Any], metadata: dict[str, Any]) -> None:
        """Forget it."""

    def wrote(self, task: str, writes: Sequence[tuple[str, Any]], path: str) -> None:
        """Forget it."""


def snapshot(value: Any) -> Any:
    """A copy of the plain containers of `value`; what they hold is shared, and cycles stay cycles.

    Nodes that change lists and dicts of the state in place so do not change saved history; nodes that
    change objects inside them do, as copying those would cost more than the run itself.
    """
    kind = type(value)
    if kind not in _CONTAINERS:
        return value
    # One pass over the types is much cheaper than a call per message.
    if not any(type(item) in _CONTAINERS for item in (value.values() if kind is dict else value)):
        return value.copy()
    return _copied(value, {})


def _copied(value: Any, copies: dict[int, Any]) -> Any:
    kind = type(value)
    if kind not in _CONTAINERS:
        return value
    if id(value) in copies:
        return copies[id(value)]
    if kind is set:
        copies[id(value)] = found = set(value)
        return found
    copy: Any = {} if kind is dict else []
    copies[id(value)] = copy
    if kind is dict:
        copy.update((key, _copied(item, copies)) for key, item in value.items())
    else:
        copy.extend(_copied(item, copies) for item in value)
    return copy


class SnapshotSerde:
    """A serde for LangGraph's memory saver that keeps copies of containers instead of bytes."""

    def dumps_typed(self, obj: Any) -> tuple[str, Any]:
        """The object's snapshot; a checkpoint as it is, since LangGraph gives savers a copy of its own."""
        if type(obj) is dict and "versions_seen" in obj and "channel_versions" in obj:
            return ("snapshot", obj)
        return ("snapshot", snapshot(obj))

    def loads_typed(self, data: tuple[str, Any]) -> Any:
        """A snapshot of the snapshot, since the run that reads it may change it."""
        return snapshot(data[1])

    def dumps(self, obj: Any) -> Any:
        """The older name, used by LangGraph 1.0 for metadata."""
        return snapshot(obj)

    def loads(self, data: Any) -> Any:
        """The older name, used by LangGraph 1.0 for metadata."""
        return snapshot(data)


def recording_saver(
    listener: Listener, base: Any = None, read: Read | None = None, file: KeptFile | None = None
) -> Any:
    """A LangGraph memory saver that keeps types and tells `listener` what is written.

    Args:
        base: the graph's own saver; its threads can be read and gone on with, and are never written to.
        read: how to wait for an asynchronous read of `base` where no event loop runs; None reads it plainly.
        file: where checkpoints are kept beside; threads that it holds are gone on with.
    """
    from langgraph.checkpoint.memory import InMemorySaver

    known: set[str] = set()

    def fetch_kept(saver: Any, config: Any) -> None:
        """Copy a thread of the file into memory, whole, the first time that it is asked for."""
        thread = str(((config or {}).get("configurable") or {}).get("thread_id", ""))
        if file is None or thread in known:
            return
        known.add(thread)
        for kept in file.thread(thread):
            where = InMemorySaver.put(saver, kept.config, kept.checkpoint, kept.metadata, kept.new_versions)
            for (task, path), writes in kept.writes.items():
                InMemorySaver.put_writes(saver, where, writes, task, path)

    class RecordingSaver(InMemorySaver):  # type: ignore[misc]
        """Its asynchronous methods call the synchronous ones, as those of its base do."""

        hides_writes = False
        """True while `savings.written_anew` lasts."""

        def put(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
            saved = super().put(config, checkpoint, metadata, new_versions)
            if file is not None:
                file.put(config, checkpoint, metadata, new_versions)
            listener.saved(config["configurable"].get("checkpoint_ns", ""), checkpoint, metadata)
            return saved

        def put_writes(self, config: Any, writes: Any, task_id: str, task_path: str = "") -> None:
            super().put_writes(config, writes, task_id, task_path)
            if file is not None:
                file.put_writes(config, writes, task_id, task_path)
            listener.wrote(task_id, writes, task_path)

        def adopt(self, config: Any, checkpoint: Any, metadata: Any) -> None:
            """Save a checkpoint that was saved before, elsewhere; nobody is told."""
            versions = dict(checkpoint["channel_versions"])
            super().put(config, checkpoint, metadata, versions)
            if file is not None:
                file.put(config, checkpoint, metadata, versions)

        async def aput(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
            return self.put(config, checkpoint, metadata, new_versions)

        async def aput_writes(self, config: Any, writes: Any, task_id: str, task_path: str = "") -> None:
            self.put_writes(config, writes, task_id, task_path)

        def get_tuple(self, config: Any) -> Any:
            fetch_kept(self, config)
            found = super().get_tuple(config)
            return found._replace(pending_writes=[]) if found is not None and self.hides_writes else found

        async def aget_tuple(self, config: Any) -> Any:
            return self.get_tuple(config)

        def list(self, config: Any, **options: Any) -> Iterator[Any]:
            fetch_kept(self, config)
            yield from super().list(config, **options)

    if base is None:
        return RecordingSaver(serde=SnapshotSerde())

    class OverlaySaver(RecordingSaver):
        """Reads through to the graph's own saver; whatever is written stays in memory.

        What is gone on from is copied into memory first, whole, so that every later checkpoint finds the
        values that it shares with the one before.
        """

        def get_tuple(self, config: Any) -> Any:
            self._fetch(config, _plainly(base, read))
            return super().get_tuple(config)

        async def aget_tuple(self, config: Any) -> Any:
            if not self._has(config):
                self._keep(config, await base.aget_tuple(config))
            return super().get_tuple(config)

        def list(self, config: Any, **options: Any) -> Iterator[Any]:
            self._fetch(config, _plainly(base, read))
            yield from super().list(config, **options)

        def get_next_version(self, current: Any, channel: Any) -> Any:
            return base.get_next_version(current, channel)

        def _has(self, config: Any) -> bool:
            if config is None:
                return True
            return super().get_tuple(config) is not None

        def _fetch(self, config: Any, get: Read) -> None:
            if not self._has(config):
                self._keep(config, get(config))

        def _keep(self, _config: Any, found: Any) -> None:
            if found is None:
                return
            where = {**found.config["configurable"]}
            parent = (found.parent_config or {}).get("configurable", {}).get("checkpoint_id")
            where["checkpoint_id"] = parent
            versions = dict(found.checkpoint["channel_versions"])
            config = {"configurable": where}
            InMemorySaver.put(self, config, found.checkpoint, found.metadata, versions)
            if file is not None:
                file.put(config, found.checkpoint, found.metadata, versions)
            # All of a task at once: a saver numbers what it is given, and keeps the first of each number.
            by_task: dict[str, list[tuple[str, Any]]] = {}
            for task, channel, value in found.pending_writes or ():
                by_task.setdefault(task, []).append((channel, value))
            for task, writes in by_task.items():
                InMemorySaver.put_writes(self, found.config, writes, task)
                if file is not None:
                    file.put_writes(found.config, writes, task, "")

    return OverlaySaver(serde=SnapshotSerde())


def _plainly(base: Any, read: Read | None) -> Read:
    """How `base` is read where no event loop runs."""
    if read is None:
        return lambda config: base.get_tuple(config)
    return lambda config: read(base.aget_tuple(config))
