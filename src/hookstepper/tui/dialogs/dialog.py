"""What all dialogs share: a frame in the middle, digits and arrows to choose, Enter to send, Esc to leave."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widget import Widget

from hookstepper.model.commands import Command
from hookstepper.tui.edge import edge_text
from hookstepper.tui.roles import Painted
from hookstepper.tui.rows.row import Row, Span, width_of
from hookstepper.tui.words import tr

WIDTH = 78
"""Cells of a dialog with its border; every dialog fits 80×24."""
INNER = WIDTH - 4
"""Cells inside border and margin."""


class Lines(Painted):
    """Rows that a dialog draws anew as it changes."""

    DEFAULT_CSS = "Lines { height: auto; }"

    def __init__(self, rows: Iterable[Row] = (), *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._rows = tuple(rows)

    @property
    def rows(self) -> tuple[Row, ...]:
        """What is drawn now."""
        return self._rows

    def put(self, rows: Iterable[Row]) -> None:
        """Draw these rows instead."""
        new = tuple(rows)
        if new != self._rows:
            changed = len(new) != len(self._rows)
            self._rows = new
            self.refresh(layout=changed)

    def render(self) -> Content:
        return self.paint_all(self._rows)


@dataclass(frozen=True, slots=True)
class Button:
    """One word in brackets under a dialog; its key does the same."""

    id: str
    word: str
    key: str
    enabled: bool = True


class Buttons(Painted):
    """The line of buttons; a click presses one."""

    DEFAULT_CSS = "Buttons { height: 1; }"

    class Pressed(Message):
        """The button with that id was clicked."""

        def __init__(self, button: str) -> None:
            super().__init__()
            self.button = button

    def __init__(self, buttons: Sequence[Button], note: str = "") -> None:
        super().__init__(id="buttons")
        self.buttons = tuple(buttons)
        self.note = note

    def put(self, buttons: Sequence[Button]) -> None:
        """Show these buttons instead."""
        self.buttons = tuple(buttons)
        self.refresh()

    def _pieces(self) -> list[tuple[str, Row]]:
        return [
            (
                button.id if button.enabled else "",
                (
                    Span("[ " + button.word + "  ", "strong" if button.enabled else "disabled"),
                    Span(button.key, "key" if button.enabled else "disabled"),
                    Span(" ]", "strong" if button.enabled else "disabled"),
                ),
            )
            for button in self.buttons
        ]

    def _left(self, pieces: Sequence[tuple[str, Row]]) -> int:
        total = sum(width_of(row) for _, row in pieces) + 3 * (len(pieces) - 1)
        return max(0, (self.size.width - total) // 2)

    def render(self) -> Content:
        pieces = self._pieces()
        line: list[Span] = [Span(" " * self._left(pieces))]
        for index, (_, piece) in enumerate(pieces):
            line += [Span("   "), *piece] if index else [*piece]
        room = self.size.width - width_of((*line, Span(self.note)))
        if self.note and room > 1:
            line += [Span(" " * room), Span(self.note, "muted")]
        return self.paint(tuple(line))

    def on_click(self, event: events.Click) -> None:
        event.stop()
        pieces = self._pieces()
        x = self._left(pieces)
        for button, row in pieces:
            if x <= event.x < x + width_of(row) and button:
                self.post_message(self.Pressed(button))
            x += width_of(row) + 3


class DialogFrame(Vertical):
    """The border, with words at both ends of its upper edge."""


class Dialog(ModalScreen[Command | None], inherit_bindings=False):
    """A question to the person. It ends with the command to carry out, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "leave", show=False),
        Binding("enter", "send", show=False),
        Binding("tab", "app.focus_next", show=False),
        Binding("shift+tab", "app.focus_previous", show=False),
        *(Binding(str(digit), f"choose({digit})", show=False) for digit in range(1, 10)),
        Binding("up", "move(-1)", show=False),
        Binding("down", "move(1)", show=False),
        Binding("left", "turn(-1)", show=False),
        Binding("right", "turn(1)", show=False),
    ]
    AUTO_FOCUS = ""

    def head(self) -> tuple[str, str]:
        """The words on the upper edge, left and right."""
        return "", ""

    def body(self) -> Iterable[Widget]:
        """The widgets inside the frame."""
        return ()

    def compose(self) -> ComposeResult:
        with DialogFrame(id="dialog") as frame:
            frame.border_title = Content(edge_text(*self.head(), WIDTH - 6, "─"))
            yield from self.body()

    def on_show(self) -> None:
        """Write the words on the edge once it has its place."""
        self.retitle()

    def retitle(self) -> None:
        """Write the words on the upper edge anew."""
        left, right = self.head()
        frame = self.query_one(DialogFrame)
        cells = (frame.outer_size.width or WIDTH) - 6
        title = Content(edge_text(left, right, cells, "─"))
        if frame.border_title != title.markup:
            frame.border_title = title

    def on_resize(self) -> None:
        """A narrower terminal takes a narrower frame."""
        self.call_after_refresh(self.retitle)

    def cancel_button(self) -> Button:
        """Leaves the dialog; nothing happens."""
        return Button("leave", tr("Cancel"), "Esc")

    def action_leave(self) -> None:
        """Esc."""
        self.dismiss(None)

    def action_send(self) -> None:
        """Enter."""
        self.dismiss(None)

    def action_choose(self, number: int) -> None:
        """A digit, from 1."""

    def action_move(self, step: int) -> None:
        """Up or down."""

    def action_turn(self, step: int) -> None:
        """Left or right."""

    def on_buttons_pressed(self, event: Buttons.Pressed) -> None:
        event.stop()
        if event.button == "leave":
            self.action_leave()
        else:
            self.press(event.button)

    def press(self, button: str) -> None:
        """A click on a button other than Cancel; `send` is what Enter does."""
        if button == "send":
            self.action_send()
