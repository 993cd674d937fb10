"""The keys as help shows them: by group, each with its command and what it does."""

from __future__ import annotations

from hookstepper.model.commands import COMMANDS
from hookstepper.tui.keymap import GROUPS, KEYLESS, keys_of, shown
from hookstepper.tui.rows.row import Row, cut, pad_text, row
from hookstepper.tui.words import tr


def help_rows(cells: int) -> list[Row]:
    """Every command that has a key, in the order of the table; those without one say how they are reached."""
    rows: list[Row] = [
        row((tr("A key means the same in every pane. , . < > G look and run nothing."), "muted")),
        row((tr("In dialogs digits choose, Enter sends, Esc leaves."), "muted")),
    ]
    for group, title in GROUPS.items():
        rows += [(), row((tr(title), "title"))]
        for spec in COMMANDS:
            if spec.group != group:
                continue
            keys = " ".join(shown(key) for key in keys_of(spec.id))
            name = pad_text(keys, 18) if keys else pad_text("–", 18)
            said = tr(spec.help) if keys else tr(spec.help) + f" ({tr(KEYLESS.get(spec.id, ''))})"
            line = row(" ", (name, "key" if keys else "muted"), (pad_text(spec.id, 17), "muted"), said)
            rows.append(cut(line, cells))
    return rows
