"""Opening a recording: the trace that it holds, without any program; or what is left of it.

A file is data from anywhere: whatever is in it, reading ends, and nothing of it is executed.
"""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast
from urllib.parse import quote

from hookstepper.model.errors import HookstepperError, InvalidValueError, RecordingError
from hookstepper.model.events import Event, StateChanged
from hookstepper.model.ids import Json
from hookstepper.model.jsonform import from_json
from hookstepper.model.record import StepDone
from hookstepper.trace.packing import unpack, unsqueezed
from hookstepper.trace.recording import APPLICATION, TABLES, VERSION
from hookstepper.trace.trace import Trace
from hookstepper.values.delta import diff

_HEAD = b"SQLite format 3\0"
_DAMAGE = (sqlite3.Error, ValueError)
"""What SQLite raises on damaged files; its own error texts may hold bytes that are no text."""


_GONE = frozenset({"asked"})
"""Kinds of events that are no more; a stop says what they said."""


@dataclass(frozen=True, slots=True)
class Recording:
    """What a file holds."""

    path: Path
    trace: Trace
    events: tuple[Event, ...]
    about: dict[str, str]
    complete: bool
    """False if the writer never closed it, as after a crash: the record then ends with the last step."""
    trouble: tuple[str, ...] = ()
    """What could not be read, one line each."""


class TornRecording(RecordingError):  # noqa: N818 - it is a RecordingError and says what is torn
    """A recording with a hole or a torn end; `partial` is what could be read."""

    def __init__(self, message: str, partial: Recording, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.partial = partial


def open_recording(path: Path) -> Recording:
    """The recording in a file, whole.

    Raises:
        TornRecording: parts are missing or damaged; `partial` holds the rest.
        RecordingError: it is no recording, of a later version, or nothing in it can be read.
    """
    db = _connect(path)
    collecting = gc.isenabled()
    gc.disable()  # hundreds of thousands of new objects and no garbage: halves the time
    try:
        about = _about(db, path)
        reader = _Reader(db)
        trace, events = reader.read()
    finally:
        if collecting:
            gc.enable()
        db.close()
    complete = about.pop("closed", "") == "1"
    partial = Recording(path, trace, tuple(events), about, complete, tuple(reader.trouble))
    if not events:
        why = f": {reader.trouble[0]}" if reader.trouble else ""
        raise RecordingError(f"{path} holds no events{why}")
    if reader.trouble:
        raise TornRecording(
            f"{path} is damaged: {reader.trouble[0]}",
            partial,
            hint=f"{len(events)} events and {len(trace.steps)} steps can be read",
        )
    return partial


def _connect(path: Path) -> sqlite3.Connection:
    try:
        with path.open("rb") as file:
            head = file.read(len(_HEAD))
    except OSError as error:
        raise RecordingError(f"{path} cannot be read: {error.strerror or error}") from None
    if head != _HEAD:
        raise RecordingError(f"{path} is no recording", hint="recordings are made with --record FILE")
    trouble: Exception | None = None
    # the companion files of a crashed writer are taken in, which needs write access
    for mode in ("rw", "ro", "ro&immutable=1"):
        db: sqlite3.Connection | None = None
        try:
            address = f"file:{quote(str(path.resolve()))}?mode={mode}"
            db = sqlite3.connect(address, uri=True, isolation_level=None)
            db.execute("SELECT count(*) FROM sqlite_master").fetchone()
            return db
        except _DAMAGE as error:
            trouble = error
            if db is not None:
                db.close()
    raise RecordingError(f"{path} is damaged beyond reading: {trouble}")


def _about(db: sqlite3.Connection, path: Path) -> dict[str, str]:
    try:
        application = db.execute("PRAGMA application_id").fetchone()[0]
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if application != APPLICATION:
            raise RecordingError(f"{path} is an SQLite file of something else")
        # a view or a computed column could take for ever to read
        tables = {str(sql) for (sql,) in db.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")}
        if version == VERSION and tables != TABLES:
            raise RecordingError(f"{path} is an SQLite file of something else")
        if version > VERSION:
            raise RecordingError(
                f"{path} is of format version {version}, this hookstepper reads up to {VERSION}",
                hint="a newer hookstepper reads it",
            )
        return {str(key): str(value) for key, value in db.execute("SELECT key, value FROM meta")}
    except _DAMAGE as error:
        raise RecordingError(f"{path} is damaged beyond reading: {error}") from None


class _Reader:
    """Reads all that can be read of one open file."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._found: dict[bytes, Json] = {}
        self.trouble: list[str] = []

    def read(self) -> tuple[Trace, list[Event]]:
        trace = Trace()
        events: list[Event] = []
        keyframes = self._keyframes()
        for event in self._events():
            try:
                trace.add(event)
            except (TypeError, ValueError, LookupError, AttributeError, HookstepperError) as error:
                self.trouble.append(f"an event ({type(event).__name__}) makes no sense here: {error}")
                continue
            events.append(event)
            if isinstance(event, StepDone) and event.index in keyframes and event.scope is None:
                self._repair(trace, event, keyframes[event.index])
        self.trouble += [
            f"the change at {'.'.join(map(str, error.path))} does not fit" for error in trace.misfits
        ]
        return trace, events

    def _events(self) -> Iterator[Event]:
        expected = 0
        for seq, kind, body in self._rows("SELECT seq, kind, body FROM events WHERE seq >= ? ORDER BY seq"):
            if seq != expected:
                self.trouble.append(f"events {expected} to {seq - 1} are missing")
            expected = seq + 1
            if kind in _GONE:
                continue
            try:
                data = unpack(unsqueezed(body), self._blob)
                yield cast(Event, from_json(Event, data))  # type: ignore[arg-type]
            except KeyError:
                self.trouble.append(f"event {seq} ({kind}) refers to something that is missing")
            except (ValueError, TypeError, AttributeError, RecursionError, HookstepperError) as error:
                self.trouble.append(f"event {seq} ({kind}) cannot be read: {error}")

    def _rows(self, query: str) -> Iterator[tuple[int, str, bytes]]:
        """All rows that can be read; a damaged page ends the reading, since order is lost behind it."""
        try:
            yield from self._db.execute(query, (0,))
        except _DAMAGE as error:
            self.trouble.append(f"the file is torn: {error}")

    def _blob(self, name: bytes) -> Json:
        found = self._found.get(name)
        if found is None:
            try:
                row = self._db.execute("SELECT body FROM blobs WHERE hash = ?", (name,)).fetchone()
            except _DAMAGE as error:
                raise ValueError(str(error)) from None
            if row is None:
                raise KeyError(name)
            found = self._found[name] = unsqueezed(row[0])
        return found

    def _keyframes(self) -> dict[int, bytes]:
        try:
            return {int(step): body for step, body in self._db.execute("SELECT step, body FROM keyframes")}
        except (*_DAMAGE, TypeError):
            self.trouble.append("the keyframes cannot be read")
            return {}

    def _repair(self, trace: Trace, step: StepDone, body: bytes) -> None:
        """Where a hole has led the record astray, go on from the keyframe."""
        if not self.trouble and not trace.misfits:
            return
        try:
            state = unpack(unsqueezed(body), self._blob)
        except (KeyError, ValueError, sqlite3.Error, InvalidValueError):
            return
        change = diff(trace.state(trace.last), state)
        if change:
            trace.add(StateChanged(step.branch, change, None, "recording", (), trace.last))
