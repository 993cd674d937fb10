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

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, get_args

from hookstepper.client.queries import names
from hookstepper.client.view import Phase, View
from hookstepper.model.errors import ConditionError, UsageError
from hookstepper.model.events import RunStatus
from hookstepper.model.gates import Reason
from hookstepper.model.ids import Json
from hookstepper.model.record import CallRecord
from hookstepper.values.conditions import Condition, compile_condition
from hookstepper.values.preview import preview

SAID = 12
"""Names that a message lists at most."""
_STATUS = (*get_args(RunStatus), "stopped")
_USUAL = "such as: node X reached, tool T not called, state KEY == VALUE, status completed, stop interrupt"

Check = Callable[[View], str]
"""Why it does not hold, or an empty string."""


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


# --------------------------------------------------------------------------------------- nodes


def _node(rest: str) -> Check:
    for pattern, make in _NODE_FORMS:
        if match := pattern.fullmatch(rest):
            return make(*match.groups())
    return lambda view: _is_next(view, rest)


def _reached(name: str, times: str | None) -> Check:
    def check(view: View) -> str:
        count = sum(_is_called(view, node, name) for node in _ran(view))
        if times is None and count:
            return ""
        if times is not None and count == int(times):
            return ""
        unknown = "" if count else _unknown(view, name)
        return unknown or (f"it ran {count} times" if count else f"ran: {_labels(view)}")

    return check


def _not_reached(name: str) -> Check:
    def check(view: View) -> str:
        steps = view.trace.steps
        at = [i for i in view.trace.line() if _is_called(view, steps[i].site.node, name)]
        return f"it ran at step {at[0]}" if at else _unknown(view, name)

    return check


def _before(first: str, second: str) -> Check:
    def check(view: View) -> str:
        ran = _ran(view)
        at = [
            next((i for i, node in enumerate(ran) if _is_called(view, node, n)), None)
            for n in (first, second)
        ]
        if at[0] is not None and at[1] is not None:
            return "" if at[0] < at[1] else f"ran: {_labels(view)}"
        missing = first if at[0] is None else second
        return _unknown(view, missing) or f"{missing} did not run; ran: {_labels(view)}"

    return check


def _is_next(view: View, name: str) -> str:
    if any(_is_called(view, node, name) for node in view.next_nodes):
        return ""
    found = ", ".join(_label(view, node) for node in view.next_nodes) or view.phase
    return f"found {found} to be next"


_NODE_FORMS: tuple[tuple[re.Pattern[str], Callable[..., Check]], ...] = (
    (re.compile(r"(.+?) +not +reached"), _not_reached),
    (re.compile(r"(.+?) +reached(?: +([0-9]{1,9}) +times?)?"), _reached),
    (re.compile(r"(.+?) +before +(.+)"), _before),
    (re.compile(r"(.+?) +after +(.+)"), lambda later, earlier: _before(earlier, later)),
)


def _ran(view: View) -> list[str]:
    return [view.trace.steps[index].site.node for index in view.trace.line()]


def _label(view: View, node: str) -> str:
    return view.graph.label(node) if view.graph is not None else node  # type: ignore[arg-type]


def _labels(view: View) -> str:
    return _listed([_label(view, node) for node in _ran(view)])


def _listed(words: list[str]) -> str:
    if len(words) > SAID:
        return f"{', '.join(words[:SAID])}, … ({len(words)} in all)"
    return ", ".join(words) or "nothing"


def _is_called(view: View, node: str, name: str) -> bool:
    return name in (node, _label(view, node))


def _unknown(view: View, name: str) -> str:
    """That no node has this name: else a slip of the pen would hold as `not reached`."""
    known = {word for node in view.graph.nodes for word in (node.id, node.label)} if view.graph else set()
    if name in known or ":" in name or not known:
        return ""
    near = get_close_matches(name, known, n=3, cutoff=0.4)
    return f"but there is no node named {name}" + (f"; near: {', '.join(near)}" if near else "")


# --------------------------------------------------------------------------------------- tools

_TOOL = re.compile(
    r"(?P<name>\S+) +(?:(?P<never>not +called)|called(?: +(?P<times>[0-9]{1,9}) +times?)?"
    r"(?: +with +(?P<args>\{.*\}))?(?: +if +(?P<condition>.+))?)"
)


def _tool(rest: str) -> Check:
    match = _TOOL.fullmatch(rest)
    if match is None:
        raise UsageError(
            f"cannot expect 'tool {rest}'",
            hint="tool T called [N times] [with JSON] [if EXPRESSION], or: not called",
        )
    name, times = match["name"], match["times"]
    given = _arguments(match["args"])
    condition = _condition(match["condition"]) if match["condition"] else None

    def check(view: View) -> str:
        calls = [call for call in _calls(view) if call.name == name]
        fit = [call for call in calls if _has(call, given) and _holds(condition, call)]
        if match["never"]:
            return f"it was called with {_asked(calls)}" if calls else _unknown_tool(view, name)
        if len(fit) == int(times) if times is not None else fit:
            return ""
        if calls:
            return f"it was called {len(calls)} times, with {_asked(calls)}"
        others = [call.name for call in _calls(view)]
        return _unknown_tool(view, name) or f"called: {_listed(others)}"

    return check


def _calls(view: View) -> list[CallRecord]:
    steps = view.trace.steps
    calls = (call for index in view.trace.line() for call in steps[index].calls)
    return [call for call in calls if call.kind == "tool" and not call.mocked]


def _asked(calls: list[CallRecord]) -> str:
    return _listed([preview(_args(call), 80) for call in calls])


def _args(call: CallRecord) -> Json:
    """The arguments, out of the request that a framework wraps them in."""
    request = call.request
    wrapped = isinstance(request, dict) and "name" in request and isinstance(request.get("args"), dict)
    return request["args"] if wrapped else request  # type: ignore[index,call-overload]


def _arguments(text: str | None) -> Mapping[str, Json]:
    if text is None:
        return {}
    try:
        given = json.loads(text)
    except ValueError as error:
        raise UsageError(f"the arguments are not JSON: {error}") from None
    return given if isinstance(given, dict) else {}


def _has(call: CallRecord, given: Mapping[str, Json]) -> bool:
    args = _args(call)
    request = args if isinstance(args, dict) else {}
    return all(key in request and request[key] == value for key, value in given.items())


def _holds(condition: Condition | None, call: CallRecord) -> bool:
    if condition is None:
        return True
    try:
        return bool(condition({"args": _args(call), "result": call.response, "error": call.error or None}))
    except ConditionError:
        return False


def _unknown_tool(view: View, name: str) -> str:
    known = {tool for node in view.graph.nodes for tool in node.tools} if view.graph is not None else set()
    near = get_close_matches(name, known, n=3, cutoff=0.6) if name not in known else []
    # Tools may be made while the program runs: only a name that is nearly one of the known is a slip.
    return f"but there is no tool named {name}; near: {', '.join(near)}" if near else ""


# --------------------------------------------------------------------------- state and the run


def _state(rest: str) -> Check:
    condition = _condition(rest)

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


def _condition(text: str) -> Condition:
    try:
        return compile_condition(text)
    except ConditionError as error:
        raise UsageError(error.message, hint=error.hint) from None


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
        if any(not place or any(_is_called(view, node, place) for node in stop.nodes) for stop in seen):
            return ""
        if seen:
            return f"stopped for it at {_listed([_label(view, n) for stop in seen for n in stop.nodes])}"
        found = dict.fromkeys(reason for stop in view.trace.stops for reason in stop.reasons)
        return f"stops: {_listed(list(found))}"

    return check


def _error(rest: str) -> Check:
    def check(view: View) -> str:
        if view.failure is None or status_of(view) != "failed":
            return f"the run is {status_of(view)}"
        title = f"{view.failure.kind}: {view.failure.message}"
        return "" if rest in title else f"it says {view.failure.title}"

    return check


def _steps(rest: str) -> Check:
    condition = _condition(f"steps {rest}")

    def check(view: View) -> str:
        count = len(view.trace.line())
        return "" if condition({"steps": count}) else f"there are {count}"

    return check


def _one_of(what: str, word: str, known: tuple[Any, ...]) -> None:
    if word not in known:
        raise UsageError(f"no {what} is called {word!r}", hint=f"known: {', '.join(known)}")


_SUBJECTS: dict[str, Callable[[str], Check]] = {
    "node": _node,
    "tool": _tool,
    "state": _state,
    "status": _status,
    "phase": _phase,
    "stop": _stop,
    "error": _error,
    "steps": _steps,
}
