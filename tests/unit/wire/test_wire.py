"""Frames and connections: what is sent arrives whole, and nothing absurd is read."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookstepper.model.errors import AnswerError, WireError
from hookstepper.wire.connection import Connection, Notice, Reply, Request
from hookstepper.wire.frames import MAX_BODY, FrameReader, pack, unpack

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)

Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    left, right = socket.socketpair()
    with left, right:
        yield left, right


@given(JSON)
def test_a_message_comes_out_as_it_went_in(message: object) -> None:
    left, right = socket.socketpair()
    with left, right:
        sender = threading.Thread(target=left.sendall, args=(pack(message),))  # type: ignore[arg-type]
        sender.start()
        body = FrameReader(right).read_body()
        sender.join()

        assert body is not None
        assert unpack(body) == message


def test_lone_surrogates_survive() -> None:
    assert unpack(pack("a\ud800b")[4:]) == "a\ud800b"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, object()])
def test_what_is_not_strict_json_is_refused_by_the_sender(value: object) -> None:
    with pytest.raises(WireError):
        pack(value)  # type: ignore[arg-type]


def test_a_length_over_the_limit_is_refused_before_anything_is_read(
    pair: Pair,
) -> None:
    left, right = pair
    left.sendall(struct.pack(">I", 0xFFFFFFFF))

    with pytest.raises(WireError, match="refused"):
        FrameReader(right).read_body()


def test_an_http_request_is_refused_unread(pair: Pair) -> None:
    left, right = pair
    left.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")

    with pytest.raises(WireError, match="refused"):
        FrameReader(right).read_body()


def test_a_body_over_the_limit_is_refused_by_the_sender() -> None:
    with pytest.raises(WireError, match="longer than"):
        pack("x" * MAX_BODY)


def test_the_end_between_frames_is_an_end_and_inside_a_frame_an_error(
    pair: Pair,
) -> None:
    left, right = pair
    left.sendall(pack([1]) + struct.pack(">I", 10) + b"abc")
    left.close()

    reader = FrameReader(right)
    assert reader.read_body() == b"[1]"
    with pytest.raises(WireError, match="inside a frame"):
        reader.read_body()
    assert reader.read_body() is None


@given(st.lists(JSON, max_size=5), st.lists(st.integers(1, 40), min_size=1, max_size=200))
def test_frames_are_told_apart_however_the_stream_is_cut(messages: list[object], cuts: list[int]) -> None:
    stream = b"".join(pack(message) for message in messages)  # type: ignore[arg-type]
    left, right = socket.socketpair()
    with left, right:
        reader = FrameReader(right)

        def send() -> None:
            rest = stream
            for cut in cuts:
                left.sendall(rest[:cut])
                rest = rest[cut:]
            left.sendall(rest)
            left.close()

        sender = threading.Thread(target=send)
        sender.start()
        bodies = list(iter(reader.read_body, None))
        sender.join()

        assert [unpack(body) for body in bodies] == messages


def test_what_is_sent_together_leaves_at_the_end_or_before_the_word_of_another_thread(pair: Pair) -> None:
    left, right = pair
    sender, receiver = Connection(left), Connection(right)
    right.setblocking(False)
    with sender.together():
        sender.notify("first")
        with pytest.raises(BlockingIOError):
            right.recv(1)
        other = threading.Thread(target=sender.notify, args=("second",))
        other.start()
        other.join()
        sender.notify("third")
        right.setblocking(True)
        assert [receiver.receive(), receiver.receive()] == [Notice("first", None), Notice("second", None)]
    assert receiver.receive() == Notice("third", None)


@pytest.mark.parametrize("body", [b"\xff\xfe", b"{", b"[" * 200_000 + b"]" * 200_000])
def test_a_body_that_is_no_json_is_an_error_and_not_a_crash(body: bytes) -> None:
    with pytest.raises(WireError):
        unpack(body)


@given(st.binary(max_size=200))
def test_any_bytes_give_a_message_an_end_or_a_wire_error(noise: bytes) -> None:
    left, right = socket.socketpair()
    with left, right:
        left.sendall(noise)
        left.close()
        connection = Connection(right)
        try:
            while connection.receive() is not None:
                pass
        except WireError:
            pass
        connection.close()

        assert right.fileno() == -1


def test_requests_replies_refusals_and_events_keep_their_meaning(
    pair: Pair,
) -> None:
    left, right = Connection(pair[0]), Connection(pair[1])
    seq = left.request("open", {"target": "x.py"})
    asked = right.receive()
    assert asked == Request(seq, "open", {"target": "x.py"})

    right.reply(seq, {"ok": True})
    right.refuse(seq, AnswerError("no", hint="yes"))
    right.notify("event", [1])

    assert left.receive() == Reply(seq, {"ok": True})
    refusal = left.receive()
    assert isinstance(refusal, Reply)
    assert isinstance(refusal.error, AnswerError)
    assert (refusal.error.message, refusal.error.hint) == ("no", "yes")
    assert left.receive() == Notice("event", [1])


def test_an_unknown_kind_of_message_is_passed_over(pair: Pair) -> None:
    left, right = pair
    for message in ({"t": "z", "seq": 1, "m": "later"}, {"t": "e", "seq": 2, "m": "known", "new": 1}):
        body = json.dumps(message).encode()
        left.sendall(struct.pack(">I", len(body)) + body)

    assert Connection(right).receive() == Notice("known", None)


def test_sending_to_a_closed_end_is_a_wire_error(pair: Pair) -> None:
    left, right = Connection(pair[0]), Connection(pair[1])
    right.close()

    with pytest.raises(WireError, match="gone"):
        for _ in range(10):
            left.notify("event", "x" * 100_000)
