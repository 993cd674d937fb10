"""What the step in view changed: the upper part of the State tab."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hookstepper.client.view import View
from hookstepper.model.ids import Json
from hookstepper.model.record import AddKey, DeleteKey, Delta, DeltaOp, Path, SetValue, Splice, StepDone
from hookstepper.tui.rows.facts import by_hand_text, label, seconds, state_in_view, step_in_view, strategy
from hookstepper.tui.rows.lines import Line, line, shown, shown_lines, value_text, wrap
from hookstepper.tui.rows.messages import Message, call_text, read_message
from hookstepper.tui.rows.row import Role, cut, row
from hookstepper.tui.rows.textdiff import text_changes
from hookstepper.tui.words import tr, tr_as
from hookstepper.values import show

SHORT_LINES = 4
"""Lines of one text that the short form shows; `x` shows all."""
SHORT_OPS = 12
"""Changes that the short form lists."""

_SIGN: dict[str, Role] = {"+": "added", "−": "removed", "~": "changed"}


@dataclass(frozen=True, slots=True)
class _Page:
    view: View
    step: StepDone
    state: Json
    width: int
    whole: bool


def change_lines(view: View, width: int, *, whole: bool = False) -> list[Line]:
    """The changes of the step in view, its strategy, tokens and time.

    Args:
        whole: every change with its whole text, instead of the first lines of each.
    """
    step = step_in_view(view)
    if step is None:
        return [Line(row(" ", (tr("The input. Nothing has been written yet."), "muted")))]
    state = state_in_view(view)
    page = _Page(view, step, state, width, whole)
    delta = view.trace.changes(view.at)
    head = tr("Changed by {node} · step {n}", node=label(view, step.site.node), n=step.index + 1)
    lines = [line(" ", (head, "title"))]
    lines += _error(page)
    lines += _ops(page, delta) if delta else _nothing(page)
    if step.by_hand:
        words = ", ".join(by_hand_text(mark) for mark in step.by_hand)
        lines.append(line(" ", (f"✎ {tr('by hand')}: {shown(words)}", "human")))
    return [Line(cut(each.row, width), each.id, each.path, interest=each.interest) for each in lines]


def _error(page: _Page) -> list[Line]:
    return [line(" ", (f"✗ {shown(page.step.error)}", "failed"))] if page.step.error else []


def _nothing(page: _Page) -> list[Line]:
    if not page.step.writes:
        said = tr("∅ wrote nothing")
    else:
        keys = ", ".join(shown(key, 60) for key in page.step.writes)
        said = tr("∅ wrote {keys}: nothing became different", keys=keys)
    facts = _facts(page)
    return [line(" ", (said + (f" · {facts}" if facts else ""), "muted"))]


def _facts(page: _Page) -> str:
    parts = []
    if page.step.usage is not None and page.step.usage.total:
        parts.append(tr("{n} tokens", n=f"{page.step.usage.total:,}"))
    if spent := seconds(page.step.duration_us, long=True):
        parts.append(spent)
    return " · ".join(parts)


def _ops(page: _Page, delta: Delta) -> list[Line]:
    groups: dict[str, list[DeltaOp]] = {}
    for op in delta:
        groups.setdefault(str(op.path[0]) if op.path else "", []).append(op)
    lines: list[Line] = []
    left = None if page.whole else SHORT_OPS
    for key, ops in groups.items():
        for op in ops if left is None else ops[:left]:
            lines += _op(page, op)
        if left is not None:
            left = max(0, left - len(ops))
        if growth := _growth(page, key, ops):
            lines.append(line("   ", (growth, "muted")))
    if left == 0 and (more := len(delta) - SHORT_OPS) > 0:
        lines.append(line("   ", (tr("… {n} more changes, x shows all", n=more), "muted")))
    return _with_facts(lines, page)


def _with_facts(lines: list[Line], page: _Page) -> list[Line]:
    facts = _facts(page)
    if not facts:
        return lines
    last = lines[-1]
    if last.row and last.row[-1].role == "muted" and not last.id:
        return [*lines[:-1], Line((*last.row, *row((f" · {facts}", "muted"))))]
    return [*lines, line("   ", (facts, "muted"))]


def _growth(page: _Page, key: str, ops: Sequence[DeltaOp]) -> str:
    """`append: 4 → 5 items`: what happened to a list as a whole, and by which strategy."""
    splices = [op for op in ops if isinstance(op, Splice) and op.path == (key,)]
    named = strategy(page.view, key)
    now = page.state.get(key) if isinstance(page.state, dict) else None
    if not isinstance(now, list) or not splices:
        return ""
    before = len(now) - sum(len(op.inserted) - len(op.removed) for op in splices)
    said = tr("{before} → {after} items", before=before, after=len(now))
    return f"{named}: {said}" if named else said


def _op(page: _Page, op: DeltaOp) -> Iterator[Line]:
    match op:
        case Splice():
            yield from _splice(page, op)
        case AddKey(path, new):
            yield from _entry(page, "+", path, new)
        case DeleteKey(path, old):
            yield from _entry(page, "−", path, old)
        case SetValue(path, old, new):
            yield from _set(page, path, old, new)


def _splice(page: _Page, op: Splice) -> Iterator[Line]:
    both = min(len(op.removed), len(op.inserted))
    for place in range(both):
        yield from _set(page, (*op.path, op.index + place), op.removed[place], op.inserted[place])
    for place, value in enumerate(op.removed[both:], op.index + both):
        yield from _entry(page, "−", (*op.path, place), value)
    for place, value in enumerate(op.inserted[both:], op.index + both):
        yield from _entry(page, "+", (*op.path, place), value)


def _entry(page: _Page, sign: str, path: Path, value: Json) -> Iterator[Line]:
    name = shown(show(path), 300)
    where = None if sign == "−" else path
    message = read_message(value)
    if message is not None:
        said = _told(message)
        yield _head(sign, name, said, where)
        yield from _body(page, message)
        return
    room = max(8, page.width - 5 - len(name))
    yield _head(sign, name, value_text(value, room), where)


def _head(sign: str, name: str, said: str, path: Path | None) -> Line:
    spans = row(" ", (sign, _SIGN[sign]), " ", (name, "key"), "  ", said)
    return Line(spans, f"c:{sign}{name}", path, interest=True)


def _told(message: Message) -> str:
    """Who says or does what, without the text itself."""
    if message.responses:
        return tr(
            "{names} answered", names=", ".join(shown(each.tool, 60) or "?" for each in message.responses)
        )
    if message.calls:
        names = ", ".join(shown(call.tool, 60) for call in message.calls)
        return tr("{role} asks for {names}", role=tr_as("role", message.role), names=names)
    return tr("{role} says", role=tr_as("role", shown(message.role, 40)))


def _body(page: _Page, message: Message) -> Iterator[Line]:
    if message.text.strip() and not message.responses:
        yield from _text(page, message.text)
    for answer in message.responses:
        yield from _text(page, answer.text)
    for call in message.calls:
        if isinstance(call.arguments, dict):
            for name, value in call.arguments.items():
                said = value_text(value, max(8, page.width - 12 - len(name)))
                yield line("       ", (shown(name, 60), "key"), "  ", said)
        elif call.arguments not in (None, ""):
            yield line("       ", value_text(call.arguments, page.width - 8))


def _text(page: _Page, text: str) -> Iterator[Line]:
    found: list[str] = []
    most = 0 if page.whole else SHORT_LINES
    for each in shown_lines(text, 2000 if page.whole else SHORT_LINES + 1):
        found += wrap(each, page.width - 8, most=most)
    if most and len(found) > most:
        found = [*found[: most - 1], found[most - 1].rstrip("…") + " …"]
    for each in found:
        yield line("       ", each)


def _set(page: _Page, path: Path, old: Json, new: Json) -> Iterator[Line]:
    name = shown(show(path), 300)
    old_message, new_message = read_message(old), read_message(new)
    if old_message is not None and new_message is not None:
        yield _head("~", name, _told(new_message), path)
        yield from _texts(page, old_message.text, new_message.text)
        if old_message.calls != new_message.calls:
            yield line("     ", ("− ", "removed"), _calls(old_message, page.width))
            yield line("     ", ("+ ", "added"), _calls(new_message, page.width))
        for before, after in zip(old_message.responses, new_message.responses, strict=False):
            yield from _texts(page, before.text, after.text)
        return
    long = isinstance(old, str) and isinstance(new, str) and len(name) + len(old) + len(new) + 10 > page.width
    if isinstance(old, str) and isinstance(new, str) and (long or "\n" in old + new):
        yield _head("~", name, "", path)
        yield from _texts(page, old, new)
        return
    room = max(6, (page.width - 10 - len(name)) // 2)
    said = f"{value_text(old, room)} → {value_text(new, room)}"
    named = strategy(page.view, str(path[0])) if len(path) == 1 else ""
    if named and len(name) + len(said) + len(named) + 8 <= page.width:
        said += f" · {named}"
    yield _head("~", name, said, path)


def _calls(message: Message, width: int) -> str:
    return ", ".join(call_text(call, width) for call in message.calls) or "–"


def _texts(page: _Page, old: str, new: str) -> Iterator[Line]:
    changes = text_changes(old, new)
    most = len(changes) if page.whole else SHORT_LINES
    for change in changes[:most]:
        if change.sign == "~" and change.unit == "word":
            yield line("     ", ("~ ", "changed"), f"{shown(change.old, 200)} → {shown(change.new, 200)}")
            continue
        for sign, text in (("−", change.old), ("+", change.new)):
            if text or (sign == change.sign):
                yield line("     ", (f"{sign} ", _SIGN[sign]), shown(text))
    if len(changes) > most:
        yield line("     ", (tr("… {n} more changes, x shows all", n=len(changes) - most), "muted"))
