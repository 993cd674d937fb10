"""Edit the value under the cursor: its path, and what it becomes, as JSON."""

from __future__ import annotations

from collections.abc import Iterable

from textual.widget import Widget

from hookstepper.client.view import View
from hookstepper.model.commands import EditState, parse_path
from hookstepper.model.errors import UsageError
from hookstepper.model.ids import Json
from hookstepper.model.record import Path
from hookstepper.tui.dialogs.dialog import INNER, Button, Buttons, Lines
from hookstepper.tui.dialogs.form import Choice, Form, TextField
from hookstepper.tui.rows.facts import label, scope_in_view, strategy
from hookstepper.tui.rows.lines import shown
from hookstepper.tui.rows.row import Row, cut_text, row
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


class EditDialog(Form):
    """The run does not go on by an edit; what is due stays due."""

    def __init__(self, view: View, path: str) -> None:
        super().__init__()
        self.view = view
        self.path = path
        self.problem = ""
        self.scope = scope_in_view(view)
        """The nested graph whose own state is edited; None for the outermost one."""

    def head(self) -> tuple[str, str]:
        said = tr("Edit the state")
        if self.scope is not None:
            said = tr("Edit the state of {node}", node=label(self.view, self.scope))
        return said, tr("by hand, marked so in the record")

    def body(self) -> Iterable[Widget]:
        old = self._old(self.path)
        yield TextField(tr("path"), self.path, id="path", example="messages[0].content")
        text = "" if old is ABSENT else typed(old)  # type: ignore[arg-type]
        yield TextField(tr("new value"), text, id="value", example='"text", 3, [1, 2]')
        modes = (("raw", tr("puts it there")), ("reducer", tr("as an update of its key")))
        yield Choice(tr("how"), modes, "raw", id="mode")
        yield Lines(id="about")
        yield Buttons([Button("send", tr("Edit"), "Enter"), self.cancel_button()], tr("^z takes it back"))

    def on_mount(self) -> None:
        self.begin_at("value" if self.path else "path")
        self.redraw()

    def _old(self, text: str) -> object:
        try:
            path = parse_path(text)
        except UsageError:
            return ABSENT
        return value_at(self.view.trace.state(self.view.trace.head, self.scope), path)

    def _how(self) -> str:
        """What the choice means for the key that is edited."""
        key = self.text("path").replace("[", ".").split(".")[0]
        named = strategy(self.view, key)
        if self.choice("mode") == "raw" or key != self.text("path"):
            return tr("{key} holds this value afterwards, whatever its strategy says", key=shown(key) or "…")
        return tr(
            "{key} is {strategy}: the value goes through it", key=shown(key) or "…", strategy=named or "?"
        )

    def redraw(self) -> None:
        """Draw what stood there, what the edit means, and what is wrong with what was typed."""
        old = self._old(self.text("path"))
        was = tr("nothing stands there now") if old is ABSENT else tr("now: {value}", value=preview(old, 60))  # type: ignore[arg-type]
        rows: list[Row] = [
            (),
            row((cut_text(was, INNER), "muted")),
            row((cut_text(self._how(), INNER), "muted")),
        ]
        due = ", ".join(label(self.view, node) for node in self.view.next_nodes)
        if due:
            rows.append(
                row((cut_text(tr("{nodes} stays next; nothing runs by an edit", nodes=due), INNER), "muted"))
            )
        rows.append(row((cut_text("✗ " + self.problem, INNER), "failed")) if self.problem else ())
        self.query_one("#about", Lines).put(rows)

    def changed(self) -> None:
        self.problem = ""
        self.redraw()

    def action_send(self) -> None:
        text = self.text("path")
        old = self._old(text)
        value, self.problem = read_typed(self.text("value"), old=old if isinstance(old, str) else None)
        try:
            path = parse_path(text)
        except UsageError as error:
            path, self.problem = (), error.message
        if self.problem:
            self.redraw()
            return
        if self.scope is not None:
            path = (f"{self.scope}:{path[0]}", *path[1:])
        # A part of a key's value is no update that a strategy could take.
        mode = self.choice("mode") if len(path) == 1 else "raw"
        self.dismiss(EditState(path, value, mode))  # type: ignore[arg-type]
