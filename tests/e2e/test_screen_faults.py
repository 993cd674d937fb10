"""Whatever the program or our screen does: a stated outcome, a key still answered, nothing left behind."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path

import pytest

from e2e.conftest import Open
from support.cli import TARGETS
from support.processes import marked
from support.terminal import PATIENCE, Terminal

pytestmark = [
    pytest.mark.skipif(not Path("/proc").is_dir(), reason="counts processes in /proc"),
    pytest.mark.timeout(300),
]


def started(terminal: Open, target: str, **settings: object) -> Terminal:
    """A target of the faults, held before its first node."""
    screen = terminal("run", str(TARGETS / target), "--input", "hi", **settings)
    screen.see_status("READY")
    return screen


def hosts(mark: str) -> list[int]:
    """Ids of the agent processes of a test."""
    found = []
    for process in marked(mark):
        command = Path(f"/proc/{process}/cmdline").read_bytes()
        if b"boot" in command:
            found.append(process)
    return found


def leave(screen: Terminal, code: int = 0) -> None:
    """A key is still answered: q leaves, after a question if a run is alive."""
    screen.press("q")
    screen.wait(lambda: b"SHELL-IS-BACK" in screen.raw or "Enter ]" in screen.text, "q is answered")
    if b"SHELL-IS-BACK" not in screen.raw:
        screen.press("enter")
    assert screen.closed() == code


def test_killing_the_agent_process_keeps_the_record_and_r_starts_again(terminal: Open, mark: str):
    """Signal 9 ends the program, not the screen."""
    screen = started(terminal, "weather_like.py")
    screen.press("n")
    screen.see_status("STOPPED before")
    (process,) = hosts(mark)
    os.kill(process, signal.SIGKILL)
    screen.see_status("AGENT PROCESS GONE")
    assert "signal 9" in screen.status
    screen.press("1")
    screen.see("State")
    screen.press("R")
    screen.see_status("READY")
    leave(screen)


def test_what_a_node_prints_is_in_output_and_not_on_the_picture(terminal: Open):
    """print, stderr and a write to descriptor 1 land in the Output view."""
    screen = started(terminal, "faults.py:prints")
    screen.press("c")
    screen.see_status("ENDED")
    assert "printed to stdout" not in screen.text
    screen.press("o")
    screen.see("printed to stdout", "printed to stderr", "written to fd 1")
    leave(screen)


def test_a_node_cannot_write_to_the_terminal_device(terminal: Open):
    """The agent process has no terminal of its own: /dev/tty fails for it."""
    screen = started(terminal, "faults.py:tty")
    screen.press("c")
    screen.see_status("ENDED")
    assert b"WRITTEN TO THE TERMINAL" not in screen.raw
    leave(screen)


def test_input_in_a_node_fails_and_takes_no_key(terminal: Open):
    """The keyboard belongs to the debugger."""
    screen = started(terminal, "faults.py:reads_input")
    screen.press("c")
    screen.see_status("FAILED in second")
    assert "EOFError" in screen.status
    leave(screen)


def test_an_exception_at_import_shows_the_users_lines_and_r_tries_again(terminal: Open, tmp_path: Path):
    """A target that does not load says where; mended, R loads it."""
    target = tmp_path / "mine.py"
    target.write_text((TARGETS / "broken_import.py").read_text())
    screen = terminal("run", str(target), "--input", "hi")
    screen.see_status("NOT LOADED")
    screen.see("KeyError: 'model'", "mine.py:", "The target did not load")
    target.write_text((TARGETS / "weather_like.py").read_text())
    screen.press("R")
    screen.see_status("READY")
    leave(screen)


def test_an_endless_loop_is_shown_as_running_and_can_be_killed(terminal: Open, mark: str):
    """p cannot stop it, K can; the screen answers all the time."""
    screen = started(terminal, "faults.py:loops")
    screen.press("c")
    screen.see_status("RUNNING second")
    screen.press("p")
    screen.see_status("PAUSING")
    screen.press("?")
    screen.see("A key means the same in every pane")
    screen.press("escape")
    screen.miss("A key means the same in every pane")
    screen.press("K")
    screen.see("has not reached a safe point")
    screen.press("enter")
    screen.see_status("AGENT PROCESS GONE")
    assert "1 steps are kept" in screen.status
    leave(screen)


def test_os_exit_in_a_node_is_told_with_its_status(terminal: Open):
    """The steps before it are kept and can be looked at."""
    screen = started(terminal, "faults.py:exits")
    screen.press("c")
    screen.see_status("AGENT PROCESS GONE")
    assert "exit 7" in screen.status
    assert "1 steps are kept" in screen.status
    screen.press(",")
    screen.see("first")
    leave(screen)


def test_values_that_cannot_be_told_do_not_spoil_the_screen(terminal: Open):
    """A lock, an object whose repr raises and a cycle stand beside a text that is still there."""
    screen = started(terminal, "faults.py:unserialisable")
    screen.press("c")
    screen.see_status("ENDED")
    screen.press("1")
    screen.see("still here", "lock")
    leave(screen)


def test_escapes_and_markup_in_the_state_are_only_text(terminal: Open):
    """A state string can neither colour, title, ring nor turn the line around."""
    screen = started(terminal, "faults.py:hostile")
    screen.press("n", "n")
    screen.see_status("STOPPED before third")
    screen.see("[red]not red[/red]")
    for sequence in (b"\x1b]0;title", b"\xe2\x80\xae", b"\x07"):
        assert sequence not in without_pointer_shapes(screen.raw)
    leave(screen)


def without_pointer_shapes(data: bytes) -> bytes:
    """The output without the sequences by which Textual sets the mouse pointer; they end with a bell."""
    return re.sub(rb"\x1b\]22;[a-z-]+\x07", b"", data)


def test_ctrl_c_pauses_what_runs_and_asks_when_stopped(terminal: Open):
    """Twice in a row leaves."""
    screen = started(terminal, "weather_like.py")
    screen.press("n")
    screen.see_status("STOPPED before")
    screen.press("ctrl+c")
    screen.see("Quitting ends the agent process")
    screen.press("escape")
    screen.miss("Quitting ends the agent process")
    screen.press("ctrl+c")
    screen.see("Quitting ends the agent process")
    screen.press("ctrl+c")
    assert screen.closed() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_from_outside_ends_both_processes(terminal: Open, mark: str, number: signal.Signals):
    """The terminal is given back, the agent process ends."""
    screen = started(terminal, "weather_like.py")
    agents = hosts(mark)
    (mine,) = [p for p in marked(mark) if is_screen(p)]
    os.kill(mine, number)

    assert screen.closed() == 128 + number
    deadline = time.monotonic() + PATIENCE
    while set(agents) & set(marked(mark)):
        assert time.monotonic() < deadline


def is_screen(process: int) -> bool:
    """True for the process that owns the terminal."""
    words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
    return b"hookstepper" in words and b"run" in words and b"-c" not in words


BROKEN_SCREEN = """
import sys
from hookstepper.tui.rows import status_line
from hookstepper.tui import status_line as widget

def broken(view, now, cells):
    if view.trace.last >= 0:
        raise RuntimeError("our own fault")
    return status_line.status_row(view, now, cells)

widget.status_row = broken
from hookstepper.cli.main import entry
sys.exit(entry())
"""


def test_a_crash_of_our_own_screen_gives_the_terminal_back_and_ends_the_agent(terminal: Open, tmp_path: Path):
    """Our fault is told in words, with exit code 1, and no process stays."""
    script = tmp_path / "broken_screen.py"
    script.write_text(BROKEN_SCREEN)
    screen = started(terminal, "weather_like.py", prefix=f"{os.sys.executable} {script}")
    screen.press("n")

    assert screen.closed() == 1
    assert b"our own fault" in screen.raw
    assert b"locals" not in screen.raw
