"""The status line widget: draws the status row; a click on it goes to ▶."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

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
        self._remark = "", ""

    def say(self, remark: str, hint: str = "") -> None:
        """Tell something in place of the reasons, until the next command; empty takes it back."""
        if (remark, hint) != self._remark:
            self._remark = remark, hint
            self.refresh()

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
        view = self.view
        if self._remark[0]:
            view = replace(view, notice=self._remark[0], hint=self._remark[1])
        return self.paint(status_row(view, self._clock(), self.size.width))

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.post_message(screen_wish("time.live"))

    def _tick(self) -> None:
        if self.view is not None and self.view.phase in ("loading", "running", "pausing"):
            self.refresh()
