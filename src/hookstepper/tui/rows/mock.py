"""Mocks in words, and what is known of the calls that they answer."""

from __future__ import annotations

from hookstepper.client.view import View
from hookstepper.model.ids import Json
from hookstepper.model.mocks import Mock
from hookstepper.tui.rows.lines import BLANK, Line, line, shown, value_text
from hookstepper.tui.rows.row import Row, cut, row
from hookstepper.tui.words import tr


def call_names(view: View, kind: str) -> tuple[str, ...]:
    """Names of the calls of that kind that the graph declares or the run has made."""
    tools = [t for n in (view.graph.nodes if view.graph else ()) for t in n.tools] if kind == "tool" else []
    made = [call.name for step in view.trace.steps[-500:] for call in step.calls if call.kind == kind]
    return tuple(dict.fromkeys([*tools, *made]))


def last_answer(view: View, kind: str, name: str) -> Json:
    """What such a call gave last time; an empty text if that is not known."""
    for index in view.trace.back_from(view.trace.last):
        for call in view.trace.steps[index].calls:
            if call.kind == kind and name in ("", call.name) and not call.error and call.response is not None:
                return call.response if name else ""
    return ""


def mock_lines(view: View, width: int) -> list[Line]:
    """The mocks that are set; nothing if there is none."""
    if not view.mocks:
        return []
    lines = [BLANK, line(" ", (tr("Answered instead of being called"), "title"))]
    for mock in view.mocks:
        lines.append(Line(cut(_row(view, mock), width), f"m:{mock.id}", interest=True))
        problem = dict(view.mock_problems).get(mock.id)
        if problem:
            lines.append(Line(cut(row("     ", (f"✗ {shown(problem, 400)}", "failed")), width)))
    return lines


def _row(view: View, mock: Mock) -> Row:
    what = tr("model calls") if mock.kind == "model" else tr("tool {name}", name=shown(mock.name, 60))
    if mock.kind == "model" and mock.name != "*":
        what = tr("model {name}", name=shown(mock.name, 60))
    if mock.error:
        does = tr("fails: {text}", text=shown(mock.error, 200))
    else:
        does = "→ " + value_text(mock.answer, 60)
    often = tr("every time") if mock.always else tr("once")
    if mock.id in view.used_mocks:
        often = tr("has answered")
    return row(" ", ("◌", "human"), f" {mock.id}  ", (what, "name"), f"  {does}  ", (often, "muted"))
