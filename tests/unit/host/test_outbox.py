"""Sending events: order kept, steps never lost, tokens dropped and counted when nobody reads."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from hookstepper.host.outbox import Outbox
from hookstepper.model.events import Dropped, Event, Output, PersonActed, Token
from hookstepper.model.ids import TaskId
from hookstepper.model.jsonform import from_json
from hookstepper.wire.connection import Connection, Notice

Ends = tuple[Outbox, socket.socket]


@pytest.fixture
def ends() -> Iterator[Ends]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield Outbox(Connection(ours)), theirs


def _events(sock: socket.socket) -> Iterator[Event]:
    connection = Connection(sock)
    while (message := connection.receive()) is not None:
        assert isinstance(message, Notice)
        yield from_json(Event, message.params)  # type: ignore[arg-type]


def test_events_arrive_in_order(ends: Ends) -> None:
    outbox, theirs = ends
    for number in range(50):
        outbox.put(PersonActed("x", "", number))

    events = _events(theirs)

    assert [next(events).after_step for _ in range(50)] == list(range(50))  # type: ignore[union-attr]


def test_tokens_are_dropped_and_counted_while_nobody_reads(ends: Ends) -> None:
    outbox, theirs = ends
    for _ in range(5_000):
        outbox.put(Token(TaskId("t"), "x" * 1_000))
    late = threading.Thread(target=outbox.put, args=(PersonActed("x", "late", 1),))
    late.start()

    tokens, dropped = 0, 0
    for event in _events(theirs):
        if isinstance(event, Token):
            tokens += 1
        elif isinstance(event, Dropped):
            dropped = event.count
        else:
            assert event == PersonActed("x", "late", 1)
            break
    late.join(10)

    assert tokens + dropped == 5_000
    assert dropped > 0


def test_what_must_not_be_lost_waits_until_it_is_read(ends: Ends) -> None:
    outbox, theirs = ends
    sender = threading.Thread(target=lambda: [outbox.put(Output("stdout", "x" * 10_000)) for _ in range(500)])
    sender.start()

    events = _events(theirs)

    assert sum(len(next(events).text) for _ in range(500)) == 5_000_000  # type: ignore[union-attr]
    sender.join(10)


def test_an_event_that_is_too_large_is_told_and_the_next_one_arrives(ends: Ends) -> None:
    outbox, theirs = ends

    outbox.put(Output("stdout", "x" * (17 << 20)))
    outbox.put(Output("stdout", "small"))

    events = _events(theirs)
    assert isinstance(next(events), Dropped)
    assert next(events) == Output("stdout", "small")


def test_a_reader_that_vanishes_frees_everyone_who_waits(ends: Ends) -> None:
    outbox, theirs = ends
    sender = threading.Thread(target=lambda: [outbox.put(Output("stdout", "x" * 10_000)) for _ in range(500)])
    sender.start()
    assert next(_events(theirs)) is not None

    theirs.shutdown(socket.SHUT_RDWR)
    theirs.close()

    sender.join(20)
    assert not sender.is_alive()


def test_in_a_forked_child_nothing_is_sent(ends: Ends) -> None:
    outbox, theirs = ends
    outbox.abandon()

    outbox.put(Output("stdout", "from a child"))

    assert theirs.recv(10) == b""
