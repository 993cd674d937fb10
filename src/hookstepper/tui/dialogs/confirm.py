"""A question with two answers: do it, or leave it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.binding import Binding
from textual.widget import Widget

from hookstepper.tui.dialogs.dialog import INNER, Button, Buttons, Dialog, Lines
from hookstepper.tui.gatekeeper import Question
from hookstepper.tui.rows.lines import wrap
from hookstepper.tui.rows.row import Row, plain, row, width_of


class Confirm(Dialog):
    """Enter carries the command out, Esc does not; `q` or ctrl+c twice leaves, since haste means it."""

    BINDINGS: ClassVar = [Binding("y", "send", show=False), Binding("q,ctrl+c", "again", show=False)]

    def __init__(self, question: Question) -> None:
        super().__init__()
        self.question = question

    def head(self) -> tuple[str, str]:
        return self.question.title, ""

    def body(self) -> Iterable[Widget]:
        rows: list[Row] = []
        for line in self.question.rows:
            rows += [line] if width_of(line) <= INNER else _wrapped(line)
        yield Lines([*rows, ()])
        yield Buttons([Button("send", self.question.yes, "Enter"), self.cancel_button()])

    def action_send(self) -> None:
        self.dismiss(self.question.command)

    def action_again(self) -> None:
        """q or ctrl+c: again what opened this, if it was to quit; else as Esc."""
        command = self.question.command
        self.dismiss(command if getattr(command, "id", "") == "app.quit-now" else None)


def _wrapped(line: Row) -> list[Row]:
    role = line[0].role if line else ""
    return [row((text, role)) for text in wrap(plain(line), INNER)]
