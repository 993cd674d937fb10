"""The status line widget: draws the status row; a click on it goes to ▶."""

from __future__ import annotations

from collections.abc import Callable

from textual import events
from textual.content import Content

from hookstepper.client.view import View
from hookstepper.tui.messages import screen_wish
from hookstepper.tui.rows.status_line import advice_row, status_row
from hookstepper.tui.views.pane import Pane


class StatusLine(Pane):
    """One line. While something is under way it draws itself anew twice a second, for the seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__(id="status")
        self._clock = clock

    def on_mount(self) -> None:
        self.set_interval(0.5, self._tick)

    def show(self, view: View) -> None:
        super().show(view)
        self.refresh()

    def render(self) -> Content:
        if self.screen.has_class("-tiny"):
            return self.paint(advice_row(self.size.width))
        if self.view is None:
            return Content("")
        return self.paint(status_row(self.view, self._clock(), self.size.width))

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.post_message(screen_wish("time.live"))

    def _tick(self) -> None:
        if self.view is not None and self.view.phase in ("loading", "running", "pausing"):
            self.refresh()
