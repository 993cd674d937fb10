"""Recordings: what is read back is what was written, secrets apart; and no file can do harm."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import stat
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookstepper.model.errors import RecordingError
from hookstepper.model.events import Event, NodeEntered, Output, Token
from hookstepper.model.gates import Site
from hookstepper.model.ids import Json, NodeId, TaskId
from hookstepper.model.jsonform import to_json
from hookstepper.trace.compare import compare
from hookstepper.trace.history import KEYFRAME_EVERY
from hookstepper.trace.packing import pack, squeezed, unpack, unsqueezed
from hookstepper.trace.reading import TornRecording, open_recording
from hookstepper.trace.recording import RecordingWriter, record
from hookstepper.trace.trace import Trace
from hookstepper.values import same
from support.trace_events import Script, message, recorded


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "run.hookstep"


def equal(a: Trace, b: Trace) -> bool:
    """Both hold the same steps, states, marks and turns."""
    return (
        list(a.steps) == list(b.steps)
        and all(same(a.state(i), b.state(i)) for i in range(-1, a.last + 1))
        and all(a.marks(i) == b.marks(i) for i in range(-1, a.last + 2))
        and a.turns == b.turns
        and a.graph == b.graph
        and a.calls() == b.calls()
    )


def long_run(count: int) -> Script:
    script = Script().start({"messages": [], "n": 0})
    for i in range(count):
        script.step("model", {"n": i}, append=[message("user", f"text {i} " * 5, f"m{i}")])
    return script


def test_a_recording_with_an_event_that_is_no_more_is_read_whole(file: Path) -> None:
    """Questions once had an event of their own, beside the stop that tells them."""
    record(file, recorded())
    events = open_recording(file).events
    with sqlite3.connect(file) as db:
        (count,) = db.execute("SELECT count(*) FROM events").fetchone()
        body = squeezed(pack({"t": "asked", "asks": []}, lambda *_: None))
        db.execute("INSERT INTO events VALUES (?, 'asked', NULL, ?)", (count, body))
    db.close()

    assert open_recording(file).events == events


def test_the_demonstration_run_comes_back_whole(file: Path) -> None:
    events = recorded()
    record(file, events, {"target": "weather.py"})
    trace = Trace()
    for event in events:
        trace.add(event)

    back = open_recording(file)

    assert equal(trace, back.trace)
    assert back.complete
    assert back.about == {"format": "hookstepper", "target": "weather.py"}
    assert compare(trace, back.trace).equal


def test_branches_edits_and_runs_come_back(file: Path) -> None:
    script = long_run(5).edit({"n": 100}).step("tool", {"m": 1}).end()
    script.start(script.states[2], branch="b2", entry="from", from_step=2).step("tool", {"n": 7}).end()
    script.start({"n": 7, "messages": []}, run=2, branch="b2").step("model", {"n": 8})
    record(file, script.events)

    back = open_recording(file).trace

    assert equal(script.trace, back)
    assert [branch.id for branch in back.branches] == ["main", "b2"]


def test_the_file_is_one_file_readable_by_its_owner_only(file: Path) -> None:
    record(file, recorded())

    assert [path.name for path in file.parent.iterdir()] == [file.name]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_an_existing_file_is_not_overwritten_unless_asked(file: Path) -> None:
    file.write_text("precious")
    with pytest.raises(RecordingError, match="there already"):
        RecordingWriter(file)
    assert file.read_text() == "precious"

    RecordingWriter(file, overwrite=True).close()
    assert file.read_bytes().startswith(b"SQLite format 3")


def test_a_place_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="cannot be written"):
        RecordingWriter(tmp_path / "nowhere" / "run.hookstep")


def test_each_step_is_safe_once_it_is_added(file: Path, tmp_path: Path) -> None:
    """A crash is a copy of the files as they are, without any closing."""
    script = long_run(20)
    writer = RecordingWriter(file)
    for event in script.events:
        writer.add(event)
    crashed = tmp_path / "crashed"
    crashed.mkdir()
    for path in file.parent.glob("run.hookstep*"):
        shutil.copy(path, crashed / path.name)
    writer.close()

    back = open_recording(crashed / file.name)

    assert not back.complete
    assert equal(back.trace, script.trace)


def test_what_is_about_the_moment_only_is_left_out(file: Path) -> None:
    script = long_run(1)
    record(file, [*script.events, Token(TaskId("t"), "x"), Output("stdout", "printed")])

    assert [type(event).__name__ for event in open_recording(file).events] == [
        "TargetLoaded",
        "RunStarted",
        "StepDone",
        "Output",
    ]


def test_a_node_that_was_running_at_the_end_is_known(file: Path) -> None:
    script = long_run(2)
    site = Site("node", NodeId("tool"))
    script.send(NodeEntered(site, TaskId("t1"), 5)).step("model", task=TaskId("t1"))
    script.send(NodeEntered(site, TaskId("t9"), 5))
    record(file, script.events)

    assert list(open_recording(file).trace.live) == ["t9"]


def test_no_secret_reaches_the_file(file: Path) -> None:
    script = Script().start({"config": {"api_key": "s3cret-1"}, "messages": []})
    script.step("model", {"config": {"api_key": "s3cret-2", "n": 1}})
    calls: Json = [{"id": "c", "name": "f", "args": {"token": "s3cret-3"}}]
    script.step("tool", append=[message("assistant", "", "a", tool_calls=calls)])
    script.edit({"config": {"api_key": "s3cret-4", "n": 1}})
    record(file, script.events)

    back = open_recording(file)

    assert "s3cret" not in json.dumps([to_json(event) for event in back.events])  # type: ignore[arg-type]
    state: Any = back.trace.state(back.trace.last)
    assert state["config"] == {"api_key": {"$": "redacted"}, "n": 1}


def test_the_same_message_is_kept_once(file: Path) -> None:
    many = message("user", "x" * 300, "m")
    script = Script().start({"messages": [many]})
    for _ in range(50):
        script.step("model", {"messages": []}).step("model", {"messages": [many]})
    record(file, script.events)

    with sqlite3.connect(file) as db:
        assert db.execute("SELECT count(*) FROM blobs").fetchone() == (1,)
    assert equal(open_recording(file).trace, script.trace)


def test_a_full_disk_keeps_what_was_written_and_says_so(file: Path) -> None:
    script = long_run(200)
    writer = RecordingWriter(file)
    assert writer._db is not None
    writer._db.execute("PRAGMA max_page_count = 12")  # SQLite's own way to have no more room

    with pytest.raises(RecordingError, match="full"):
        for event in script.events:
            writer.add(event)

    assert not writer.is_open
    writer.add(script.events[-1])
    writer.close()
    kept = open_recording(file).trace
    assert 0 < kept.last < 200
    assert same(kept.state(kept.last), script.states[kept.last])


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "no recording"),
        (b"hello", "no recording"),
        (b"SQLite format 3\0", "damaged beyond reading"),
        (b"SQLite format 3\0" + b"\0" * 4096, "damaged beyond reading"),
    ],
)
def test_a_foreign_file_is_refused(file: Path, content: bytes, why: str) -> None:
    file.write_bytes(content)

    with pytest.raises(RecordingError, match=why):
        open_recording(file)


def test_a_missing_file_and_a_folder_are_refused(file: Path) -> None:
    with pytest.raises(RecordingError, match="cannot be read"):
        open_recording(file)
    with pytest.raises(RecordingError, match="cannot be read"):
        open_recording(file.parent)


def test_a_database_of_something_else_is_refused(file: Path) -> None:
    with sqlite3.connect(file) as db:
        db.execute("CREATE TABLE events (seq, kind, body)")

    with pytest.raises(RecordingError, match="something else"):
        open_recording(file)


@pytest.mark.parametrize(
    "table",
    [
        "CREATE VIEW events AS SELECT 0 AS seq, '' AS kind, 0 AS step, x'' AS body",
        "CREATE TABLE events (seq INTEGER PRIMARY KEY, kind TEXT, step INTEGER, body BLOB)",
        "CREATE TABLE events (seq INTEGER PRIMARY KEY, kind AS (hex(zeroblob(9))), step INTEGER, body BLOB)",
    ],
)
def test_tables_that_are_not_ours_are_not_read(file: Path, table: str) -> None:
    """A view may take for ever to read."""
    record(file, recorded())
    with sqlite3.connect(file) as db:
        db.execute("DROP TABLE events")
        db.execute(table)

    with pytest.raises(RecordingError, match="something else"):
        open_recording(file)


def test_a_small_event_that_unpacks_to_gigabytes_is_passed_over(file: Path) -> None:
    record(file, long_run(3).events)
    press = zlib.compressobj(9)
    bomb = b"".join(press.compress(b"[" * 1_000_000) for _ in range(100)) + press.flush()
    with sqlite3.connect(file) as db:
        db.execute("UPDATE events SET body = ? WHERE seq = 3", (bomb,))

    with pytest.raises(TornRecording, match="event 3"):
        open_recording(file)


def test_a_later_version_is_refused_with_both_versions(file: Path) -> None:
    record(file, recorded())
    with sqlite3.connect(file) as db:
        db.execute("PRAGMA user_version = 99")

    with pytest.raises(RecordingError, match=r"version 99.*up to 1"):
        open_recording(file)


def test_an_empty_recording_says_that_it_holds_nothing(file: Path) -> None:
    record(file, [])

    with pytest.raises(RecordingError, match="no events"):
        open_recording(file)


def damaged(file: Path, *statements: str) -> TornRecording:
    with sqlite3.connect(file) as db:
        for statement in statements:
            db.execute(statement)
    with pytest.raises(TornRecording) as caught:
        open_recording(file)
    return caught.value


def test_a_hole_is_told_and_the_rest_can_be_read(file: Path) -> None:
    script = long_run(10)
    record(file, script.events)

    error = damaged(file, "DELETE FROM events WHERE seq = 5")

    assert "events 5 to 5 are missing" in error.message
    assert "11 events and 9 steps" in error.hint
    assert error.partial.trace.last == 8


def test_behind_a_hole_the_next_keyframe_puts_the_record_right(file: Path) -> None:
    script = long_run(2 * KEYFRAME_EVERY)
    record(file, script.events)

    error = damaged(file, "DELETE FROM events WHERE step BETWEEN 100 AND 110")
    trace = error.partial.trace

    assert same(trace.state(trace.last), script.states[-1])


def test_a_message_that_is_missing_is_told(file: Path) -> None:
    record(file, long_run(10).events)

    error = damaged(file, "DELETE FROM blobs WHERE hash = (SELECT min(hash) FROM blobs)")

    assert "refers to something that is missing" in error.message


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\0\1\2",
        squeezed({"t": "step"}),
        squeezed({"t": "unheard of"}),
        squeezed(["no", "object"]),
        squeezed({"t": "step", "delta": 5}),
        squeezed({"$": "ref", "h": "zz"}),
        squeezed({"t": "runStarted", "run": "one"}),
        squeezed("text"),
    ],
)
def test_an_event_that_is_none_is_told_and_passed_over(file: Path, body: bytes) -> None:
    script = long_run(5)
    record(file, script.events)
    with sqlite3.connect(file) as db:
        db.execute("UPDATE events SET body = ? WHERE seq = 4", (body,))

    with pytest.raises(TornRecording) as caught:
        open_recording(file)

    assert "event 4" in caught.value.message
    assert caught.value.partial.trace.last == 3


def test_a_file_cut_off_anywhere_gives_an_error_or_what_is_left(file: Path, tmp_path: Path) -> None:
    record(file, long_run(100).events)
    whole = file.read_bytes()
    rng = random.Random(7)
    for _ in range(25 if not os.environ.get("HOOKSTEPPER_THOROUGH") else 600):
        torn = tmp_path / "torn.hookstep"
        torn.write_bytes(whole[: rng.randrange(len(whole))])
        read_or_refuse(torn)


def test_a_file_with_any_bytes_changed_gives_an_error_or_what_is_left(file: Path, tmp_path: Path) -> None:
    record(file, long_run(100).events)
    whole = file.read_bytes()
    rng = random.Random(8)
    for _ in range(25 if not os.environ.get("HOOKSTEPPER_THOROUGH") else 600):
        bad = bytearray(whole)
        for _ in range(rng.choice([1, 4, 400])):
            bad[rng.randrange(len(bad))] = rng.randrange(256)
        torn = tmp_path / "bad.hookstep"
        torn.write_bytes(bad)
        read_or_refuse(torn)


def read_or_refuse(file: Path) -> None:
    """Nothing but the errors of recordings may come out, whatever is in the file."""
    try:
        open_recording(file)
    except TornRecording as error:
        assert error.partial.events
        assert error.hint
    except RecordingError as error:
        assert error.message


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=5), inner, max_size=4)
        | st.fixed_dictionaries({"$": st.just("msg"), "content": inner})
        | st.fixed_dictionaries({"role": inner, "content": inner})
    ),
    max_leaves=15,
)


@settings(max_examples=200, deadline=None)
@given(json_values, st.sampled_from([0, 2_000]))
def test_what_is_packed_and_squeezed_comes_back(value: Json, long: int) -> None:
    kept: dict[bytes, bytes] = {}
    value = [value, "x" * long]

    packed = unsqueezed(squeezed(pack(value, kept.__setitem__)))

    assert same(unpack(packed, lambda name: unsqueezed(kept[name])), value)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_refused_or_read(data: bytes) -> None:
    try:
        unsqueezed(data)
    except ValueError as error:
        assert str(error)


def test_events_of_every_kind_come_back(file: Path) -> None:
    script = long_run(2).stop("breakpoint", node="tool", detail="1").ask("tool", ("c1", "pay", {"a": 1}))
    record(file, script.events)
    back: list[Event] = list(open_recording(file).events)

    assert back == script.events
