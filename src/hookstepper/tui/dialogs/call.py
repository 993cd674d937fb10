"""A held model or tool call: use the record, make it, answer it, fail it, or make it again."""

from __future__ import annotations

from collections.abc import Iterable

from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Input

from hookstepper.client.view import View
from hookstepper.model.commands import AnswerCall
from hookstepper.model.gates import Stop
from hookstepper.model.ids import Json
from hookstepper.tui.dialogs.dialog import INNER, Button, Buttons, Dialog, Lines
from hookstepper.tui.rows.call import Way, about_rows, first_answer, title, ways
from hookstepper.tui.rows.row import Row, pad_text, row
from hookstepper.tui.rows.typed import kind_word, read_answer, typed
from hookstepper.tui.words import tr

LABEL = 12
"""Cells of the name beside the field."""


class CallDialog(Dialog):
    """Digits choose at once; what needs a text asks for it first. Arrows and Enter choose too."""

    def __init__(self, view: View, stop: Stop) -> None:
        super().__init__()
        self.view = view
        self.stop = stop
        self.ways = ways(view, stop)
        self.at = next((n for n, way in enumerate(self.ways) if self._offered(way)), 0)
        self.typing: Way | None = None
        self.problem = ""

    @staticmethod
    def _offered(way: Way) -> bool:
        return way.command is not None or way.typed

    def head(self) -> tuple[str, str]:
        right = tr("it was made") if self.stop.phase == "exit" else tr("not made yet")
        return title(self.view, self.stop), right

    def body(self) -> Iterable[Widget]:
        yield Lines([*about_rows(self.view, self.stop, INNER), ()], id="about")
        yield Lines(id="ways")
        with Horizontal(classes="field", id="typed"):
            yield Lines(id="label")
            yield Input(id="value", select_on_focus=False)
        yield Lines(id="note")
        yield Buttons([Button("send", tr("Do it"), "Enter"), self.cancel_button()])

    def on_mount(self) -> None:
        self.query_one("#typed").display = False
        self.redraw()

    def redraw(self) -> None:
        """Draw the ways, and what was typed."""
        rows: list[Row] = []
        for n, way in enumerate(self.ways):
            here = ("▶ " if n == self.at else "  ", "current")
            if not self._offered(way):
                rows.append(row(here, (f"{n + 1} {way.word}: {way.why_not}", "disabled")))  # type: ignore[arg-type]
            else:
                rows.append(row(here, (str(n + 1), "key"), f" {way.word}" + (" …" if way.typed else "")))  # type: ignore[arg-type]
        self.query_one("#ways", Lines).put([*rows, ()])
        note: list[Row] = []
        if self.typing is not None:
            said = "✗ " + self.problem if self.problem else self._means()
            note = [row((said, "failed" if self.problem else "muted"))]
        self.query_one("#note", Lines).put([*note, ()])

    def _means(self) -> str:
        if self.typing is not None and self.typing.id == "fail":
            return tr("the program sees an error with this text")
        return tr("comes back as {kind}", kind=kind_word(self._value()))

    def _value(self) -> Json:
        return read_answer(self.query_one("#value", Input).value, None)[0]

    # ------------------------------------------------------------------ keys

    def action_move(self, step: int) -> None:
        if self.typing is None:
            places = [n for n, way in enumerate(self.ways) if self._offered(way)]
            place = places.index(self.at) if self.at in places else 0
            self.at = places[(place + step) % len(places)]
            self.redraw()

    def action_choose(self, number: int) -> None:
        if self.typing is None and number <= len(self.ways) and self._offered(self.ways[number - 1]):
            self.at = number - 1
            self.action_send()

    def action_send(self) -> None:
        way = self.ways[self.at]
        if self.typing is not None:
            self._take()
        elif way.typed:
            self._begin(way)
        elif way.command is not None:
            self.dismiss(way.command)

    def _begin(self, way: Way) -> None:
        self.typing = way
        word = tr("error text") if way.id == "fail" else tr("your answer")
        self.query_one("#label", Lines).put([row((pad_text(word, LABEL), "name"))])
        field = self.query_one("#value", Input)
        first = first_answer(self.view, self.stop)
        field.value = "" if way.id == "fail" else first if isinstance(first, str) else typed(first)
        field.cursor_position = len(field.value)
        self.query_one("#typed").display = True
        self.set_focus(field)
        self.redraw()

    def _take(self) -> None:
        text = self.query_one("#value", Input).value
        if self.typing is not None and self.typing.id == "fail":
            self.dismiss(AnswerCall(error=text.strip() or "failed by hand"))
        else:
            self.dismiss(AnswerCall(self._value()))

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.redraw()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_send()

    def action_leave(self) -> None:
        if self.typing is not None:
            self.typing = None
            self.query_one("#typed").display = False
            self.set_focus(None)
            self.redraw()
        else:
            self.dismiss(None)
