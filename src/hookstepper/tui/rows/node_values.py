"""What went into a node and what came out of it: the facets `in` and `out`."""

from __future__ import annotations

from hookstepper.model.ids import Json
from hookstepper.model.record import StepDone
from hookstepper.tui.rows.lines import Line, labelled, line, shown, value_text, wrap
from hookstepper.tui.rows.messages import read_message
from hookstepper.tui.rows.node_page import COLUMN, Page
from hookstepper.tui.rows.row import cut, row
from hookstepper.tui.rows.state import summary
from hookstepper.tui.words import tr, tr_as


def in_and_out(page: Page, opened: frozenset[str]) -> list[Line]:
    state = _state_before(page)
    lines = _value(page, "in", _entering(state), state, opened)
    step = page.last
    if page.runs_next:
        before = tr("last time: {what}", what=_returned(step)) if step is not None else ""
        said = tr("(not run yet; {before})", before=before) if before else tr("(not run yet)")
        return lines + _value(page, "out", said, step.update if step is not None else None, opened)
    if step is None:
        return lines + _value(page, "out", tr("(not run yet)"), None, opened)
    return lines + _value(page, "out", _returned(step), step.update, opened)


def _state_before(page: Page) -> Json:
    if page.runs_next or page.last is None:
        return page.view.trace.state(page.view.at)
    return page.view.trace.before(page.last.index)


def _entering(state: Json) -> str:
    if not isinstance(state, dict):
        return value_text(state, 60)
    talk = state.get("messages")
    if isinstance(talk, list):
        return f"messages, {summary(talk, 20)}"
    return summary(state, 20)


def _returned(step: StepDone | None) -> str:
    if step is None:
        return tr("nothing")
    if step.error:
        return f"✗ {shown(step.error, 300)}"
    if not step.writes and step.update in (None, {}):
        return tr("nothing")
    if isinstance(step.update, dict) and "$" not in step.update:
        return ", ".join(f"{shown(key, 60)} {_brief(value)}" for key, value in step.update.items())
    return ", ".join(step.writes) or value_text(step.update, 60)


def is_whole(value: Json) -> bool:
    """True for an update that takes the place of a whole list, whatever the key's strategy."""
    return isinstance(value, dict) and value.get("$") == "replace_all"


def _brief(value: Json) -> str:
    if is_whole(value) and isinstance(value, dict) and isinstance(value.get("items"), list):
        return tr("whole list, {items}", items=summary(value["items"], 24))
    message = read_message(value)
    return tr_as("role", shown(message.role, 30)) if message is not None else summary(value, 24)


def _value(page: Page, name: str, said: str, value: Json, opened: frozenset[str]) -> list[Line]:
    ident = f"n:{name}"
    holds = isinstance(value, dict | list) and bool(value)
    is_open = holds and ident in opened
    rows = labelled(tr(name), wrap(said, page.width - COLUMN - 4), COLUMN)
    if holds:
        rows[-1] = (*rows[-1], *row("   ", ("▾" if is_open else "▸", "key")))
    lines = [
        Line(
            cut(each, page.width),
            ident if place == 0 else "",
            opens=is_open if holds and place == 0 else None,
            text=said,
        )
        for place, each in enumerate(rows)
    ]
    if is_open:
        lines += _parts(page, ident, value)
    return lines


def _parts(page: Page, ident: str, value: Json) -> list[Line]:
    pairs: list[tuple[str, Json]] = []
    if isinstance(value, dict):
        pairs = [(key, inner) for key, inner in value.items() if key != "$"]
    elif isinstance(value, list):
        pairs = [(str(place), inner) for place, inner in enumerate(value)]
    lines = []
    for key, inner in pairs[:200]:
        room = max(8, page.width - COLUMN - len(key) - 4)
        spans = row(" " * COLUMN, (shown(key, 60), "key"), "  ", summary(inner, room))
        lines.append(Line(cut(spans, page.width), f"{ident}.{key}", text=value_text(inner, 4000)))
        if isinstance(inner, list):
            lines += _items(page, f"{ident}.{key}", inner)
    return lines


def _items(page: Page, ident: str, items: list[Json]) -> list[Line]:
    from hookstepper.tui.rows.messages import message_text

    first = max(0, len(items) - 20)
    lines = [line(" " * (COLUMN + 2), (f"… {first}", "muted"))] if first else []
    for place, each in enumerate(items[first:], first):
        message = read_message(each)
        room = max(8, page.width - COLUMN - 6)
        said = (
            f"{tr_as('role', shown(message.role, 30))}  {message_text(message, room)}"
            if message is not None
            else summary(each, room)
        )
        spans = row(" " * (COLUMN + 2), (str(place), "muted"), " ", said)
        lines.append(Line(cut(spans, page.width), f"{ident}[{place}]"))
    return lines
