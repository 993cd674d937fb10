"""What is expected of tools: that they were really called, with what, how often, or not at all."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from difflib import get_close_matches

from hookstepper.client.expecting_nodes import Check, listed
from hookstepper.client.view import View
from hookstepper.model.errors import ConditionError, UsageError
from hookstepper.model.ids import Json
from hookstepper.model.record import CallRecord
from hookstepper.values.conditions import Condition, compile_condition
from hookstepper.values.preview import preview

_TOOL = re.compile(
    r"(?P<name>\S+) +(?:(?P<never>not +called)|called(?: +(?P<times>[0-9]{1,9}) +times?)?"
    r"(?: +with +(?P<args>\{.*\}))?(?: +if +(?P<condition>.+))?)"
)


def tool(rest: str) -> Check:
    """The check that a sentence about a tool means.

    Raises:
        UsageError: it is no such sentence.
    """
    match = _TOOL.fullmatch(rest)
    if match is None:
        raise UsageError(
            f"cannot expect 'tool {rest}'",
            hint="tool T called [N times] [with JSON] [if EXPRESSION], or: not called",
        )
    name, times = match["name"], match["times"]
    given = _arguments(match["args"])
    condition = condition_of(match["condition"]) if match["condition"] else None

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
        return _unknown_tool(view, name) or f"called: {listed(others)}"

    return check


def _calls(view: View) -> list[CallRecord]:
    steps = view.trace.steps
    calls = (call for index in view.trace.line() for call in steps[index].calls)
    return [call for call in calls if call.kind == "tool" and not call.mocked]


def _asked(calls: list[CallRecord]) -> str:
    return listed([preview(_args(call), 80) for call in calls])


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


def condition_of(text: str) -> Condition:
    """The condition that a text is.

    Raises:
        UsageError: it is none; the message says why.
    """
    try:
        return compile_condition(text)
    except ConditionError as error:
        raise UsageError(error.message, hint=error.hint) from None
