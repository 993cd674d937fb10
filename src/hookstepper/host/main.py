"""Entry of the debuggee process, called by the boot file with the wire's file descriptor."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import socket
import stat
import sys
import threading
from typing import NoReturn

from hookstepper.host.control import Control
from hookstepper.host.host import Host
from hookstepper.host.outbox import Outbox
from hookstepper.wire.connection import Connection

GRACE = 1.0
"""Seconds that the user's code gets to come back when the screen has gone."""
ENDING = 3.0
"""Seconds that its end may take after that: threads that are waited for, and functions of `atexit`."""


def main(fd: int) -> int:
    """Serve the conversation on an inherited socket until it ends; gives the exit status.

    Standard input is closed and standard output and error are unbuffered by line: they are pipes that the
    starter drains, never the wire.
    """
    os.set_inheritable(fd, False)
    _quiet_input()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError):
            stream.reconfigure(line_buffering=True, errors="backslashreplace")  # type: ignore[union-attr]
    # A parent that ignores SIGINT hands that on; the program must still be interruptible.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    connection = Connection(socket.socket(fileno=fd))
    leaving, ending = threading.Event(), _Ending()

    def cut_off() -> None:
        # A program that closes all of its descriptors closes the wire too; who reads from it is not told.
        if not _is_socket(fd):
            with contextlib.suppress(OSError):
                os.write(2, b"hookstepper: the wire to the debugger is closed; the agent process ends\n")
        leaving.set()

    outbox = Outbox(connection, cut_off)
    host = Host(outbox)
    control = Control(connection, host, leaving)
    threading.Thread(target=control.run, name="hookstepper-control", daemon=True).start()
    watch = threading.Thread(target=ending.end_with, args=(leaving,), name="hookstepper-watch", daemon=True)
    watch.start()
    try:
        host.serve()
    except KeyboardInterrupt:
        return 130
    finally:
        ending.is_back.set()
    return 0


def _is_socket(fd: int) -> bool:
    """False if the program has closed the descriptor, or opened something else under its number."""
    try:
        return stat.S_ISSOCK(os.fstat(fd).st_mode)
    except OSError:
        return False


def _quiet_input() -> None:
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)


class _Ending:
    """How the process ends: as the program would alone, and in bounded time."""

    def __init__(self) -> None:
        self.is_back = threading.Event()
        """Set when the user's code has come back to us."""
        self._is_over = threading.Event()
        self._starter, self._own = os.getppid(), os.getpid()
        # What is registered first is called last: after all that the program registers.
        atexit.register(self._all_is_done)

    def end_with(self, leaving: threading.Event) -> None:
        """Once the screen has gone: end with it, also if the user's code never returns."""
        leaving.wait()
        if not self.is_back.wait(GRACE) or not self._is_over.wait(ENDING):
            _end_now(1)

    def _all_is_done(self) -> None:
        """The program's own functions have run; the interpreter still closes files on its way out."""
        self._is_over.set()
        if os.getpid() == self._own and os.getppid() != self._starter:
            # Nobody is left who would end what the program started and left running.
            _end_now(0)


def _end_now(status: int) -> NoReturn:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError, OSError):
            stream.flush()
    if hasattr(os, "killpg") and os.getsid(0) == os.getpid():
        # We lead our own session: children that the program started go with us.
        os.killpg(0, signal.SIGKILL)
    os._exit(status)
