"""Next message: what the agent is told, in this thread or in a new one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Input

from hookstepper.client.view import View
from hookstepper.model.commands import StartRun
from hookstepper.tui.dialogs.dialog import INNER, Button, Buttons, Dialog, Lines
from hookstepper.tui.rows.next_message import first_text, read_input, start_rows, thread_row
from hookstepper.tui.rows.row import pad_text, row
from hookstepper.tui.words import tr


class NextMessage(Dialog):
    """Enter starts a run, held before its first node. Up and down choose the thread."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+t", "move(1)", show=False)]

    def __init__(self, view: View) -> None:
        super().__init__()
        self.view = view
        self.new_thread = False
        self.problem = ""

    def head(self) -> tuple[str, str]:
        return tr("Next message"), ""

    def body(self) -> Iterable[Widget]:
        label = Lines([row((pad_text(tr("Message"), 9), "strong"))])
        yield Horizontal(
            label, Input(first_text(self.view), id="message", select_on_focus=False), classes="field"
        )
        yield Lines(id="about")
        yield Buttons([Button("send", tr("Start"), "Enter"), self.cancel_button()], tr("↑ ↓ thread"))

    def on_mount(self) -> None:
        field = self.query_one("#message", Input)
        self.set_focus(field)
        field.cursor_position = len(field.value)
        self.redraw()

    def redraw(self) -> None:
        """Draw what depends on the thread and the text."""
        rows = [
            thread_row(self.view, new=self.new_thread),
            *start_rows(self.view, self.problem, new=self.new_thread, cells=INNER),
            (),
        ]
        self.query_one("#about", Lines).put(rows)

    def action_move(self, step: int) -> None:  # noqa: ARG002
        self.new_thread = not self.new_thread
        self.redraw()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if self.problem:
            self.problem = ""
            self.redraw()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_send()

    def action_send(self) -> None:
        value, self.problem = read_input(self.query_one("#message", Input).value)
        if self.problem:
            self.redraw()
            return
        thread = f"{self.view.thread}-{self.view.run + 1}" if self.new_thread else self.view.thread
        self.dismiss(StartRun(value, thread))
