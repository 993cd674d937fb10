"""The rows of a checkpoint file: how states become values that are shared, and states again."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import is_
from typing import Any

from hookstepper.engine.checkpoints import Checkpoint
from hookstepper.engine.clone import is_shared
from hookstepper.engine.codecs import from_text, to_text
from hookstepper.model.errors import InvalidValueError, NotPossibleError
from hookstepper.model.ids import CheckpointId, NodeId

VERSION = 1
APPLICATION = 0x68535443  # "hSTC"
_LONGEST_CHAIN = 64
"""Pieces that one list may be read together from; then it is stored whole again."""


SCHEMA = """
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
class Stored:
    """What the newest checkpoint of a thread holds under one key, as this process wrote it."""

    value: int
    """Row of table `value`."""
    chain: int
    text: str | None = None
    """The text of the whole value; None for lists."""
    items: list[Any] | None = None
    texts: list[str] | None = None
    is_fixed: bool = False
    """True if no item can change, so that the same items have the same texts."""


# ---------------------------------------------------------------------------------------- transactions


@contextlib.contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """All of what is done inside is written, or nothing."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


@contextlib.contextmanager
def snapshot(db: sqlite3.Connection) -> Iterator[None]:
    """Reads that all see one moment of the file."""
    db.execute("BEGIN")
    try:
        yield
    finally:
        db.execute("COMMIT")


def check_file(path: str, db: sqlite3.Connection) -> None:
    """Raise `NotPossibleError` unless the file is empty or one of ours."""
    application = db.execute("PRAGMA application_id").fetchone()[0]
    version = db.execute("PRAGMA user_version").fetchone()[0]
    known = application == APPLICATION
    foreign = db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0] and not known
    if foreign or (application and not known):
        raise NotPossibleError(f"{path} is another program's database", hint="name a new file")
    if version > VERSION:
        raise NotPossibleError(f"{path} was written by a later version", hint="update hookstepper")


# --------------------------------------------------------------------------------------------- writing


def insert(db: sqlite3.Connection, thread: str, checkpoint: Checkpoint) -> int:
    """Add the row of a checkpoint; its sequence number."""
    cursor = db.execute(
        "INSERT INTO checkpoint (id, node, next, parent, step, thread) VALUES (?, ?, ?, ?, ?, ?)",
        (*columns(checkpoint), thread),
    )
    return int(cursor.lastrowid or 0)


def columns(checkpoint: Checkpoint) -> tuple[Any, ...]:
    """What the row of a checkpoint holds beside thread and number."""
    return (
        checkpoint.id,
        checkpoint.node_id,
        checkpoint.next_node_id,
        checkpoint.parent,
        checkpoint.step,
    )


def encoded(key: str, value: Any, before: Stored | None) -> Stored:
    """The value as text, with what was written last time reused where it is known not to have changed."""
    if not isinstance(key, str):
        raise InvalidValueError(f"the state key {key!r} is a {type(key).__name__}; only texts can be saved")
    if type(value) is not list:
        return Stored(0, 0, text=to_text(value, (key,)))
    texts = _known_texts(value, before)
    known = len(texts)
    added = value[known:]
    texts += [to_text(item, (key, known + place)) for place, item in enumerate(added)]
    return Stored(0, 0, items=list(value), texts=texts, is_fixed=all(map(is_shared, added)))


def _known_texts(value: list[Any], before: Stored | None) -> list[str]:
    """Texts of the items that the list begins with as it did last time; all of them or none.

    Long conversations come here at every step, so there is no loop of Python over the items.
    """
    if before is None or not before.is_fixed or before.items is None or before.texts is None:
        return []
    if len(before.items) > len(value) or not all(map(is_, value, before.items)):
        return []
    return list(before.texts)


def write_parts(
    db: sqlite3.Connection,
    thread: str,
    seq: int,
    plan: Mapping[str, Stored],
    before: Mapping[str, Stored],
) -> dict[str, Stored]:
    """Write the values of a state and what its keys point to; what was written, for the next time."""
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


def _write_value(db: sqlite3.Connection, thread: str, fresh: Stored, old: Stored | None) -> None:
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


def keep_newest(db: sqlite3.Connection, thread: str, count: int) -> None:
    """Delete all but the newest checkpoints of a thread, and what only they needed."""
    old = "SELECT seq FROM checkpoint WHERE thread = ? ORDER BY seq DESC LIMIT -1 OFFSET ?"
    db.execute(f"DELETE FROM part WHERE checkpoint IN ({old})", (thread, count))
    if db.execute(f"DELETE FROM checkpoint WHERE seq IN ({old})", (thread, count)).rowcount:
        sweep(db, thread)


def sweep(db: sqlite3.Connection, thread: str) -> None:
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


def read(
    db: sqlite3.Connection,
    thread: str,
    checkpoint: CheckpointId | None = None,
    limit: int | None = None,
    *,
    states: bool = True,
) -> Iterator[Checkpoint]:
    """Checkpoints of a thread, newest first; with empty states if `states` is False."""
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
