"""The top line widget."""

from __future__ import annotations

from textual.content import Content

from hookstepper.client.view import View
from hookstepper.tui.rows.top_line import top_row
from hookstepper.tui.views.pane import Pane


class TopLine(Pane):
    """One line on top of the larger layouts."""

    def show(self, view: View) -> None:
        super().show(view)
        self.refresh()

    def render(self) -> Content:
        return self.paint(top_row(self.view, self.size.width)) if self.view is not None else Content("")
