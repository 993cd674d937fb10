"""Model and tool calls that are answered here instead of being made."""

from __future__ import annotations

from collections.abc import Mapping

from hookstepper.model.commands import AnswerCall
from hookstepper.model.errors import NotPossibleError
from hookstepper.model.gates import Act, Phase, Site
from hookstepper.ports.verdict import Fail, Fulfil, Patch, Point, Retry, Verdict
from hookstepper.session.breaks import Names
from hookstepper.session.course import Course
from hookstepper.session.effects import Effect
from hookstepper.session.mocking import MockedError, Typed

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
    if course.replay.concerns(site) and "fulfil" in point.acts:
        recorded = course.replay.take(site, names().get("request"))
        if recorded is not None:
            course.by_hand.mark(point.task, "recorded")
            return Fulfil(recorded.response)
        course.holding.here.append(("diverged", f"{site.name} was asked otherwise in the record"))
    elif site.name in course.ask and site.kind == "tool":
        course.holding.here.append(("breakpoint", f"{site.name} would run for real"))
    return None


def answer_call(course: Course, command: AnswerCall) -> tuple[Effect, ...]:
    """Do not make the held call, or do not take what it gave: what comes back is what the command says.

    Raises:
        NotPossibleError: no call is held, or the engine or the record has no way to answer it.
    """
    held = course.holding.current
    if held is None or held.point.site.kind not in CALLS:
        raise NotPossibleError("no model or tool call is held", hint="s goes into one, before it is made")
    if command.recorded and held.point.phase == "exit":
        raise NotPossibleError("the call was made already", hint="call.retry makes it again")
    verdict, mark = _given(course, held.point, command)
    act = ACT_OF[type(verdict)]
    if act not in held.stop.acts:
        raise NotPossibleError(_CANNOT[act])
    if command.recorded:
        course.replay.use(held.point.site)
    course.by_hand.mark(held.point.task, mark)
    told = course.acted("mock.open", f"{held.point.site.kind} {held.point.site.name}")
    return (told, course.holding.release(held, verdict))


def _given(course: Course, point: Point, command: AnswerCall) -> tuple[Verdict, str]:
    """The verdict that a command means at a call, and the mark that its step gets."""
    made = point.phase == "exit"
    if command.retry:
        if not made:
            raise NotPossibleError("the call was not made yet", hint="n makes it")
        return Retry(), "retried by hand"
    if command.error:
        return Fail(MockedError(command.error)), "failed by hand"
    if command.recorded:
        recorded = course.replay.next(point.site)
        if recorded is None:
            raise NotPossibleError("the record has no answer for this call")
        return Fulfil(recorded.response), "recorded"
    value = Typed(command.value)
    return (Patch(value) if made else Fulfil(value)), "answered by hand"


ACT_OF: Mapping[type, Act] = {Fulfil: "fulfil", Patch: "patch", Fail: "fail", Retry: "retry"}
_CANNOT: Mapping[Act, str] = {
    "fulfil": "this engine cannot answer a call here",
    "patch": "this engine cannot change what a call gave",
    "fail": "this engine cannot let a call fail here",
    "retry": "this engine cannot make a call again",
}
