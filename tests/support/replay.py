"""A conversation whose agent process is a list of recorded events: what moves plays on to the next stop."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

from hookstepper.client.conversation import Conversation
from hookstepper.client.link import Item
from hookstepper.client.options import TargetOptions
from hookstepper.client.view import View
from hookstepper.model.breakpoints import Breakpoint
from hookstepper.model.commands import Command, SessionCommand, SetBreakpoints
from hookstepper.model.events import Event, StepDone, Stopped
from hookstepper.model.ids import Json
from hookstepper.model.jsonform import from_json

DATA = Path(__file__).resolve().parent.parent / "data"
SAMPLE_INPUT = "Look up the weather in Beijing and write it to report.txt"
MOVES = ("start", "next", "into", "out", "continue", "answer", "turn", "runTo")


def recorded(name: str = "weather_events.jsonl") -> tuple[Event, ...]:
    """The events of a recorded run, as a host sent them."""
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return tuple(from_json(Event, json.loads(line)) for line in lines)  # type: ignore[arg-type]


class ReplayConversation(Conversation):
    """The real conversation; only the process behind it is a list. `sent` keeps what would go to the host."""

    def __init__(
        self,
        events: Iterable[Event],
        deliver: Callable[[Item], None] = lambda _: None,
        *,
        text: Json = None,
        clock: Callable[[], float] = lambda: 0.0,
    ) -> None:
        options = TargetOptions("sample_agents/weather.py", Path.cwd(), input=text, thread="demo")
        super().__init__(options, deliver, clock=clock)
        self.sent: list[SessionCommand] = []
        self.acted: list[Command] = []
        self.closed = 0
        self._rest = list(events)

    def open(self) -> None:
        """The target is there at once: what comes before the first run is told."""
        self.play_to_stop(first=True)

    def act(self, command: Command) -> None:
        self.acted.append(command)
        super().act(command)

    def close(self) -> None:
        self.closed += 1

    def _send(self, command: SessionCommand) -> None:
        if isinstance(command, SetBreakpoints):
            return
        self.sent.append(command)
        if command.TAG in MOVES:
            self.play_to_stop()

    def play_to_stop(self, *, first: bool = False) -> None:
        """Take in events up to the next stop; `first`: only what comes before any run."""
        while self._rest:
            event = self._rest.pop(0)
            self._take(event)
            if isinstance(event, Stopped) or (first and event.TAG == "targetLoaded"):
                return

    def play_to_step(self, count: int) -> None:
        """Take in events up to the stop after that many steps."""
        if count == 0:
            return
        while self._rest and self.view.trace.last + 1 < count:
            event = self._rest.pop(0)
            self._take(event)
        while self._rest and not isinstance(self._rest[0], StepDone):
            event = self._rest.pop(0)
            self._take(event)
            if isinstance(event, Stopped):
                return


def replay(steps: int | None = None, *, name: str = "weather_events.jsonl") -> ReplayConversation:
    """The demonstration run, held after that many steps; None: loaded, and nothing has run."""
    conversation = ReplayConversation(recorded(name))
    conversation.open()
    if steps is not None:
        conversation.start(SAMPLE_INPUT, "demo")
        conversation.play_to_step(steps)
    return conversation


def view_at(steps: int | None, **settings: str) -> View:
    """The view of the demonstration run after that many steps."""
    return replay(steps, **settings).view


def break_at(node: str, number: int = 1) -> Breakpoint:
    """A breakpoint on a node."""
    return Breakpoint(number, node=node)
