"""Edit the value under the cursor: its path, and what it becomes, as JSON."""

from __future__ import annotations

from collections.abc import Iterable

from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Input

from hookstepper.client.view import View
from hookstepper.model.commands import EditState, parse_path
from hookstepper.model.errors import UsageError
from hookstepper.model.ids import Json
from hookstepper.model.record import Path
from hookstepper.tui.dialogs.dialog import INNER, Button, Buttons, Dialog, Lines
from hookstepper.tui.rows.row import Row, cut_text, pad_text, row
from hookstepper.tui.rows.typed import read_typed, typed
from hookstepper.tui.words import tr
from hookstepper.values import preview

ABSENT = object()


def value_at(state: Json, path: Path) -> object:
    """The value at a path, or `ABSENT`."""
    here: object = state
    for part in path:
        if isinstance(here, dict) and isinstance(here.get("$"), str) and part not in here:
            here = here.get("v")
        if isinstance(here, dict) and part in here:
            here = here[str(part)]
        elif isinstance(here, list) and isinstance(part, int) and -len(here) <= part < len(here):
            here = here[part]
        else:
            return ABSENT
    return here


class EditDialog(Dialog):
    """The run does not go on by an edit; what is due stays due."""

    def __init__(self, view: View, path: str) -> None:
        super().__init__()
        self.view = view
        self.path = path
        self.problem = ""

    def head(self) -> tuple[str, str]:
        return tr("Edit the state"), tr("by hand, marked so in the record")

    def body(self) -> Iterable[Widget]:
        old = self._old(self.path)
        yield self._field(tr("path"), Input(self.path, id="path", select_on_focus=False))
        text = "" if old is ABSENT else typed(old)  # type: ignore[arg-type]
        yield self._field(tr("new value, JSON"), Input(text, id="value", select_on_focus=False))
        yield Lines(id="about")
        yield Buttons([Button("send", tr("Edit"), "Enter"), self.cancel_button()], tr("^z takes it back"))

    def _field(self, word: str, field: Input) -> Widget:
        return Horizontal(Lines([row((pad_text(word, 18), "name"))]), field, classes="field")

    def on_mount(self) -> None:
        field = self.query_one("#value" if self.path else "#path", Input)
        self.set_focus(field)
        field.cursor_position = len(field.value)
        self.redraw()

    def _old(self, text: str) -> object:
        try:
            path = parse_path(text)
        except UsageError:
            return ABSENT
        return value_at(self.view.trace.state(self.view.trace.last), path)

    def redraw(self) -> None:
        """Draw what stood there, and what is wrong with what was typed."""
        old = self._old(self.query_one("#path", Input).value)
        was = tr("nothing stands there now") if old is ABSENT else tr("now: {value}", value=preview(old, 60))  # type: ignore[arg-type]
        rows: list[Row] = [row((cut_text(was, INNER), "muted"))]
        if self.problem:
            rows.append(row((cut_text("✗ " + self.problem, INNER), "failed")))
        self.query_one("#about", Lines).put([*rows, ()])

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.problem = ""
        self.redraw()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_send()

    def action_send(self) -> None:
        text = self.query_one("#path", Input).value.strip()
        old = self._old(text)
        value, self.problem = read_typed(
            self.query_one("#value", Input).value, old=old if isinstance(old, str) else None
        )
        try:
            path = parse_path(text)
        except UsageError as error:
            path, self.problem = (), error.message
        if self.problem:
            self.redraw()
            return
        self.dismiss(EditState(path, value))
