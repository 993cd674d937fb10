"""The footer widget: the keys that work now; a click on one presses it."""

from __future__ import annotations

from textual import events
from textual.content import Content

from hookstepper.client.view import View
from hookstepper.model.commands import find
from hookstepper.tui.messages import Wish
from hookstepper.tui.rows.footer_keys import footer_items
from hookstepper.tui.rows.row import Span, width_of
from hookstepper.tui.views.pane import Pane


class Footer(Pane):
    """One line of keys. It knows no pane; what works is read from the view."""

    def show(self, view: View) -> None:
        super().show(view)
        self.refresh()

    def render(self) -> Content:
        if self.view is None:
            return Content("")
        line = [Span(" ")]
        for _, item in footer_items(self.view, self.size.width):
            line += [*item, Span(" ")]
        return self.paint(tuple(line))

    def on_click(self, event: events.Click) -> None:
        event.stop()
        command = self.command_at(event.x)
        spec = find(command) if command else None
        if spec is not None:
            self.post_message(Wish(spec.parse([])))

    def command_at(self, x: int) -> str | None:
        """Id of the command written at column `x`, None between them."""
        left = 1
        for command, item in footer_items(self.view, self.size.width) if self.view is not None else ():
            if left <= x < left + width_of(item):
                return command
            left += width_of(item) + 1
        return None
