"""Model and tool calls that are answered here instead of being made."""

from __future__ import annotations

from hookstepper.model.commands import AnswerCall
from hookstepper.model.errors import NotPossibleError
from hookstepper.model.gates import Phase, Site
from hookstepper.ports.verdict import Fulfil, Point, Verdict
from hookstepper.session.breaks import Names
from hookstepper.session.course import Course
from hookstepper.session.effects import Effect
from hookstepper.session.mocking import Typed

CALLS = ("model", "tool")


def may_answer(course: Course, site: Site, phase: Phase) -> bool:
    """True if a call at this gate may be answered, or is to be asked about."""
    if site.kind not in CALLS or phase != "enter":
        return False
    return course.mocks.concern(site) or course.replay.concerns(site) or site.name in course.ask


def replayed(course: Course, point: Point, names: Names) -> Verdict | None:
    """The record's answer to a call; one that differs, or is to be asked about, is made to stop."""
    site = point.site
    if site.kind not in CALLS or point.phase != "enter":
        return None
    recorded = course.replay.next(site)
    if recorded is not None and "fulfil" in point.acts:
        if names().get(site.kind) == recorded.request:
            course.replay.use(site)
            course.by_hand.mark(point.task, "recorded")
            return Fulfil(recorded.response)
        course.holding.here.append(("diverged", f"{site.name} was asked otherwise in the record"))
    elif site.name in course.ask and site.kind == "tool":
        course.holding.here.append(("breakpoint", f"{site.name} would run for real"))
    return None


def answer_call(course: Course, command: AnswerCall) -> tuple[Effect, ...]:
    """Do not make the held call: give it what the command says.

    Raises:
        NotPossibleError: no call is held, or the engine or the record has no way to answer it.
    """
    held = course.holding.current
    if held is None or held.point.site.kind not in CALLS or held.point.phase != "enter":
        raise NotPossibleError("no model or tool call is held", hint="s goes into one, before it is made")
    if "fulfil" not in held.stop.acts:
        raise NotPossibleError("this engine cannot answer a call here")
    value: object = Typed(command.value)
    if command.recorded:
        recorded = course.replay.use(held.point.site)
        if recorded is None:
            raise NotPossibleError("the record has no answer for this call")
        value = recorded.response
    course.by_hand.mark(held.point.task, "recorded" if command.recorded else "answered by hand")
    told = course.acted("mock.open", f"{held.point.site.kind} {held.point.site.name}")
    return (told, course.holding.release(held, Fulfil(value)))
