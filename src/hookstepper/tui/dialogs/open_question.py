"""Text is wished for while a question is open: is it the answer, or a new turn?"""

from __future__ import annotations

from collections.abc import Iterable

from textual.widget import Widget

from hookstepper.client.view import View
from hookstepper.model.commands import Command, Screen
from hookstepper.tui.dialogs.dialog import INNER, Buttons, Dialog, Lines
from hookstepper.tui.dialogs.next_message import NextMessage
from hookstepper.tui.rows.breakpoints import asked_text
from hookstepper.tui.rows.row import Row, cut, row
from hookstepper.tui.words import tr


class OpenQuestion(Dialog):
    """Nothing passes a question by itself: 1 answers it, 2 drops it and starts a new turn."""

    def __init__(self, view: View) -> None:
        super().__init__()
        self.view = view
        self.at = 0

    def head(self) -> tuple[str, str]:
        return tr("A question is open"), ""

    def body(self) -> Iterable[Widget]:
        yield Lines(id="lines")
        yield Buttons([self.cancel_button()])

    def on_mount(self) -> None:
        self.redraw()

    def redraw(self) -> None:
        """Draw the question and the two ways."""
        asks = self.view.stop.asks if self.view.stop is not None else ()
        rows: list[Row] = [cut(row(("‖ ", "waiting"), asked_text(self.view, ask)), INNER) for ask in asks[:4]]
        rows.append(())
        for n, said in enumerate((tr("answer the question"), tr("start a new turn and drop the question"))):
            rows.append(row(("▶ " if n == self.at else "  ", "current"), (str(n + 1), "key"), f" {said}"))
        self.query_one("#lines", Lines).put([*rows, ()])

    def action_move(self, step: int) -> None:
        self.at = (self.at + step) % 2
        self.redraw()

    def action_choose(self, number: int) -> None:
        if number == 1:
            self.dismiss(Screen("answer.open"))
        elif number == 2:
            self.app.push_screen(NextMessage(self.view, drops_question=True), self._written)

    def _written(self, command: Command | None) -> None:
        if command is not None:
            self.dismiss(command)

    def action_send(self) -> None:
        self.action_choose(self.at + 1)
