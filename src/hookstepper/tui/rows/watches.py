"""Watched expressions with their value at the step in view, and the one before if it was another."""

from __future__ import annotations

from functools import lru_cache

from rich.cells import cell_len

from hookstepper.client.view import View
from hookstepper.model.errors import ConditionError
from hookstepper.model.ids import Json
from hookstepper.tui.keymap import main_key
from hookstepper.tui.rows.facts import state_in_view, step_in_view
from hookstepper.tui.rows.lines import BLANK, Line, shown, value_text
from hookstepper.tui.rows.row import Role, cut_text, pad_text, row, spread
from hookstepper.tui.words import tr
from hookstepper.values.conditions import Condition, compile_condition

BUDGET = 20_000
"""Operations of one expression, about 20 ms: a watch is read on the screen's own thread at each step."""


def watch_lines(view: View, width: int) -> list[Line]:
    """One line for each watched expression; nothing if there is none."""
    if not view.watches:
        return []
    add = f"{main_key('watch.add')} {tr('add')}"
    head = spread(row(" ", (tr("Watch"), "title")), row((add, "muted"), " "), width)
    now = state_in_view(view)
    step = step_in_view(view)
    before = view.trace.before(step.index) if step is not None else now
    column = min(max(cell_len(shown(text, 200)) for text in view.watches) + 2, max(12, width * 2 // 3))
    return [
        BLANK,
        Line(head),
        *(_watch(n, text, now, before, column, width) for n, text in enumerate(view.watches, 1)),
    ]


def _watch(number: int, text: str, now: Json, before: Json, column: int, width: int) -> Line:
    name = pad_text(cut_text(shown(text, 200), column - 1), column)
    value, why = _value(text, now)
    room = max(4, width - column - 4)
    if why:
        said: tuple[str, Role] = (cut_text(shown(why, 200), room), "warning")
        return Line(row("   ", (name, "key"), said), f"w:{number}", text=why)
    old, old_why = _value(text, before)
    was = "" if old_why or old == value else tr("was {value}", value=value_text(old, room // 2 - 6))
    shown_value = value_text(value, room - (cell_len(was) + 2 if was else 0))
    spans = spread(row("   ", (name, "key"), (shown_value, "")), row((was, "changed")), width - 1)
    return Line(spans, f"w:{number}", interest=bool(was), text=value_text(value, 100_000))


@lru_cache(maxsize=256)
def _compiled(text: str) -> Condition:
    return compile_condition(text, BUDGET)


def _value(text: str, state: Json) -> tuple[Json, str]:
    """The value of an expression, or why it has none."""
    try:
        return _compiled(text)(state if isinstance(state, dict) else {}), ""
    except ConditionError as error:
        return None, error.message.removeprefix(f"{text}: ")
