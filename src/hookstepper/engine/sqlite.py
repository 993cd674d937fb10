"""Keeps checkpoints in one SQLite file: safe against a killed process, for several threads and processes.

A checkpoint is one transaction, so that a process that dies leaves the one before or the new one, never a
part. A list that only grew is stored as what was added, so that a long conversation costs what it says and
not its square. Values are JSON text, never pickle.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import RLock

from hookstepper.engine.checkpoints import Checkpoint, Tag, missing
from hookstepper.engine.sqlite_rows import (
    APPLICATION,
    SCHEMA,
    VERSION,
    Stored,
    check_file,
    columns,
    encoded,
    insert,
    keep_newest,
    read,
    snapshot,
    sweep,
    transaction,
    write_parts,
)
from hookstepper.model.errors import InvalidValueError, NotPossibleError
from hookstepper.model.ids import CheckpointId

_REMEMBERED = 64
"""Threads whose last checkpoint is kept in mind, to write only what is new."""


class SqliteSaver:
    """A saver in a file. May be called from any thread; other processes may use the file meanwhile."""

    def __init__(self, path: str | Path, *, patience: float = 30.0) -> None:
        """Open the file, or make it.

        Args:
            patience: seconds to wait for another process that is writing.

        Raises:
            NotPossibleError: the file is no store of checkpoints, or of a later version, or cannot be made.
        """
        if not isinstance(path, (str, os.PathLike)):
            raise NotPossibleError(f"a store of checkpoints is a file, and {path!r:.60} names none")
        self.path = os.fspath(path)
        self._patience = patience
        self._lock = RLock()
        self._stored: dict[str, dict[str, Stored]] = {}
        self._process = os.getpid()
        self._abandoned: list[sqlite3.Connection] = []
        """Connections of the process that this one was forked from: they must not be closed here."""
        self._db = self._open()

    def _open(self) -> sqlite3.Connection:
        try:
            db = sqlite3.connect(
                self.path, timeout=self._patience, isolation_level=None, check_same_thread=False
            )
        except sqlite3.Error as error:
            raise NotPossibleError(
                f"{self.path} cannot be opened for checkpoints: {error}", hint="its folder must exist"
            ) from error
        try:
            check_file(self.path, db)
            db.execute("PRAGMA journal_mode = WAL")
            # NORMAL keeps every commit when the process dies; only a power cut may take the last ones.
            db.execute("PRAGMA synchronous = NORMAL")
            with transaction(db):
                for statement in SCHEMA.split(";"):
                    db.execute(statement)
                db.execute(f"PRAGMA application_id = {APPLICATION}")
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
            try:
                yield self._db
            except UnicodeEncodeError as error:
                half = error.object[error.start : error.end]
                raise InvalidValueError(
                    f"{error.object!r} cannot be saved", hint=f"{half!r} is half a character"
                ) from error

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
            plan = {key: encoded(key, value, before.get(key)) for key, value in checkpoint.state.items()}
            with transaction(db):
                seq = insert(db, thread, checkpoint)
                stored = write_parts(db, thread, seq, plan, before)
                if retain is not None and retain > 0:
                    keep_newest(db, thread, retain)
            self._remember(thread, stored)

    def _remember(self, thread: str, stored: dict[str, Stored]) -> None:
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
        plan = {key: encoded(key, value, None) for key, value in checkpoint.state.items()}
        with self._connection() as db, transaction(db):
            row = db.execute(
                "SELECT seq FROM checkpoint WHERE thread = ? AND id = ?", (thread, old)
            ).fetchone()
            if row is None:
                raise missing(thread, old)
            seq = int(row[0])
            db.execute("DELETE FROM part WHERE checkpoint = ?", (seq,))
            db.execute(
                "UPDATE checkpoint SET id = ?, node = ?, next = ?, parent = ?, step = ? WHERE seq = ?",
                (*columns(checkpoint), seq),
            )
            write_parts(db, thread, seq, plan, {})
            sweep(db, thread)
            self._stored.pop(thread, None)

    def release(self, thread: str) -> Tag:
        """Take all checkpoints of the thread out."""
        with self._connection() as db, transaction(db):
            rows = tuple(read(db, thread))
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
        with self._connection() as db, snapshot(db):
            return next(read(db, thread, checkpoint, 1), None)

    def history(self, thread: str, limit: int | None = None) -> Sequence[Checkpoint]:
        """Checkpoints of the thread, newest first."""
        with self._connection() as db, snapshot(db):
            return list(read(db, thread, None, limit))

    def outline(self, thread: str, limit: int | None = None) -> Sequence[Checkpoint]:
        """`history` with empty states."""
        with self._connection() as db:
            return list(read(db, thread, None, limit, states=False))

    def threads(self) -> Sequence[str]:
        """Threads that hold checkpoints, in the order in which they began."""
        with self._connection() as db:
            rows = db.execute("SELECT thread FROM checkpoint GROUP BY thread ORDER BY MIN(seq)")
            return [str(row[0]) for row in rows]
