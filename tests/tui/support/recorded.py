"""The recorded demonstration run as views: what the screen had in hand after each of its 23 steps."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from hookstepper.client.conversation import Conversation
from hookstepper.client.options import TargetOptions
from hookstepper.client.view import View
from hookstepper.model.commands import Command, Screen
from hookstepper.model.events import Event, StepDone, Stopped
from hookstepper.model.jsonform import from_json

DATA = Path(__file__).parents[2] / "data"


@cache
def recorded_events(name: str = "weather") -> tuple[Event, ...]:
    """All events of a recorded run, oldest first."""
    lines = (DATA / f"{name}_events.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(from_json(Event, json.loads(line)) for line in lines)  # type: ignore[arg-type]


class Replay(Conversation):
    """A conversation whose other end is a record: events come from a list, commands go nowhere."""

    def __init__(self, name: str = "weather") -> None:
        options = TargetOptions(f"{name}.py:agent", Path.cwd(), thread="demo")
        super().__init__(options, deliver=lambda item: None, clock=lambda: 0.0)
        self.sent: list[Command] = []
        self.left = list(recorded_events(name))

    def open(self) -> None:
        """There is no process."""

    def take(self, *events: Event) -> View:
        """Take in events as if a host had sent them."""
        for event in events:
            self._take(event)
        return self.view

    def to_step(self, count: int) -> View:
        """Take in recorded events until that many steps are done and the run is held, or at rest."""
        while self.left:
            if self.view.trace.last + 1 >= count and self._at_rest():
                break
            self._take(self.left.pop(0))
        return self.view

    def to_question(self) -> View:
        """Take in recorded events until the program asks."""
        while self.left and not (self.view.stop is not None and self.view.stop.asks):
            self._take(self.left.pop(0))
        return self.view

    def to_end(self) -> View:
        """Take in all that is left."""
        return self.take(*[self.left.pop(0) for _ in range(len(self.left))])

    def look(self, step: int) -> View:
        """Look back at a step, by its index from 0."""
        self.act(Screen("time.goto", (str(step),)))
        return self.view

    def _at_rest(self) -> bool:
        return self.view.stop is not None and isinstance(self._last, Stopped)

    def _take(self, event: Event) -> None:
        self._last = event
        super()._take(event)

    def _send(self, command: Command) -> None:  # type: ignore[override]
        self.sent.append(command)


def steps_of(name: str = "weather") -> list[StepDone]:
    """The steps of a recorded run."""
    return [event for event in recorded_events(name) if isinstance(event, StepDone)]
