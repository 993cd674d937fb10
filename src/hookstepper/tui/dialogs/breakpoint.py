"""A breakpoint as a form: where it stops, on which condition, how often, and what it writes instead."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget

from hookstepper.client.view import View
from hookstepper.model.breakpoints import Breakpoint
from hookstepper.model.commands import SetBreakpoints
from hookstepper.tui.dialogs.dialog import INNER, Button, Buttons, Lines
from hookstepper.tui.dialogs.form import Checks, Choice, Form, TextField
from hookstepper.tui.rows.breakpoint_form import (
    KINDS,
    Filled,
    Judged,
    filled_from,
    judged,
    kind_words,
    known_places,
)
from hookstepper.tui.words import tr, tr_as


class BreakpointForm(Form):
    """Sets a new breakpoint, or changes one that is there; nothing is set that cannot be read."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+d", "remove", show=False, priority=True)]

    def __init__(self, view: View, old: Breakpoint | None, place: str = "") -> None:
        """
        Args:
            old: the breakpoint to change; None for a new one.
            place: the node that a new one is for, as the picture names it.
        """
        super().__init__()
        self.view = view
        self.old = old
        self.first = filled_from(view, old) if old is not None else Filled("node", place)
        self.number = old.id if old is not None else max((b.id for b in view.breakpoints), default=0) + 1

    def head(self) -> tuple[str, str]:
        said = tr("Breakpoint {n}", n=self.number) if self.old is not None else tr("New breakpoint")
        return said, tr("kept for this project")

    def body(self) -> Iterable[Widget]:
        first = self.first
        yield Choice(tr("stops at"), kind_words(), first.kind, id="kind")
        word = self._place_word(first.kind)
        yield TextField(word, first.place, id="place", example="*", suggest=self._suggested())
        yield TextField(tr("only if"), first.condition, id="condition", example="len(messages) > 3")
        yield TextField(tr("hit count"), first.hit, id="hit", example=">= 3, % 10")
        yield TextField(tr("writes"), first.log, id="log", example="{len(messages)} messages")
        boxes = (("enabled", tr("switched on"), first.enabled), ("once", tr("only once"), first.once))
        yield Checks("", boxes, id="boxes")
        yield Lines(id="about")
        yield Buttons(self._buttons(True))

    def _suggested(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for kind in KINDS for name in known_places(self.view, kind)))

    @staticmethod
    def _place_word(kind: str) -> str:
        match next(each.place for each in KINDS if each.id == kind):
            case "tool":
                return tr_as("column", "tool")
            case "key":
                return tr("state key")
        return tr("node")

    def _buttons(self, ok: bool) -> list[Button]:
        send = Button("send", tr("Set"), "Enter", ok)
        remove = [Button("remove", tr("Remove"), "^d")] if self.old is not None else []
        return [send, *remove, self.cancel_button()]

    def on_mount(self) -> None:
        self.begin_at("kind" if not self.first.place and self.old is None else "condition")
        self.changed()

    def filled(self) -> Filled:
        """What stands in the form now."""
        return Filled(
            self.choice("kind"),
            self.text("place"),
            self.text("condition"),
            self.text("hit"),
            self.text("log"),
            enabled=self.is_ticked("boxes", "enabled"),
            once=self.is_ticked("boxes", "once"),
        )

    def judged(self) -> Judged:
        """What it means."""
        return judged(self.view, self.filled(), self.number, INNER)

    def changed(self) -> None:
        found = self.judged()
        kind = next(each for each in KINDS if each.id == self.choice("kind"))
        self.show_only({"place": kind.place != ""})
        if kind.place:
            self.query_one("#place").query_ancestor(TextField).relabel(self._place_word(kind.id))
        notes = [*found.rows, *([()] * (3 - len(found.rows)))]
        self.query_one("#about", Lines).put([(), *notes, ()])
        self.query_one(Buttons).put(self._buttons(found.ok))

    def action_send(self) -> None:
        found = self.judged()
        if not found.ok:
            return
        all_ = self.view.breakpoints
        if self.old is None:
            self.dismiss(SetBreakpoints((*all_, found.breakpoint)))
        else:
            self.dismiss(SetBreakpoints(tuple(found.breakpoint if b.id == self.number else b for b in all_)))

    def press(self, button: str) -> None:
        if button == "remove":
            self.action_remove()
        else:
            super().press(button)

    def action_remove(self) -> None:
        """^d: this breakpoint goes away."""
        if self.old is not None:
            self.dismiss(SetBreakpoints(tuple(b for b in self.view.breakpoints if b.id != self.number)))
