"""Commands that only ask, and what is told in answer, as data. Nothing runs and nothing moves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from hookstepper.client import lists
from hookstepper.client.view import View
from hookstepper.model import jumps
from hookstepper.model.commands import Screen, parse_path
from hookstepper.model.errors import ConditionError, NotPossibleError, UsageError
from hookstepper.model.ids import Json
from hookstepper.model.jsonform import to_json
from hookstepper.model.mocks import Mock
from hookstepper.trace.ahead import plan_of_fork
from hookstepper.trace.trace import Trace
from hookstepper.values.conditions import compile_condition
from hookstepper.values.tags import TAG

REMARK = 200
"""Cells of an answer that is shown in one line."""
FOUND = 200
"""Finds that are told at most."""

QUERIES = frozenset(
    {
        *("time.branches", "time.steps", "time.plan", "state.show", "state.eval", "find.open"),
        *("break.list", "watch.list", "mock.list", "jump.open", "answer.open"),
        *("tab.state", "tab.messages", "tab.calls", "tab.route", "tab.output", "tab.breakpoints"),
    }
)
"""Ids of the commands that `answered` knows."""


def answered(view: View, command: Screen) -> Json:
    """What the command asks for, at the step in view.

    Raises:
        UsageError: its words do not fit.
        NotPossibleError: there is no such thing here.
        ConditionError: the expression does not fit the state.
    """
    word = command.args[0] if command.args else ""
    match command.id:
        case "time.branches":
            return [_branch(view, branch.id) for branch in view.trace.branches]
        case "time.steps":
            return [_step(view, index) for index in view.trace.line(view.branch)]
        case "time.plan":
            return _plan(view, word)
        case "state.show" | "tab.state":
            return _value(view, word)
        case "tab.messages":
            return _value(view, "messages")
        case "state.eval":
            return evaluated(view, word)
        case "find.open":
            return [to_json(hit) for hit in view.trace.search(" ".join(command.args), FOUND)]
        case "watch.list":
            return [watched(view, text) for text in view.watches]
        case "mock.list":
            return [_mock(view, mock) for mock in view.mocks]
        case "break.list" | "tab.breakpoints":
            return _breakpoints(view)
        case "tab.calls":
            return [to_json(call) for call in view.trace.calls(view.branch, upto=view.at)]
        case "tab.route":
            steps = view.trace.steps
            return to_json(steps[view.at].route) if 0 <= view.at < len(steps) else None
        case "tab.output":
            return [to_json(piece) for piece in view.output]
        case "jump.open":
            return [to_json(choice) for choice in legal_jumps(view)]
        case "answer.open":
            return [to_json(ask) for ask in (view.stop.asks if view.stop is not None else ())]
    raise NotPossibleError(f"{command.id} is for the screen")


def legal_jumps(view: View) -> tuple[jumps.JumpChoice, ...]:
    """The words of `jump_to` at ▶, offered or not; empty if no node is held before it runs."""
    stop, graph = view.stop, view.graph
    if graph is None or stop is None or stop.site is None or stop.site.kind != "node":
        return ()
    return jumps.choices(graph, stop.site.node) if stop.posture == "held" else ()


def names(trace: Trace, at: int) -> dict[str, Json]:
    """What an expression may name at a step: the keys of its state, those that are not set as None."""
    out: dict[str, Json] = {key.name: None for key in trace.graph.keys} if trace.graph is not None else {}
    state = trace.state(at)
    return {**out, "jump_to": None, **state} if isinstance(state, dict) else out


def evaluated(view: View, text: str) -> Json:
    """The value of an expression of the condition language at the step in view.

    Raises:
        ConditionError: it is not in the language, or does not fit this state.
    """
    if not text:
        raise UsageError("needs an expression", hint="such as len(messages)")
    return compile_condition(text)(names(view.trace, view.at))


def watched(view: View, text: str) -> dict[str, Json]:
    """A watch with its value, or why it has none."""
    try:
        return {"expression": text, "value": evaluated(view, text)}
    except ConditionError as error:
        return {"expression": text, "error": error.message}


def _branch(view: View, name: Any) -> Json:
    trace = view.trace
    branch = next(b for b in trace.branches if b.id == name)
    return {
        "branch": branch.id,
        "parent": branch.parent,
        "from_step": branch.from_step if branch.parent is not None else None,
        "head": branch.last,
        "steps": list(branch.steps),
        "live": branch.id == trace.branch,
        "in_view": branch.id == (view.branch or trace.branch),
    }


def _step(view: View, index: int) -> Json:
    step = view.trace.steps[index]
    return {
        "index": index,
        "branch": step.branch,
        "node": step.site.node,
        "kind": step.kind,
        "turn": view.trace.turn_of(index),
        "to": list(step.route.to) if step.route is not None else [],
        "marks": [mark.kind for mark in view.trace.marks(index)],
        "in_view": index == view.at,
    }


def _plan(view: View, word: str) -> Json:
    if word and not word.lstrip("-").isdigit():
        raise UsageError("needs a step number")
    step = int(word) if word else view.at
    if not -1 <= step <= view.trace.last:
        raise NotPossibleError(f"there is no step {step}", hint=f"steps -1 (the input) to {view.trace.last}")
    return to_json(plan_of_fork(view.trace, step, view.branch))


def _value(view: View, text: str) -> Json:
    value: Json = view.trace.state(view.at)
    for part in parse_path(text) if text else ():
        value = _inner(value, part, text)
    return value


def _inner(value: Json, part: str | int, text: str) -> Json:
    if isinstance(value, Mapping) and TAG in value and isinstance(value.get("v"), list | dict):
        value = value["v"]
    if isinstance(value, list) and isinstance(part, int) and -len(value) <= part < len(value):
        return value[part]
    if isinstance(value, Mapping) and str(part) in value:
        return value[str(part)]
    known = list(value) if isinstance(value, Mapping) else []
    size = f"{len(value)} items" if isinstance(value, list) else ", ".join(map(str, known[:12]))
    raise NotPossibleError(f"{text}: there is no {part!r} here", hint=f"here: {size}" if size else "")


def _mock(view: View, mock: Mock) -> Json:
    data = cast("dict[str, Json]", to_json(mock))
    problem = dict(view.mock_problems).get(mock.id, "")
    return {**data, "used": mock.id in view.used_mocks, "problem": problem}


def _breakpoints(view: View) -> Json:
    """Every place where a run can stop: a person's, the graph's own, and the program's questions."""
    problems, hits = dict(view.problems), dict(view.hits)
    out: list[Json] = []
    for breakpoint_ in view.places:
        data = cast("dict[str, Json]", to_json(breakpoint_))
        why = lists.cannot_mute(view) if breakpoint_.origin == "graph" else ""
        out.append(
            {
                **data,
                "name": breakpoint_.name,
                "origin": breakpoint_.origin,
                "muted": not breakpoint_.enabled,
                "why_no_mute": why,
                "hits": hits.get(breakpoint_.id, 0),
                "problem": problems.get(breakpoint_.id, ""),
            }
        )
    return [*out, *_questions(view)]


def _questions(view: View) -> list[Json]:
    open_ = view.stop.asks if view.stop is not None else ()
    asks: list[tuple[str, str, bool]] = [(ask.id, ask.node, True) for ask in open_ if not ask.stops]
    nodes = view.graph.nodes if view.graph is not None else ()
    asks += [(node.id, node.id, False) for node in nodes if node.can_ask]
    return [
        {
            "name": name,
            "on": "interrupt",
            "node": node,
            "origin": "program",
            "open": is_open,
            "muted": False,
            "why_no_mute": lists.why_no_mute(view, name),
        }
        for name, node, is_open in asks
    ]
