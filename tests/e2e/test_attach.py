"""`hookstepper attach` and a program of one's own, as real commands; no process stays."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from e2e.conftest import Open
from support.cli import TARGETS, Done, hookstepper
from support.processes import MARK, marked

PATIENCE = 60.0


class Program:
    """A program that listens; its lines are facts to wait for."""

    def __init__(self, mark: str, *words: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(TARGETS / "listening_program.py"), *words],
            stdout=subprocess.PIPE,
            env={**os.environ, MARK: mark},
            text=True,
        )
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.rstrip("\n"))

    def says(self, word: str) -> str:
        """The next line with that word in it."""
        while word not in (line := self._lines.get(timeout=PATIENCE)):
            pass
        return line

    def goes_on(self) -> None:
        """Wait until runs end that began after now."""
        while not self._lines.empty():
            self._lines.get()
        for _ in range(3):
            self.says("run ")

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def end(self, number: int = signal.SIGTERM) -> None:
        self._process.send_signal(number)
        self._process.wait(30)


@pytest.fixture
def program(mark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Program]]:
    (tmp_path / "run").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    monkeypatch.setenv(MARK, mark)
    started: list[Program] = []

    def start(kind: str, *more: str) -> Program:
        made = Program(f"{mark}-program", kind, f"unix:{tmp_path}/x.sock", *more)
        started.append(made)
        return made

    yield start
    for each in started:
        each.end()
    assert not Path("/proc").is_dir() or marked(mark) + marked(f"{mark}-program") == []


def attach(tmp_path: Path, *words: str) -> Done:
    return hookstepper("attach", f"unix:{tmp_path}/x.sock", "--headless", "--json", *words)


def attaching(tmp_path: Path) -> list[str]:
    """A debugger that holds the run and waits for commands."""
    where = f"unix:{tmp_path}/x.sock"
    return [sys.executable, "-m", "hookstepper", "attach", where, "--headless", "--hold", "--script", "-"]


def wait_for_pause(client: subprocess.Popen[str]) -> None:
    assert client.stdout is not None
    for line in client.stdout:
        if '"reasons": ["pause"]' in line:
            return
    raise AssertionError("it was never held")


@pytest.mark.parametrize("kind", ["native", "langgraph", "async"])
def test_a_run_is_held_stepped_and_let_go_from_another_terminal(
    kind: str, program: Callable[..., Program], tmp_path: Path
) -> None:
    running = program(kind)
    running.says("run 2")
    script = tmp_path / "script"
    script.write_text("run.next\n", encoding="utf-8")

    done = attach(tmp_path, "--hold", "--script", str(script))

    assert done.code == 0, done.err
    assert done.named("stop")[0]["reasons"] == ["pause"]
    running.goes_on()


def test_without_a_script_what_happens_is_printed_to_the_runs_end(
    program: Callable[..., Program], tmp_path: Path
) -> None:
    running = program("langgraph")
    running.says("run 2")

    done = attach(tmp_path, "--hold")

    assert done.code == 0, done.err
    assert done.nodes[-2:] == ["first", "second"]
    assert done.end["state"] == {"a": 2, "b": 4}
    running.goes_on()


def test_wait_holds_the_first_run_until_somebody_comes(
    program: Callable[..., Program], tmp_path: Path
) -> None:
    running = program("native", "wait")
    while not (tmp_path / "x.sock.json").exists():
        assert running.is_alive
    script = tmp_path / "script"
    script.write_text(
        "expect node InstructionAgentHook.before\nrun.next\nexpect node model\n", encoding="utf-8"
    )
    done = attach(tmp_path, "--hold", "--script", str(script))

    assert done.code == 0, done.err
    assert done.named("stop")[0]["reasons"] == ["entry"]
    running.goes_on()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_debugger_that_is_killed_while_it_holds_a_run_lets_it_go(
    number: signal.Signals, program: Callable[..., Program], tmp_path: Path
) -> None:
    running = program("native")
    running.says("run 2")
    client = subprocess.Popen(attaching(tmp_path), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    wait_for_pause(client)

    client.send_signal(number)
    client.communicate(timeout=30)

    running.goes_on()
    assert attach(tmp_path, "--hold").code == 0


def test_a_program_that_ends_is_told(program: Callable[..., Program], tmp_path: Path) -> None:
    running = program("native")
    running.says("run 2")
    client = subprocess.Popen(
        attaching(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for_pause(client)

    running.end(signal.SIGKILL)
    out, _ = client.communicate(timeout=30)

    assert client.returncode == 1
    assert "gone" in out


def test_a_second_debugger_is_refused_in_words(
    program: Callable[..., Program], tmp_path: Path, terminal: Open
) -> None:
    running = program("native")
    running.says("run 2")
    screen = terminal("attach", f"unix:{tmp_path}/x.sock", "--hold")
    screen.see_status("STOPPED")

    done = attach(tmp_path)

    assert done.code == 2
    assert "another debugger is attached" in done.err
    screen.press("c")
    running.goes_on()
    screen.press("q")
    screen.wait(lambda: b"SHELL-IS-BACK" in screen.raw or "Enter ]" in screen.text, "q is answered")
    if b"SHELL-IS-BACK" not in screen.raw:
        screen.press("enter")
    assert screen.closed() == 0
    running.goes_on()


def test_the_one_program_that_listens_needs_no_name(program: Callable[..., Program], tmp_path: Path) -> None:
    del program  # its fixture sets the runtime folder and the mark
    code = (
        "import hookstepper, sys; from hookstepper.agent import ReactAgent, ScriptedModel\n"
        "print(hookstepper.listen(ReactAgent('bot', ScriptedModel(['x']))), flush=True); sys.stdin.read()"
    )
    waiting = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert waiting.stdout is not None
    endpoint = waiting.stdout.readline().strip()

    listed = hookstepper("attach", "--list")
    assert listed.out == f"{endpoint}  process {waiting.pid}  bot\n"
    script = tmp_path / "script"
    script.write_text("break.toggle model\n", encoding="utf-8")
    for words in ((), (str(waiting.pid),)):
        done = hookstepper("attach", *words, "--headless", "--script", str(script))
        assert done.code == 0, done.err
    waiting.communicate("", timeout=30)
    assert list((tmp_path / "run" / "hookstepper").iterdir()) == []


def test_nobody_there_is_told_in_words(program: Callable[..., Program], tmp_path: Path) -> None:
    del program
    done = attach(tmp_path)

    assert done.code == 2
    assert "hookstepper.listen(agent)" in hookstepper("attach", "--headless").err
    assert "token" in done.err
