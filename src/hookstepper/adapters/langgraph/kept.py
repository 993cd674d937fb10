"""Checkpoints of a debugged graph in one SQLite file of ours, so that a later process can go on from them.

The run itself lives from memory, where objects stay as they are; the file gets what LangGraph's own serde
makes of them, and is read once for each thread. So types that the serde changes are changed only after a
restart, and a value that it refuses is missing then, which is told when it is written.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import RLock
from typing import Any

from hookstepper.model.errors import SpecError

APPLICATION = 0x68534C47  # "hSLG"
VERSION = 1
LOST = "lost"
"""Type of a value that could not be written; its data is how it looked."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS checkpoint (
    seq INTEGER PRIMARY KEY, thread TEXT NOT NULL, space TEXT NOT NULL, id TEXT NOT NULL, parent TEXT,
    kind TEXT NOT NULL, data BLOB NOT NULL, meta_kind TEXT NOT NULL, meta BLOB NOT NULL,
    UNIQUE (thread, space, id));
CREATE TABLE IF NOT EXISTS channel (
    thread TEXT NOT NULL, space TEXT NOT NULL, name TEXT NOT NULL, version TEXT NOT NULL,
    kind TEXT NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (thread, space, name, version));
CREATE TABLE IF NOT EXISTS written (
    thread TEXT NOT NULL, space TEXT NOT NULL, checkpoint TEXT NOT NULL, task TEXT NOT NULL,
    place INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, data BLOB NOT NULL, path TEXT NOT NULL,
    PRIMARY KEY (thread, space, checkpoint, task, place));
"""

Config = Mapping[str, Any]
Tell = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Kept:
    """One checkpoint as it was kept."""

    config: dict[str, Any]
    """With the parent's id, as savers are given it."""
    checkpoint: dict[str, Any]
    metadata: Any
    new_versions: dict[str, Any]
    """Channels whose values this checkpoint is the first to hold."""
    writes: Mapping[tuple[str, str], list[tuple[str, Any]]]
    """By task and task path: channels and values that were written on top of it, in order."""


class KeptFile:
    """The file. May be called from any thread; a forked child leaves it alone."""

    def __init__(self, path: str, tell: Tell | None = None) -> None:
        """Open the file, or make it.

        Args:
            tell: how a person learns of what could not be written; by default on the error output.

        Raises:
            SpecError: it cannot be opened, or holds something else.
        """
        from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

        self.path = path
        self._tell: Tell = tell or (lambda text: sys.stderr.write(text))
        self._serde = JsonPlusSerializer()
        self._lock = RLock()
        self._process = os.getpid()
        self._told: set[str] = set()
        self._is_broken = False
        try:
            self._db = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
            _claim(self._db, path)
        except sqlite3.Error as error:
            raise SpecError(f"{path} cannot be opened for checkpoints: {error}") from None

    def close(self) -> None:
        """Let go of the file; may be called twice."""
        with self._lock:
            self._db.close()

    # -------------------------------------------------------------------------------- writing

    def put(
        self,
        config: Mapping[str, Any],
        checkpoint: Mapping[str, Any],
        metadata: Any,
        versions: Mapping[str, Any],
    ) -> None:
        """Keep a checkpoint with the channels that are new in it; it is in the file when this returns."""
        where = config["configurable"]
        thread, space = str(where["thread_id"]), str(where.get("checkpoint_ns", ""))
        values = checkpoint.get("channel_values", {})
        bare = {key: value for key, value in checkpoint.items() if key != "channel_values"}
        channels = [
            (thread, space, name, _version(version), *self._typed(name, values[name]))
            for name, version in versions.items()
            if name in values
        ]
        head = (thread, space, str(checkpoint["id"]), where.get("checkpoint_id"))
        row = (*head, *self._typed("checkpoint", bare), *self._typed("metadata", metadata))
        self._write(
            (
                "INSERT OR REPLACE INTO checkpoint (thread, space, id, parent, kind, data, meta_kind, meta)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [row],
            ),
            ("INSERT OR REPLACE INTO channel VALUES (?, ?, ?, ?, ?, ?)", channels),
        )

    def put_writes(self, config: Config, writes: Sequence[tuple[str, Any]], task: str, path: str) -> None:
        """Keep what a task wrote on top of a checkpoint."""
        from langgraph.checkpoint.base import WRITES_IDX_MAP

        where = config["configurable"]
        place = (str(where["thread_id"]), str(where.get("checkpoint_ns", "")), str(where["checkpoint_id"]))
        rows = [
            (*place, task, WRITES_IDX_MAP.get(name, number), name, *self._typed(name, value), path)
            for number, (name, value) in enumerate(writes)
        ]
        self._write(("INSERT OR REPLACE INTO written VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows))

    def _write(self, *statements: tuple[str, Sequence[tuple[Any, ...]]]) -> None:
        """One transaction; a file that takes no more is told once and then left alone: the run goes on."""
        with self._lock:
            if self._is_broken or self._process != os.getpid():
                return
            try:
                self._db.execute("BEGIN IMMEDIATE")
                for statement, rows in statements:
                    self._db.executemany(statement, rows)
                self._db.execute("COMMIT")
            except sqlite3.Error as error:
                self._is_broken = True
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                self._tell(f"hookstepper: {self.path} takes no more checkpoints: {error}\n")

    def _typed(self, name: str, value: Any) -> tuple[str, bytes]:
        try:
            kind, data = self._serde.dumps_typed(value)
        except Exception as error:  # a user's types may fail in any way
            if name not in self._told:
                self._told.add(name)
                self._tell(
                    f"hookstepper: {name} is not kept in {self.path}, and missing after a restart: {error}\n"
                )
            return LOST, _looks(value)
        return kind, bytes(data)

    # -------------------------------------------------------------------------------- reading

    def thread(self, thread: str) -> Iterator[Kept]:
        """All checkpoints of a thread, oldest first."""
        with self._lock:
            rows = self._db.execute(
                "SELECT space, id, parent, kind, data, meta_kind, meta FROM checkpoint"
                " WHERE thread = ? ORDER BY seq",
                (thread,),
            ).fetchall()
            channels = {
                (space, name, version): (kind, data)
                for space, name, version, kind, data in self._db.execute(
                    "SELECT space, name, version, kind, data FROM channel WHERE thread = ?", (thread,)
                )
            }
        for space, identity, parent, kind, data, meta_kind, meta in rows:
            checkpoint = self._serde.loads_typed((kind, data))
            news = {
                name: channels.pop((space, name, _version(version)))
                for name, version in checkpoint["channel_versions"].items()
                if (space, name, _version(version)) in channels
            }
            values = {name: self._serde.loads_typed(one) for name, one in news.items() if one[0] != LOST}
            where = {"thread_id": thread, "checkpoint_ns": space, "checkpoint_id": parent}
            yield Kept(
                {"configurable": where},
                {**checkpoint, "channel_values": values},
                self._serde.loads_typed((meta_kind, meta)),
                {name: checkpoint["channel_versions"][name] for name in news},
                self._writes(thread, space, identity),
            )

    def _writes(
        self, thread: str, space: str, checkpoint: str
    ) -> dict[tuple[str, str], list[tuple[str, Any]]]:
        with self._lock:
            rows = self._db.execute(
                "SELECT task, path, name, kind, data FROM written"
                " WHERE thread = ? AND space = ? AND checkpoint = ? ORDER BY task, place",
                (thread, space, checkpoint),
            ).fetchall()
        found: dict[tuple[str, str], list[tuple[str, Any]]] = {}
        for task, path, name, kind, data in rows:
            if kind != LOST:
                found.setdefault((task, path), []).append((name, self._serde.loads_typed((kind, data))))
        return found


def _claim(db: sqlite3.Connection, path: str) -> None:
    """Make the file ours if it is new.

    Raises:
        SpecError: it is another program's, or of a later version.
    """
    application = db.execute("PRAGMA application_id").fetchone()[0]
    version = db.execute("PRAGMA user_version").fetchone()[0]
    is_new = not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if not is_new and application != APPLICATION:
        raise SpecError(
            f"{path} holds no checkpoints of a LangGraph graph under debug",
            hint="give a new file; a database of the program itself is read by its own checkpointer",
        )
    if version > VERSION:
        raise SpecError(f"{path} was written by a later version of hookstepper")
    db.execute("PRAGMA journal_mode = WAL")
    # NORMAL keeps every commit when the process dies; only a power cut may take the last ones.
    db.execute("PRAGMA synchronous = NORMAL")
    for statement in _SCHEMA.split(";"):
        db.execute(statement)
    db.execute(f"PRAGMA application_id = {APPLICATION}")
    db.execute(f"PRAGMA user_version = {VERSION}")


def _version(version: Any) -> str:
    """A channel version, which savers may number or name, as text that tells them apart."""
    return f"{type(version).__name__}:{version}"


def _looks(value: Any) -> bytes:
    try:
        return repr(value)[:1_000].encode("utf-8", "replace")
    except Exception:
        return type(value).__name__.encode()
