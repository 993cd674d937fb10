"""The keys as help shows them: by group, each with its command and what it does."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from hookstepper.model.commands import COMMANDS, CommandSpec
from hookstepper.tui.keymap import GROUPS, KEYLESS, keys_of, shown
from hookstepper.tui.rows.lines import wrap
from hookstepper.tui.rows.row import Row, pad_text, row
from hookstepper.tui.words import tr

KEYS, NAME = 13, 16
"""Cells of the keys and of the command's id; what it does takes the rest."""


def help_rows(cells: int) -> list[Row]:
    """Every command that has a key, in the order of the table; those without one say how they are reached."""
    rows: list[Row] = [
        row((tr("A key means the same in every pane. , . < > G look and run nothing."), "muted")),
        row((tr("In dialogs digits choose, Enter sends, Esc leaves."), "muted")),
    ]
    for group, title in GROUPS.items():
        rows += [(), row((tr(title), "title"))]
        for spec in COMMANDS:
            if spec.group == group:
                rows += _command(spec, cells)
    return rows


def _command(spec: CommandSpec, cells: int) -> Iterator[Row]:
    """One command; more keys or words than a line holds go on in the next, each in its column."""
    keys = " ".join(shown(key) for key in keys_of(spec.id))
    said = tr(spec.help) if keys else tr(spec.help) + f" ({tr(KEYLESS.get(spec.id, ''))})"
    key_lines = wrap(keys or "–", KEYS - 1)
    said_lines = wrap(said, cells - KEYS - NAME - 1)
    for place, (key, words) in enumerate(zip_longest(key_lines, said_lines, fillvalue="")):
        yield row(
            " ",
            (pad_text(key, KEYS), "key" if keys else "muted"),
            (pad_text(spec.id if place == 0 else "", NAME), "muted"),
            words,
        )
