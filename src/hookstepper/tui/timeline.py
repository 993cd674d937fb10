"""The timeline pane: what ran, one column a step; looking along it runs nothing."""

from __future__ import annotations

from textual import events
from textual.content import Content

from hookstepper.client.view import View
from hookstepper.model.ids import NodeId
from hookstepper.tui.messages import screen_wish
from hookstepper.tui.rows.columns import Columns
from hookstepper.tui.rows.row import Row
from hookstepper.tui.rows.step_list import step_rows
from hookstepper.tui.rows.strip import strip_row
from hookstepper.tui.rows.timeline import Unit, timeline_rows, timeline_titles
from hookstepper.tui.rows.timeline_window import CELL, Window, places, window
from hookstepper.tui.views.pane import Pane


class Timeline(Pane, can_focus=True):
    """Lanes where there is room for them, one line where there is not. `x` shows tokens instead of times."""

    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.columns = Columns()
        self.unit: Unit = "time"
        self.first: int | None = None
        """First column in sight, if a person moved it; None follows the step in view."""
        self._at: tuple[int, int] | None = None

    def show(self, view: View) -> None:
        super().show(view)
        here = (view.at, view.trace.last)
        if here != self._at:
            self._at = here
            self.first = None
        self.refresh()

    @property
    def window(self) -> Window | None:
        """The columns in sight; None before the first view."""
        if self.view is None or self.size.width < 1:
            return None
        return window(self.columns, self.view, self.size.width, self.first)

    def rows(self) -> list[Row]:
        """What is drawn at the present size."""
        if self.view is None:
            return []
        self.columns.of(self.view)
        width, height = self.size
        if height < 6:
            return [strip_row(self.columns, self.view, width)]
        seen = self.window
        if seen is None:
            return []
        rows = timeline_rows(self.columns, self.view, width, height, seen, unit=self.unit)
        if height > len(rows) + 3:
            rows += [(), *step_rows(self.columns, self.view, width, height - len(rows) - 1)]
        return rows

    def render(self) -> Content:
        return self.paint_all(self.rows())

    def titles(self) -> tuple[str, str]:
        return timeline_titles(self.view) if self.view is not None else ("", "")

    @property
    def cursor_step(self) -> int | None:
        return self.view.at if self.view is not None else None

    @property
    def cursor_node(self) -> NodeId | None:
        view = self.view
        if view is None:
            return None
        if not view.looking_back and view.next_nodes:
            return view.next_nodes[0]
        return view.trace.steps[view.at].site.node if 0 <= view.at <= view.trace.last else None

    def do(self, command_id: str, *args: str) -> bool:
        match command_id, args:
            case "cursor.move", ("left",):
                self.post_message(screen_wish("time.back"))
            case "cursor.move", ("right",):
                self.post_message(screen_wish("time.forward"))
            case "cursor.move", ("first",):
                self.post_message(screen_wish("time.goto", "-1"))
            case "cursor.move", ("last",):
                self.post_message(screen_wish("time.live"))
            case "cursor.move", (("page-up" | "page-down") as way,):
                self._pan((-1 if way == "page-up" else 1) * max(1, self.size.width // CELL // 2))
            case "view.pan", (("left" | "right") as way,):
                self._pan(-4 if way == "left" else 4)
            case "cursor.prev", _:
                self.post_message(screen_wish("time.prev-mark"))
            case "cursor.next", _:
                self.post_message(screen_wish("time.next-mark"))
            case "cursor.open", _:
                self.post_message(screen_wish("tab.state"))
            case "view.toggle", _:
                self.unit = "tokens" if self.unit == "time" else "time"
                self.refresh()
            case _:
                return False
        return True

    def _pan(self, columns: int) -> None:
        seen = self.window
        if seen is None:
            return
        everything = seen.first == 0 and seen.last >= len(self.columns.all)
        if not everything:
            self.first = max(0, min(seen.first + columns, len(self.columns.all) - 1))
            self.refresh()

    # --------------------------------------------------------------------------------------- mouse

    def on_click(self, event: events.Click) -> None:
        """A click on a column looks at its step; on the column of what runs next, at the live end."""
        seen = self.window
        if seen is None or self.size.height < 6:
            return
        for place in places(self.columns, seen):
            if place.start <= event.x < place.start + CELL:
                event.stop()
                if place.column >= len(self.columns.all):
                    self.post_message(screen_wish("time.live"))
                else:
                    self.post_message(screen_wish("time.goto", str(self.columns.all[place.column].last)))
                return

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self._pan(2)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self._pan(-2)
