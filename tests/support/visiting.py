"""A client that attaches to a program that listens, and waits for facts."""

from __future__ import annotations

import os
import queue
import socket
from collections.abc import Callable
from pathlib import Path

from hookstepper.client.conversation import Conversation
from hookstepper.client.link import Item
from hookstepper.client.options import TargetOptions
from hookstepper.client.socket_link import SocketLink
from hookstepper.client.view import View
from hookstepper.launch.attaching import attach
from hookstepper.model.commands import parse_line
from hookstepper.model.events import Event

PATIENCE = 60.0


class Visitor:
    """One conversation with a program that was not started here."""

    def __init__(self, endpoint: str, *, hold: bool = False) -> None:
        attached = attach(endpoint, os.environ, hold=hold)
        self._items: queue.SimpleQueue[Item] = queue.SimpleQueue()
        self.events: list[Event] = []
        self.conversation = Conversation(
            TargetOptions(endpoint, Path.cwd()),
            self._items.put,
            connect=lambda number, options, deliver: SocketLink(attached.sock, number, options, deliver),
        )
        self.conversation.events = self.events.append
        self.conversation.open()
        self.sock = attached.sock
        self.until(lambda view: view.loaded is not None)

    @property
    def view(self) -> View:
        """All that a screen would show."""
        return self.conversation.view

    def until(self, fact: Callable[[View], object]) -> View:
        """Take in what comes until the fact holds."""
        while not fact(self.view):
            self.conversation.receive(self._items.get(timeout=PATIENCE))
        return self.view

    def do(self, line: str) -> View:
        """Carry out a command, and wait until the program has answered."""
        self.conversation.act(parse_line(line))
        return self.until(lambda _: not self.conversation.unanswered)

    def nodes(self) -> list[str]:
        """What has run, as the picture calls it."""
        graph = self.view.trace.graph
        assert graph is not None
        return [graph.label(step.site.node) for step in self.view.trace.steps]

    def leave(self) -> None:
        """Detach as the screen does."""
        self.conversation.close()

    def vanish(self) -> None:
        """Be gone without a word, as a client that was killed."""
        self.sock.shutdown(socket.SHUT_RDWR)
