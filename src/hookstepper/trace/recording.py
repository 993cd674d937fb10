"""Recordings: one SQLite file that holds events, deltas and now and then a whole state.

Written step by step, so that a crash loses no finished step. Secrets are taken out before anything is
written. Nothing in a file is ever executed: it holds JSON only.

| table | columns | |
|---|---|---|
| `meta` | `key`, `value` | format, version, what wrote it, `closed` at the end |
| `events` | `seq`, `kind`, `step`, `body` | compressed JSON of `hookstepper.model.events` |
| `keyframes` | `step`, `body` | the root state after every 250th step: repairs a record with a hole |
| `blobs` | `hash`, `body` | messages and long texts, each once |
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from hookstepper.model.errors import InvalidValueError, RecordingError
from hookstepper.model.events import (
    CallStarted,
    Dropped,
    Event,
    HostGone,
    NodeEntered,
    RunEnded,
    RunStarted,
    StateChanged,
    Stopped,
    TargetLoaded,
    Token,
)
from hookstepper.model.ids import Json, TaskId
from hookstepper.model.jsonform import to_json
from hookstepper.model.record import StepDone
from hookstepper.trace.history import KEYFRAME_EVERY
from hookstepper.trace.packing import pack, squeezed
from hookstepper.values.delta import apply
from hookstepper.values.redact import Redactor

APPLICATION = 0x686B7374
"""SQLite application id of a recording, `hkst`."""
VERSION = 1
SUFFIX = ".hookstep"

TABLES: frozenset[str] = frozenset(
    {
        "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
        "CREATE TABLE events (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, step INTEGER, body BLOB NOT NULL)",
        "CREATE TABLE keyframes (step INTEGER PRIMARY KEY, body BLOB NOT NULL)",
        "CREATE TABLE blobs (hash BLOB PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID",
    }
)
"""The whole schema; a file with any other is not read."""
_LEFT_OUT = (Token, CallStarted, Dropped)
"""Events that are about the moment only."""
_SETTLING = (StepDone, Stopped, RunEnded, RunStarted, StateChanged, TargetLoaded, HostGone)
"""Events after which everything so far is committed to the file."""


class RecordingWriter:
    """Writes one recording; used from one thread. After an error it is closed and takes nothing more."""

    def __init__(
        self,
        path: Path,
        about: Mapping[str, str] | None = None,
        *,
        redactor: Redactor | None = None,
        overwrite: bool = False,
    ) -> None:
        """Create the file, readable by its owner only.

        Args:
            about: what is worth knowing of the run, such as target, versions and the time of day.
            redactor: takes secrets out; by default the one with the standard patterns.
            overwrite: replace a file of that name.

        Raises:
            RecordingError: the file is there already, or cannot be written.
        """
        self.path = path
        self._redactor = redactor or Redactor()
        self._seq = 0
        self._states: dict[str, Json] = {}
        self._entered: dict[TaskId, NodeEntered] = {}
        self._known: set[bytes] = set()
        self._db: sqlite3.Connection | None = None
        try:
            if overwrite:
                path.unlink(missing_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._db.execute(f"PRAGMA application_id = {APPLICATION}")
            self._db.execute(f"PRAGMA user_version = {VERSION}")
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            for table in sorted(TABLES):
                self._db.execute(table)
            rows = [("format", "hookstepper"), *(about or {}).items()]
            self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)
        except FileExistsError:
            raise RecordingError(f"{path} is there already", hint="choose another name") from None
        except (OSError, sqlite3.Error) as error:
            self._give_up()
            raise RecordingError(f"{path} cannot be written: {error}") from None

    @property
    def is_open(self) -> bool:
        """True as long as events are taken."""
        return self._db is not None

    def add(self, event: Event) -> None:
        """Write one event; does nothing once the file is closed.

        Raises:
            RecordingError: it could not be written, as on a full disk. What was written before is kept, and
                the file is closed.
        """
        if self._db is None or isinstance(event, _LEFT_OUT):
            return
        if isinstance(event, NodeEntered):
            self._entered[event.task] = event
            return
        if isinstance(event, StepDone):
            self._entered.pop(event.task, None)
        try:
            if isinstance(event, _SETTLING) and not isinstance(event, StepDone):
                self._write_entered(self._db)
            self._write(self._db, event)
        except sqlite3.Error as error:
            self._give_up()
            raise RecordingError(
                f"{self.path}: recording stopped, {error}",
                hint=f"{self._seq} events are kept",
            ) from None

    def close(self) -> None:
        """Finish the file: one file without companions. May be called twice.

        Raises:
            RecordingError: the end could not be written.
        """
        if self._db is None:
            return
        try:
            self._write_entered(self._db)
            self._settle(self._db)
            self._db.execute("INSERT OR REPLACE INTO meta VALUES ('closed', '1')")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._db.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.Error as error:
            raise RecordingError(f"{self.path}: {error}") from None
        finally:
            self._give_up()

    def __enter__(self) -> RecordingWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --------------------------------------------------------------------------------------- writing

    def _write(self, db: sqlite3.Connection, event: Event) -> None:
        event = self._redacted(event)
        data: Any = to_json(event)
        delta = data.pop("delta", None)
        data = self._redactor.redact(data)
        if delta is not None:
            data["delta"] = delta
        if not db.in_transaction:
            db.execute("BEGIN")
        step = event.index if isinstance(event, StepDone) else None
        body = squeezed(pack(data, self._keep))
        db.execute("INSERT INTO events VALUES (?, ?, ?, ?)", (self._seq, data["t"], step, body))
        self._seq += 1
        self._follow(db, event)
        if isinstance(event, _SETTLING):
            self._settle(db)

    def _write_entered(self, db: sqlite3.Connection) -> None:
        """A node that was entered and is not done when the run stops; else its step says it all."""
        for event in self._entered.values():
            self._write(db, event)
        self._entered.clear()

    def _redacted(self, event: Event) -> Event:
        if isinstance(event, (StepDone, StateChanged)):
            return replace(event, delta=self._redactor.redact_delta(event.delta))
        if isinstance(event, RunStarted):
            return replace(event, state=self._redactor.redact(event.state))
        return event

    def _follow(self, db: sqlite3.Connection, event: Event) -> None:
        """Keep the root state of each branch, for keyframes."""
        if isinstance(event, RunStarted):
            self._states[event.branch] = event.state
        elif isinstance(event, (StepDone, StateChanged)) and event.delta:
            self._apply(event)
        if isinstance(event, StepDone) and event.index % KEYFRAME_EVERY == KEYFRAME_EVERY - 1:
            state = self._states.get(event.branch)
            if state is None:
                return
            body = squeezed(pack(state, self._keep))
            db.execute("INSERT OR REPLACE INTO keyframes VALUES (?, ?)", (event.index, body))

    def _apply(self, event: StepDone | StateChanged) -> None:
        if event.scope is not None:
            return
        state = self._states.pop(event.branch, None)
        if state is not None:
            with contextlib.suppress(InvalidValueError):  # a hole: no keyframes until the next run begins
                self._states[event.branch] = apply(event.delta, state)

    def _keep(self, name: bytes, body: bytes) -> None:
        if self._db is not None and name not in self._known:
            self._known.add(name)
            self._db.execute("INSERT OR IGNORE INTO blobs VALUES (?, ?)", (name, body))

    @staticmethod
    def _settle(db: sqlite3.Connection) -> None:
        if db.in_transaction:
            db.execute("COMMIT")

    def _give_up(self) -> None:
        if self._db is not None:
            with contextlib.suppress(sqlite3.Error):
                self._db.close()
            self._db = None


def record(path: Path, events: Iterable[Event], about: Mapping[str, str] | None = None) -> None:
    """Write a whole recording at once.

    Raises:
        RecordingError: it could not be written.
    """
    with RecordingWriter(path, about) as writer:
        for event in events:
            writer.add(event)
