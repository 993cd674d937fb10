"""The writer: order kept, steps never lost, tokens dropped and counted when nobody reads."""

from __future__ import annotations

import socket
import threading

from hookstepper.host import outbox as outbox_module
from hookstepper.host.outbox import Outbox
from hookstepper.model.events import Dropped, Event, Output, PersonActed, Token
from hookstepper.model.ids import TaskId
from hookstepper.model.jsonform import from_json
from hookstepper.wire.connection import Connection, Notice


def _received(connection: Connection, count: int) -> list[Event]:
    events: list[Event] = []
    while len(events) < count:
        message = connection.receive()
        assert isinstance(message, Notice)
        events.append(from_json(Event, message.params))  # type: ignore[arg-type]
    return events


def test_events_arrive_in_order() -> None:
    ours, theirs = socket.socketpair()
    outbox = Outbox(Connection(ours))
    outbox.start()

    for number in range(50):
        outbox.put(PersonActed("x", str(number), number))

    with theirs:
        events = _received(Connection(theirs), 50)
    outbox.close()
    assert [event.after_step for event in events] == list(range(50))  # type: ignore[union-attr]


def test_tokens_are_dropped_and_counted_and_everything_else_waits(monkeypatch: object) -> None:
    ours, theirs = socket.socketpair()
    outbox = Outbox(Connection(ours))
    for _ in range(outbox_module.CAPACITY):
        outbox.put(Output("stdout", "x"))
    for _ in range(3):
        outbox.put(Token(TaskId("t"), "lost"))
    waiting = threading.Thread(target=outbox.put, args=(PersonActed("x", "late", 1),))
    waiting.start()
    outbox.start()

    with theirs:
        events = _received(Connection(theirs), outbox_module.CAPACITY + 2)
    waiting.join(10)
    outbox.close()

    assert events[-2:] == [Dropped("token", 3), PersonActed("x", "late", 1)]
    assert not any(isinstance(event, Token) for event in events)


def test_an_event_that_is_too_large_is_told_and_the_next_one_arrives() -> None:
    ours, theirs = socket.socketpair()
    outbox = Outbox(Connection(ours))
    outbox.start()

    outbox.put(Output("stdout", "x" * (17 << 20)))
    outbox.put(Output("stdout", "small"))

    with theirs:
        first, second = _received(Connection(theirs), 2)
    outbox.close()
    assert isinstance(first, Dropped)
    assert second == Output("stdout", "small")


def test_a_reader_that_vanishes_frees_everyone_who_waits() -> None:
    ours, theirs = socket.socketpair()
    outbox = Outbox(Connection(ours))
    for _ in range(outbox_module.CAPACITY):
        outbox.put(Output("stdout", "x" * 1000))
    waiting = threading.Thread(target=outbox.put, args=(Output("stdout", "last"),))
    waiting.start()
    theirs.close()
    outbox.start()

    waiting.join(20)

    assert not waiting.is_alive()
