"""Whatever a target is like, the client learns whether it was loaded."""

from __future__ import annotations

import socket
from types import SimpleNamespace
from typing import Any

import pytest

from hookstepper.adapters.native import NativeAdapter
from hookstepper.engine import END, START, StateGraph
from hookstepper.host.host import Host
from hookstepper.host.outbox import Outbox
from hookstepper.model.events import Event, TargetLoaded, TargetNotLoaded
from hookstepper.model.jsonform import from_json
from hookstepper.ports.target import OpenOptions
from hookstepper.wire.connection import Connection, Notice


class Broken:
    """A target of which one answer cannot be told."""

    def __init__(self, target: Any, answer: str, value: object) -> None:
        self._target, self._answer, self._value = target, answer, value

    def __getattr__(self, name: str) -> Any:
        if name == self._answer:
            return lambda: self.give()
        return getattr(self._target, name)

    def give(self) -> object:
        if isinstance(self._value, Exception):
            raise self._value
        return self._value


def told_by(answer: str, value: object) -> Event:
    """The first event of a host that loads such a target."""
    graph = StateGraph("g").add_node("a", lambda state: {}).add_edge(START, "a").add_edge("a", END)
    adapter = NativeAdapter()
    target = Broken(adapter.open(graph, OpenOptions()), answer, value)
    given: Any = SimpleNamespace(
        open=lambda options: target, adapter=adapter, attr="graph", close=lambda: None
    )
    ours, theirs = socket.socketpair()
    with ours, theirs:
        host = Host(Outbox(Connection(theirs)), given)
        host.open({})
        host.stop()
        host.serve()
        message = Connection(ours).receive()
        assert isinstance(message, Notice)
        return from_json(Event, message.params)  # type: ignore[arg-type,return-value]


def test_a_whole_target_is_told() -> None:
    assert isinstance(told_by("nothing", None), TargetLoaded)


@pytest.mark.parametrize("answer", ["sample_input", "input_schema"])
@pytest.mark.parametrize("value", [object(), RuntimeError("no answer")], ids=["unheard-of", "raises"])
def test_what_cannot_be_told_of_a_target_is_a_reason_and_no_silence(answer: str, value: object) -> None:
    event = told_by(answer, value)

    assert isinstance(event, TargetNotLoaded)
    assert event.failure.kind in ("RuntimeError", "WireError")
