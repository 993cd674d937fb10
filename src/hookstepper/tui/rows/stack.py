"""The Stack tab: the frames of the held task, innermost first, each with what is in its scope."""

from __future__ import annotations

from hookstepper.client.view import View
from hookstepper.model.gates import Frame, Stop
from hookstepper.model.ids import Json
from hookstepper.tui.rows.facts import label, place_text, state_in_view
from hookstepper.tui.rows.lines import Line, line, shown, wrap
from hookstepper.tui.rows.row import Role, cut, pad_text, row
from hookstepper.tui.rows.state import Folding, value_lines
from hookstepper.tui.words import tr, tr_as

KIND = 11
"""Cells of the column that names the kind of a frame."""


def stack_lines(view: View, width: int, folding: Folding) -> list[Line]:
    """One line a frame; an open one shows its scope below."""
    stop = view.stop
    if view.looking_back or stop is None or stop.posture != "held" or not stop.frames:
        said = tr("No task is held: a stack is there while one is.")
        return [line(" ", (each, "muted")) for each in wrap(said, width - 2)]
    lines: list[Line] = []
    for number, frame in enumerate(stop.frames):
        scope = scope_of_frame(view, stop, number, frame)
        ident = f"f:{number}"
        by_itself = number == 0
        is_open = bool(scope) and by_itself != (ident in folding.turned)
        arrow = ("▾" if is_open else "▸") if scope else " "
        mark: tuple[str, Role] = ("▶", "current") if number == 0 else (" ", "")
        kind = pad_text(tr_as("frame", frame.kind), KIND)
        name = shown(frame.name, 80) or _site_name(view, frame)
        place = place_text(frame.source)
        tail = "  ".join(part for part in (shown(frame.detail, 80), place) if part)
        spans = row(mark, arrow, " ", (kind, "muted"), (name, "name"), (f"  {tail}" if tail else "", "muted"))
        node = frame.site.node if frame.site is not None else None
        lines.append(
            Line(cut(spans, width), ident, node=node, opens=is_open if scope else None, interest=True)
        )
        if is_open:
            lines += value_lines(view, width, folding, scope, f"frame{number}", indent=7)
    return lines


def _site_name(view: View, frame: Frame) -> str:
    return label(view, frame.site.node) if frame.site is not None else "–"


def scope_of_frame(view: View, stop: Stop, number: int, frame: Frame) -> dict[str, Json]:
    """What a frame holds by name: locals of a line, what is at the gate, the state of a graph."""
    if frame.kind == "line":
        return frame.locals if isinstance(frame.locals, dict) else {}
    first = next((n for n, each in enumerate(stop.frames) if each.kind != "line"), 0)
    if number == first and stop.value is not None:
        word = {"node": "input", "layer": "request", "model": "request", "tool": "request"}.get(
            frame.kind, "value"
        )
        if frame.kind == "part" and isinstance(stop.value, dict) and "$" not in stop.value:
            return stop.value
        if stop.phase == "exit":
            word = "update" if frame.kind == "node" else "response"
        found: dict[str, Json] = {word: stop.value}
        return {**found, "error": stop.error} if stop.error else found
    if frame.kind in ("graph", "subgraph") and isinstance(state := state_in_view(view), dict):
        return {"state": state}
    return {}
