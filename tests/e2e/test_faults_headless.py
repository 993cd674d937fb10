"""Whatever a node does, the run has a stated outcome, the other end lives, and no process stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from support.cli import TARGETS, hookstepper, run
from support.processes import MARK, marked

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="counts processes in /proc")


@pytest.fixture(autouse=True)
def _no_process_stays(monkeypatch: pytest.MonkeyPatch) -> object:
    mark = uuid.uuid4().hex
    monkeypatch.setenv(MARK, mark)
    yield
    assert marked(mark) == []


def test_what_a_node_prints_is_talk_and_never_data() -> None:
    done = run("faults.py:prints")

    assert done.code == 0
    assert done.nodes == ["first", "second", "third"]
    for text in ("printed to stdout", "printed to stderr", "written to fd 1"):
        assert text in done.err
        assert text not in done.out


def test_a_node_has_no_terminal_to_write_to() -> None:
    done = run("faults.py:tty")

    assert done.code == 0
    assert done.end["state"]["second"].startswith("no terminal")
    assert "WRITTEN TO THE TERMINAL" not in done.out + done.err


def test_input_fails_with_a_sentence_instead_of_waiting_for_ever() -> None:
    done = run("faults.py:reads_input")

    assert done.code == 1
    assert done.nodes == ["first"]
    assert "EOFError" in done.err


def test_an_exception_keeps_the_state_of_the_step_before() -> None:
    done = run("faults.py:raises")

    assert done.code == 1
    assert done.end["status"] == "failed"
    assert done.end["state"]["first"] == "ran"
    assert "KeyError: 'city'" in done.err


def test_a_process_that_leaves_is_told_with_its_status_and_the_steps_are_kept() -> None:
    done = run("faults.py:exits")

    assert done.code == 1
    assert done.nodes == ["first"]
    assert "exit 7" in done.err
    assert done.end["state"]["first"] == "ran"


@pytest.mark.parametrize("target", ["sys_exits", "interrupts"])
def test_leaving_exceptions_are_a_failed_node(target: str) -> None:
    done = run(f"faults.py:{target}")

    assert done.code == 1
    assert done.end["status"] == "failed"


def test_values_that_cannot_be_told_do_not_spoil_their_neighbours() -> None:
    done = run("faults.py:unserialisable")

    assert done.code == 0
    assert done.end["state"]["text"] == "still here"
    assert done.end["state"]["lock"]["$"] == "repr"


def test_escape_sequences_and_markup_are_data() -> None:
    done = run("faults.py:hostile")
    plain = hookstepper("run", str(TARGETS / "faults.py:hostile"), "--headless", "--input", "hi")

    assert done.code == 0
    assert "[red]not red[/red]" in done.end["state"]["second"]
    assert plain.code == 0
    assert "\x1b" not in plain.out


def test_megabytes_and_deep_nests_are_cut_and_the_run_goes_on() -> None:
    for target in ("megabytes", "deep"):
        done = run(f"faults.py:{target}")

        assert done.code == 0, done.err
        assert done.nodes == ["first", "second", "third"]


def test_a_thread_that_is_left_running_does_not_keep_the_process() -> None:
    assert run("faults.py:threads").code == 0


COMPLETED = {
    "forks": "in the parent",
    "forks_and_leaves": 3,
    "forks_and_stays": "left a child",
    "starts_processes": 4,
    "pools": [[2, 4, 6], [2, 4, 6]],
    "prints_megabytes": "printed 10 megabytes",
    "ignores_signals": "ignores signals",
    "blocks_gil": 338_040,
    "clock_jumps": "lost in time",
    "raises_in_thread": "ran",
    "closes_streams": "closed",
}
"""Targets whose run completes as it would alone, with what their second node returns."""


@pytest.mark.parametrize("target", COMPLETED)
def test_what_a_program_may_do_it_may_do_here(target: str) -> None:
    done = run(f"faults.py:{target}")

    assert done.code == 0, done.err
    assert done.nodes == ["first", "second", "third"]
    assert done.end["state"]["second"] == COMPLETED[target]


def test_a_forked_child_says_nothing_in_the_name_of_the_run() -> None:
    done = run("faults.py:forks")

    assert done.err.count("said by the child") == 1
    assert [step["index"] for step in done.named("step")] == [0, 1, 2]


def test_all_that_is_printed_arrives() -> None:
    done = run("faults.py:prints_megabytes")

    # A line may be torn by what the other stream brings meanwhile, and is whole all the same.
    assert done.err.count("x") == 1_000 * 9_999


def test_values_that_raise_when_they_are_read_do_not_spoil_their_neighbours() -> None:
    done = run("faults.py:raising_values")

    assert done.code == 0, done.err
    assert done.end["state"]["text"] == "still here"
    assert done.end["state"]["recursing"]["$"] == "repr"


FAILED = {
    "out_of_memory": "MemoryError",
    "recurses": "RecursionError",
}


@pytest.mark.parametrize("target", FAILED)
def test_what_a_program_cannot_survive_is_a_failed_node(target: str) -> None:
    done = run(f"faults.py:{target}")

    assert done.code == 1
    assert done.end["status"] == "failed"
    assert done.end["state"]["first"] == "ran"
    assert FAILED[target] in done.err


@pytest.mark.parametrize(
    ("target", "how"), [("crashes", "signal 11"), ("closes_wire", "wire to the debugger")]
)
def test_a_process_that_is_no_more_is_told_and_the_steps_are_kept(target: str, how: str) -> None:
    done = run(f"faults.py:{target}")

    assert done.code == 1
    assert done.nodes == ["first"]
    assert "the agent process is gone" in done.err
    assert how in done.err


def test_no_way_leads_to_the_terminal() -> None:
    done = run("faults.py:writes_everywhere")

    assert done.code == 0, done.err
    assert "/dev/tty" not in done.end["state"]["second"]
    assert "WRITTEN TO THE TERMINAL" not in done.out + done.err


def test_an_exception_at_import_is_shown_with_the_users_own_lines() -> None:
    done = run("broken_import.py")

    assert done.code == 2
    assert "KeyError: 'model'" in done.err
    assert 'broken_import.py", line 8' in done.err
    assert "hookstepper/" not in done.err.replace(str(TARGETS), "")


def test_a_syntax_error_names_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("x = (1,\ny = 2\n", encoding="utf-8")

    done = hookstepper("run", "bad.py", "--headless", "--input", "hi", cwd=tmp_path)

    assert done.code == 2
    assert "bad.py" in done.err
    assert "SyntaxError" in done.err


def _started(target: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "hookstepper", "run", str(TARGETS / target), "--headless", "--input", "hi"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _read_until(stream: object, word: str) -> None:
    for line in stream:  # type: ignore[attr-defined]
        if word in line:
            return
    raise AssertionError(f"{word} never came")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize(
    ("target", "word"),
    [("loops", "looping"), ("handles_signals", "handlers are in place"), ("blocks_gil", "blocking")],
)
def test_a_signal_from_outside_ends_both_processes_whatever_the_program_does(
    target: str, word: str, number: signal.Signals
) -> None:
    process = _started(f"faults.py:{target}")
    _read_until(process.stderr, word)

    process.send_signal(number)
    process.communicate(timeout=30)

    assert process.returncode == 130


def test_a_signal_ends_both_processes_also_if_the_program_is_stopped() -> None:
    process = _started("faults.py:stops_itself")
    mark = os.environ[MARK]
    _wait_for(lambda: "T" in [state_of(pid) for pid in marked(mark)])

    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)

    assert process.returncode == 130


def test_a_program_that_is_stopped_from_outside_goes_on_when_it_is_continued() -> None:
    process = _started("faults.py:blocks_gil")
    _read_until(process.stderr, "blocking")
    (agent,) = set(marked(os.environ[MARK])) - {process.pid}

    os.kill(agent, signal.SIGSTOP)
    _wait_for(lambda: state_of(agent) == "T")
    os.kill(agent, signal.SIGCONT)
    process.communicate(timeout=60)

    assert process.returncode == 0


def state_of(pid: int) -> str:
    """`R`, `S`, `T` (stopped), `Z`; empty if it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def _wait_for(fact: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not fact():
        assert time.monotonic() < deadline


def test_the_agent_ends_when_the_command_is_killed() -> None:
    process = _started("faults.py:loops")
    _read_until(process.stderr, "looping")
    mark = os.environ[MARK]
    assert len(marked(mark)) == 2

    process.kill()
    process.communicate(timeout=30)

    _wait_until_gone(mark)


def _wait_until_gone(mark: str) -> None:
    for pid in marked(mark):
        # A pidfd becomes readable when its process ends.
        try:
            fd = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        import select

        select.select([fd], [], [], 30)
        os.close(fd)
