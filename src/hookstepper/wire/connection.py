"""One end of a conversation: requests with replies, and events; each direction numbers its messages.

    {"t":"q","seq":7,"m":"command","p":{…}}        request
    {"t":"r","seq":9,"re":7,"p":{…}}               reply, or "err":{"code","message","hint"}
    {"t":"e","seq":10,"m":"stopped","p":{…}}       event

Unknown fields and unknown events are ignored; an unknown request is refused by name.
"""

from __future__ import annotations

import contextlib
import select
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from hookstepper.model.errors import ERRORS, GoneError, HookstepperError, WireError
from hookstepper.model.ids import Json
from hookstepper.wire.frames import MAX_BODY, FrameReader, pack, unpack

PROTOCOL = (1, 0)
"""Major and minor; a different major is refused, a different minor is not."""


@dataclass(frozen=True, slots=True)
class Request:
    """The other end wants something done; answer it with `reply` or `refuse`."""

    seq: int
    method: str
    params: Json


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to the request numbered `to`; `error` is set if it was refused."""

    to: int
    params: Json
    error: HookstepperError | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """An event: told, not asked."""

    method: str
    params: Json


Message: TypeAlias = Request | Reply | Notice


class Connection:
    """One end of the wire. Any thread may send; one thread receives."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._reader = FrameReader(sock)
        self._sending = threading.Lock()
        self._seq = 0
        self._gatherer: int | None = None
        self._gathered = bytearray()

    def request(self, method: str, params: Json = None) -> int:
        """Send a request and give its number, which the reply will carry."""
        return self._send({"t": "q", "m": method, "p": params})

    def notify(self, method: str, params: Json = None) -> None:
        """Send an event."""
        self._send({"t": "e", "m": method, "p": params})

    def reply(self, to: int, params: Json = None) -> None:
        """Answer the request numbered `to`."""
        self._send({"t": "r", "re": to, "p": params})

    def refuse(self, to: int, error: HookstepperError) -> None:
        """Answer the request numbered `to` with an error; its class survives the wire."""
        told: Json = {"code": error.code, "message": error.message, "hint": error.hint}
        self._send({"t": "r", "re": to, "err": told})

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """What this thread sends inside leaves in one piece, at the end or before what another thread sends.

        One piece wakes the other end once. Other threads are not held up: what they send has left when
        their call returns, as ever.
        """
        self._gatherer = threading.get_ident()
        try:
            yield
        finally:
            with self._sending:
                self._gatherer = None
                if self._gathered:
                    self._write(b"")

    def receive(self, most: int = MAX_BODY) -> Message | None:
        """The next message; None when the other end has closed.

        Args:
            most: bytes that a message may have; few, as long as the other end is a stranger.

        Raises:
            WireError: what came was no message. The connection is of no use after that.
        """
        while True:
            body = self._reader.read_body(most)
            if body is None:
                return None
            message = _message(unpack(body))
            if message is not None:
                return message

    def has_room(self) -> bool:
        """True if a small message can be sent without waiting for the other end to read."""
        try:
            return bool(select.select((), (self._sock,), (), 0)[1])
        except (OSError, ValueError):
            return True

    def close(self) -> None:
        """Close this end; the other end reads the end of the stream. May be called twice."""
        with contextlib.suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)
        self._sock.close()

    def abandon(self) -> None:
        """Let go of the socket without a word, as a forked child must: the parent goes on using it."""
        self._sock.close()

    def _send(self, message: dict[str, Json]) -> int:
        with self._sending:
            seq = self._seq + 1
            frame = pack({**message, "seq": seq})
            if self._gatherer == threading.get_ident():
                self._gathered += frame
            else:
                self._write(frame)
            self._seq = seq
            return seq

    def _write(self, frame: bytes) -> None:
        """Send what was gathered and then a frame; the lock is held."""
        frames, self._gathered = self._gathered + frame, bytearray()
        try:
            self._sock.sendall(frames)
        except OSError as error:
            raise GoneError(f"the other end is gone: {error.strerror or error}") from None


def _message(data: Json) -> Message | None:
    if not isinstance(data, dict):
        raise WireError("message is not an object")
    kind, seq, method = data.get("t"), data.get("seq"), data.get("m", "")
    if kind == "r":
        to = data.get("re")
        if not isinstance(to, int):
            raise WireError("reply to no request")
        return Reply(to, data.get("p"), _error(data.get("err")))
    if not isinstance(method, str) or not isinstance(seq, int):
        raise WireError("message without method or number")
    if kind == "q":
        return Request(seq, method, data.get("p"))
    return Notice(method, data.get("p")) if kind == "e" else None


def _error(told: Json) -> HookstepperError | None:
    if told is None:
        return None
    if not isinstance(told, dict):
        raise WireError("error of a reply is not an object")
    kind = ERRORS.get(str(told.get("code")), HookstepperError)
    return kind(str(told.get("message", "")), hint=str(told.get("hint", "")))
