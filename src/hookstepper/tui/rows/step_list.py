"""The steps around the one in view, a line each: what fills the timeline where it has a whole screen."""

from __future__ import annotations

from rich.cells import cell_len

from hookstepper.client.view import View
from hookstepper.model.record import StepDone
from hookstepper.tui.rows.columns import Column, Columns, marks_text
from hookstepper.tui.rows.facts import label, seconds
from hookstepper.tui.rows.lines import shown
from hookstepper.tui.rows.row import Row, pad_text, row, spread
from hookstepper.tui.words import tr

NAME = 30
"""Cells of a node's name."""


def step_rows(columns: Columns, view: View, width: int, count: int) -> list[Row]:
    """At most `count` lines, the step in view among them: its marks, what it wrote, where it led."""
    if count < 2 or not columns.all:
        return []
    steps = [index for column in _around(columns, view, count - 1) for index in column.steps][: count - 1]
    if view.looking_back and view.at not in steps and view.at >= 0:
        steps = [*steps[1:], view.at]
    number = tr("step")
    name = " " * max(0, 8 - cell_len(number)) + number
    head = row((pad_text(name, 14) + pad_text(tr("node"), NAME + 1) + tr("wrote"), "muted"))
    return [
        spread(head, row((tr("then"), "muted"), " "), width),
        *(_step(columns, view, index, width) for index in steps),
    ]


def _around(columns: Columns, view: View, count: int) -> list[Column]:
    at = columns.of_step(view.at) if view.looking_back else len(columns.all) - 1
    first = max(0, min(at - count // 2, len(columns.all) - count))
    return columns.all[first : first + count]


def _step(columns: Columns, view: View, index: int, width: int) -> Row:
    step = view.trace.steps[index]
    here = view.looking_back and index == view.at
    marks = marks_text(view, columns.all[columns.of_step(index)])
    wrote = (
        f"✗ {shown(step.error, 100)}"
        if step.error
        else ", ".join(shown(key, 40) for key in step.writes) or "∅"
    )
    left = row(
        (" ▲ " if here else "   ", "current"),
        (f"{index + 1:>5} ", "current" if here else "muted"),
        (pad_text(marks, 5), "warning"),
        (pad_text(label(view, step.site.node), NAME), "current" if here else "name"),
        (f" {wrote}", "failed" if step.error else ""),
    )
    return spread(left, row((_led(view, step), "muted"), " "), width)


def _led(view: View, step: StepDone) -> str:
    to = ", ".join(label(view, each) for each in step.route.to) if step.route is not None else ""
    return f"{seconds(step.duration_us)}  → {to}" if to else seconds(step.duration_us)
