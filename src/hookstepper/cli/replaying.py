"""Recordings without a screen: their steps as lines, and where two of them differ."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from hookstepper.cli import exits
from hookstepper.cli.dialogue import MOST, Dialogue, Said
from hookstepper.cli.lines import Lines, label_of, path_text
from hookstepper.cli.script import Script, UnmetError
from hookstepper.client.expecting import Expectation, unmet
from hookstepper.client.recorded import Recorded
from hookstepper.model.commands import Screen
from hookstepper.model.errors import UsageError
from hookstepper.model.events import Stopped
from hookstepper.model.ids import Json
from hookstepper.model.jsonform import to_json
from hookstepper.model.record import StepDone
from hookstepper.trace.compare import ComparedRow, compare
from hookstepper.trace.recording import VERSION
from hookstepper.values.preview import preview

_WIDE = 60


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """What is to be printed of a recording."""

    as_json: bool = False
    script: tuple[str, ...] | None = None
    """Commands instead of the steps."""
    talk: TextIO | None = None
    """Where another program writes its commands."""
    expect: tuple[Expectation, ...] = ()


def print_recording(recorded: Recorded, wishes: ReplayOptions, out: TextIO, talk: TextIO) -> int:
    """Print the record as the run printed it, or what commands ask of it.

    Returns:
        0, or 1 if parts of the file could not be read, or something is not as it was expected.
    """
    damage = recorded.view.notice
    lines = Lines(out, as_json=wishes.as_json or wishes.talk is not None)
    if damage:
        talk.write(f"hookstepper: {damage}\n")
    failed = bool(recorded.recording.trouble)
    try:
        if wishes.talk is not None:
            failed |= _talked(recorded, wishes.talk, lines)
        elif wishes.script is not None:
            recorded.act(Screen("time.live"))
            script = Script(wishes.script)
            while not script.is_over:
                script.play(recorded, lines)
        else:
            _print_steps(recorded, lines)
    except UnmetError as error:
        talk.write(f"hookstepper: {error.message}\n")
        failed = True
    for why in [why for expected in wishes.expect if (why := unmet(expected, recorded.view))]:
        talk.write(f"hookstepper: {why}\n")
        failed = True
    return exits.FAILED if failed else exits.OK


def _print_steps(recorded: Recorded, lines: Lines) -> None:
    view = recorded.view
    for event in recorded.recording.events:
        if isinstance(event, StepDone):
            lines.step(event, view)
        elif isinstance(event, Stopped) and event.stop.asks:
            lines.stop(event, view)
    lines.end(view.ended.status if view.ended is not None else "stopped", len(view.trace.steps), view)


def _talked(recorded: Recorded, source: TextIO, lines: Lines) -> bool:
    """Do what another program says; True if something was not as it expected."""
    loaded = recorded.view.loaded
    if loaded is not None:
        lines.ready(loaded)
    dialogue = Dialogue(recorded, lines)
    while not dialogue.is_over:
        dialogue.heard(Said(source.readline(MOST + 1) or None))
        dialogue.go_on()
    return dialogue.failed


def export_lines(recorded: Recorded, name: str, out: TextIO, talk: TextIO) -> int:
    """Write every event of the file as one JSON object a line, after one about the file; 1 if it is damaged.

    Raises:
        UsageError: the file cannot be written.
    """
    about: dict[str, Json] = {"format": "hookstepper", "version": VERSION, **recorded.recording.about}
    objects = itertools.chain([about], (to_json(event) for event in recorded.recording.events))
    lines = (json.dumps(data, ensure_ascii=False).encode("utf-8", "replace") + b"\n" for data in objects)
    try:
        if name == "-":
            out.flush()
            out.buffer.writelines(lines)
            out.buffer.flush()
        else:
            with Path(name).open("wb") as file:
                file.writelines(lines)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UsageError(f"{name} cannot be written: {error.strerror}") from None
    if recorded.view.notice:
        talk.write(f"hookstepper: {recorded.view.notice}\n")
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
