"""Frames that were cut, flipped, doubled or mixed on their way: a message, an end or an error, never more."""

from __future__ import annotations

import os
import socket
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from hookstepper.model.errors import HookstepperError, WireError
from hookstepper.model.events import Event, Output
from hookstepper.model.jsonform import from_json, to_json
from hookstepper.wire.connection import Connection, Notice, Reply, Request
from hookstepper.wire.frames import pack

EXAMPLES = 2_000 if os.environ.get("HOOKSTEPPER_THOROUGH") else 100

MESSAGES: list[dict[str, Any]] = [
    {"t": "q", "seq": 1, "m": "hello", "p": {"protocol": [1, 0], "token": "x"}},
    {"t": "r", "seq": 2, "re": 1, "p": {"host": "1-2"}},
    {"t": "r", "seq": 3, "re": 1, "err": {"code": "notPossible", "message": "no", "hint": "yes"}},
    {"t": "e", "seq": 4, "m": "event", "p": to_json(Output("stdout", "text \u4f60 \U0001f600"))},
]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """Real frames, with bytes flipped, cut out or put in."""
    data = bytearray(b"".join(pack(draw(st.sampled_from(MESSAGES))) for _ in range(draw(st.integers(1, 3)))))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, max(len(data) - 1, 0)))
        match draw(st.sampled_from(["flip", "cut", "insert", "end"])):
            case "flip" if data:
                data[at] ^= draw(st.integers(1, 255))
            case "cut":
                del data[at : at + draw(st.integers(1, 8))]
            case "insert":
                data[at:at] = draw(st.binary(max_size=8))
            case _:
                del data[at:]
    return bytes(data)


@settings(max_examples=EXAMPLES, deadline=None)
@given(damaged())
def test_damaged_frames_give_messages_an_end_or_a_wire_error(data: bytes) -> None:
    left, right = socket.socketpair()
    with left, right:
        left.sendall(data)
        left.close()
        connection = Connection(right)
        try:
            while (message := connection.receive()) is not None:
                assert isinstance(message, Request | Reply | Notice)
                if isinstance(message, Notice):
                    read(message)
        except WireError as error:
            assert error.message


def read(notice: Notice) -> None:
    """An event as the screen reads it: one of ours, or an error of ours."""
    try:
        from_json(Event, notice.params)  # type: ignore[arg-type]
    except HookstepperError as error:
        assert error.message
