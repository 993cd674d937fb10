"""The inspector: a strip of tabs and the view that is chosen; State stands beside it where there is room."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content

from hookstepper.client.view import View
from hookstepper.model.ids import NodeId
from hookstepper.model.record import Path
from hookstepper.tui.messages import screen_wish
from hookstepper.tui.rows.tabs import Strip, Tab, strip, underline
from hookstepper.tui.views import BUILT_IN
from hookstepper.tui.views.pane import Pane
from hookstepper.tui.words import tr

MORE = Tab("tab.more", "0", "More")


class TabStrip(Pane):
    """Two lines: the tabs, and the line that marks the current one."""

    current = ""

    def choose(self, current: str) -> None:
        """Mark the tab with that command id."""
        self.current = current
        self.refresh()

    def strip(self) -> Strip:
        """What fits into the present width."""
        behind = any(not entry.key for entry in BUILT_IN.values())
        tabs = [
            Tab(f"tab.{entry.id}", entry.key, entry.short)
            for entry in BUILT_IN.values()
            if entry.key or f"tab.{entry.id}" == self.current
        ]
        return strip(tabs, self.current, self.size.width, gap=" ", more=MORE if behind else None)

    def render(self) -> Content:
        found = self.strip()
        return self.paint_all([found.row, underline(found, self.current, self.size.width)])

    def on_click(self, event: events.Click) -> None:
        event.stop()
        for command, start, end in self.strip().places:
            if start <= event.x < end:
                self.post_message(screen_wish(command))


class Inspector(Pane):
    """Shows one view of the registry at a time; passes on what it is told to the views in sight."""

    def __init__(self, first: str = "state") -> None:
        super().__init__(id="inspector")
        self.views: dict[str, Pane] = {}
        self._beside = "node"
        self.chosen = first if first in BUILT_IN else next(iter(BUILT_IN), "")

    def compose(self) -> ComposeResult:
        yield TabStrip(id="tabs")
        self.views = {entry.id: entry.load()(id=f"view-{entry.id}") for entry in BUILT_IN.values()}
        yield Horizontal(*self.views.values(), id="views")

    def on_mount(self) -> None:
        self.choose(self.chosen)

    def choose(self, view_id: str) -> None:
        """Bring one view to the front."""
        if view_id not in self.views:
            return
        self.chosen = view_id
        if view_id != "state":
            self._beside = view_id
        for name, pane in self.views.items():
            pane.set_class(name == view_id, "-chosen")
            # Where State stands at the left for good, choosing it leaves the other view where it is.
            pane.set_class(name == self._beside, "-beside")
        self.query_one(TabStrip).choose(f"tab.{view_id}")
        if self.view is not None:
            self.show(self.view)

    @property
    def pane(self) -> Pane | None:
        """The view in front, None if the registry is empty."""
        return self.views.get(self.chosen)

    def show(self, view: View) -> None:
        super().show(view)
        for pane in self.views.values():
            if pane.display:
                pane.show(view)

    def point(self, node: NodeId | None) -> None:
        for pane in self.views.values():
            pane.point(node)

    def do(self, command_id: str, *args: str) -> bool:
        return self.pane is not None and self.pane.do(command_id, *args)

    def titles(self) -> tuple[str, str]:
        left, right = self.pane.titles() if self.pane is not None else ("", "")
        return left or tr("Inspector"), right

    @property
    def cursor_node(self) -> NodeId | None:
        return self.pane.cursor_node if self.pane is not None else None

    @property
    def cursor_step(self) -> int | None:
        return self.pane.cursor_step if self.pane is not None else None

    @property
    def cursor_path(self) -> Path | None:
        return self.pane.cursor_path if self.pane is not None else None

    def copy_text(self) -> str:
        return self.pane.copy_text() if self.pane is not None else ""
