"""Recordings without a screen: their steps as lines, and where two of them differ."""

from __future__ import annotations

import json
from typing import TextIO

from hookstepper.cli import exits
from hookstepper.cli.lines import Lines, label_of, path_text
from hookstepper.client.recorded import Recorded
from hookstepper.model.events import Stopped
from hookstepper.model.ids import Json
from hookstepper.model.jsonform import to_json
from hookstepper.model.record import StepDone
from hookstepper.trace.compare import ComparedRow, compare
from hookstepper.values.preview import preview

_WIDE = 60


def print_recording(recorded: Recorded, out: TextIO, talk: TextIO, *, as_json: bool) -> int:
    """Print the record as the run printed it; 0, or 1 if parts of the file could not be read."""
    lines = Lines(out, as_json=as_json)
    view = recorded.view
    for event in recorded.recording.events:
        if isinstance(event, StepDone):
            lines.step(event, view)
        elif isinstance(event, Stopped) and event.stop.asks:
            lines.stop(event, view)
    lines.end(view.ended.status if view.ended is not None else "stopped", len(view.trace.steps), view)
    if view.notice:
        talk.write(f"hookstepper: {view.notice}\n")
    return exits.FAILED if recorded.recording.trouble else exits.OK


def print_difference(a: Recorded, b: Recorded, out: TextIO, *, as_json: bool) -> int:
    """Print the first difference and then the aligned steps; 0 if both did the same, else 1."""
    found = compare(a.view.trace, b.view.trace)
    if as_json:
        out.write(json.dumps(to_json(found), ensure_ascii=False) + "\n")
        return exits.OK if found.equal else exits.FAILED
    if found.first is None:
        out.write(f"the same: {len(found.rows) - 1} steps\n")
        return exits.OK
    out.write(f"first difference at {_name(a, b, found.rows[found.first])}\n")
    for row in found.rows:
        out.write(_row(a, b, row))
    return exits.FAILED


def _row(a: Recorded, b: Recorded, row: ComparedRow) -> str:
    mark = " " if row.same else "<" if row.b is None else ">" if row.a is None else "≠"
    lines = [f"{mark} {_name(a, b, row)}\n"]
    for difference in row.differences:
        where = path_text(difference.path) or difference.kind
        lines.append(f"      {where}  {_short(difference.a)}  |  {_short(difference.b)}\n")
    return "".join(lines)


def _short(value: Json) -> str:
    return preview(value, _WIDE)


def _name(a: Recorded, b: Recorded, row: ComparedRow) -> str:
    recorded, index = (a, row.a) if row.a is not None else (b, row.b)
    if index is None or index < 0:
        return "the input"
    step = recorded.view.trace.steps[index]
    return f"step {index}  {label_of(recorded.view.graph, step.site.node)}"
