"""The probe: asks the session at every gate, parks held tasks, and hands facts to the recorder."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import FrameType
from typing import TypeVar

from hookstepper.host.code_frames import line_frames
from hookstepper.host.line_steps import LineSteps
from hookstepper.host.outbox import Outlet
from hookstepper.host.parking import Closure, Parked, ParkedCoroutine, ParkedThread
from hookstepper.host.recorder import Recorder
from hookstepper.model.events import Output, Resumed, Stopped
from hookstepper.model.gates import Frame, Phase, Reason, Site, Stop
from hookstepper.model.ids import Json, StopId, scope_of
from hookstepper.ports.facts import Fact, Seeded
from hookstepper.ports.target import InvalidValue
from hookstepper.ports.verdict import PROCEED, Fail, Fulfil, Patch, Point, Verdict
from hookstepper.session.frames import frames_of
from hookstepper.session.mocking import Typed
from hookstepper.session.session import DebugSession
from hookstepper.values import decode
from hookstepper.values.step_facts import call_names

P = TypeVar("P", ParkedThread, ParkedCoroutine)


_COUNTED: frozenset[Reason] = frozenset({"breakpoint", "watch", "exception"})
"""Reasons of stops at which breakpoints have been hit."""


class HostProbe:
    """Implements `ports.probe.Probe`: run threads and event loops call it, the control thread releases."""

    def __init__(
        self, session: DebugSession, lock: threading.RLock, recorder: Recorder, outbox: Outlet
    ) -> None:
        self._session = session
        self._lock = lock
        self._recorder = recorder
        self._outbox = outbox
        self._parked: dict[StopId, tuple[Parked, Stop]] = {}
        self._silent = False
        self._how: dict[int, str] = {}
        """Commands by which parked tasks were let go, until they wake."""
        self._lines = LineSteps(self._step_line)

    def silence(self) -> None:
        """Want nothing from now on: used in a forked child, which has no control thread."""
        self._silent = True

    # ------------------------------------------------------------------ called by engines

    def wants(self, site: Site, phase: Phase) -> bool:
        """True if the session may hold or change a task here."""
        return not self._silent and self._session.wants(site, phase)

    def hold(self, point: Point) -> Verdict:
        """Park the calling thread until a verdict, if the session wants it held."""
        decision = self._arrive(point, ParkedThread)
        if not isinstance(decision, ParkedThread):
            return decision
        verdict = decision.wait()
        self._lines.follow(self._how.pop(id(decision), ""), point)
        return self._noted(point, verdict)

    async def ahold(self, point: Point) -> Verdict:
        """The same for one task of an event loop."""
        decision = self._arrive(point, ParkedCoroutine)
        if not isinstance(decision, ParkedCoroutine):
            return decision
        verdict = await decision.wait()
        self._lines.follow(self._how.pop(id(decision), ""), point)
        return self._noted(point, verdict)

    def _step_line(self, point: Point, frame: FrameType, detail: str) -> Verdict:
        return self.hold_at_line(point, line_frames(frame, self._recorder.codec), "step", detail, frame)

    def hold_at_line(
        self,
        point: Point,
        lines: tuple[Frame, ...],
        reason: Reason,
        detail: str,
        frame: FrameType | None = None,
    ) -> Verdict:
        """Park the calling thread at a line of the program's own code.

        An event loop that runs on this thread stands still meanwhile, as under any line debugger.

        Args:
            lines: frames of the program's own functions, innermost first.
            frame: the live frame, for stepping on from it.
        """
        if self._silent:
            return PROCEED
        with self._lock:
            decision = self._session.at_line(point, lambda: self._names_at(point), reason, detail)
            if not isinstance(decision, Stop):
                return decision
            parked = self._park(decision, point, ParkedThread, lines)
        verdict = parked.wait()
        self._lines.follow(self._how.pop(id(parked), ""), point, frame)
        return verdict

    def emit(self, fact: Fact) -> None:
        """Record a fact."""
        if self._silent:
            return
        step = self._recorder.take(fact)
        if step is None and not isinstance(fact, Seeded):
            return
        with self._lock:
            if step is not None:
                self._session.stepped(step, lambda: self.names(step.scope or ""))
                self._tell_logged()
            elif isinstance(fact, Seeded) and fact.checkpoint is not None:
                self._session.seeded(fact.checkpoint)

    # ------------------------------------------------------------------ called by the control thread

    def release(self, stop: StopId, verdict: Verdict, how: str) -> None:
        """Let a parked task go."""
        parked, _ = self._parked.pop(stop)
        self._how[id(parked)] = how
        self._outbox.put(Resumed(stop, how))
        parked.release(self._typed(verdict))

    def announce(self, stop: Stop) -> None:
        """Tell the screen of a stop that stands already, as it is now."""
        if stop.id in self._parked:
            told = self._parked[stop.id][1]
            stop = replace(stop, value=told.value, error=told.error, frames=told.frames)
        self._outbox.put(Stopped(stop))

    def held(self) -> tuple[Stopped, ...]:
        """The stops at which tasks are held, the current one last."""
        with self._lock:
            return tuple(Stopped(stop) for _, stop in self._parked.values())

    def post(self, closure: Closure) -> bool:
        """Run a closure on a parked task's own thread; False if no task is parked."""
        with self._lock:
            for parked, _ in reversed(list(self._parked.values())):
                parked.post(closure)
                return True
        return False

    # ------------------------------------------------------------------ inside

    def _arrive(self, point: Point, make: Callable[[], P]) -> P | Verdict:
        if self._silent:
            return PROCEED
        with self._lock:
            decision = self._session.arrive(point, lambda: self._names_at(point))
            self._tell_logged()
            if self._session.take_mock_news():
                self._outbox.put(self._session.breakpoints_changed())
            if not isinstance(decision, Stop):
                return self._noted(point, self._typed(decision))
            if point.site.kind == "node" and point.phase == "enter":
                self._recorder.recheck()
            return self._park(decision, point, make)

    def _park(self, held: Stop, point: Point, make: Callable[[], P], lines: tuple[Frame, ...] = ()) -> P:
        parked = make()
        value = self._recorder.preview(point.value)
        error = f"{type(point.error).__name__}: {point.error}" if point.error is not None else ""
        frames = (*lines, *frames_of(point, self._session.graph))
        stop = replace(held, value=value, error=error, frames=frames)
        self._parked[stop.id] = (parked, stop)
        if _COUNTED.intersection(stop.reasons):
            # Before the stop: who hears of it knows what has been hit, and what is spent.
            self._outbox.put(self._session.breakpoints_changed())
        self._outbox.put(Stopped(stop))
        return parked

    def _noted(self, point: Point, verdict: Verdict) -> Verdict:
        """The verdict; if it takes the place of a call, the record of the call will say so."""
        if (
            point.phase == "enter"
            and point.site.kind in ("model", "tool")
            and isinstance(verdict, Fulfil | Fail)
        ):
            self._recorder.replaced(point)
        return verdict

    def _typed(self, verdict: Verdict) -> Verdict:
        """A verdict with the JSON that a person typed turned into the target's own types."""
        if isinstance(verdict, Fulfil | Patch) and isinstance(verdict.value, Typed):
            try:
                return type(verdict)(decode(verdict.value.json, codec=self._recorder.codec))
            except InvalidValue as error:
                return Fail(ValueError(f"the value given by hand does not fit: {error.why}"))
        return verdict

    def _tell_logged(self) -> None:
        texts = self._session.take_logged()
        for text in texts:
            self._outbox.put(Output("debugger", f"{text}\n"))
        if texts:
            self._outbox.put(self._session.breakpoints_changed())

    def names(self, scope: str = "") -> dict[str, Json]:
        """What a condition may name: the state's keys; declared ones that are not set are None.

        Args:
            scope: path of the nested graph in which it is asked.
        """
        graph = self._session.graph
        names: dict[str, Json] = {key.name: None for key in graph.keys} if graph is not None else {}
        names["jump_to"] = None
        return names | self._recorder.state_in(scope)

    def _names_at(self, point: Point) -> Mapping[str, Json]:
        names = self.names(scope_of(point.site.node))
        names["error"] = f"{type(point.error).__name__}: {point.error}" if point.error is not None else None
        names["node"] = point.site.node
        if point.site.kind in ("tool", "model"):
            names |= call_names(point.site.kind, point.site.name, self._recorder.preview(point.value))
        return names
