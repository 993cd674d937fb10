"""What a script, a CI job or a program expects of a run: one sentence each, checked against the record.

| sentence | holds if |
|---|---|
| `node X reached`, `… reached 2 times`, `node X not reached` | the node ran |
| `node X before Y`, `node X after Y` | both ran, and their first runs are in that order |
| `node X` | it is ▶, the node that runs next |
| `tool T called`, `… called 2 times`, `tool T not called` | the tool was really called |
| `tool T called with JSON`, `tool T called if EXPRESSION` | one call fits; names: args, result, error |
| `state EXPRESSION` | it is true of the state now |
| `status completed` (failed, interrupted, limit, aborted, stopped) | the run stands so |
| `stop REASON`, `stop REASON at X` | the run was stopped for that reason, at that node |
| `error TEXT` | the run failed, and the error says so |
| `steps <= 20` | so many nodes ran |
| `phase waiting` | the debugger is in this phase |

Everything is about the line of the live branch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

from hookstepper.client.expecting_nodes import Check, is_called, label, listed, node
from hookstepper.client.expecting_tools import condition_of, tool
from hookstepper.client.queries import names
from hookstepper.client.view import Phase, View
from hookstepper.model.errors import ConditionError, UsageError
from hookstepper.model.events import RunStatus
from hookstepper.model.gates import Reason
from hookstepper.values.preview import preview

_STATUS = (*get_args(RunStatus), "stopped")
_USUAL = "such as: node X reached, tool T not called, state KEY == VALUE, status completed, stop interrupt"


@dataclass(frozen=True, slots=True)
class Expectation:
    """One sentence, read and understood."""

    text: str
    check: Check
    about_end: bool = False
    """True if it says how the run stands, so that a failed run may be what was wanted."""


def is_expectation(line: str) -> bool:
    """True for a line of a script that expects something."""
    return line == "expect" or line.startswith("expect ")


def expectation(text: str) -> Expectation:
    """The expectation that a sentence means, with or without `expect` before it.

    Raises:
        UsageError: it is no such sentence; the message says why.
    """
    sentence = text.strip()
    sentence = sentence.removeprefix("expect").strip() if is_expectation(sentence) else sentence
    subject, _, rest = sentence.partition(" ")
    make = _SUBJECTS.get(subject)
    if make is None or not rest.strip():
        raise UsageError(f"cannot expect {sentence!r}", hint=_USUAL)
    return Expectation(sentence, make(rest.strip()), subject in ("status", "error"))


def unmet(expected: Expectation, view: View) -> str:
    """Why it does not hold, in one sentence that names what was seen; empty if it holds."""
    why = expected.check(view)
    return f"expected {expected.text}, {why}" if why else ""


def _state(rest: str) -> Check:
    condition = condition_of(rest)

    def check(view: View) -> str:
        known = names(view.trace, view.trace.head)
        try:
            value = condition(known)
        except ConditionError as error:
            return f"but {error.message}"
        if value:
            return ""
        seen = [f"{name} is {preview(known[name], 60)}" for name in sorted(condition.names) if name in known]
        return "; ".join(seen) or f"it is {preview(value, 60)}"

    return check


def _status(rest: str) -> Check:
    _one_of("status", rest, _STATUS)

    def check(view: View) -> str:
        now = status_of(view)
        why = f" ({view.failure.title})" if now == "failed" and view.failure is not None else ""
        return "" if now == rest else f"found {now}{why}"

    return check


def status_of(view: View) -> str:
    """How the run stands: as `RunEnded.status` says, or `stopped` while it is held."""
    if view.phase == "gone":
        return "failed"
    if view.stop is not None and view.stop.posture == "held":
        return "stopped"
    return view.ended.status if view.ended is not None else "stopped"


def _phase(rest: str) -> Check:
    _one_of("phase", rest, get_args(Phase))
    return lambda view: "" if view.phase == rest else f"found {view.phase}"


def _stop(rest: str) -> Check:
    reason, _, place = rest.partition(" at ")
    _one_of("stop", reason, get_args(Reason))

    def check(view: View) -> str:
        seen = [stop for stop in view.trace.stops if reason in stop.reasons]
        if any(not place or any(is_called(view, node, place) for node in stop.nodes) for stop in seen):
            return ""
        if seen:
            return f"stopped for it at {listed([label(view, n) for stop in seen for n in stop.nodes])}"
        found = dict.fromkeys(reason for stop in view.trace.stops for reason in stop.reasons)
        return f"stops: {listed(list(found))}"

    return check


def _error(rest: str) -> Check:
    def check(view: View) -> str:
        if view.failure is None or status_of(view) != "failed":
            return f"the run is {status_of(view)}"
        title = f"{view.failure.kind}: {view.failure.message}"
        return "" if rest in title else f"it says {view.failure.title}"

    return check


def _steps(rest: str) -> Check:
    condition = condition_of(f"steps {rest}")

    def check(view: View) -> str:
        count = len(view.trace.line())
        return "" if condition({"steps": count}) else f"there are {count}"

    return check


def _one_of(what: str, word: str, known: tuple[Any, ...]) -> None:
    if word not in known:
        raise UsageError(f"no {what} is called {word!r}", hint=f"known: {', '.join(known)}")


_SUBJECTS: dict[str, Callable[[str], Check]] = {
    "node": node,
    "tool": tool,
    "state": _state,
    "status": _status,
    "phase": _phase,
    "stop": _stop,
    "error": _error,
    "steps": _steps,
}
