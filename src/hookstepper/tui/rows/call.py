"""A held model or tool call: what it was asked, how the record asked it, and what can be done about it."""

from __future__ import annotations

from dataclasses import dataclass

from hookstepper.client.view import View
from hookstepper.model.commands import AnswerCall, Command, Next, Screen
from hookstepper.model.gates import Act, Stop
from hookstepper.model.ids import Json
from hookstepper.model.record import CallRecord, Path
from hookstepper.tui.rows.facts import label
from hookstepper.tui.rows.lines import shown, value_text
from hookstepper.tui.rows.messages import message_text, read_message
from hookstepper.tui.rows.mock import last_answer
from hookstepper.tui.rows.row import Row, cut_text, pad_text, row
from hookstepper.tui.words import tr

CALLS = ("model", "tool")


def held_call(view: View) -> Stop | None:
    """The stop, if it is a model or tool call that is held at the live end; else None."""
    stop = view.stop
    if stop is None or stop.posture != "held" or stop.site is None or stop.site.kind not in CALLS:
        return None
    return stop


@dataclass(frozen=True, slots=True)
class Way:
    """One thing that can be done about a held call."""

    id: str
    """`record`, `call`, `answer`, `fail`, `retry` or `mock`."""
    word: str
    command: Command | None
    """What does it; None if it cannot be done here, or if something has to be typed first."""
    typed: bool = False
    """True if something has to be typed first."""
    why_not: str = ""


def ways(view: View, stop: Stop) -> tuple[Way, ...]:
    """What can be done, offered or not, in the order of the digits."""
    assert stop.site is not None
    if stop.phase == "exit":
        return (
            Way("call", tr("go on with what it gave"), Next()),
            _if(stop, "retry", Way("retry", tr("make it again"), AnswerCall(retry=True))),
            _if(stop, "patch", Way("answer", tr("put another answer in its place"), None, typed=True)),
            _if(stop, "fail", Way("fail", tr("let it fail"), None, typed=True)),
        )
    record = Way("record", tr("use what the record has"), AnswerCall(recorded=True))
    if recorded_call(view) is None or "diverged" not in stop.reasons:
        record = Way("record", record.word, None, why_not=tr("no record is played here"))
    return (
        record,
        Way("call", tr("make the call"), Next()),
        _if(stop, "fulfil", Way("answer", tr("answer it yourself"), None, typed=True)),
        _if(stop, "fail", Way("fail", tr("let it fail"), None, typed=True)),
        _if(
            stop,
            "fulfil",
            Way("mock", tr("answer every such call"), Screen("mock.open", (stop.site.kind, stop.site.name))),
        ),
    )


def _if(stop: Stop, act: Act, way: Way) -> Way:
    if act in stop.acts:
        return way
    return Way(way.id, way.word, None, why_not=tr("this engine cannot do it here"))


def first_answer(view: View, stop: Stop) -> Json:
    """What the field for an answer holds at first: what came back now, or what came back last time."""
    if stop.phase == "exit":
        return stop.value
    recorded = recorded_call(view)
    if recorded is not None:
        return recorded.response
    assert stop.site is not None
    return last_answer(view, stop.site.kind, stop.site.name)


def recorded_call(view: View) -> CallRecord | None:
    """The call of the record that stands where this one is, on a branch that was forked; else None."""
    stop, trace = view.stop, view.trace
    branch = next((b for b in trace.branches if b.id == trace.branch), None)
    if stop is None or stop.site is None or branch is None or branch.parent is None:
        return None
    site = stop.site
    before = [
        call
        for index in trace.line(branch.parent)
        if index > branch.from_step and trace.steps[index].site.node == site.node
        for call in trace.steps[index].calls
        if call.kind == site.kind and call.name == site.name
    ]
    made = sum(
        call.kind == site.kind and call.name == site.name
        for index in branch.steps
        if trace.steps[index].site.node == site.node
        for call in trace.steps[index].calls
    )
    return before[made] if made < len(before) else None


def difference(old: Json, new: Json, path: Path = ()) -> tuple[Path, Json, Json] | None:
    """The first place where two values differ, and what stands there; None if they are equal."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys([*old, *new]):
            if key not in old or key not in new:
                return (*path, key), old.get(key), new.get(key)
            found = difference(old[key], new[key], (*path, key))
            if found is not None:
                return found
        return None
    if isinstance(old, list) and isinstance(new, list):
        for place, (a, b) in enumerate(zip(old, new, strict=False)):
            found = difference(a, b, (*path, place))
            if found is not None:
                return found
        if len(old) != len(new):
            at = min(len(old), len(new))
            return (*path, at), (old[at] if at < len(old) else None), (new[at] if at < len(new) else None)
        return None
    return None if old == new and type(old) is type(new) else (path, old, new)


def path_words(path: Path) -> str:
    """A path as people write it, without the tags of encoded values."""
    text = ""
    for part in path:
        if part == "v":
            continue
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return shown(text)


def about_rows(view: View, stop: Stop, cells: int) -> list[Row]:
    """What the call was asked or gave, and how it differs from the record."""
    assert stop.site is not None
    head = tr("it gave") if stop.phase == "exit" else tr("asked")
    rows = [row((pad_text(head, 10), "name"), asked_text(stop.value, cells - 10))]
    if stop.error:
        rows.append(row((pad_text(tr("error"), 10), "name"), (shown(stop.error, 400), "failed")))
    if "diverged" not in stop.reasons:
        return rows
    recorded = recorded_call(view)
    found = difference(recorded.request, stop.value) if recorded is not None else None
    if found is None:
        return [*rows, row((tr("The record was asked otherwise here."), "warning"))]
    path, old, new = found
    where = path_words(path) or tr("the request")
    return [
        *rows,
        row((tr("It differs from the record at {path}:", path=where), "warning")),
        _named(tr("record"), old, cells),
        _named(tr("now"), new, cells),
    ]


def asked_text(value: Json, cells: int) -> str:
    """A request or an answer in one line: arguments of a tool, the last message of a model."""
    if isinstance(value, dict) and "args" in value:
        return cut_text(value_text(value["args"], cells), cells)
    messages = value.get("messages") if isinstance(value, dict) else None
    if isinstance(messages, list) and messages:
        last = read_message(messages[-1])
        count = tr("{n} messages, the last", n=len(messages))
        said = f"{shown(last.role, 30)}: {message_text(last, cells)}" if last is not None else ""
        return cut_text(f"{count} {said}", cells)
    message = read_message(value)
    return cut_text(message_text(message, cells), cells) if message is not None else value_text(value, cells)


def _named(name: str, value: Json, cells: int) -> Row:
    return row((pad_text(name, 10), "name"), value_text(value, cells - 10))


def title(view: View, stop: Stop) -> str:
    """`Call of get_weather · tool, step 8`."""
    assert stop.site is not None
    name = shown(stop.site.name) or tr("model call")
    return tr("Call of {name} in {node}", name=name, node=label(view, stop.site.node))
