"""Entry of the debuggee process, called by the boot file with the wire's file descriptor."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import threading

from hookstepper.host.control import Control
from hookstepper.host.host import Host
from hookstepper.host.outbox import Outbox
from hookstepper.wire.connection import Connection

GRACE = 1.0
"""Seconds that the user's code gets to finish when the screen has gone."""


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
    leaving = threading.Event()

    def cut_off() -> None:
        # A program that closes all of its descriptors closes the wire too; who reads from it is not told.
        with contextlib.suppress(OSError):
            os.write(2, b"hookstepper: the wire to the debugger is closed; the agent process ends\n")
        leaving.set()

    outbox = Outbox(connection, cut_off)
    host = Host(outbox)
    control = Control(connection, host, leaving)
    threading.Thread(target=control.run, name="hookstepper-control", daemon=True).start()
    threading.Thread(target=_end_with_screen, args=(leaving,), name="hookstepper-watch", daemon=True).start()
    try:
        host.serve()
    except KeyboardInterrupt:
        return 130
    return 0


def _quiet_input() -> None:
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)


def _end_with_screen(leaving: threading.Event) -> None:
    """Once the screen has gone: end with it, also if the user's code never returns."""
    leaving.wait()
    main_thread = threading.main_thread()
    main_thread.join(GRACE)
    if hasattr(os, "killpg") and os.getsid(0) == os.getpid():
        # We lead our own session: children that the program started go with us.
        os.killpg(0, signal.SIGKILL)
    os._exit(0 if not main_thread.is_alive() else 1)
