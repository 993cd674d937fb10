"""The tabs that have no digit of their own."""

from __future__ import annotations

from collections.abc import Iterable

from textual.widget import Widget

from hookstepper.model.commands import Screen
from hookstepper.tui.dialogs.dialog import Button, Buttons, Dialog, Lines
from hookstepper.tui.rows.row import Row, row
from hookstepper.tui.views import BUILT_IN
from hookstepper.tui.words import tr


class MoreTabs(Dialog):
    """Digits choose at once; arrows and Enter too."""

    def __init__(self) -> None:
        super().__init__()
        self.entries = tuple(entry for entry in BUILT_IN.values() if not entry.key)
        self.at = 0

    def head(self) -> tuple[str, str]:
        return tr("More"), ""

    def body(self) -> Iterable[Widget]:
        yield Lines(self._rows(), id="lines")
        yield Buttons([Button("send", tr("Open"), "Enter"), self.cancel_button()])

    def _rows(self) -> list[Row]:
        rows = [
            row(("▶ " if n == self.at else "  ", "current"), (str(n + 1), "key"), f" {tr(entry.title)}")
            for n, entry in enumerate(self.entries)
        ]
        return [*rows, ()]

    def action_move(self, step: int) -> None:
        self.at = (self.at + step) % len(self.entries)
        self.query_one("#lines", Lines).put(self._rows())

    def action_choose(self, number: int) -> None:
        if number <= len(self.entries):
            self.dismiss(Screen(f"tab.{self.entries[number - 1].id}"))

    def action_send(self) -> None:
        self.dismiss(Screen(f"tab.{self.entries[self.at].id}"))
