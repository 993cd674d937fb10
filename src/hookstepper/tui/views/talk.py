"""The Messages tab: the conversation as a chat."""

from __future__ import annotations

from typing import ClassVar

from hookstepper.client.view import View
from hookstepper.tui.rows.lines import Line
from hookstepper.tui.rows.state import copied
from hookstepper.tui.rows.talk import talk_lines
from hookstepper.tui.views.lines_pane import LinesPane


class TalkView(LinesPane):
    """Stays at the newest message; Enter goes to the step that wrote one, `x` shows their encoded form."""

    follows_end: ClassVar[bool] = True

    def build(self, view: View, width: int) -> list[Line]:
        return talk_lines(view, width, raw=self.whole, turned=self.turned)

    def copy_text(self) -> str:
        path = self.cursor_path
        if path is not None and self.view is not None:
            return copied(self.view.trace.state(self.view.at), path)
        return super().copy_text()
