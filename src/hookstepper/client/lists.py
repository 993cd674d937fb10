"""The small languages of lists: how a breakpoint or a mock is written on one line."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from typing import cast, get_args

from hookstepper.model.breakpoints import BreakOn, Breakpoint
from hookstepper.model.errors import UsageError
from hookstepper.model.graph import Graph
from hookstepper.model.ids import Json
from hookstepper.model.mocks import Mock

_KINDS: tuple[str, ...] = get_args(BreakOn)
_CHANGES = ("grows", "removed")


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
    if not text.isdigit():
        raise UsageError("needs a number", hint="the list shows them")
    return int(text)
