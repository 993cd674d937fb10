"""What a recorded step says to breakpoints that are about steps: calls asked for, keys changed, jumps."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from hookstepper.model.breakpoints import Breakpoint
from hookstepper.model.ids import Json
from hookstepper.model.record import AddKey, DeleteKey, Delta, DeltaOp, SetValue, Splice, StepDone

Names = Mapping[str, Json]
"""More names for the condition: `call` for one that was asked for, `old` and `new` for a change."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What one step did, as far as breakpoints are about it."""

    delta: Delta
    calls: tuple[Mapping[str, Json], ...]
    repeated: tuple[Mapping[str, Json], ...]
    jumps: tuple[Names, ...] = ()

    def matching(self, breakpoint_: Breakpoint) -> Iterator[Names]:
        """One set of names for each thing in the step that the breakpoint is about."""
        match breakpoint_.on:
            case "tool_request":
                yield from _calls(self.calls, breakpoint_.node)
            case "repeat":
                yield from _calls(self.repeated, breakpoint_.node)
            case "state":
                yield from _changes(self.delta, breakpoint_)
            case "jump":
                yield from self.jumps


class StepFacts:
    """Reads steps of one run in order; remembers which calls were asked for."""

    def __init__(self) -> None:
        self._asked: set[tuple[str, str]] = set()

    def of(self, step: StepDone) -> Facts:
        """The facts of a step."""
        # A graph without an agent calls its model in a plain node; hooks only write anew what was asked for.
        calls = tuple(_requested(step.delta)) if step.kind in ("model", "plain") else ()
        repeated = []
        for call in calls:
            key = call_key(str(call.get("name")), call.get("args"))
            if key in self._asked:
                repeated.append(call)
            self._asked.add(key)
        return Facts(step.delta, calls, tuple(repeated), tuple(_jumps(step)))


def call_key(tool: str, arguments: Json) -> tuple[str, str]:
    """What two mentions of one tool call have in common in every framework."""
    return tool, json.dumps(arguments, sort_keys=True)


def call_names(kind: str, name: str, request: Json) -> dict[str, Json]:
    """What a condition may name at a call: `tool` with its `name` and `args`, or `model`; and the request.

    Frameworks differ in what a tool call's request is; conditions need not know.
    """
    names: dict[str, Json] = {"request": request, kind: request}
    if kind == "tool":
        whole = isinstance(request, dict) and "args" in request and "$" in request
        args = request["args"] if whole else request  # type: ignore[index,call-overload]
        names |= {"tool": request if whole else {"name": name, "args": request}, "args": args}
    return names


_HIT = re.compile(r"\s*(>=|==|>|%)?\s*(\d+)\s*$")


def is_hit_count(hit: str) -> bool:
    """True for `>= 3`, `> 3`, `== 3`, `% 3`, `3`."""
    return bool(_HIT.match(hit))


def hit_counts(hit: str, count: int) -> bool:
    """True if a breakpoint with this hit count stops at the count-th time; an empty one always does."""
    match = _HIT.match(hit) if hit else None
    if match is None:
        return True
    operator, number = match.group(1) or "==", int(match.group(2))
    match operator:
        case ">=":
            return count >= number
        case ">":
            return count > number
        case "%":
            return number > 0 and count % number == 0
    return count == number


def names_it(pattern: str, name: str) -> bool:
    """True if a glob means the name; one that contains brackets means itself too."""
    return pattern == name or fnmatchcase(name, pattern)


def _requested(delta: Delta) -> Iterator[Mapping[str, Json]]:
    for change in delta:
        for message in _new_values(change):
            calls = message.get("tool_calls") if isinstance(message, dict) else None
            for call in calls if isinstance(calls, list) else ():
                if isinstance(call, dict):
                    yield call


def _new_values(change: DeltaOp) -> Iterable[Json]:
    match change:
        case Splice(inserted=inserted):
            return inserted
        case AddKey(new=new) | SetValue(new=new):
            return new if isinstance(new, list) else (new,)
    return ()


def _jumps(step: StepDone) -> Iterator[Names]:
    """The jump that a step wrote, also if the same one stood there already."""
    for change in step.delta:
        if change.path == ("jump_to",) and isinstance(change, SetValue | AddKey) and change.new:
            yield {"old": getattr(change, "old", None), "new": change.new}
            return
    wrote = step.update.get("jump_to") if isinstance(step.update, dict) else None
    if wrote and "jump_to" in step.writes and not any(c.path == ("jump_to",) for c in step.delta):
        yield {"old": wrote, "new": wrote}


def _calls(calls: Iterable[Mapping[str, Json]], pattern: str) -> Iterator[Names]:
    for call in calls:
        name = str(call.get("name"))
        if names_it(pattern, name):
            yield {"call": dict(call)}


def _changes(delta: Delta, breakpoint_: Breakpoint) -> Iterator[Names]:
    pattern = breakpoint_.key or breakpoint_.node
    for change in delta:
        key = str(change.path[0]) if change.path else ""
        if not names_it(pattern, key) or not _is(change, breakpoint_.change):
            continue
        yield {"key": key, "old": getattr(change, "old", None), "new": getattr(change, "new", None)}
        return


def _is(change: DeltaOp, wanted: str) -> bool:
    match change:
        case Splice(removed=removed, inserted=inserted):
            more = len(inserted) - len(removed)
            return wanted == "any" or (more > 0 if wanted == "grows" else more < 0)
        case AddKey():
            return wanted in ("any", "grows")
        case DeleteKey():
            return wanted in ("any", "removed")
        case SetValue(new=new):
            return wanted == "any" or (wanted == "removed" and new is None)
