"""Forms: a dialog of fields, one a line. Tab, ↑ and ↓ go from field to field, Enter sends the whole form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.suggester import SuggestFromList
from textual.widget import Widget
from textual.widgets import Input

from hookstepper.tui.dialogs.dialog import Dialog, Lines
from hookstepper.tui.roles import Painted
from hookstepper.tui.rows.row import Row, Span, pad_text, row, width_of
from hookstepper.tui.words import tr

LABEL = 14
"""Cells of the name beside a field."""
START = LABEL + 2
"""The cell at which what is filled in begins."""


class Field(Painted, can_focus=True):
    """A field that holds no text; a form hears of each change."""

    DEFAULT_CSS = "Field { height: 1; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "turn(-1)", show=False),
        Binding("right,space", "turn(1)", show=False),
        *(Binding(str(digit), f"pick({digit})", show=False) for digit in range(1, 10)),
    ]

    class Changed(Message):
        """The field has another value."""

    def label_row(self, label: str) -> Row:
        """The name of the field, with a sign while it has the focus."""
        sign = "›" if self.has_focus else " "
        return row((sign, "current"), (pad_text(label, LABEL + 1), "name"))

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def changed(self) -> None:
        """Draw anew and tell the form."""
        self.refresh()
        self.post_message(self.Changed())

    def action_turn(self, step: int) -> None:
        """← and →."""

    def action_pick(self, number: int) -> None:
        """A digit, from 1."""


class Choice(Field):
    """One of several: all of them side by side where they fit, else the chosen one between arrows."""

    def __init__(self, label: str, options: Sequence[tuple[str, str]], value: str, *, id: str) -> None:  # noqa: A002
        """
        Args:
            options: value and shown word of each.
            value: the one that is chosen at first.
        """
        super().__init__(id=id)
        self.label = label
        self.options = tuple(options)
        self.at = next((n for n, (each, _) in enumerate(self.options) if each == value), 0)

    @property
    def value(self) -> str:
        """What is chosen now."""
        return self.options[self.at][0]

    def _side_by_side(self) -> list[Row]:
        return [
            row((f"({'•' if n == self.at else ' '}) {word}", "current" if n == self.at else ""))
            for n, (_, word) in enumerate(self.options)
        ]

    def _fits(self) -> bool:
        return sum(width_of(each) + 3 for each in self._side_by_side()) + START <= self.size.width + 3

    def render(self) -> Content:
        line: list[Span] = [*self.label_row(self.label)]
        if self._fits():
            for n, piece in enumerate(self._side_by_side()):
                line += [Span("   "), *piece] if n else [*piece]
        else:
            word = self.options[self.at][1]
            count = tr("{n} of {count}", n=self.at + 1, count=len(self.options))
            line += row(("‹ ", "key"), (word, "current"), (" ›", "key"), (f"  {count}", "muted"))
        return self.paint(tuple(line))

    def action_turn(self, step: int) -> None:
        self.at = (self.at + step) % len(self.options)
        self.changed()

    def action_pick(self, number: int) -> None:
        if number <= len(self.options):
            self.at = number - 1
            self.changed()

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.focus()
        if not self._fits():
            self.action_turn(-1 if event.x <= START + 1 else 1)
            return
        left = START
        for n, piece in enumerate(self._side_by_side()):
            if left <= event.x < left + width_of(piece):
                self.action_pick(n + 1)
            left += width_of(piece) + 3


class Checks(Field):
    """Boxes that can be ticked, side by side; Space ticks the one that ← and → stand on, its digit too."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "turn(-1)", show=False),
        Binding("right", "turn(1)", show=False),
        Binding("space", "tick", show=False),
        *(Binding(str(digit), f"pick({digit})", show=False) for digit in range(1, 10)),
    ]

    def __init__(self, label: str, boxes: Sequence[tuple[str, str, bool]], *, id: str) -> None:  # noqa: A002
        """
        Args:
            boxes: name, shown word, and whether it is ticked, of each.
        """
        super().__init__(id=id)
        self.label = label
        self.boxes = [(name, word) for name, word, _ in boxes]
        self.ticked = {name for name, _, on in boxes if on}
        self.at = 0

    def _pieces(self) -> list[Row]:
        pieces = []
        for n, (name, word) in enumerate(self.boxes):
            lit = self.has_focus and n == self.at
            sign = "x" if name in self.ticked else " "
            pieces.append(
                row((f"[{sign}]", "current" if lit else ""), (f" {word}", "current" if lit else ""))
            )
        return pieces

    def render(self) -> Content:
        line: list[Span] = [*self.label_row(self.label)]
        for n, piece in enumerate(self._pieces()):
            line += [Span("   "), *piece] if n else [*piece]
        return self.paint(tuple(line))

    def action_turn(self, step: int) -> None:
        self.at = (self.at + step) % len(self.boxes)
        self.refresh()

    def action_tick(self) -> None:
        """Tick or untick the box that one stands on."""
        self.ticked ^= {self.boxes[self.at][0]}
        self.changed()

    def action_pick(self, number: int) -> None:
        if number <= len(self.boxes):
            self.at = number - 1
            self.action_tick()

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.focus()
        left = START
        for n, piece in enumerate(self._pieces()):
            if left <= event.x < left + width_of(piece):
                self.action_pick(n + 1)
            left += width_of(piece) + 3


def _placeholder(example: str, *, optional: bool) -> str:
    if not example:
        return tr("optional") if optional else ""
    word = "optional, such as {example}" if optional else "such as {example}"
    return tr(word, example=example)


class TextField(Horizontal):
    """A name and a line to type on."""

    def __init__(
        self,
        label: str,
        value: str,
        *,
        id: str,  # noqa: A002
        example: str = "",
        optional: bool = False,
        suggest: Sequence[str] = (),
    ) -> None:
        """
        Args:
            example: what such a text looks like; shown while the field is empty.
            optional: it may stay empty, and says so.
            suggest: words that are offered while one types; → takes the one that is shown.
        """
        super().__init__(classes="field")
        self.head = Lines([self._head(label)])
        self.input = Input(
            value,
            id=id,
            placeholder=_placeholder(example, optional=optional),
            select_on_focus=False,
            suggester=SuggestFromList(suggest, case_sensitive=False) if suggest else None,
        )

    @staticmethod
    def _head(label: str) -> Row:
        return row((pad_text(" " + label, LABEL), "name"))

    def relabel(self, label: str) -> None:
        """Another name, as what is typed there comes to mean something else."""
        self.head.put([self._head(label)])

    def compose(self):  # type: ignore[no-untyped-def]
        yield self.head
        yield self.input


class Form(Dialog):
    """A dialog of fields. `changed` is called after each change, `action_send` by Enter."""

    def text(self, field: str) -> str:
        """What stands in a text field, without blanks around it."""
        return self.query_one(f"#{field}", Input).value.strip()

    def fill(self, field: str, text: str) -> None:
        """Put a text into a text field."""
        found = self.query_one(f"#{field}", Input)
        found.value = text
        found.cursor_position = len(text)

    def choice(self, field: str) -> str:
        """What is chosen in a choice."""
        return self.query_one(f"#{field}", Choice).value

    def is_ticked(self, field: str, box: str) -> bool:
        """True if that box is ticked."""
        return box in self.query_one(f"#{field}", Checks).ticked

    def begin_at(self, field: str) -> None:
        """Give a field the focus, the cursor behind what stands in it."""
        found = self.query_one(f"#{field}")
        self.set_focus(found)
        if isinstance(found, Input):
            found.cursor_position = len(found.value)

    def changed(self) -> None:
        """Something in the form is different: say what it means now."""

    def action_move(self, step: int) -> None:
        if step > 0:
            self.focus_next()
        else:
            self.focus_previous()

    def on_field_changed(self, event: Field.Changed) -> None:
        event.stop()
        self.changed()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.changed()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_send()

    def show_only(self, fields: dict[str, bool]) -> None:
        """Show the fields that mean something now; the others keep what stands in them."""
        for name, visible in fields.items():
            found: Widget = self.query_one(f"#{name}")
            holder = found.parent if isinstance(found, Input) else found
            if isinstance(holder, Widget) and holder.display != visible:
                holder.display = visible
