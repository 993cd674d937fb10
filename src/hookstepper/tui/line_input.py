"""The `:` line: the same words as in scripts, with completion of commands and nodes."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.suggester import SuggestFromList
from textual.widgets import Input

from hookstepper.model.commands import COMMANDS, parse_line
from hookstepper.model.errors import HookstepperError
from hookstepper.tui.messages import Wish
from hookstepper.tui.words import tr


class Refused(Message):
    """The line means no command; it stays open to be mended."""

    def __init__(self, error: HookstepperError) -> None:
        super().__init__()
        self.error = error


class LineInput(Input, inherit_bindings=True):
    """One line at the bottom of the screen; Enter sends, Esc leaves, ↑ brings back older lines."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "leave", show=False),
        Binding("up", "older", show=False),
        Binding("down", "newer", show=False),
    ]

    def __init__(self) -> None:
        words = [word for spec in COMMANDS for word in (spec.id, *spec.aliases)]
        super().__init__(
            id="line",
            placeholder=tr("a command, as in scripts: next, break NODE, jump end"),
            suggester=SuggestFromList(words, case_sensitive=True),
            select_on_focus=False,
        )
        self._lines: list[str] = []
        self._place = 0

    def open(self, text: str = "") -> None:
        """Show the line, with `text` on it, and give it the focus."""
        self.value = text
        self.cursor_position = len(text)
        self._place = len(self._lines)
        self.display = True
        # Now, not in a moment: the next key is typed here.
        self.screen.set_focus(self)

    def close(self) -> None:
        """Hide the line; the focus goes back to a pane."""
        self.display = False

    def action_leave(self) -> None:
        self.close()

    def action_older(self) -> None:
        self._bring(-1)

    def action_newer(self) -> None:
        self._bring(1)

    def _bring(self, step: int) -> None:
        self._place = min(max(self._place + step, 0), len(self._lines))
        self.value = self._lines[self._place] if self._place < len(self._lines) else ""
        self.cursor_position = len(self.value)

    def on_blur(self) -> None:
        self.close()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        line = event.value.strip()
        if not line:
            self.close()
            return
        self._lines.append(line)
        try:
            command = parse_line(line)
        except HookstepperError as error:
            self._place = len(self._lines)
            self.post_message(Refused(error))
            return
        self.close()
        self.post_message(Wish(command))
