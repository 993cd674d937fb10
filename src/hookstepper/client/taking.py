"""What an event of the host makes of the view: one pure function, no process and no clock of its own."""

from __future__ import annotations

from hookstepper.client.view import Phase, View
from hookstepper.model.breakpoints import compiled_into
from hookstepper.model.events import (
    BreakpointsChanged,
    CallStarted,
    Dropped,
    EdgesObserved,
    Event,
    Failure,
    HostGone,
    NodeEntered,
    NodeRan,
    Noted,
    Output,
    Resumed,
    RunEnded,
    RunStarted,
    Stopped,
    TargetLoaded,
    TargetNotLoaded,
)
from hookstepper.model.gates import Stop
from hookstepper.model.record import StepDone

OUTPUT_KEPT = 2_000
"""Pieces of output that are kept for the Output view."""


_NOTHING_RUNS: dict[str, object] = {"live": (), "ran": (), "calling": ()}


def taken(view: View, event: Event, now: float) -> View:
    """The view after an event that its trace already holds; `now` in seconds on the caller's clock."""
    match event:
        case TargetLoaded():
            compiled = compiled_into(event.graph, view.compiled)
            new = {"loaded": event, "graph": event.graph, "not_loaded": None, "compiled": compiled}
            return view.in_phase("ready", now, **new)
        case TargetNotLoaded():
            return view.in_phase("not_loaded", now, not_loaded=event)
        case RunStarted(run=run, thread=thread):
            begun = {"ended": None, "failure": None, "failed_at": None, **_NOTHING_RUNS}
            return view.in_phase("running", now, run=run, thread=thread, **begun)
        case NodeEntered():
            return view.changed(live=(*view.live, event))
        case NodeRan():
            return view.changed(ran=(*view.ran, event))
        case StepDone():
            return view.changed(
                live=tuple(t for t in view.live if t.task != event.task),
                ran=tuple(t for t in view.ran if t.task != event.task),
                calling=tuple(t for t in view.calling if t.task != event.task),
            )
        case Stopped():
            return _stopped(view, event, now)
        case Resumed(stop):
            held = tuple(s for s in view.held if s.id != stop)
            return view.changed(held=held) if held else view.in_phase("running", now, stop=None, held=())
        case RunEnded():
            told = {"ended": event, "failure": event.failure, "failed_at": event.failed_at}
            return view.changed(**told, **_NOTHING_RUNS)
        case HostGone():
            return _gone(view, event, now)
        case _:
            return _told(view, event)


def _told(view: View, event: Event) -> View:
    """The view after an event that changes no phase."""
    match event:
        case CallStarted():
            others = tuple(t for t in view.calling if t.task != event.task)
            return view.changed(calling=(*others, event))
        case EdgesObserved():
            return view.changed(graph=view.trace.graph)
        case BreakpointsChanged():
            return view.changed(
                problems=event.problems,
                hits=event.hits,
                breakpoints=tuple(b for b in view.breakpoints if b.id not in event.spent),
                used_mocks=event.used_mocks,
                mock_problems=event.mock_problems,
            )
        case Output():
            return view.changed(output=(*view.output, event)[-OUTPUT_KEPT:])
        case Noted(text, hint):
            return view.changed(notice=text, hint=hint)
        case Dropped(count=count):
            return view.changed(dropped=view.dropped + count)
        case _:
            return view.changed()


def _stopped(view: View, event: Stopped, now: float) -> View:
    stop = event.stop
    if stop.posture == "resting":
        failure = event.failure or view.failure
        return view.in_phase(
            _resting(stop, view.ended), now, stop=stop, held=(), failure=failure, playing=False
        )
    held = (stop, *(s for s in view.held if s.id != stop.id))
    first = "entry" in stop.reasons and view.trace.head < 0
    playing = view.playing and stop.reasons == ("step",)
    return view.in_phase("ready" if first else "stopped", now, stop=stop, held=held, playing=playing)


def _resting(stop: Stop, ended: RunEnded | None) -> Phase:
    if stop.asks:
        return "waiting"
    if "exception" in stop.reasons:
        return "failed"
    if "limit" in stop.reasons:
        return "limit"
    return "aborted" if ended is not None and ended.status == "aborted" else "ended"


def _gone(view: View, event: HostGone, now: float) -> View:
    if view.phase == "loading":
        said = "".join(piece.text for piece in view.output)[-2_000:].strip()
        failure = Failure("AgentProcessEnded", event.how, hint=said)
        return view.in_phase("not_loaded", now, gone=event, not_loaded=TargetNotLoaded(failure))
    phase: Phase = "not_loaded" if view.phase == "not_loaded" else "gone"
    return view.in_phase(phase, now, gone=event, live=(), playing=False, held=())
