"""The host: one target, one session, one wire.

main thread     loads the target, then runs what the session asks for; the user's code lives here
control thread  reads requests; owns the session under one lock; answers while user code blocks
writer thread   sends events
"""

from __future__ import annotations

import contextlib
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import NoReturn, TypeAlias, cast

from hookstepper.adapters import all_adapters
from hookstepper.adapters.loader import Loaded, TargetSpec, load, parse_target
from hookstepper.host.amending import amended
from hookstepper.host.failures import failure_of, interpreter_name
from hookstepper.host.outbox import Outbox
from hookstepper.host.probe import HostProbe
from hookstepper.host.recorder import Recorder
from hookstepper.host.user_breakpoints import landing, stop_at
from hookstepper.model.commands import SessionCommand
from hookstepper.model.errors import HookstepperError, InvalidValueError, LoadError, NotPossibleError
from hookstepper.model.events import (
    Failure,
    Noted,
    Output,
    RunEnded,
    Stopped,
    TargetLoaded,
    TargetNotLoaded,
)
from hookstepper.model.graph import Graph
from hookstepper.model.ids import HostId, Json
from hookstepper.ports.target import Entry, From, OpenOptions, Outcome, Start, Target
from hookstepper.ports.verdict import RunAborted
from hookstepper.session.effects import Announce, Effect, Publish, Release, Run
from hookstepper.session.mocking import Replay
from hookstepper.session.session import DebugSession

Job: TypeAlias = Callable[[], None]


class Host:
    """What lives in the debuggee process. `serve` is called on the main thread and returns at the end."""

    def __init__(self, outbox: Outbox, given: Loaded | None = None) -> None:
        """
        Args:
            given: what is debugged, if it is here already; `open` then loads nothing.
        """
        self._given = given
        self.id = HostId(f"{os.getpid()}-{time.time_ns():x}")
        self.session = DebugSession()
        self._outbox = outbox
        self._lock = threading.RLock()
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._idle = threading.Event()
        self._loaded: Loaded | None = None
        self._target: Target | None = None
        self._recorder: Recorder | None = None
        self._probe: HostProbe | None = None
        self._state: Mapping[str, object] | None = None
        self._is_child = False
        self.last_outcome: Outcome | None = None
        """How the last run came to rest; None before the first."""

    # ------------------------------------------------------------------ main thread

    def serve(self) -> None:
        """Run jobs until `stop`; the target is closed at the end."""
        os.register_at_fork(after_in_child=self._forked)
        with landing(self._hold):
            while True:
                self._idle.set()
                job = self._jobs.get()
                self._idle.clear()
                if job is None:
                    break
                job()
                if self._is_child:
                    _leave_as_child()
        self._state = self._target.state().values if self._target is not None and self.last_outcome else None
        if self._target is not None:
            self._target.close()
        if self._loaded is not None:
            self._loaded.close()

    def last_state(self) -> Mapping[str, object] | None:
        """The state that the last run left, once `serve` has returned; None if nothing ran."""
        return self._state

    def stop(self) -> None:
        """End `serve` after the job that is running; held tasks are let go. From any thread."""
        with self._lock:
            try:
                self._carry_out(self.session.give_up())
            finally:
                self._jobs.put(None)

    # ------------------------------------------------------------------ control thread

    def open(self, params: Json) -> None:
        """Load a target on the main thread; `TargetLoaded` or `TargetNotLoaded` tells how it went.

        Raises:
            LoadError: there is no such file.
        """
        given = self._given
        if given is not None:
            self._jobs.put(lambda: self._load(lambda: given, OpenOptions()))
            return
        spec, options = _opening(params)
        self._jobs.put(
            lambda: self._load(lambda: load(spec, all_adapters(), options.config or None), options)
        )

    def handle(self, command: SessionCommand) -> None:
        """Carry out a command.

        Raises:
            HookstepperError: it was refused; nothing changed.
        """
        with self._lock:
            self._carry_out(self.session.handle(command))

    def ask(self, question: Callable[[Target], object], then: Callable[[object], None]) -> None:
        """Run a question on a thread where the target may be touched; `then` gets its answer or error.

        Raises:
            NotPossibleError: the program is running and no task is held.
        """
        target = self._target
        if target is None:
            raise NotPossibleError("the target is not loaded")

        def job() -> None:
            try:
                answer = question(target)
            except Exception as error:
                answer = error
            then(answer)

        if self._probe is not None and self._probe.post(job):
            return
        if not self._idle.is_set():
            raise NotPossibleError("the program is running", hint="pause it first")
        self._jobs.put(job)

    # ------------------------------------------------------------------ inside

    def _carry_out(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            match effect:
                case Release(stop, verdict, how):
                    assert self._probe is not None
                    self._probe.release(stop, verdict, how)
                case Run():
                    self._jobs.put(lambda run=effect: self._run(run))  # type: ignore[misc]
                case Publish(event):
                    self._outbox.put(event)
                case Announce(stop):
                    assert self._probe is not None
                    self._probe.announce(stop)

    def _load(self, find: Callable[[], Loaded], options: OpenOptions) -> None:
        began = time.perf_counter_ns()
        try:
            loaded = find()
            target = loaded.open(options)
            self._begin_with(loaded, target, target.describe(), began)
        except HookstepperError as error:
            choices = error.choices if isinstance(error, LoadError) else ()
            failure = failure_of(error.__cause__) if error.__cause__ is not None else None
            told = Failure(type(error).__name__, error.message, failure.lines if failure else (), error.hint)
            self._outbox.put(TargetNotLoaded(told, choices))
        except (Exception, SystemExit) as error:
            # Also ours, such as an answer of the target that has no JSON form: whoever waits must be told.
            self._outbox.put(TargetNotLoaded(failure_of(error)))

    def _begin_with(self, loaded: Loaded, target: Target, graph: Graph, began: int) -> None:
        self._loaded, self._target = loaded, target
        self._recorder = Recorder(self.id, target.codec, self._outbox.put)
        self._recorder.marks = self.session.marks
        self._probe = HostProbe(self.session, self._lock, self._recorder, self._outbox)
        with self._lock:
            self.session.loaded(graph, target.capabilities)
        self._outbox.put(
            TargetLoaded(
                graph,
                loaded.attr,
                target.capabilities,
                target.sample_input(),
                target.input_schema(),
                interpreter_name(),
                loaded.adapter.versions(),
                (time.perf_counter_ns() - began) // 1000,
            )
        )
        self._outbox.put(self.session.breakpoints_changed())

    def _run(self, run: Run) -> None:
        assert self._target is not None
        assert self._recorder is not None
        assert self._probe is not None
        if run.replay and run.from_step is not None:
            with self._lock:
                self.session.replay(Replay(self._recorder.answers_after(run.from_step)))
        self._recorder.begin(run.branch, run.from_step, new=isinstance(run.entry, Start))
        try:
            outcome = self._target.run(self._entry(run, self._target), self._probe)
        except RunAborted:
            outcome = Outcome("aborted", None)
        except HookstepperError as error:
            # Ours, not the program's: an input or answer that the target cannot take. Nothing has run.
            self._outbox.put(Noted(error.message, error.hint))
            outcome = Outcome("aborted", None)
        except (Exception, SystemExit) as error:
            outcome = Outcome("failed", None, error=error)
        self.last_outcome = outcome
        hint = outcome.detail if outcome.status == "failed" else ""
        failure = failure_of(outcome.error, hint=hint) if outcome.error is not None else None
        with self._lock:
            for effect in self.session.ended(outcome, self._probe.names):
                match effect:
                    case Publish(RunEnded() as ended):
                        self._outbox.put(replace(ended, failure=failure))
                    case Announce(stop):
                        if "breakpoint" in stop.reasons:
                            self._outbox.put(self.session.breakpoints_changed())
                        self._outbox.put(Stopped(stop, failure))
                    case _:
                        self._carry_out((effect,))

    def _entry(self, run: Run, target: Target) -> Entry:
        """Where the run begins; a change that cannot be made leaves it where it was."""
        if run.amend is None:
            return run.entry
        try:
            return From(amended(target, run.amend))
        except HookstepperError as error:
            with self._lock:
                self.session.amend_failed()
            self._outbox.put(Noted(error.message, error.hint))
            return run.entry

    def _hold(self, frame: FrameType) -> bool:
        """The program called `breakpoint()`. Never lets Python's own debugger in: it has no terminal here."""
        if self._loaded is not None and self._probe is not None and self._recorder is not None:
            held = stop_at(frame, self._loaded.adapter, self._probe, self._recorder)
            if held:
                return True
        place = f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"  # noqa: PTH119
        self._outbox.put(Output("debugger", f"breakpoint() at {place} passed by: no node runs there\n"))
        return True

    def _forked(self) -> None:
        """In a forked child: it has none of our threads, so it must neither speak nor wait."""
        self._is_child = True
        if self._probe is not None:
            self._probe.silence()
        self._outbox.abandon()


def _leave_as_child() -> NoReturn:
    """End a forked child whose copy of the run is over: nobody gives it another, and its parent may wait."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError, OSError):
            stream.flush()
    os._exit(0)


def _opening(params: Json) -> tuple[TargetSpec, OpenOptions]:
    """What a client wants opened, and how."""
    if not isinstance(params, dict) or not isinstance(params.get("target"), str):
        raise InvalidValueError("open needs a target")
    config = params.get("config")
    options = OpenOptions(
        db=cast("str | None", params.get("db")),
        thread=str(params.get("thread") or "main"),
        compat=cast("str | None", params.get("compat")),
        config=config if isinstance(config, dict) else {},
    )
    return parse_target(str(params["target"]), Path(str(params.get("folder") or "."))), options
