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

_HEADER = struct.Struct(">I")


def pack(message: Json) -> bytes:
    """The frame that carries `message`.

    Raises:
        WireError: it is not strict JSON, or longer than `MAX_BODY`.
    """
    try:
        text = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        body = text.encode("utf-8")
    except UnicodeEncodeError:
        # Lone surrogates: escapes carry them, UTF-8 cannot.
        body = json.dumps(message, allow_nan=False, separators=(",", ":")).encode("ascii")
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


def read_body(sock: socket.socket) -> bytes | None:
    """The body of the next frame; None if the other end closed between two frames.

    Raises:
        WireError: the frame is longer than `MAX_BODY`, or the other end closed inside it.
    """
    header = _read_exactly(sock, _HEADER.size)
    if header is None:
        return None
    (length,) = _HEADER.unpack(header)
    if length > MAX_BODY:
        raise WireError(f"frame of {length:,} bytes refused, the limit is {MAX_BODY:,}")
    body = _read_exactly(sock, length)
    if body is None and length:
        raise WireError("the other end closed inside a frame")
    return body or b""


def _read_exactly(sock: socket.socket, length: int) -> bytes | None:
    parts = bytearray()
    while len(parts) < length:
        try:
            piece = sock.recv(min(length - len(parts), 1 << 20))
        except (ConnectionError, OSError):
            piece = b""
        if not piece:
            if parts:
                raise WireError("the other end closed inside a frame")
            return None
        parts += piece
    return bytes(parts)
