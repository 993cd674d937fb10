"""The line to one agent process: started, greeted, and turned into items for the owner's own thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias

from hookstepper.client.options import TargetOptions
from hookstepper.launch.interpreter import Interpreter, choose
from hookstepper.launch.process import AgentProcess
from hookstepper.model.errors import WireError
from hookstepper.model.events import Output
from hookstepper.model.ids import Json
from hookstepper.model.version import VERSION
from hookstepper.wire.connection import PROTOCOL, Message

GRACE = 5.0
"""Seconds that an agent process gets to end by itself; more than it gives itself."""


@dataclass(frozen=True, slots=True)
class Spoke:
    """A message of a host."""

    link: int
    message: Message


@dataclass(frozen=True, slots=True)
class Printed:
    """Text that the program wrote."""

    link: int
    output: Output


@dataclass(frozen=True, slots=True)
class Hung:
    """The agent process is gone."""

    link: int
    how: str


Item: TypeAlias = Spoke | Printed | Hung


class AnyLink(Protocol):
    """What a conversation needs of the line to its host."""

    number: int
    can_restart: bool

    def request(self, method: str, params: Json = None) -> int | None:
        """Send a request; its number, or None if the host is gone."""
        ...

    def end_soon(self, grace: float = GRACE) -> None:
        """Let the host go in the background."""
        ...

    def wait(self) -> None:
        """Return when it is gone, as far as it is ours to end."""
        ...

    def kill(self) -> None:
        """End the host at once, if it is ours to end."""
        ...


class Link:
    """One agent process from start to end. `deliver` is called on reader threads."""

    can_restart = True

    def __init__(self, number: int, options: TargetOptions, deliver: Callable[[Item], None]) -> None:
        self.number = number
        self.interpreter: Interpreter = choose(options.python, _folder_of(options), options.environment or {})
        self._ending: threading.Thread | None = None
        self.process = AgentProcess(
            self.interpreter.path,
            on_message=lambda message: deliver(Spoke(number, message)),
            on_output=lambda output: deliver(Printed(number, output)),
            on_end=lambda how: deliver(Hung(number, how)),
            environment=options.environment,
        )
        self.request("hello", {"protocol": list(PROTOCOL), "client": VERSION})
        self.request(
            "open",
            {
                "target": options.target,
                "folder": str(options.folder),
                "thread": options.thread,
                "db": options.db,
                "compat": options.compat,
                "config": dict(options.config),
            },
        )

    def request(self, method: str, params: Json = None) -> int | None:
        """Send a request; its number, or None if the process is gone."""
        try:
            return self.process.connection.request(method, params)
        except WireError:
            return None

    def kill(self) -> None:
        """Kill the process and all that it started."""
        self.process.kill()

    def end_soon(self, grace: float = GRACE) -> None:
        """End the process in the background; `wait` joins."""
        if self._ending is None:
            self._ending = threading.Thread(
                target=self.process.end, args=(grace,), name="hookstepper-ending", daemon=True
            )
            self._ending.start()

    def wait(self) -> None:
        """Return when the process and all that it started are gone."""
        self.end_soon()
        if self._ending is not None:
            self._ending.join()


def _folder_of(options: TargetOptions) -> Path:
    place = options.target.split("#")[0].rsplit(":", 1)[0]
    path = options.folder / place
    return path.resolve().parent if path.suffix in (".py", ".json") else options.folder.resolve()
