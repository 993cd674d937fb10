"""Help: all keys."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widget import Widget

from hookstepper.tui.dialogs.dialog import INNER, Button, Buttons, Dialog, Lines
from hookstepper.tui.rows.help_keys import help_rows
from hookstepper.tui.words import tr


class HelpKeys(Dialog):
    """Scrolls; any of ?, q, Enter and Esc closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,f1,q", "leave", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown,space", "page(1)", show=False),
        Binding("k", "move(-1)", show=False),
        Binding("j", "move(1)", show=False),
    ]

    def head(self) -> tuple[str, str]:
        return tr("Keys"), tr("↑ ↓ scroll")

    def body(self) -> Iterable[Widget]:
        yield VerticalScroll(Lines(help_rows(INNER - 1)), can_focus=False)
        yield Buttons([Button("leave", tr("Close"), "Esc")])

    def action_move(self, step: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=step, animate=False)

    def action_page(self, step: int) -> None:
        """A page down or up."""
        scroll = self.query_one(VerticalScroll)
        scroll.scroll_relative(y=step * max(1, scroll.size.height - 1), animate=False)
