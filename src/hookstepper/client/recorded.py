"""A recording behind the same face as a live conversation: looking works, running does not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hookstepper.client import lists
from hookstepper.client.link import Item
from hookstepper.client.looking import looked
from hookstepper.client.queries import QUERIES, REMARK, answered
from hookstepper.client.view import View
from hookstepper.model import jumps
from hookstepper.model.breakpoints import Breakpoint, compiled_into
from hookstepper.model.commands import Command, Screen
from hookstepper.model.errors import HookstepperError, NotPossibleError
from hookstepper.model.events import Event, Output, RunEnded, RunStarted, Stopped, TargetLoaded
from hookstepper.model.ids import Json
from hookstepper.trace.reading import Recording, TornRecording, open_recording
from hookstepper.values.preview import preview

_FOR_RUNS = frozenset({"mock.add", "mock.remove"})
"""Lists that say something about calls to come."""


class Recorded:
    """What a screen or a script talks to instead of a `Conversation`, without a process behind it."""

    def __init__(self, path: Path) -> None:
        """Read the file; a damaged one gives what could be read, and says so.

        Raises:
            RecordingError: nothing in it can be read.
        """
        notice = ""
        try:
            recording = open_recording(path)
        except TornRecording as error:
            recording, notice = error.partial, error.message
        self.recording = recording
        self.events: Callable[[Event], None] = lambda _: None
        self.view = _view_of(recording, path, notice)

    def open(self) -> None:
        """Nothing to start."""

    def receive(self, item: Item) -> None:
        """Nothing comes in."""

    def tick(self) -> None:
        """Nothing moves."""

    def close(self) -> None:
        """Nothing to end."""

    @property
    def unanswered(self) -> bool:
        """False: nobody is asked."""
        return False

    def kill(self) -> None:
        """Nothing to kill."""

    def legal_jumps(self) -> tuple[jumps.JumpChoice, ...]:
        """None: nothing can run."""
        return ()

    def start(self, text: Json, thread: str | None = None, *, hold: bool = True) -> None:  # noqa: ARG002
        """Refused: shows in the view."""
        self._change(notice="this is a recording; nothing can run", hint="open the program to run again")

    def set_breakpoints(self, breakpoints: tuple[Breakpoint, ...]) -> None:
        """Kept for looking: `<` and `>` stop at them."""
        self._change(breakpoints=breakpoints)

    def act(self, command: Command) -> None:
        """Look elsewhere; whatever would run is refused, and the refusal shows in the view."""
        self._change(notice="", hint="", remark="")
        try:
            if isinstance(command, Screen) and command.id in QUERIES:
                self._change(remark=preview(answered(self.view, command), REMARK))
            elif isinstance(command, Screen) and command.id in lists.COMMANDS - _FOR_RUNS:
                self._list(command)
            elif isinstance(command, Screen) and command.id.startswith("time."):
                self.view = looked(self.view, command)
            else:
                raise NotPossibleError("this is a recording; nothing can run", hint="open the program to run")
        except HookstepperError as error:
            self._change(notice=error.message, hint=error.hint)

    def _list(self, command: Screen) -> None:
        first = max((b.id for b in self.view.breakpoints), default=0) + 1
        new = lists.changed(self.view, command, first)
        self._change(breakpoints=new.breakpoints, compiled=new.compiled, watches=new.watches)

    def _change(self, **changes: object) -> None:
        self.view = self.view.changed(**changes)


def _view_of(recording: Recording, path: Path, notice: str) -> View:
    events = recording.events
    loaded = next((e for e in events if isinstance(e, TargetLoaded)), None)
    started = next((e for e in reversed(events) if isinstance(e, RunStarted)), None)
    stopped = next((e for e in reversed(events) if isinstance(e, Stopped)), None)
    ended = next((e for e in reversed(events) if isinstance(e, RunEnded)), None)
    return View(
        version=1,
        phase="recording",
        target=path.name,
        thread=started.thread if started is not None else "",
        trace=recording.trace,
        run=started.run if started is not None else 0,
        graph=recording.trace.graph,
        loaded=loaded,
        stop=stopped.stop if stopped is not None else None,
        ended=ended,
        failure=ended.failure if ended is not None else None,
        failed_at=ended.failed_at if ended is not None else None,
        compiled=compiled_into(recording.trace.graph) if recording.trace.graph is not None else (),
        output=tuple(e for e in events if isinstance(e, Output)),
        notice=notice or ("" if recording.complete else "the writer of this file did not close it"),
    )
