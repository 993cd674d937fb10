"""The door of a program that listens: who comes in shows a token, and one may be inside at a time.

A stranger gets little: a small first frame, two seconds for it, and no word of what was wrong with it.
Source of the rules: debug-protocol facts, security: tokens of 256 bits compared in constant time, loopback
or a Unix socket only, the peer's user id where the system tells it.
"""

from __future__ import annotations

import contextlib
import hmac
import os
import socket
import struct
import threading
from typing import Protocol

from hookstepper.host.control import Control, Served
from hookstepper.host.outbox import Outbox
from hookstepper.model.errors import HookstepperError, WireError
from hookstepper.wire.connection import Connection, Request

FIRST_FRAME = 64 * 1024
"""Bytes that the first frame of a stranger may have."""
HELLO_S = 2.0
"""Seconds that a stranger has for it."""
STRANGERS = 8
"""Connections that may be without a token at once; more are closed unread."""
PATIENCE_S = 10
"""Seconds that the program waits for a client that does not read; then it goes on without that one."""


class Guest(Served, Protocol):
    """What a client attaches to."""

    def take(self, client: Outbox) -> None:
        """A client is there.

        Raises:
            NotPossibleError: another one is attached.
        """
        ...


class Door:
    """Accepts clients on a listening socket, on threads of its own, until it is closed."""

    def __init__(self, listening: socket.socket, token: str, guest: Guest) -> None:
        self._listening = listening
        self._token = token
        self._guest = guest
        self._strangers = threading.BoundedSemaphore(STRANGERS)
        self._inside: Connection | None = None
        self.attached = threading.Event()
        """Set while a client is inside."""
        os.register_at_fork(after_in_child=self._forked)
        threading.Thread(target=self._accept, name="hookstepper-door", daemon=True).start()

    def close(self) -> None:
        """Let nobody in any more, and whoever is inside out. May be called twice."""
        with contextlib.suppress(OSError):
            # Closing alone does not wake a thread that accepts.
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        if self._inside is not None:
            self._inside.close()

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._listening.accept()
            except OSError:
                return
            if not self._strangers.acquire(blocking=False):
                sock.close()
                continue
            threading.Thread(target=self._meet, args=(sock,), name="hookstepper-client", daemon=True).start()

    def _meet(self, sock: socket.socket) -> None:
        connection = Connection(sock)
        try:
            try:
                hello = self._hello(sock, connection)
            finally:
                self._strangers.release()
            if hello is not None:
                self._serve(connection, hello)
        except WireError:
            # A stranger that does not speak our language, or a client that left: nobody is there to be told.
            pass
        finally:
            connection.close()

    def _hello(self, sock: socket.socket, connection: Connection) -> Request | None:
        """The first request, if it shows the token."""
        if not _same_user(sock):
            return None
        sock.settimeout(HELLO_S)
        first = connection.receive(FIRST_FRAME)
        if not isinstance(first, Request) or first.method != "hello" or not isinstance(first.params, dict):
            return None
        shown = str(first.params.get("token", "")).encode("utf-8", "replace")
        if not hmac.compare_digest(shown, self._token.encode()):
            return None
        sock.settimeout(None)
        if os.name == "posix":
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", PATIENCE_S, 0))
        return first

    def _serve(self, connection: Connection, hello: Request) -> None:
        try:
            self._guest.take(Outbox(connection))
        except HookstepperError as error:
            connection.refuse(hello.seq, error)
            return
        self._inside = connection
        control = Control(connection, self._guest)
        self.attached.set()
        try:
            control.answer(hello)
            control.run()
        finally:
            self.attached.clear()
            self._inside = None
            self._guest.stop()

    def _forked(self) -> None:
        """In a forked child: the door is the parent's."""
        self._listening.close()
        if self._inside is not None:
            self._inside.abandon()


def _same_user(sock: socket.socket) -> bool:
    """False if the system says that another user is on the other end."""
    if sock.family != getattr(socket, "AF_UNIX", None) or not hasattr(socket, "SO_PEERCRED"):
        return True
    told = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, user, _ = struct.unpack("3i", told)
    return user in (os.getuid(), 0)
