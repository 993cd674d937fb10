"""What the breakpoint form knows: the kinds of stop, and what is right or wrong with what was filled in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Literal

from hookstepper.client.queries import names
from hookstepper.client.view import View
from hookstepper.model.breakpoints import BreakOn, Breakpoint
from hookstepper.model.errors import ConditionError
from hookstepper.model.ids import END, START
from hookstepper.tui.rows.facts import label
from hookstepper.tui.rows.lines import shown, value_text
from hookstepper.tui.rows.row import Row, cut_text, row
from hookstepper.tui.words import tr
from hookstepper.values.conditions import FUNCTIONS, compile_condition, compile_template

Phase = Literal["enter", "exit"]
Change = Literal["any", "grows", "removed"]
BUDGET = 20_000
"""Operations of the condition as it is tried while one types."""
_HIT = re.compile(r"\s*(>=|==|>|%)?\s*\d+\s*$")


@dataclass(frozen=True, slots=True)
class Kind:
    """One line of the choice `stops at`."""

    id: str
    on: BreakOn
    place: Literal["node", "tool", "key", ""]
    """What the place names; empty if this kind has no place."""
    phase: Phase = "enter"
    change: Change = "any"


KINDS: tuple[Kind, ...] = (
    Kind("node", "node", "node"),
    Kind("node-exit", "node", "node", "exit"),
    Kind("model", "model", "node"),
    Kind("model-exit", "model", "node", "exit"),
    Kind("tool", "tool", "tool"),
    Kind("tool-exit", "tool", "tool", "exit"),
    Kind("tool_request", "tool_request", "tool"),
    Kind("repeat", "repeat", "tool"),
    Kind("route", "route", "node"),
    Kind("state", "state", "key"),
    Kind("state-grows", "state", "key", change="grows"),
    Kind("state-removed", "state", "key", change="removed"),
    Kind("jump", "jump", ""),
    Kind("exception", "exception", "node"),
    Kind("interrupt", "interrupt", ""),
    Kind("loop", "loop", "node"),
)


def kind_words() -> tuple[tuple[str, str], ...]:
    """Id and sentence of each kind, in the chosen language."""
    said = {
        "node": tr("a node, before it runs"),
        "node-exit": tr("a node, after it ran"),
        "model": tr("a model call, before it is made"),
        "model-exit": tr("a model call, when it has answered"),
        "tool": tr("a tool, before it runs"),
        "tool-exit": tr("a tool, after it ran"),
        "tool_request": tr("the model asks for a tool"),
        "repeat": tr("the same tool with the same arguments again"),
        "route": tr("a routing decision"),
        "state": tr("a state key changes"),
        "state-grows": tr("a state key grows"),
        "state-removed": tr("a state key goes away"),
        "jump": tr("a jump is written"),
        "exception": tr("a node or a tool raises"),
        "interrupt": tr("the program asks a person"),
        "loop": tr("a turn begins, or a node is entered again"),
    }
    return tuple((kind.id, said[kind.id]) for kind in KINDS)


def kind_of(breakpoint_: Breakpoint) -> str:
    """Id of the kind that a breakpoint is of."""
    found = next(
        (
            kind.id
            for kind in KINDS
            if kind.on == breakpoint_.on
            and kind.phase == breakpoint_.phase
            and (kind.on != "state" or kind.change == breakpoint_.change)
        ),
        None,
    )
    return found or next(kind.id for kind in KINDS if kind.on == breakpoint_.on)


@dataclass(frozen=True, slots=True)
class Filled:
    """What stands in the form."""

    kind: str
    place: str = ""
    condition: str = ""
    hit: str = ""
    log: str = ""
    enabled: bool = True
    once: bool = False

    @property
    def row(self) -> Kind:
        """The kind that is chosen."""
        return next(kind for kind in KINDS if kind.id == self.kind)


@dataclass(frozen=True, slots=True)
class Judged:
    """The breakpoint that a form means, or what stands against it."""

    breakpoint: Breakpoint
    rows: tuple[Row, ...]
    """One line for each thing that is right, or wrong."""
    ok: bool


def filled_from(view: View, breakpoint_: Breakpoint) -> Filled:
    """The form of a breakpoint that is there; its node by the name that the picture shows."""
    node = breakpoint_.node
    known = next((n for n in view.graph.nodes if n.id == node), None) if view.graph is not None else None
    place = breakpoint_.key if breakpoint_.on == "state" else known.label if known is not None else node
    return Filled(
        kind_of(breakpoint_),
        place,
        breakpoint_.condition,
        breakpoint_.hit,
        breakpoint_.log,
        breakpoint_.enabled,
        breakpoint_.once,
    )


def known_places(view: View, kind: Kind) -> tuple[str, ...]:
    """Names that the place of such a breakpoint may have, for completion and for near matches."""
    graph = view.graph
    match kind.place:
        case "tool":
            return tuple(dict.fromkeys(t for n in (graph.nodes if graph else ()) for t in n.tools))
        case "key":
            state = view.trace.state(view.at)
            declared = [key.name for key in graph.keys] if graph is not None else []
            return tuple(dict.fromkeys([*declared, *(state if isinstance(state, dict) else ()), "jump_to"]))
        case "node":
            nodes = [n for n in graph.nodes if n.id not in (START, END)] if graph is not None else []
            return tuple(dict.fromkeys(label(view, n.id) for n in nodes))
    return ()


def judged(view: View, filled: Filled, number: int, cells: int) -> Judged:
    """What the form means and whether it can be set."""
    kind = filled.row
    place, placed, place_ok = _place(view, kind, filled.place)
    condition, condition_ok = _condition(view, filled.condition)
    rest, rest_ok = _rest(filled)
    made = Breakpoint(
        number,
        on=kind.on,
        node=place if kind.place != "key" else "*",
        phase=kind.phase,
        key=place if kind.place == "key" else "",
        change=kind.change,
        condition=filled.condition,
        hit=filled.hit,
        log=filled.log,
        once=filled.once,
        enabled=filled.enabled,
    )
    rows = tuple(_cut(each, cells) for each in [*placed, *condition, *rest])
    return Judged(made, rows, place_ok and condition_ok and rest_ok)


def _cut(line: Row, cells: int) -> Row:
    span = line[0]
    return row((cut_text(span.text, cells), span.role))


def _good(text: str) -> Row:
    return row(("✓ " + text, "ok"))


def _bad(text: str) -> Row:
    return row(("✗ " + text, "failed"))


def _open(text: str) -> Row:
    return row(("· " + text, "muted"))


def _place(view: View, kind: Kind, text: str) -> tuple[str, list[Row], bool]:
    """What the place stands for, what is to be said about it, and whether it can be."""
    if kind.place == "":
        return "*", [_open(tr("wherever it happens"))], True
    wanted = text or "*"
    if kind.place == "key" and not text:
        return "", [_bad(tr("which key? A * takes all"))], False
    if kind.place == "node":
        return _node_place(view, wanted)
    known = known_places(view, kind)
    hits = [name for name in known if name == wanted or fnmatchcase(name, wanted)]
    if hits:
        return wanted, [_good(_some(hits))], True
    if wanted == "*":
        return wanted, [_good(tr("any of them"))], True
    # Tools and keys may come up that nobody declared.
    return wanted, [_open(tr("not known yet") + _near(wanted, known))], True


def _node_place(view: View, wanted: str) -> tuple[str, list[Row], bool]:
    if view.graph is None or wanted == "*":
        return wanted, [_good(tr("any node"))], True
    exact = next((n for n in view.graph.nodes if wanted in (n.id, n.label)), None)
    if exact is not None:
        return exact.id, [_good(label(view, exact.id))], True
    hits = [n for n in view.graph.nodes if fnmatchcase(n.id, wanted) or fnmatchcase(n.label, wanted)]
    if hits:
        return wanted, [_good(_some([label(view, n.id) for n in hits]))], True
    if ":" in wanted:
        return wanted, [_open(tr("inside a nested graph, which shows when it runs"))], True
    known = [label(view, n.id) for n in view.graph.nodes]
    return wanted, [_bad(tr("no node named {node}", node=shown(wanted)) + _near(wanted, known))], False


def _some(names_: Sequence[str]) -> str:
    head = ", ".join(shown(name, 60) for name in names_[:4])
    return f"{len(names_)}: {head}" + (" …" if len(names_) > 4 else "") if len(names_) > 1 else head


def _near(wanted: str, known: Sequence[str]) -> str:
    close = list(dict.fromkeys(get_close_matches(wanted, known, n=3, cutoff=0.4)))
    return tr("; near: {names}", names=", ".join(close)) if close else ""


def _condition(view: View, text: str) -> tuple[list[Row], bool]:
    """What is to be said about a condition: what it is now, or why it cannot be read."""
    if not text:
        return [], True
    try:
        condition = compile_condition(text, BUDGET)
    except ConditionError as error:
        why = error.message.removeprefix(f"{text}: ")
        return [_bad(tr("condition: {why}", why=shown(why))), _open(shown(error.hint))], False
    env = names(view.trace, view.at)
    strange = sorted(condition.names - set(env) - set(FUNCTIONS) - LATER)
    if strange:
        near = _near(strange[0], [*env, *LATER])
        said = tr("condition: nothing is named {name} now", name=shown(strange[0])) + near
        return [row(("⚠ " + said, "warning"))], True
    if condition.names & LATER - set(env):
        return [_good(tr("condition: can be read; it looks at what is there only at the stop"))], True
    try:
        value = condition(env)
    except ConditionError as error:
        return [_open(tr("condition: at this step: {why}", why=shown(error.message)))], True
    return [_good(tr("condition: at this step it is {value}", value=value_text(value, 40)))], True


LATER = frozenset(
    {"node", "route", "layer", "model", "tool", "error", "call", "args", "request", "old", "new"}
)
"""Names that a condition may use although the state has none of them: they stand at the stop itself."""


def _rest(filled: Filled) -> tuple[list[Row], bool]:
    rows: list[Row] = []
    ok = True
    if filled.hit and not _HIT.match(filled.hit):
        rows.append(_bad(tr("hit count: such as 3, >= 3, % 10")))
        ok = False
    if filled.log:
        try:
            compile_template(filled.log)
            rows.append(_good(tr("does not stop: writes the text to Output instead")))
        except ConditionError as error:
            rows.append(_bad(tr("log text: {why}", why=shown(error.message))))
            ok = False
    return rows, ok
