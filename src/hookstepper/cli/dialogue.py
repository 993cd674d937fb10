"""`--script -`: another program writes commands on standard input and reads one reply to each.

The protocol is in docs/script-protocol.md. A line is a command as in a script, or a JSON object
`{"id": …, "do": "run.next"}`. Replies and events are JSON objects, one a line. Commands are carried out in
order; those that exist for a run that is moving (pause, abort, quit) go before the ones that wait.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TextIO

from hookstepper.cli.lines import Lines
from hookstepper.cli.script import checked
from hookstepper.client.expecting import Expectation, expectation, is_expectation, unmet
from hookstepper.client.queries import QUERIES, answered
from hookstepper.client.settling import Settling, Steered
from hookstepper.model.commands import AbortRun, Command, Pause, Screen, parse_line
from hookstepper.model.errors import HookstepperError, UsageError
from hookstepper.model.events import Event
from hookstepper.model.ids import Json

MOST = 1 << 20
"""Characters of one line; more is refused."""


@dataclass(frozen=True, slots=True)
class Said:
    """A line of standard input; None is its end."""

    line: str | None


@dataclass(slots=True)
class _Asked:
    """One command on its way from the line to its reply."""

    id: Json
    line: str
    command: Command | Expectation | None = None
    refused: HookstepperError | None = None
    settling: Settling | None = None


def listen(source: TextIO, deliver: Callable[[Said], None]) -> None:
    """Deliver the lines of a stream from a thread of its own, and its end."""

    def read() -> None:
        try:
            while line := source.readline(MOST + 1):
                deliver(Said(line))
        except (OSError, ValueError):
            pass
        deliver(Said(None))

    threading.Thread(target=read, name="hookstepper-script", daemon=True).start()


class Dialogue:
    """Carries out what is said and replies to it. Used on the thread of the conversation."""

    def __init__(self, conversation: Steered, lines: Lines) -> None:
        self._conversation = conversation
        self._lines = lines
        self._waiting: deque[_Asked] = deque()
        self._going: list[_Asked] = []
        self._count = 0
        self._ended = False
        self.failed = False
        """True if an `expect` did not hold."""
        self.left = False
        """True once the other program has asked to leave."""

    @property
    def is_over(self) -> bool:
        """True if nothing more can come: all is replied to, and the input has ended."""
        return self.left or (self._ended and not self._waiting and not self._going)

    def saw(self, event: Event) -> None:
        """Take note of an event of the host."""
        for asked in self._going:
            if asked.settling is not None:
                asked.settling.saw(event)

    def heard(self, said: Said) -> None:
        """Take in a line; what is no command is replied to at once, in its turn."""
        if said.line is None:
            self._ended = True
            return
        text = said.line.strip()
        self._count += 1
        if text and not text.startswith("#"):
            self._waiting.append(self._asked(text))

    def go_on(self) -> None:
        """Reply to what is done, and begin what is next."""
        while not self.left:
            self._settle()
            asked = self._next()
            if asked is None:
                return
            self._begin(asked)

    # ------------------------------------------------------------------ inside

    def _asked(self, text: str) -> _Asked:
        asked = _Asked(self._count, text)
        try:
            if len(text) > MOST:
                asked.line = text[:80]
                raise UsageError(f"a line of more than {MOST} characters")
            if text.startswith("{"):
                _read_object(asked, text)
            if is_expectation(asked.line):
                asked.command = expectation(asked.line)
            else:
                asked.command = checked(parse_line(asked.line), also=("app.quit", "app.quit-now"))
        except HookstepperError as error:
            asked.refused = error
        return asked

    def _next(self) -> _Asked | None:
        """What to carry out now; a command that moves the run has to settle before the next one begins."""
        if self._conversation.unanswered:
            return None
        if self._going:
            urgent = next((asked for asked in self._waiting if _is_urgent(asked.command)), None)
            if urgent is not None:
                self._waiting.remove(urgent)
            return urgent
        return self._waiting.popleft() if self._waiting else None

    def _begin(self, asked: _Asked) -> None:
        command = asked.command
        if asked.refused is not None or command is None:
            self._reply(asked, asked.refused)
        elif isinstance(command, Expectation):
            why = unmet(command, self._conversation.view)
            self.failed |= bool(why)
            self._reply(asked, UsageError(why) if why else None)
        elif isinstance(command, Screen) and command.id.startswith("app.quit"):
            self.left = True
            self._reply(asked)
        elif isinstance(command, Screen) and command.id in QUERIES:
            self._answer(asked, command)
        else:
            asked.settling = Settling(command)
            self._going.append(asked)
            self._conversation.act(command)

    def _answer(self, asked: _Asked, command: Screen) -> None:
        try:
            result = answered(self._conversation.view, command)
        except HookstepperError as error:
            self._reply(asked, error)
        else:
            self._reply(asked, result=result, has_result=True)

    def _settle(self) -> None:
        for asked in list(self._going):
            if asked.settling is None or not asked.settling.is_over(self._conversation):
                continue
            self._going.remove(asked)
            view = self._conversation.view
            self._reply(asked, HookstepperError(view.refusal, hint=view.hint) if view.refusal else None)

    def _reply(
        self,
        asked: _Asked,
        error: HookstepperError | None = None,
        *,
        result: Json = None,
        has_result: bool = False,
    ) -> None:
        data: dict[str, Json] = {"id": asked.id, "ok": error is None, "do": asked.line}
        if error is not None:
            data |= {"error": error.message, "hint": error.hint}
        if has_result:
            data["result"] = result
        self._lines.reply(data, self._conversation.view)


def _read_object(asked: _Asked, text: str) -> None:
    """Take id and command line out of a JSON object; raises `UsageError` if it is none of ours."""
    asked.line = text[:80]
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"not JSON: {error}") from None
    asked.id = data.get("id", asked.id)
    if not isinstance(data.get("do"), str):
        raise UsageError('needs a command under "do"', hint='{"id": 1, "do": "run.next"}')
    asked.line = data["do"].strip()


def _is_urgent(command: object) -> bool:
    return isinstance(command, Pause | AbortRun) or (
        isinstance(command, Screen) and command.id.startswith("app.quit")
    )
