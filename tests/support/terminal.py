"""The real command on a real pseudo-terminal, seen through a terminal emulator."""

from __future__ import annotations

import os
import re
import shlex
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pexpect
import pyte

PATIENCE = 30.0
"""Seconds until a fact that a test waits for counts as missing."""
KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "tab": "\t",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "end": "\x1b[F",
    "home": "\x1b[H",
    "backspace": "\x7f",
    "ctrl+c": "\x03",
    "ctrl+q": "\x11",
    "ctrl+p": "\x10",
    "space": " ",
}


class Terminal:
    """A shell in a pseudo-terminal that runs one `hookstepper` command between two `stty -a`."""

    def __init__(
        self, folder: Path, *words: str, columns: int = 120, rows: int = 40, prefix: str = "", **env: str
    ) -> None:
        self.folder = folder
        self.columns, self.rows = columns, rows
        command = prefix or f"{shlex.quote(sys.executable)} -m hookstepper"
        line = f"{command} {shlex.join(words)}"
        script = f"stty -a >before; {line}; echo $? >code; stty -a >after; echo SHELL-IS-BACK"
        environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", **env}
        # The size is that of the pseudo-terminal; a test runner may have put its own into the environment.
        for name in ("NO_COLOR", "COLUMNS", "LINES"):
            environment.pop(name, None)
        self.child = pexpect.spawn(
            "/bin/sh", ["-c", script], cwd=str(folder), env=environment, dimensions=(rows, columns), timeout=5
        )
        self.raw = b""
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)

    # ------------------------------------------------------------------ seeing

    def read(self, seconds: float = 0.05) -> None:
        """Take in what the command has written."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                data = self.child.read_nonblocking(65536, timeout=max(0.0, deadline - time.monotonic()))
            except (pexpect.TIMEOUT, pexpect.EOF):
                return
            self.raw += data
            # pyte does not know these private sequences and would show their rest as text.
            self._stream.feed(re.sub(rb"\x1b\[[<>=][0-9;]*[a-zA-Z]|\x1bP[^\x1b]*\x1b\\", b"", data))
            if time.monotonic() >= deadline:
                return

    @property
    def lines(self) -> list[str]:
        """The screen as text, a wide character once."""
        return [line.rstrip() for line in self._screen.display]

    @property
    def text(self) -> str:
        """The whole screen."""
        return "\n".join(self.lines)

    @property
    def status(self) -> str:
        """The status line: the last line but one."""
        return self.lines[-2].strip()

    def wait(self, fact: Callable[[], bool], what: str) -> None:
        """Read until `fact` holds."""
        deadline = time.monotonic() + PATIENCE
        while not fact():
            if time.monotonic() > deadline or (not self.child.isalive() and not self._more()):
                raise AssertionError(f"not seen: {what}\n{self.text}")
            self.read()

    def _more(self) -> bool:
        before = len(self.raw)
        self.read()
        return len(self.raw) > before

    def see(self, *texts: str) -> None:
        """Wait until all these texts are on the screen at once."""
        self.wait(lambda: all(text in self.text for text in texts), " and ".join(map(repr, texts)))

    def see_status(self, text: str) -> None:
        """Wait until the status line holds the text."""
        self.wait(lambda: text in self.status, f"{text!r} in the status line")

    def miss(self, text: str) -> None:
        """Wait until the text is not on the screen."""
        self.wait(lambda: text not in self.text, f"no {text!r}")

    # ------------------------------------------------------------------ doing

    def press(self, *keys: str) -> None:
        """Send keys, by name or as they are."""
        for key in keys:
            self.child.send(KEYS.get(key, key))
            # A lone escape is told from the beginning of a sequence by the pause after it.
            self.read(0.2 if key == "escape" else 0.02)

    def step(self, before: str) -> None:
        """One node on: `n`, and wait for the stop before the next one."""
        self.press("n")
        self.see_status(f"STOPPED before {before}")

    def resize(self, columns: int, rows: int) -> None:
        """Another size of the terminal."""
        self.columns, self.rows = columns, rows
        self._screen.resize(rows, columns)
        self.child.setwinsize(rows, columns)

    def signal(self, number: signal.Signals, process: int) -> None:
        """Send a signal to a process of this test."""
        os.kill(process, number)

    # ------------------------------------------------------------------ the end

    def closed(self) -> int:
        """Wait for the command's end; its exit code. The terminal must be as it was before."""
        self.wait(lambda: b"SHELL-IS-BACK" in self.raw, "the end of the command")
        self.child.expect(pexpect.EOF, timeout=5)
        self.child.close()
        before = (self.folder / "before").read_text()
        after = (self.folder / "after").read_text()
        assert before == after, "stty -a differs"
        for mode in (b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1000l"):
            assert mode in self.raw, f"{mode!r} was not sent: screen, cursor or mouse are not given back"
        return int((self.folder / "code").read_text())

    def close(self) -> None:
        """End what is left of it, whatever state it is in."""
        if self.child.isalive():
            self.child.close(force=True)

    def wait_gone(self, living: Callable[[], list[int]]) -> None:
        """Wait until no process of the test lives; the kernel takes a moment to bury one."""
        deadline = time.monotonic() + 5
        while living():
            assert time.monotonic() < deadline, f"processes are left: {living()}"
            threading.Event().wait(0.02)
