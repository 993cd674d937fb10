"""The host of an object that the program runs itself: a client may attach, leave, and attach again.

There is no run thread and no capture here: the program keeps its main thread, its loop, its signals and its
terminal. While nobody is attached runs are recorded and nothing is held.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from types import FrameType
from typing import Literal

from hookstepper.adapters import all_adapters
from hookstepper.adapters.loader import given
from hookstepper.host.failures import failure_of, interpreter_name
from hookstepper.host.journal import Journal
from hookstepper.host.outbox import Outbox
from hookstepper.host.probe import HostProbe
from hookstepper.host.recorder import Recorder
from hookstepper.host.user_breakpoints import stop_at
from hookstepper.model.commands import Answer, Pause, RetryNode, SessionCommand, StartRun
from hookstepper.model.errors import HookstepperError, NotPossibleError, SpecError
from hookstepper.model.events import Event, Output, RunEnded, Stopped, TargetLoaded
from hookstepper.model.gates import Reason
from hookstepper.model.ids import MAIN, HostId, Json
from hookstepper.ports.probe import Probe
from hookstepper.ports.target import Adapter, Outcome, Resume, Start
from hookstepper.ports.watching import Watched, WatchingAdapter
from hookstepper.session.effects import Announce, Effect, Publish, Release, Run
from hookstepper.session.session import DebugSession


class WatchHost:
    """Watches one object. Implements `ports.watching.Watcher`; the program's threads and ours call it."""

    def __init__(self, obj: object) -> None:
        """
        Raises:
            LoadError: no adapter knows what it is.
            SpecError: it cannot be watched; the message says why.
        """
        self.id = HostId(f"{os.getpid()}-{time.time_ns():x}")
        self._adapter, adapter = _adapter_of(obj)
        # The program decides how long it runs: no guard.
        self._session = DebugSession(guard=sys.maxsize)
        self._lock = threading.RLock()
        self._journal = Journal(lambda: self._recorder.state)
        self._client: Outbox | None = None
        self._hold_next: Reason | None = None
        self._alive = False
        self._closed = True  # until all of this is there: runs may begin at once, on other threads
        self._watched: Watched = adapter.watch(obj, self)
        self._recorder = Recorder(self.id, self._watched.codec, self._journal.put)
        self._recorder.marks = self._session.marks
        self._probe = HostProbe(self._session, self._lock, self._recorder, self._journal)
        self._session.loaded(self._watched.describe(), self._watched.capabilities)
        self._closed = False
        os.register_at_fork(after_in_child=self._forked)

    @property
    def name(self) -> str:
        """What the object calls itself."""
        return self._watched.name

    def close(self) -> None:
        """Watch no more; whatever is held goes on. The object is as it was before."""
        self._closed = True
        self.stop()
        self._watched.close()

    def hold_next(self) -> None:
        """Hold the next run before its first node, if somebody is attached then."""
        self._hold_next = "entry"

    # ------------------------------------------------------------------ the client

    def take(self, client: Outbox) -> None:
        """A client is there; nothing is sent to it before it opens.

        Raises:
            NotPossibleError: another one is attached.
        """
        with self._lock:
            if self._client is not None:
                raise NotPossibleError(
                    "another debugger is attached to this program",
                    hint="one at a time: detach that one first",
                )
            self._client = client

    def open(self, _params: Json) -> None:
        """The client is told what has been, and from now on everything that happens."""
        with self._lock:
            if self._client is not None:
                self._journal.attach(self._client, self._greeting(), self._probe.held)

    def stop(self) -> None:
        """The client is gone, in whatever way: the program goes on as if nobody had come."""
        with self._lock:
            self._client = None
            self._hold_next = None
            self._journal.detach()
            self._carry_out(self._session.leave_alone())

    def handle(self, command: SessionCommand) -> None:
        """Carry out a command.

        Raises:
            HookstepperError: it was refused; nothing changed.
        """
        with self._lock:
            if isinstance(command, (StartRun, Answer, RetryNode)):
                raise NotPossibleError(
                    "the runs are the program's own: it starts them, and answers its own questions",
                    hint="what is held can be stepped, changed at calls, or ended",
                )
            if isinstance(command, Pause) and not self._alive:
                self._hold_next = self._hold_next or "pause"
                self._say("the next run is held before its first node")
                return
            self._carry_out(self._session.handle(command))

    # ------------------------------------------------------------------ the program's runs

    def begin(self, entry: Literal["start", "resume"], thread: str) -> Probe | None:
        """A run of the program begins; None if another one is being watched."""
        with self._lock:
            if self._closed:
                return None
            if self._alive:
                self._say(f"another run (thread {thread}) goes on beside this one, unseen")
                return None
            self._alive = True
            hold = self._hold_next if self._client is not None else None
            if hold is not None:
                self._hold_next = None
            start = Start(None, thread) if entry == "start" else Resume({})
            self._session.began(start, hold)
            if entry == "start":
                # A program may run for weeks: what nobody can ask for any more is not kept.
                self._recorder.forget(count_anew=self._client is None)
            self._recorder.begin(MAIN, None, new=entry == "start")
            return self._probe

    def ended(self, outcome: Outcome) -> None:
        """The watched run came to rest."""
        failure = failure_of(outcome.error, hint=outcome.detail) if outcome.error is not None else None
        with self._lock:
            self._alive = False
            if self._session.pausing and self._client is not None:
                # The run ended before it came to a node: the wish is for the next one.
                self._hold_next = "pause"
            for effect in self._session.ended(outcome, self._probe.names):
                match effect:
                    case Publish(RunEnded() as ended):
                        self._journal.put(replace(ended, failure=failure))
                    case Announce(stop):
                        self._journal.put(Stopped(stop, failure))
                    case _:
                        self._carry_out((effect,))

    # ------------------------------------------------------------------ inside

    def _greeting(self) -> Iterator[Event]:
        graph = self._watched.describe()
        yield TargetLoaded(
            graph,
            self._watched.name,
            self._watched.capabilities,
            interpreter=interpreter_name(),
            versions=self._adapter.versions(),
        )
        yield self._session.breakpoints_changed()

    def _say(self, text: str) -> None:
        self._journal.put(Output("debugger", f"{text}\n"))

    def _carry_out(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            match effect:
                case Release(stop, verdict, how):
                    self._probe.release(stop, verdict, how)
                case Publish(event):
                    self._journal.put(event)
                case Announce(stop):
                    self._probe.announce(stop)
                case Run():
                    # No command that makes one passes `handle`, and no capability allows one.
                    raise HookstepperError("a watched object is run by the program alone")

    def hold_at_line(self, frame: FrameType) -> bool:
        """The program called `breakpoint()`: a stop if somebody is attached and a watched run is there."""
        if self._client is None or not self._alive:
            return False
        return stop_at(frame, self._adapter, self._probe, self._recorder)

    def _forked(self) -> None:
        """In a forked child: it has none of our threads, so it must neither speak nor wait."""
        self._closed = True
        self._probe.silence()
        self._journal.abandon()
        self._lock = threading.RLock()


def _adapter_of(obj: object) -> tuple[Adapter, WatchingAdapter]:
    adapter = given(obj, all_adapters()).adapter
    if not isinstance(adapter, WatchingAdapter):
        raise SpecError(f"{adapter.name}: what the program runs itself cannot be watched")
    return adapter, adapter
