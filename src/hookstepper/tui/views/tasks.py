"""The Tasks tab: what is held and what runs."""

from __future__ import annotations

from hookstepper.client.view import View
from hookstepper.tui.rows.lines import Line
from hookstepper.tui.rows.tasks import task_lines
from hookstepper.tui.views.lines_pane import LinesPane


class TasksView(LinesPane):
    """One line a task; step keys work here as everywhere."""

    def build(self, view: View, width: int) -> list[Line]:
        return task_lines(view, width)
