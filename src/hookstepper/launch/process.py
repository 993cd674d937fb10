"""One agent process: started on a socket pair, its output drained, ended with everything it started."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from hookstepper.model.errors import WireError
from hookstepper.model.events import Output
from hookstepper.wire.connection import Connection, Message

BOOT = Path(__file__).resolve().parent.parent / "_boot" / "boot.py"
PIECE = 64 * 1024
"""Bytes of output that become one event at most."""


class AgentProcess:
    """A host in a process of its own. Messages and output arrive on threads of this class.

    Args:
        on_message: called with each message of the host, on the reader thread.
        on_output: called with what the program wrote, on a drain thread.
        on_end: called once, with what happened (`exit 0`, `signal 9`), when the process is gone and
            everything it wrote and said has been handed over.
    """

    def __init__(
        self,
        python: str,
        *,
        on_message: Callable[[Message], None],
        on_output: Callable[[Output], None],
        on_end: Callable[[str], None],
        environment: Mapping[str, str] | None = None,
        arguments: Sequence[str] = (),
    ) -> None:
        self._on_message = on_message
        self._on_output = on_output
        self._on_end = on_end
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [python, str(BOOT), str(theirs.fileno()), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                env=dict(environment) if environment is not None else None,
            )
        self.connection = Connection(ours)
        self._threads = [
            threading.Thread(target=self._read, name="hookstepper-reader", daemon=True),
            self._drain("stdout"),
            self._drain("stderr"),
        ]
        for thread in self._threads:
            thread.start()
        threading.Thread(target=self._wait, name="hookstepper-waiter", daemon=True).start()

    @property
    def pid(self) -> int:
        """Process id; also the id of its process group."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """True while the process runs."""
        return self._process.poll() is None

    def end(self, grace: float) -> None:
        """End the process and all that it started: ask, wait so many seconds, kill. May be called twice."""
        self.connection.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(grace)
        self._kill(signal.SIGKILL)
        self._process.wait()

    def kill(self) -> None:
        """Kill the process and all that it started, at once."""
        self._kill(signal.SIGKILL)

    def _kill(self, number: int) -> None:
        # The group may outlive its leader: children of the program that were left running.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def _read(self) -> None:
        try:
            while (message := self.connection.receive()) is not None:
                self._on_message(message)
        except WireError as error:
            self._on_output(Output("debugger", f"{error.message}\n"))
            self.kill()

    def _drain(self, stream: str) -> threading.Thread:
        pipe = self._process.stdout if stream == "stdout" else self._process.stderr
        assert pipe is not None
        fd = pipe.fileno()

        def drain() -> None:
            with contextlib.suppress(OSError):
                while piece := os.read(fd, PIECE):
                    text = piece.decode("utf-8", "replace")
                    self._on_output(Output("stdout" if stream == "stdout" else "stderr", text))

        return threading.Thread(target=drain, name=f"hookstepper-{stream}", daemon=True)

    def _wait(self) -> None:
        code = self._process.wait()
        for thread in self._threads:
            # A grandchild may hold the pipes open for ever; what it writes is not waited for.
            thread.join(1.0)
        self._on_end(f"signal {-code}" if code < 0 else f"exit {code}")
