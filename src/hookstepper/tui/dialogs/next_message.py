"""Next message: what the agent is told, in this thread or a new one; a form where its input has a schema."""

from __future__ import annotations

from collections.abc import Iterable

from textual.containers import VerticalScroll
from textual.widget import Widget
from textual.widgets import Input

from hookstepper.client.view import View
from hookstepper.model.commands import StartRun
from hookstepper.model.ids import Json
from hookstepper.tui.dialogs.dialog import INNER, Button, Buttons, Lines
from hookstepper.tui.dialogs.form import Checks, Choice, Form, TextField
from hookstepper.tui.rows.next_message import (
    first_text,
    input_fields,
    leftover,
    read_fields,
    read_input,
    start_rows,
    thread_words,
    without_jump,
)
from hookstepper.tui.rows.row import row
from hookstepper.tui.words import tr, tr_as


class NextMessage(Form):
    """Enter starts a run, held before its first node."""

    def __init__(self, view: View, *, drops_question: bool = False) -> None:
        """
        Args:
            drops_question: a question is open, and the person wants a new turn instead of answering it.
        """
        super().__init__()
        self.view = view
        self.drops = drops_question
        self.fields = input_fields(view)
        self.problem = ""

    def head(self) -> tuple[str, str]:
        return tr("Next message"), tr("the open question is dropped") if self.drops else ""

    def body(self) -> Iterable[Widget]:
        if self.fields:
            with VerticalScroll(id="inputs", can_focus=False):
                for number, field in enumerate(self.fields):
                    yield TextField(
                        field.name,
                        field.first,
                        id=f"in{number}",
                        example=field.example,
                        optional=not field.required,
                    )
        else:
            yield TextField(tr_as("field", "Message"), first_text(self.view), id="message")
        same, new = thread_words(self.view)
        yield Choice(tr("Thread"), (("same", same), ("new", new)), "same", id="thread")
        left = leftover(self.view)
        if left:
            box = tr("clear jump_to = {word} first: it is left over", word=left)
            yield Checks("", (("clear", box, False),), id="clear")
        yield Lines(id="about")
        yield Buttons([Button("send", tr("Start"), "Enter"), self.cancel_button()])

    def on_mount(self) -> None:
        self.begin_at("in0" if self.fields else "message")
        self.redraw()

    @property
    def is_new(self) -> bool:
        """True if the run is to begin in a new thread."""
        return self.choice("thread") == "new"

    @property
    def _clears(self) -> bool:
        return bool(leftover(self.view)) and not self.is_new and self.is_ticked("clear", "clear")

    def redraw(self) -> None:
        """Draw what depends on the thread and the text."""
        if leftover(self.view):
            self.show_only({"clear": not self.is_new})
        told = start_rows(self.view, self.problem, new=self.is_new or self._clears, cells=INNER)
        rows = [(), *told, ()]
        if self.drops:
            rows.insert(1, row((tr("The question of now is dropped: its run ends."), "warning")))
        self.query_one("#about", Lines).put(rows)

    def changed(self) -> None:
        self.problem = ""
        self.redraw()

    def _read(self) -> tuple[Json, str]:
        if not self.fields:
            return read_input(self.query_one("#message", Input).value)
        texts = [self.query_one(f"#in{number}", Input).value for number in range(len(self.fields))]
        return read_fields(self.fields, texts)

    def action_send(self) -> None:
        value, self.problem = self._read()
        if self.problem:
            self.redraw()
            return
        if self._clears:
            value = without_jump(value)
        thread = f"{self.view.thread}-{self.view.run + 1}" if self.is_new else self.view.thread
        self.dismiss(StartRun(value, thread))
