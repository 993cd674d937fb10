"""The State tab: what the step in view changed, and the state after it as a tree."""

from __future__ import annotations

from hookstepper.client.view import View
from hookstepper.model.record import Path
from hookstepper.tui.rows.facts import state_in_view
from hookstepper.tui.rows.lines import Line
from hookstepper.tui.rows.state import Folding, copied, find_paths, state_lines
from hookstepper.tui.views.lines_pane import LinesPane
from hookstepper.tui.words import tr


class StateView(LinesPane):
    """Changes on top, then the tree; `x` shows every change whole, `find.open TEXT` searches the state."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.wanted = ""
        self.found: tuple[Path, ...] = ()
        self.found_at = 0

    @property
    def _on(self) -> Path | None:
        return self.found[self.found_at] if self.found else None

    def state_key(self) -> tuple[object, ...]:
        return (*super().state_key(), self._on)

    def build(self, view: View, width: int) -> list[Line]:
        return state_lines(view, width, Folding(self.turned, self.whole, self._on))

    def titles(self) -> tuple[str, str]:
        if not self.wanted:
            return "", ""
        if not self.found:
            return "", tr("{text}: not found", text=self.wanted[:20])
        return "", tr(
            "{text}: {n} of {count}", text=self.wanted[:20], n=self.found_at + 1, count=len(self.found)
        )

    def do(self, command_id: str, *args: str) -> bool:
        if command_id == "find.open" and args:
            return self.find(" ".join(args))
        if self.found and command_id in ("cursor.next", "cursor.prev"):
            self._go(self.found_at + (1 if command_id == "cursor.next" else -1))
            return True
        if self.wanted and command_id == "ui.close":
            self.wanted, self.found = "", ()
            self.rebuild()
            return True
        return super().do(command_id, *args)

    def find(self, text: str) -> bool:
        """Search the state in view; the cursor goes to the first place, `[` and `]` to the others."""
        self.wanted = text
        self.found = tuple(find_paths(state_in_view(self.view), text)) if self.view is not None else ()
        self._go(0)
        return True

    def _go(self, place: int) -> None:
        if not self.found:
            self.rebuild()
            return
        self.found_at = place % len(self.found)
        self.rebuild()
        wanted = self.found[self.found_at]
        for depth in range(len(wanted), 0, -1):
            for at, line in enumerate(self.lines):
                if line.path == wanted[:depth] and line.id.startswith("s:"):
                    self.move_to(at)
                    return

    def copy_text(self) -> str:
        path = self.cursor_path
        if path is not None and self.view is not None:
            return copied(state_in_view(self.view), path)
        return super().copy_text()
