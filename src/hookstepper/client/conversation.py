"""One live debugging conversation: the agent process, the record, breakpoints, and where one looks.

Everything here runs on the owner's own thread (a screen's, a script's): reader threads only `deliver`
items, which the owner hands to `receive`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

from hookstepper.client import lists
from hookstepper.client.breakfile import keep_breakpoints, kept_breakpoints
from hookstepper.client.file_watch import FileWatch
from hookstepper.client.link import AnyLink, Hung, Item, Link, Printed
from hookstepper.client.looking import looked
from hookstepper.client.options import TargetOptions, file_of
from hookstepper.client.pulse import Pulse
from hookstepper.client.queries import QUERIES, REMARK, answered, legal_jumps
from hookstepper.client.rebasing import Rebase
from hookstepper.client.recording import Recorder
from hookstepper.client.taking import taken
from hookstepper.client.view import Phase, View
from hookstepper.model import jumps
from hookstepper.model.breakpoints import Breakpoint
from hookstepper.model.commands import (
    Command,
    Fork,
    Next,
    Pause,
    Screen,
    SessionCommand,
    SetBreakpoints,
    SetGuard,
    SetMocks,
    StartRun,
)
from hookstepper.model.errors import HookstepperError, NotPossibleError
from hookstepper.model.events import (
    Event,
    Failure,
    HostGone,
    Stopped,
    TargetLoaded,
    TargetNotLoaded,
)
from hookstepper.model.ids import HostId, Json
from hookstepper.model.jsonform import from_json, to_json
from hookstepper.trace.ahead import side_effects
from hookstepper.trace.trace import Trace
from hookstepper.values.preview import preview
from hookstepper.wire.connection import Notice, Reply


class Conversation:
    """What a screen, a script or a test talks to. `view` is the whole outcome of everything so far."""

    def __init__(
        self,
        options: TargetOptions,
        deliver: Callable[[Item], None],
        *,
        connect: Callable[[int, TargetOptions, Callable[[Item], None]], AnyLink] = Link,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.options = options
        self._deliver = deliver
        self._clock = clock
        self._connect = connect
        self._links: list[AnyLink] = []
        self._sent: dict[int, str] = {}
        self._last_stop = 0.0
        self._pulse = Pulse()
        self._rebase = Rebase()
        self._files = FileWatch()
        self._asked_files: int | None = None
        self._host = HostId("")
        self._input = options.input
        self._guard = options.guard
        breakpoints, muted = kept_breakpoints(options)
        self._next_break = max((b.id for b in breakpoints), default=0) + 1
        self._recorder = (
            Recorder(options.record, {"target": options.target}, options.redact) if options.record else None
        )
        self.events: Callable[[Event], None] = lambda _: None
        """Called with each event after it was taken into the view."""
        self.view = View(
            version=0,
            phase="loading",
            target=options.target,
            thread=options.thread,
            trace=Trace(),
            breakpoints=breakpoints,
            compiled=muted,
            recording=options.record.name if options.record is not None else "",
            started_at=clock(),
            watching=options.watch,
        )
        self._files.add([file_of(options)])

    # ------------------------------------------------------------------ process

    def open(self) -> None:
        """Start the agent process; `TargetLoaded` or `TargetNotLoaded` follows."""
        link = self._connect(len(self._links) + 1, self.options, self._deliver)
        self._links.append(link)
        self._sent.clear()
        self._asked_files = None
        self._pulse = Pulse()

    def restart(self) -> None:
        """Same target, input, breakpoints and cursor in a new process; the record of the old one stays."""
        if self._links:
            if not self._links[-1].can_restart:
                raise NotPossibleError("this program was not started here", hint="m starts a run again")
            self._links[-1].end_soon()
        view = self.view
        self._rebase = Rebase(self._rebase.process + 1, len(view.trace.steps))
        self.view = view.started_again(self.options.target, self._clock())
        self.open()

    def close(self) -> None:
        """End every process that was started and return when all are gone."""
        for link in self._links:
            link.end_soon()
        for link in self._links:
            link.wait()
        if self._recorder is not None:
            self._recorder.close()

    def kill(self) -> None:
        """Kill the agent process at once."""
        if self._links:
            self._links[-1].kill()

    @property
    def unanswered(self) -> bool:
        """True as long as the host has not answered a command."""
        return bool(self._sent)

    @property
    def processes(self) -> int:
        """How many agent processes there have been, with that of now."""
        return self._rebase.process

    @property
    def link(self) -> AnyLink | None:
        """The line to the agent process of now."""
        return self._links[-1] if self._links else None

    # ------------------------------------------------------------------ what comes in

    def receive(self, item: Item) -> None:
        """Take in one delivered item; those of a process that was replaced are let go."""
        if not self._links or item.link != self._links[-1].number:
            return
        if isinstance(item, Printed):
            self._take(item.output)
        elif isinstance(item, Hung):
            self._sent.clear()
            if self.view.phase != "gone":
                self._take(HostGone(self._host, item.how, expected=False))
        elif isinstance(item.message, Reply):
            self._replied(item.message)
        elif isinstance(item.message, Notice) and item.message.method == "event":
            try:
                event = cast(Event, from_json(Event, item.message.params))  # type: ignore[arg-type]
            except HookstepperError as error:
                self._change(notice=f"an event was not understood: {error.message}")
                return
            self._take(event)

    def tick(self) -> None:
        """Called now and then, about ten times a second: plays on, and watches that the process answers."""
        now = self._clock()
        changed = self._files.changed(now) if self.view.watching else None
        if changed is not None and self.link is not None and self.link.can_restart:
            self.restart()
            self._change(remark=f"{changed.name} has changed: started again")
        view = self.view
        if view.playing and view.phase in ("stopped", "ready") and now - self._last_stop >= 1 / view.speed:
            self._send(Next())
        self._watch(now)

    def _watch(self, now: float) -> None:
        link = self.link
        if link is None or self.view.phase not in ("running", "pausing", "loading"):
            self._pulse.rest()
        else:
            self._pulse.beat(now, lambda: link.request("ping"))
        self._busy()

    def _busy(self) -> None:
        if self.view.busy_since != self._pulse.busy_since:
            self._change(busy_since=self._pulse.busy_since)

    def _replied(self, reply: Reply) -> None:
        self._pulse.answered(reply.to, self._clock())
        self._busy()
        if reply.to == self._asked_files:
            self._know_files(reply.params)
            return
        what = self._sent.pop(reply.to, "")
        if reply.error is not None:
            self._refused(reply.error, what)
        elif isinstance(reply.params, dict) and "host" in reply.params:
            self._host = HostId(str(reply.params["host"]))

    def _ask_files(self) -> None:
        """Ask which files the program consists of by now; a host that does not know them is let be."""
        if self.view.watching and self.link is not None and self.link.can_restart:
            self._asked_files = self.link.request("files")

    def _know_files(self, told: Json) -> None:
        self._asked_files = None
        self._files.add([Path(str(name)) for name in told] if isinstance(told, list) else [])

    def _refused(self, error: HookstepperError, what: str = "") -> None:
        playing = self.view.playing and what not in ("next", "")
        phase: Phase = "not_loaded" if self.view.phase == "loading" and not what else self.view.phase
        if self.view.phase in ("running", "pausing") and self.view.held:
            phase = "stopped"
        self._change(notice=error.message, hint=error.hint, playing=playing, phase=phase)
        if phase == "not_loaded" and self.view.not_loaded is None:
            self._take(TargetNotLoaded(Failure(type(error).__name__, error.message, hint=error.hint)))

    def _take(self, event: Event) -> None:
        event = self._rebase.event(event)
        self.view.trace.add(event)
        self._record(event)
        self.view = taken(self.view, event, self._clock())
        if isinstance(event, TargetLoaded):
            self._loaded(event)
        elif isinstance(event, Stopped):
            self._last_stop = self._clock()
            self._ask_files()
        self.events(event)

    def _record(self, event: Event) -> None:
        trouble = self._recorder.add(event) if self._recorder is not None else ""
        if trouble:
            # The run matters more than its record: go on without.
            self._recorder = None
            self._change(notice=trouble, recording="", recording_lost=trouble)

    def _loaded(self, event: TargetLoaded) -> None:
        self._ask_files()
        if self.view.places:
            self._send(SetBreakpoints(self.view.places))
        if self.view.mocks:
            self._send(SetMocks(self.view.mocks))
        if self._guard is not None:
            self._send(SetGuard(self._guard))
        if self._input is None and self.options.use_sample_input:
            self._input = event.sample_input
        if self._input is not None:
            self._start(self._input, hold=self.options.hold)

    # ------------------------------------------------------------------ what goes out

    def start(self, text: Json, thread: str | None = None, *, hold: bool = True) -> None:
        """Begin a run with an input; kept for restarts."""
        self._change(thread=thread or self.view.thread, cursor=None, branch=None)
        self._start(text, hold=hold)

    def _start(self, text: Json, *, hold: bool) -> None:
        self._input = text
        self._change(input=text)
        self._send(StartRun(text, self.view.thread, hold, dict(self.options.config) or None))

    def act(self, command: Command) -> None:
        """Carry out a command of the table; a refusal shows in `view.notice` and `view.hint`.

        Screen commands that only the screen itself can carry out (tabs, panes, dialogs) are refused.
        """
        if self.view.notice or self.view.remark:
            self._change(notice="", hint="", remark="")
        try:
            if isinstance(command, Screen):
                self._look(command)
            elif isinstance(command, StartRun):
                self.start(command.input, command.thread, hold=command.hold)
            else:
                self._command(command)
        except HookstepperError as error:
            self._change(notice=error.message, hint=error.hint)

    def legal_jumps(self) -> tuple[jumps.JumpChoice, ...]:
        """The words of `jump_to` at ▶, offered or not; empty if no node is held before it runs."""
        return legal_jumps(self.view)

    def _command(self, command: SessionCommand) -> None:
        if (
            self.view.looking_back
            and not isinstance(command, (Pause, SetBreakpoints, SetGuard))
            and command.TAG != "fork"
        ):
            raise NotPossibleError("you are looking back", hint="G goes to the live end, F forks here")
        if isinstance(command, Pause) and self.view.phase == "running":
            self._phase("pausing")
        if isinstance(command, SetGuard):
            self._guard = command.steps
        if isinstance(command, Fork):
            command = self._asking(command)
            self._change(cursor=None, branch=None)
        self._send(command)

    def _asking(self, fork: Fork) -> Fork:
        """The fork that also holds before real calls of tools that are marked as having side effects."""
        marked = side_effects(self.view.trace) - set(fork.ask)
        return replace(fork, ask=(*fork.ask, *sorted(marked)))

    def _look(self, command: Screen) -> None:
        if command.id == "run.restart":
            self.restart()
        elif command.id == "run.watch":
            self._change(watching=not self.view.watching)
            self._ask_files()
        elif command.id == "run.play":
            self._play()
        elif command.id in ("run.slower", "run.faster"):
            factor = 2.0 if command.id == "run.faster" else 0.5
            self._change(speed=min(16.0, max(0.25, self.view.speed * factor)))
        elif command.id in lists.COMMANDS:
            self._list(command)
        elif command.id in QUERIES:
            self._change(remark=preview(answered(self.view, command), REMARK))
        elif command.id.startswith("time."):
            self.view = looked(self.view, command)
        else:
            raise NotPossibleError(f"{command.id} is for the screen")

    def _play(self) -> None:
        if self.view.playing:
            self._change(playing=False)
            return
        if self.view.phase not in ("stopped", "ready") or self.view.stop is None:
            raise NotPossibleError("there is nothing to play", hint="a run has to be held at a node")
        if self.view.looking_back:
            raise NotPossibleError("you are looking back", hint="G goes to the live end")
        self._change(playing=True)
        self._send(Next())

    def _list(self, command: Screen) -> None:
        new = lists.changed(self.view, command, self._next_break)
        if new.compiled is not self.view.compiled:
            self._change(compiled=new.compiled)
            self.set_breakpoints(self.view.breakpoints)
        if new.breakpoints is not self.view.breakpoints:
            self.set_breakpoints(new.breakpoints)
        if new.mocks is not self.view.mocks:
            self._change(mocks=new.mocks)
            if self.view.loaded is not None:
                self._send(SetMocks(new.mocks))
        self._change(watches=new.watches)

    def set_breakpoints(self, breakpoints: tuple[Breakpoint, ...]) -> None:
        """Replace a person's breakpoints, here and in the host."""
        self._next_break = max([self._next_break, *(b.id + 1 for b in breakpoints)])
        self._change(breakpoints=breakpoints)
        trouble = keep_breakpoints(self.options, self.view.breakpoints, self.view.compiled)
        if trouble:
            self._change(notice=trouble)
        if self.view.loaded is not None:
            self._send(SetBreakpoints(self.view.places))

    def _send(self, command: SessionCommand) -> None:
        command = self._rebase.command(command)
        link = self.link
        seq = link.request("command", to_json(command)) if link is not None else None
        if seq is None:
            raise NotPossibleError("the agent process is gone", hint="R starts again")
        self._sent[seq] = command.TAG

    # ------------------------------------------------------------------ the view

    def _phase(self, phase: Phase) -> None:
        self.view = self.view.in_phase(phase, self._clock())

    def _change(self, **changes: object) -> None:
        self.view = self.view.changed(**changes)
