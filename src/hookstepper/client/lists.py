"""The lists of a conversation, and how a breakpoint or a mock is written on one line."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import cast, get_args

from hookstepper.client.view import View
from hookstepper.model.breakpoints import BreakOn, Breakpoint
from hookstepper.model.commands import Screen
from hookstepper.model.errors import NotPossibleError, UsageError
from hookstepper.model.graph import Graph
from hookstepper.model.ids import Json
from hookstepper.model.mocks import Mock
from hookstepper.values.conditions import compile_condition, compile_template
from hookstepper.values.step_facts import is_hit_count, names_it

COMMANDS = frozenset(
    {
        "break.toggle", "break.add", "break.enable", "break.remove", "watch.add", "watch.remove",
        "mock.add", "mock.remove",
    }
)  # fmt: skip
"""Ids of the commands that change a list."""
_KINDS: tuple[str, ...] = get_args(BreakOn)
_CHANGES = ("grows", "removed")


@dataclass(frozen=True, slots=True)
class Lists:
    """All lists after a command; those that it did not touch are the same objects as before."""

    breakpoints: tuple[Breakpoint, ...]
    compiled: tuple[Breakpoint, ...]
    watches: tuple[str, ...]
    mocks: tuple[Mock, ...]


def changed(view: View, command: Screen, next_break: int) -> Lists:
    """The lists after a command of `COMMANDS`.

    Args:
        next_break: id of the next new breakpoint.

    Raises:
        UsageError: the command's words do not fit, or nothing in the list has that number.
        NotPossibleError: no node has that name.
        ConditionError: an expression to watch is not in the language.
    """
    lists = Lists(view.breakpoints, view.compiled, view.watches, view.mocks)
    text = command.args[0] if command.args else ""
    match command.id:
        case "break.toggle":
            return replace(lists, breakpoints=_toggled(view, text, next_break))
        case "break.add":
            new = with_node_id(breakpoint_from(text, next_break), view.graph)
            _check(new, view.graph)
            return replace(lists, breakpoints=(*view.breakpoints, new))
        case "break.enable" | "break.remove":
            return _switched(view, lists, command.id, text)
        case "watch.add":
            compile_condition(text)
            return replace(lists, watches=(*view.watches, text))
        case "watch.remove":
            at = number_of(text)
            if not 1 <= at <= len(view.watches):
                raise _no_number("watch", at)
            return replace(lists, watches=view.watches[: at - 1] + view.watches[at:])
        case "mock.add":
            number = max((m.id for m in view.mocks), default=0) + 1
            return replace(lists, mocks=(*view.mocks, mock_from(text, number)))
        case "mock.remove":
            at = number_of(text)
            if all(mock.id != at for mock in view.mocks):
                raise _no_number("mock", at)
            return replace(lists, mocks=tuple(mock for mock in view.mocks if mock.id != at))
    return lists


def _toggled(view: View, name: str, number: int) -> tuple[Breakpoint, ...]:
    graph = view.graph
    node = next((n for n in graph.nodes if name in (n.id, n.label)), None) if graph is not None else None
    if node is None and ":" not in name:
        if not name:
            raise NotPossibleError("no node under the cursor")
        raise _no_node(name, graph)
    place = node.id if node is not None else name
    kept = tuple(b for b in view.breakpoints if not (b.on == "node" and b.node == place))
    return kept if len(kept) < len(view.breakpoints) else (*kept, Breakpoint(number, node=place))


def _switched(view: View, lists: Lists, how: str, text: str) -> Lists:
    """The lists without a breakpoint, or with one that holds and did not, or the other way round."""
    chosen = next((b for b in view.places if text in (b.name, str(b.id))), None)
    if chosen is None:
        why = why_no_mute(view, text)
        if why:
            raise NotPossibleError(why, hint="answer.send answers; a mock answers a call before it is made")
        raise _no_number("breakpoint", number_of(text.removeprefix("g")))
    if chosen.origin == "graph":
        if how == "break.remove":
            raise NotPossibleError(
                f"{chosen.name} was compiled into the graph", hint=f"break.enable {chosen.name} mutes it"
            )
        why = cannot_mute(view)
        if why:
            raise NotPossibleError(why)
        return replace(lists, compiled=_turned(lists.compiled, chosen))
    if how == "break.remove":
        return replace(lists, breakpoints=tuple(b for b in lists.breakpoints if b is not chosen))
    return replace(lists, breakpoints=_turned(lists.breakpoints, chosen))


def _turned(breakpoints: tuple[Breakpoint, ...], chosen: Breakpoint) -> tuple[Breakpoint, ...]:
    return tuple(replace(b, enabled=not b.enabled) if b is chosen else b for b in breakpoints)


def cannot_mute(view: View) -> str:
    """Why stops that were compiled into the graph cannot be muted here; empty if they can."""
    loaded = view.loaded
    if loaded is None or loaded.capabilities & {"fork", "lifts_stops"}:
        return ""
    return "the program runs by itself: where its graph stops is its own business"


def why_no_mute(view: View, text: str) -> str:
    """Why a question of the program cannot be muted; empty if `text` names none."""
    open_ = view.stop.asks if view.stop is not None else ()
    nodes = view.graph.nodes if view.graph is not None else ()
    asks = any(text in (ask.id, ask.node) for ask in open_)
    if not asks and not any(node.can_ask and text in (node.id, node.label) for node in nodes):
        return ""
    return "a question of the program cannot be muted: the run waits until it is answered"


def _no_number(what: str, number: int) -> UsageError:
    return UsageError(f"there is no {what} {number}", hint="the list shows the numbers")


def breakpoint_from(text: str, number: int) -> Breakpoint:
    """The breakpoint that a line describes: `[KIND] [NAME] [exit] [hit N] [once] [log TEXT] [if CONDITION]`.

    Raises:
        UsageError: a word does not fit; says which.
    """
    head, found, condition = f" {text} ".partition(" if ")
    words = _words(head)
    kind = cast(BreakOn, words.pop(0)) if words and words[0] in _KINDS else "node"
    fields: dict[str, object] = {}
    if words and words[0] not in ("exit", "hit", "once", "log", *_CHANGES):
        name = words.pop(0)
        fields["key" if kind == "state" else "node"] = name
    while words:
        word = words.pop(0)
        if word in ("hit", "log"):
            if not words:
                raise UsageError(f"{word} needs a word after it")
            fields[word] = words.pop(0)
        elif word in _CHANGES:
            fields["change"] = word
        elif word == "exit":
            fields["phase"] = "exit"
        elif word == "once":
            fields["once"] = True
        else:
            raise UsageError(f"{word!r} is not part of a breakpoint", hint=f"kinds: {', '.join(_KINDS)}")
    if found:
        fields["condition"] = condition.strip()
    if kind == "node" and "node" not in fields:
        raise UsageError("needs a node or a kind", hint=f"kinds: {', '.join(_KINDS)}")
    return Breakpoint(number, on=kind, **fields)  # type: ignore[arg-type]


def _check(breakpoint_: Breakpoint, graph: Graph | None) -> None:
    """
    Raises:
        NotPossibleError: no node has that name; the hint names the nearest.
        UsageError: its hit count is none.
        ConditionError: its condition or its text is not in the language.
    """
    if breakpoint_.condition:
        compile_condition(breakpoint_.condition)
    if breakpoint_.log:
        compile_template(breakpoint_.log)
    if breakpoint_.hit and not is_hit_count(breakpoint_.hit):
        raise UsageError(f"hit count {breakpoint_.hit!r} is none", hint="such as 3, >= 3, % 10")
    pattern = breakpoint_.node
    # A nested place may be in a graph that is not described before it runs.
    if graph is None or breakpoint_.on not in ("node", "route", "loop") or ":" in pattern:
        return
    names = [name for node in graph.nodes for name in (node.id, node.label)]
    if not any(names_it(pattern, name) for name in names):
        raise _no_node(pattern, graph)


def _no_node(name: str, graph: Graph | None) -> NotPossibleError:
    labels = [node.label for node in graph.nodes] if graph is not None else []
    near = get_close_matches(name, labels, n=3, cutoff=0.4)
    return NotPossibleError(f"no node named {name}", hint=f"near: {', '.join(near)}" if near else "")


def with_node_id(breakpoint_: Breakpoint, graph: Graph | None) -> Breakpoint:
    """The same breakpoint, with the id of a node that was named as the picture shows it."""
    for node in graph.nodes if graph is not None else ():
        if breakpoint_.node == node.label and breakpoint_.on in ("node", "route", "loop"):
            return replace(breakpoint_, node=node.id)
    return breakpoint_


def mock_from(text: str, number: int) -> Mock:
    """The mock that a line describes: `model|tool NAME [always] [fails TEXT] [JSON]`.

    Raises:
        UsageError: a word does not fit; says which.
    """
    kind, _, rest = text.strip().partition(" ")
    name, _, rest = rest.strip().partition(" ")
    if kind not in ("model", "tool") or not name:
        raise UsageError("needs model or tool, and a name", hint='mock.add tool get_weather "sunny"')
    rest = rest.strip()
    always = rest == "always" or rest.startswith("always ")
    rest = rest.removeprefix("always").strip() if always else rest
    if rest == "fails" or rest.startswith("fails "):
        error = rest.removeprefix("fails").strip() or "failed by hand"
        return Mock(number, kind, name, error=error, always=always)  # type: ignore[arg-type]
    return Mock(number, kind, name, _json(rest), always=always)  # type: ignore[arg-type]


def _json(text: str) -> Json:
    if not text:
        raise UsageError("needs an answer", hint="JSON, or: fails TEXT")
    try:
        value: Json = json.loads(text)
    except ValueError as error:
        raise UsageError(f"the answer is not JSON: {error}") from None
    return value


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise UsageError(f"{text.strip()}: {error}") from None


def number_of(text: str) -> int:
    """The number that a line gives.

    Raises:
        UsageError: it gives none.
    """
    if not text.isdecimal():
        raise UsageError("needs a number", hint="the list shows them")
    return int(text)
