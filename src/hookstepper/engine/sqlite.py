"""Keeps checkpoints in one SQLite file: safe against a killed process, for several threads and processes.

A checkpoint is one transaction, so that a process that dies leaves the one before or the new one, never a
part. A list that only grew is stored as what was added, so that a long conversation costs what it says and
not its square. Values are JSON text, never pickle.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import Any

from hookstepper.engine.checkpoints import Checkpoint, Tag, missing
from hookstepper.engine.clone import is_shared
from hookstepper.engine.codecs import from_text, to_text
from hookstepper.model.errors import InvalidValueError, NotPossibleError
from hookstepper.model.ids import CheckpointId, NodeId

VERSION = 1
_APPLICATION = 0x68535443  # "hSTC"
_LONGEST_CHAIN = 64
"""Pieces that one list may be read together from; then it is stored whole again."""

_REMEMBERED = 64
"""Threads whose last checkpoint is kept in mind, to write only what is new."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS checkpoint (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    thread TEXT NOT NULL, id TEXT NOT NULL, node TEXT NOT NULL, next TEXT NOT NULL,
    parent TEXT, step INTEGER NOT NULL,
    UNIQUE (thread, id));
CREATE INDEX IF NOT EXISTS by_thread ON checkpoint (thread, seq);
CREATE TABLE IF NOT EXISTS value (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    thread TEXT NOT NULL, base INTEGER, data TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS value_by_thread ON value (thread);
CREATE TABLE IF NOT EXISTS part (
    checkpoint INTEGER NOT NULL, place INTEGER NOT NULL, key TEXT NOT NULL, value INTEGER NOT NULL,
    PRIMARY KEY (checkpoint, place)) WITHOUT ROWID;
"""


@dataclass(slots=True)
class _Stored:
    """What the newest checkpoint of a thread holds under one key, as this process wrote it."""

    value: int
    """Row of table `value`."""
    chain: int
    text: str | None = None
    """The text of the whole value; None for lists."""
    items: list[Any] | None = None
    texts: list[str] | None = None


class SqliteSaver:
    """A saver in a file. May be called from any thread; other processes may use the file meanwhile."""

    def __init__(self, path: str | Path, *, patience: float = 30.0) -> None:
        """Open the file, or make it.

        Args:
            patience: seconds to wait for another process that is writing.

        Raises:
            NotPossibleError: the file is no store of checkpoints, or of a later version.
        """
        self.path = str(path)
        self._patience = patience
        self._lock = RLock()
        self._stored: dict[str, dict[str, _Stored]] = {}
        self._process = os.getpid()
        self._abandoned: list[sqlite3.Connection] = []
        """Connections of the process that this one was forked from: they must not be closed here."""
        self._db = self._open()

    def _open(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, timeout=self._patience, isolation_level=None, check_same_thread=False)
        try:
            _check_file(self.path, db)
            db.execute("PRAGMA journal_mode = WAL")
            # NORMAL keeps every commit when the process dies; only a power cut may take the last ones.
            db.execute("PRAGMA synchronous = NORMAL")
            with _transaction(db):
                for statement in _SCHEMA.split(";"):
                    db.execute(statement)
                db.execute(f"PRAGMA application_id = {_APPLICATION}")
                db.execute(f"PRAGMA user_version = {VERSION}")
        except sqlite3.DatabaseError as error:
            db.close()
            raise NotPossibleError(f"{self.path} cannot be opened for checkpoints: {error}") from error
        except NotPossibleError:
            db.close()
            raise
        return db

    @contextlib.contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            if self._process != os.getpid():  # a connection must not be used on both sides of a fork
                self._abandoned.append(self._db)
                self._process, self._stored, self._db = os.getpid(), {}, self._open()
            yield self._db

    def close(self) -> None:
        """Let go of the file; may be called twice."""
        with self._lock:
            self._db.close()

    # --------------------------------------------------------------------------------------- writing

    def put(self, thread: str, checkpoint: Checkpoint, retain: int | None = None) -> None:
        """Add a checkpoint as the newest; it is in the file when this returns.

        Raises:
            InvalidValueError: the state holds something that cannot be saved; nothing was written.
        """
        with self._connection() as db:
            before = self._stored.get(thread, {})
            plan = {key: _encoded(key, value, before.get(key)) for key, value in checkpoint.state.items()}
            with _transaction(db):
                seq = _insert(db, thread, checkpoint)
                stored = _write_parts(db, thread, seq, plan, before)
                if retain is not None and retain > 0:
                    _keep_newest(db, thread, retain)
            self._remember(thread, stored)

    def _remember(self, thread: str, stored: dict[str, _Stored]) -> None:
        self._stored.pop(thread, None)
        self._stored[thread] = stored
        while len(self._stored) > _REMEMBERED:
            self._stored.pop(next(iter(self._stored)))

    def replace(self, thread: str, old: CheckpointId, checkpoint: Checkpoint) -> None:
        """Put a checkpoint in the place of another.

        Raises:
            NotPossibleError: the thread has no checkpoint `old`.
            InvalidValueError: the state holds something that cannot be saved.
        """
        plan = {key: _encoded(key, value, None) for key, value in checkpoint.state.items()}
        with self._connection() as db, _transaction(db):
            row = db.execute(
                "SELECT seq FROM checkpoint WHERE thread = ? AND id = ?", (thread, old)
            ).fetchone()
            if row is None:
                raise missing(thread, old)
            seq = int(row[0])
            db.execute("DELETE FROM part WHERE checkpoint = ?", (seq,))
            db.execute(
                "UPDATE checkpoint SET id = ?, node = ?, next = ?, parent = ?, step = ? WHERE seq = ?",
                (*_columns(checkpoint), seq),
            )
            _write_parts(db, thread, seq, plan, {})
            _sweep(db, thread)
            self._stored.pop(thread, None)

    def release(self, thread: str) -> Tag:
        """Take all checkpoints of the thread out."""
        with self._connection() as db, _transaction(db):
            rows = tuple(_read(db, thread))
            db.execute(
                "DELETE FROM part WHERE checkpoint IN (SELECT seq FROM checkpoint WHERE thread = ?)",
                (thread,),
            )
            db.execute("DELETE FROM checkpoint WHERE thread = ?", (thread,))
            db.execute("DELETE FROM value WHERE thread = ?", (thread,))
            self._stored.pop(thread, None)
        return Tag(thread, rows)

    # --------------------------------------------------------------------------------------- reading

    def get(self, thread: str, checkpoint: CheckpointId | None = None) -> Checkpoint | None:
        """The checkpoint with that id, by default the newest.

        Raises:
            InvalidValueError: its state names a type that is not loaded.
        """
        with self._connection() as db, _snapshot(db):
            return next(_read(db, thread, checkpoint, 1), None)

    def history(self, thread: str, limit: int | None = None) -> Sequence[Checkpoint]:
        """Checkpoints of the thread, newest first."""
        with self._connection() as db, _snapshot(db):
            return list(_read(db, thread, None, limit))

    def outline(self, thread: str, limit: int | None = None) -> Sequence[Checkpoint]:
        """`history` with empty states."""
        with self._connection() as db:
            return list(_read(db, thread, None, limit, states=False))

    def threads(self) -> Sequence[str]:
        """Threads that hold checkpoints, in the order in which they began."""
        with self._connection() as db:
            rows = db.execute("SELECT thread FROM checkpoint GROUP BY thread ORDER BY MIN(seq)")
            return [str(row[0]) for row in rows]


# ---------------------------------------------------------------------------------------- transactions


@contextlib.contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


@contextlib.contextmanager
def _snapshot(db: sqlite3.Connection) -> Iterator[None]:
    """Reads that all see one moment of the file."""
    db.execute("BEGIN")
    try:
        yield
    finally:
        db.execute("COMMIT")


def _check_file(path: str, db: sqlite3.Connection) -> None:
    application = db.execute("PRAGMA application_id").fetchone()[0]
    version = db.execute("PRAGMA user_version").fetchone()[0]
    known = application == _APPLICATION
    foreign = db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0] and not known
    if foreign or (application and not known):
        raise NotPossibleError(f"{path} is another program's database", hint="name a new file")
    if version > VERSION:
        raise NotPossibleError(f"{path} was written by a later version", hint="update hookstepper")


# --------------------------------------------------------------------------------------------- writing


def _insert(db: sqlite3.Connection, thread: str, checkpoint: Checkpoint) -> int:
    cursor = db.execute(
        "INSERT INTO checkpoint (id, node, next, parent, step, thread) VALUES (?, ?, ?, ?, ?, ?)",
        (*_columns(checkpoint), thread),
    )
    return int(cursor.lastrowid or 0)


def _columns(checkpoint: Checkpoint) -> tuple[Any, ...]:
    return (
        checkpoint.id,
        checkpoint.node_id,
        checkpoint.next_node_id,
        checkpoint.parent,
        checkpoint.step,
    )


def _encoded(key: str, value: Any, before: _Stored | None) -> _Stored:
    """The value as text, with what was written last time reused where it is known not to have changed."""
    if not isinstance(key, str):
        raise InvalidValueError(f"the state key {key!r} is a {type(key).__name__}; only texts can be saved")
    if type(value) is not list:
        return _Stored(0, 0, text=to_text(value, (key,)))
    old_items = before.items if before is not None and before.items is not None else []
    old_texts = before.texts if before is not None and before.texts is not None else []
    texts = []
    for index, item in enumerate(value):
        same = index < len(old_items) and old_items[index] is item and is_shared(item)
        texts.append(old_texts[index] if same else to_text(item, (key, index)))
    return _Stored(0, 0, items=list(value), texts=texts)


def _write_parts(
    db: sqlite3.Connection,
    thread: str,
    seq: int,
    plan: Mapping[str, _Stored],
    before: Mapping[str, _Stored],
) -> dict[str, _Stored]:
    for place, (key, fresh) in enumerate(plan.items()):
        old = before.get(key)
        if old is not None and not _is_there(db, thread, old.value):
            old = None  # another process has cleared it away
        _write_value(db, thread, fresh, old)
        db.execute("INSERT INTO part VALUES (?, ?, ?, ?)", (seq, place, key, fresh.value))
    return dict(plan)


def _is_there(db: sqlite3.Connection, thread: str, value: int) -> bool:
    query = "SELECT 1 FROM value WHERE id = ? AND thread = ?"
    return db.execute(query, (value, thread)).fetchone() is not None


def _write_value(db: sqlite3.Connection, thread: str, fresh: _Stored, old: _Stored | None) -> None:
    if old is not None and old.text == fresh.text and old.texts == fresh.texts:
        fresh.value, fresh.chain = old.value, old.chain
        return
    base: int | None = None
    if fresh.texts is None:
        data = fresh.text or ""
    else:
        added = fresh.texts
        if old is not None and old.texts and old.chain < _LONGEST_CHAIN:
            count = len(old.texts)
            if fresh.texts[:count] == old.texts:
                base, added, fresh.chain = old.value, fresh.texts[count:], old.chain + 1
        data = f"[{','.join(added)}]"
    cursor = db.execute("INSERT INTO value (thread, base, data) VALUES (?, ?, ?)", (thread, base, data))
    fresh.value = int(cursor.lastrowid or 0)


def _keep_newest(db: sqlite3.Connection, thread: str, count: int) -> None:
    old = "SELECT seq FROM checkpoint WHERE thread = ? ORDER BY seq DESC LIMIT -1 OFFSET ?"
    db.execute(f"DELETE FROM part WHERE checkpoint IN ({old})", (thread, count))
    if db.execute(f"DELETE FROM checkpoint WHERE seq IN ({old})", (thread, count)).rowcount:
        _sweep(db, thread)


def _sweep(db: sqlite3.Connection, thread: str) -> None:
    """Delete values that no checkpoint needs any more."""
    db.execute(
        """
        WITH RECURSIVE live (id) AS (
            SELECT part.value FROM part JOIN checkpoint ON checkpoint.seq = part.checkpoint
            WHERE checkpoint.thread = ?1
            UNION
            SELECT value.base FROM value JOIN live ON value.id = live.id WHERE value.base IS NOT NULL)
        DELETE FROM value WHERE thread = ?1 AND id NOT IN (SELECT id FROM live)
        """,
        (thread,),
    )


# --------------------------------------------------------------------------------------------- reading


def _read(
    db: sqlite3.Connection,
    thread: str,
    checkpoint: CheckpointId | None = None,
    limit: int | None = None,
    *,
    states: bool = True,
) -> Iterator[Checkpoint]:
    query = "SELECT seq, id, node, next, parent, step FROM checkpoint WHERE thread = ?"
    args: list[Any] = [thread]
    if checkpoint is not None:
        query += " AND id = ?"
        args.append(checkpoint)
    query += " ORDER BY seq DESC LIMIT ?"
    args.append(-1 if limit is None else limit)
    for seq, row_id, node, due, parent, step in db.execute(query, args).fetchall():
        yield Checkpoint(
            CheckpointId(row_id),
            NodeId(node),
            NodeId(due),
            _state(db, seq) if states else {},
            None if parent is None else CheckpointId(parent),
            step,
        )


def _state(db: sqlite3.Connection, seq: int) -> dict[str, Any]:
    rows = db.execute("SELECT key, value FROM part WHERE checkpoint = ? ORDER BY place", (seq,)).fetchall()
    return {key: _value(db, value) for key, value in rows}


def _value(db: sqlite3.Connection, value: int) -> Any:
    pieces: list[Any] = []
    base: int | None = value
    while base is not None:
        data, base = db.execute("SELECT data, base FROM value WHERE id = ?", (base,)).fetchone()
        pieces.append(from_text(data))
    if len(pieces) == 1:
        return pieces[0]
    return [item for piece in reversed(pieces) for item in piece]
