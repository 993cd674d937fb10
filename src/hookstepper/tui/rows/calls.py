"""The Calls tab: each tool call from the model's wish over a person's decision to the tool's result."""

from __future__ import annotations

from collections.abc import Iterator

from hookstepper.client.view import View
from hookstepper.model.ids import Json
from hookstepper.trace.calls import ToolCallLife
from hookstepper.tui.rows.facts import by_hand_text, label, seconds
from hookstepper.tui.rows.lines import BLANK, Line, ended, line, shown, shown_lines, value_text, wrap
from hookstepper.tui.rows.messages import Call, call_text
from hookstepper.tui.rows.row import Role, cut, cut_text, pad_text, row, spread, width_of
from hookstepper.tui.words import tr

TABLE = 86
"""Cells from which on calls are a table; below that each call takes some lines of its own."""
NEWEST = 20
"""Calls that are shown; older ones open at the top."""
EARLIER = "k:earlier"
_COLUMNS = (4, 13, 13, 38, 13)
"""Cells of id, tool, approval, arguments and result; the status takes the rest."""


def call_lines(view: View, width: int, turned: frozenset[str] = frozenset()) -> list[Line]:
    """The tool calls up to the step in view, in the order in which they were asked for.

    Args:
        turned: ids of lines that a person opened.
    """
    calls = view.trace.calls(upto=view.at) if view.looking_back else view.trace.calls()
    if not calls:
        return [line(" ", (tr("No tool was asked for yet."), "muted"))]
    table = width >= TABLE
    lines = [_head(width)] if table else []
    first = 0 if EARLIER in turned else max(0, len(calls) - NEWEST)
    if first:
        said = tr("… {n} earlier calls, Enter shows them", n=f"{first:,}")
        lines.append(Line(row(" ", (said, "muted")), EARLIER, opens=False))
    for call in calls[first:]:
        lines += [_in_table(call, width)] if table else [*_card(view, call, width), BLANK]
    return lines if table else lines[:-1]


def approval_text(call: ToolCallLife) -> str:
    """What became of the approval: not needed, open, or what a person decided."""
    if call.by_hand:
        return ", ".join(by_hand_text(mark) for mark in call.by_hand) + " ✎"
    if not call.needs_approval:
        # As long as it has not run a hook may still ask.
        return tr("not asked so far") if call.status == "proposed" else tr("not needed")
    return tr("approved") if call.executed_at is not None else tr("open")


def status_text(call: ToolCallLife) -> tuple[str, Role]:
    """Whether it ran, and for how long."""
    spent = seconds(call.duration_us, long=True)
    tail = f" {spent}" if spent else ""
    if call.executed_undecided:
        return "⚠ " + tr("ran undecided"), "failed"
    match call.status:
        case "executed":
            return f"✓{tail}" + (f" {tr('mocked')}" if call.mocked else ""), "ok"
        case "failed":
            return f"✗{tail}", "failed"
        case "asked":
            return "‖ " + tr("waits for you"), "waiting"
        case "answered":
            return tr("answered without it"), "muted"
        case "dropped":
            return tr("dropped"), "muted"
    return tr("proposed"), "muted"


def _where(call: ToolCallLife) -> int:
    return call.executed_at if call.executed_at is not None else call.proposed_at


def _same(first: Json, second: Json) -> bool:
    return second is None or first == second


# --------------------------------------------------------------------------------------- as a table


def _head(width: int) -> Line:
    words = (tr("id"), tr("tool"), tr("approval"), tr("asked / sent / used"), tr("result"))
    cells = "".join(pad_text(word, column) for word, column in zip(words, _COLUMNS, strict=True))
    return Line(cut(row(" ", (cells + tr("status"), "muted")), width))


def _in_table(call: ToolCallLife, width: int) -> Line:
    wide = width - TABLE
    columns = (*_COLUMNS[:3], _COLUMNS[3] + wide // 2, _COLUMNS[4] + wide - wide // 2)
    status, role = status_text(call)
    result = shown(call.error or call.result, 200)
    texts = (
        shown(call.id, 40),
        shown(call.tool, 60),
        approval_text(call),
        _three(call, columns[3] - 1),
        result,
    )
    roles: tuple[Role, ...] = (
        "muted",
        "name",
        "human" if call.by_hand else "",
        "",
        "failed" if call.error else "",
    )
    cells = [
        (pad_text(cut_text(text, column - 1), column), role)
        for text, column, role in zip(texts, columns, roles, strict=True)
    ]
    spans = cut(row(" ", *cells, (status, role)), width)
    return Line(
        spans, f"k:{call.id}", step=_where(call), origin=call.proposed_at, interest=True, text=_copied(call)
    )


def _three(call: ToolCallLife, cells: int) -> str:
    """`city=Beijing / same / same`; where arguments differ only those that do."""
    asked = _arguments(call.tool, call.asked)
    sent = call.sent if call.sent is not None else call.asked
    if _same(call.asked, call.sent):
        first, second = asked, tr("same")
    else:
        first, second = _differing(call.asked, sent)
    used = "–" if call.used is None else tr("same") if call.used == sent else _arguments(call.tool, call.used)
    room = cells - 6
    rest = len(second) + len(used)
    if len(first) + rest > room:
        first = ended(first, max(6, room - min(rest, room // 2)))
        second = ended(second, max(6, room - len(first) - len(used))) if len(first) + rest > room else second
    return f"{first} / {second} / {used}"


def _arguments(tool: str, arguments: Json) -> str:
    return call_text(Call("", tool, arguments), 400)[len(shown(tool)) + 1 : -1]


def _differing(asked: Json, sent: Json) -> tuple[str, str]:
    if isinstance(asked, dict) and isinstance(sent, dict):
        keys = [key for key in {**asked, **sent} if asked.get(key) != sent.get(key)]
        if len(keys) == 1:
            key = keys[0]
            return f"{shown(key, 40)} {value_text(asked.get(key), 60)}", value_text(sent.get(key), 60)
    return value_text(asked, 80), value_text(sent, 80)


# --------------------------------------------------------------------------------------- as cards


def _card(view: View, call: ToolCallLife, width: int) -> Iterator[Line]:
    status, role = status_text(call)
    head = row(" ", (f"{shown(call.id, 30)}  ", "muted"), (shown(call.tool, 60), "name"))
    tail = row((approval_text(call), "human" if call.by_hand else "muted"), " · ", (status, role), " ")
    if width_of(head) + width_of(tail) + 1 > width:
        tail = row((status, role), " ")
    yield Line(
        spread(head, tail, width),
        f"k:{call.id}",
        step=_where(call),
        origin=call.proposed_at,
        interest=True,
        text=_copied(call),
    )
    yield from _part(tr("asked"), _arguments(call.tool, call.asked), width)
    if not _same(call.asked, call.sent):
        yield from _changed(call, width)
    sent = call.sent if call.sent is not None else call.asked
    if call.used is not None:
        used = tr("the same") if call.used == sent else _arguments(call.tool, call.used)
        yield from _part(tr("used"), used, width)
    if call.error:
        yield from _part(tr("error"), f"✗ {shown(call.error, 2000)}", width, "failed")
    elif call.result or call.answered_at is not None:
        yield from _part(tr("result"), "\n".join(shown_lines(call.result, 40)), width)
    by = tr("asked for by {node}, step {n}", node=label(view, call.proposed_by), n=call.proposed_at + 1)
    if call.executed_at is not None:
        by += " · " + tr("ran in step {n}", n=call.executed_at + 1)
    for each in wrap(by, width - 5):
        yield line("    ", (each, "muted"))


def _changed(call: ToolCallLife, width: int) -> Iterator[Line]:
    """What was sent instead: argument by argument, if both are objects."""
    if not isinstance(call.asked, dict) or not isinstance(call.sent, dict):
        yield from _part(tr("sent"), value_text(call.sent, 400), width, "changed")
        return
    said = []
    for key in {**call.asked, **call.sent}:
        if key not in call.sent:
            said.append(f"− {shown(key, 60)}")
        elif call.asked.get(key) != call.sent[key]:
            said.append(f"~ {shown(key, 60)} {value_text(call.sent[key], 300)}")
    yield from _part(tr("sent"), "\n".join(said), width, "changed")


def _part(name: str, text: str, width: int, role: Role = "") -> Iterator[Line]:
    column = 12
    lines = [piece for each in (text or "–").split("\n") for piece in wrap(each, width - column - 1, most=6)]
    for place, each in enumerate(lines):
        yield line((pad_text(f"    {name}" if place == 0 else "", column), "key"), (each, role))


def _copied(call: ToolCallLife) -> str:
    used = call.used if call.used is not None else call.sent if call.sent is not None else call.asked
    return f"{call.tool}({_arguments(call.tool, used)}) → {call.error or call.result}"
