"""Watching the program's files: told once, when a change has come to rest."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hookstepper.client.file_watch import EVERY, FileWatch


class Clock:
    """Time that passes as fast as a test likes."""

    now = 100.0

    def look(self, watch: FileWatch) -> str | None:
        self.now += EVERY
        found = watch.changed(self.now)
        return found.name if found is not None else None


@pytest.fixture
def clock() -> Clock:
    return Clock()


def written(path: Path, text: str, stamp: int) -> Path:
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(stamp, stamp))
    return path


def test_a_change_is_told_once_when_it_has_come_to_rest(tmp_path: Path, clock: Clock) -> None:
    watch = FileWatch()
    watch.add([written(tmp_path / "a.py", "1", 1)])
    assert [clock.look(watch) for _ in range(3)] == [None] * 3

    written(tmp_path / "a.py", "2", 2)

    assert [clock.look(watch) for _ in range(4)] == [None, "a.py", None, None]


def test_a_file_that_is_still_written_is_waited_for(tmp_path: Path, clock: Clock) -> None:
    watch = FileWatch()
    watch.add([written(tmp_path / "a.py", "1", 1)])

    seen = []
    for stamp in (2, 3, 4):
        written(tmp_path / "a.py", "x" * stamp, stamp)
        seen.append(clock.look(watch))

    assert seen == [None, None, None]
    assert clock.look(watch) == "a.py"


def test_a_file_that_is_replaced_is_no_change_until_it_is_back(tmp_path: Path, clock: Clock) -> None:
    watch = FileWatch()
    watch.add([written(tmp_path / "a.py", "1", 1), tmp_path / "none.py"])
    (tmp_path / "a.py").unlink()
    assert [clock.look(watch) for _ in range(3)] == [None] * 3

    written(tmp_path / "a.py", "1", 1)
    assert [clock.look(watch) for _ in range(3)] == [None] * 3, "the same file as before"
    written(tmp_path / "a.py", "1", 7)

    assert [clock.look(watch) for _ in range(2)] == [None, "a.py"]


def test_it_looks_no_more_often_than_it_says(tmp_path: Path) -> None:
    watch = FileWatch()
    watch.add([written(tmp_path / "a.py", "1", 1)])
    watch.changed(0.0)
    written(tmp_path / "a.py", "2", 2)

    assert [watch.changed(0.01 * i) for i in range(int(100 * EVERY))] == [None] * int(100 * EVERY)
