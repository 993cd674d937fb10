"""A mock as a form: which calls it answers, with what, and how often."""

from __future__ import annotations

import json
from collections.abc import Iterable

from textual.widget import Widget

from hookstepper.client.view import View
from hookstepper.model.commands import Screen
from hookstepper.tui.dialogs.dialog import INNER, Button, Buttons, Lines
from hookstepper.tui.dialogs.form import Checks, Choice, Form, TextField
from hookstepper.tui.rows.lines import shown
from hookstepper.tui.rows.mock import call_names, last_answer
from hookstepper.tui.rows.row import cut_text, row
from hookstepper.tui.rows.typed import kind_word, read_answer, typed
from hookstepper.tui.words import tr, tr_as


class MockForm(Form):
    """Answers model or tool calls in place of whoever would; the session does it where the call is made."""

    def __init__(self, view: View, kind: str, name: str) -> None:
        """
        Args:
            kind: `model` or `tool`.
            name: of the call, or a pattern; empty for any.
        """
        super().__init__()
        self.view = view
        self.kind = kind
        self.call = name

    def head(self) -> tuple[str, str]:
        return tr("Answer calls instead of making them"), tr("until the program ends")

    def body(self) -> Iterable[Widget]:
        kinds = (("tool", tr_as("column", "tool")), ("model", tr("model call")))
        yield Choice(tr("calls of"), kinds, self.kind, id="kind")
        names = tuple(dict.fromkeys([*call_names(self.view, "tool"), *call_names(self.view, "model")]))
        yield TextField(tr("name"), self.call, id="name", example="*", suggest=names)
        does = (("answer", tr("come back with")), ("fail", tr("fail with")))
        yield Choice(tr("they"), does, "answer", id="does")
        first = last_answer(self.view, self.kind, self.call)
        yield TextField("", first if isinstance(first, str) else typed(first), id="value", example='"sunny"')
        yield Checks("", (("always", tr("every time, not only once"), False),), id="boxes")
        yield Lines(id="about")
        yield Buttons([Button("send", tr("Set"), "Enter"), self.cancel_button()])

    def on_mount(self) -> None:
        self.begin_at("value" if self.call else "kind")
        self.changed()

    def changed(self) -> None:
        name = self.text("name") or "*"
        known = call_names(self.view, self.choice("kind"))
        notes = []
        if name != "*" and name not in known:
            near = ", ".join(known[:6]) or "–"
            notes.append(
                row((cut_text("· " + tr("seen so far: {names}", names=shown(near)), INNER), "muted"))
            )
        if self.choice("does") == "answer":
            kind = kind_word(read_answer(self.text("value"), None)[0])
            notes.append(row((tr("comes back as {kind}", kind=kind), "muted")))
        else:
            notes.append(row((tr("the program sees an error with this text"), "muted")))
        self.query_one("#about", Lines).put([(), *notes, *([()] * (3 - len(notes)))])

    def action_send(self) -> None:
        # The line that scripts write takes one word as a name; a pattern stands for its blanks.
        words = [self.choice("kind"), (self.text("name") or "*").replace(" ", "?")]
        if self.is_ticked("boxes", "always"):
            words.append("always")
        if self.choice("does") == "fail":
            words += ["fails", self.text("value") or "failed by hand"]
        else:
            words.append(json.dumps(read_answer(self.text("value"), None)[0], ensure_ascii=False))
        self.dismiss(Screen("mock.add", (" ".join(words),)))
