"""Frames: an unsigned 32-bit length, big-endian, then that many bytes of UTF-8 JSON.

The length is checked before anything is allocated. An HTTP request on the port decodes to a length of
more than a gigabyte and is refused unread, so a browser cannot speak to a host by accident.
"""

from __future__ import annotations

import json
import socket
import struct
from typing import cast

from hookstepper.model.errors import WireError
from hookstepper.model.ids import Json

MAX_BODY = 16 * 1024 * 1024
"""Bytes; a longer body is refused by the sender and by the receiver."""
READ_AT_ONCE = 64 * 1024
"""Bytes that one read may bring."""

_HEADER = struct.Struct(">I")
# Made once: a new encoder a message costs as much as the message.
_AS_UTF8 = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
_AS_ASCII = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode


def pack(message: Json) -> bytes:
    """The frame that carries `message`.

    Raises:
        WireError: it is not strict JSON, or longer than `MAX_BODY`.
    """
    try:
        body = _AS_UTF8(message).encode("utf-8")
    except UnicodeEncodeError:
        # Lone surrogates: escapes carry them, UTF-8 cannot.
        body = _AS_ASCII(message).encode("ascii")
    except (TypeError, ValueError, RecursionError) as error:
        raise WireError(f"message has no JSON form: {error}") from error
    if len(body) > MAX_BODY:
        raise WireError(f"message of {len(body):,} bytes is longer than {MAX_BODY:,}")
    return _HEADER.pack(len(body)) + body


def unpack(body: bytes) -> Json:
    """The message in a frame's body.

    Raises:
        WireError: not UTF-8, not JSON, or nested too deep to read.
    """
    try:
        return cast(Json, json.loads(body))
    except (ValueError, RecursionError) as error:
        raise WireError(f"frame of {len(body):,} bytes is not JSON: {type(error).__name__}") from None


class FrameReader:
    """Takes frames off a socket; one call to the system brings as many small frames as have come."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._come = bytearray()

    def read_body(self, most: int = MAX_BODY) -> bytes | None:
        """The body of the next frame; None if the other end closed between two frames.

        Raises:
            WireError: the frame is longer than `most` bytes, or the other end closed inside it.
        """
        header = self._take(_HEADER.size)
        if header is None:
            return None
        (length,) = _HEADER.unpack(header)
        if length > most:
            raise WireError(f"frame of {length:,} bytes refused, the limit is {most:,}")
        body = self._take(length)
        if body is None:
            raise WireError("the other end closed inside a frame")
        return body

    def _take(self, length: int) -> bytes | None:
        while len(self._come) < length:
            try:
                piece = self._sock.recv(max(READ_AT_ONCE, min(length - len(self._come), 1 << 20)))
            except OSError:
                piece = b""
            if not piece:
                if self._come:
                    self._come.clear()
                    raise WireError("the other end closed inside a frame")
                return None
            self._come += piece
        taken = bytes(self._come[:length])
        del self._come[:length]
        return taken
