"""A program ends under the debugger as it ends alone: what it registered for its end is done."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from support.cli import TARGETS, Done, hookstepper
from support.processes import MARK, marked

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="counts processes in /proc")


@pytest.fixture(autouse=True)
def _no_process_stays(monkeypatch: pytest.MonkeyPatch) -> object:
    mark = uuid.uuid4().hex
    monkeypatch.setenv(MARK, mark)
    yield
    assert marked(mark) == []


def ended(name: str, folder: Path) -> Done:
    target = str(TARGETS / f"endings.py:{name}")
    return hookstepper("run", target, "--headless", "--json", "--input", "hi", ENDING=str(folder))


def test_functions_of_atexit_run_buffers_are_written_and_temporary_folders_go(tmp_path: Path) -> None:
    done = ended("graph", tmp_path)

    assert done.code == 0, done.err
    assert {path.name for path in tmp_path.iterdir()} == {"buffered", "goodbye"}
    assert (tmp_path / "buffered").read_text() == "in the buffer"
    assert "goodbye" in done.err


def test_threads_that_a_program_waits_for_are_waited_for(tmp_path: Path) -> None:
    done = ended("with_a_thread", tmp_path)

    assert done.code == 0, done.err
    assert {path.name for path in tmp_path.iterdir()} == {"buffered", "goodbye", "thread"}


def test_a_thread_that_never_ends_does_not_keep_the_debugger(tmp_path: Path) -> None:
    """Alone the program would never end; here a person wants to leave."""
    assert ended("with_a_stuck_thread", tmp_path).code == 0
