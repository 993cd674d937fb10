"""First paint against a bare Textual app: time from the start of the process to its first frame, as a ratio.

    python bench/first_paint.py [--runs 9] [--size 120x40]

Both are started in a real pseudo-terminal of their own, by turns. The clock stops when the first word that
the app draws has come out of the terminal: hookstepper's name in its top line, and the one word of the bare
app. The least of the runs counts, since what other processes take away can only add to a run. Bytecode is
written first, as an installation does.
"""

from __future__ import annotations

import argparse
import compileall
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from pathlib import Path

BUDGET = 1.5
"""How many times the bare app's time the first frame may take."""
PATIENCE = 30.0
"""Seconds after which a start that has drawn nothing is given up."""
ROOT = Path(__file__).parents[1]

BARE = """
from textual.app import App
from textual.widgets import Static

class Bare(App):
    def compose(self):
        yield Static("bare-app-is-here")

Bare().run()
"""
STARTS: dict[str, tuple[list[str], bytes]] = {
    "bare": (["-c", BARE], b"bare-app-is-here"),
    "demo": (["-m", "hookstepper", "demo"], b"hookstepper"),
    "LangGraph": (["-m", "hookstepper", "run", "sample_agents/email_approval.py"], b"hookstepper"),
}


def first_paint(arguments: list[str], word: bytes, size: tuple[int, int]) -> float:
    """Seconds from the start of an interpreter in a new pseudo-terminal until it has drawn a word.

    Raises:
        SystemExit: it ended, or 30 s went by, and the word was not drawn.
    """
    environment = {
        key: value
        for key, value in os.environ.items()
        if key not in ("COLUMNS", "LINES", "PYTHONDONTWRITEBYTECODE", "NO_COLOR")
    }
    environment.update(TERM="xterm-256color", COLORTERM="truecolor")
    start = time.perf_counter()
    child, terminal = pty.fork()
    if child == 0:  # pragma: no cover — the process that is measured
        os.chdir(ROOT)
        os.execve(sys.executable, [sys.executable, *arguments], environment)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    try:
        return _wait(terminal, word, start + PATIENCE) - start
    finally:
        _end(child, terminal)


def _wait(terminal: int, word: bytes, until: float) -> float:
    drawn = b""
    while (left := until - time.perf_counter()) > 0:
        if select.select([terminal], [], [], left)[0]:
            try:
                drawn += os.read(terminal, 65536)
            except OSError:
                break
        if word in drawn:
            return time.perf_counter()
    raise SystemExit(f"nothing like {word.decode()} was drawn: {drawn[-300:]!r}")


def _end(child: int, terminal: int) -> None:
    os.kill(child, signal.SIGTERM)
    end = time.perf_counter() + 5.0
    while time.perf_counter() < end:
        # What is left in the terminal has to be read, or the app waits for ever to write its farewell.
        if select.select([terminal], [], [], 0.05)[0]:
            try:
                os.read(terminal, 65536)
            except OSError:
                break
    else:
        os.kill(child, signal.SIGKILL)
    os.close(terminal)
    os.waitpid(child, 0)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--size", default="120x40", metavar="COLUMNSxLINES")
    words = parser.parse_args()
    columns, _, lines = words.size.partition("x")
    size = int(columns), int(lines)
    compileall.compile_dir(ROOT / "src" / "hookstepper", quiet=2)
    taken: dict[str, list[float]] = {name: [] for name in STARTS}
    for _ in range(words.runs + 1):
        for name, (arguments, word) in STARTS.items():
            taken[name].append(first_paint(arguments, word, size))
    least = {name: min(runs[1:]) for name, runs in taken.items()}
    for name, seconds in least.items():
        ratio = "" if name == "bare" else f"   {seconds / least['bare']:.2f} of bare, at most {BUDGET}"
        print(f"{name:<10} {seconds * 1e3:7.0f} ms{ratio}")


if __name__ == "__main__":
    main()
