"""The inspector: a strip of tabs and the view that is chosen; State stands beside it where there is room."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widget import Widget

from hookstepper.client.view import View
from hookstepper.model.ids import NodeId
from hookstepper.model.record import Path
from hookstepper.tui.messages import screen_wish
from hookstepper.tui.rows.tabs import Strip, Tab, strip, underline
from hookstepper.tui.views import BUILT_IN
from hookstepper.tui.views.pane import Item, Pane
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


def take_classes(pane: Widget, classes: dict[str, bool]) -> None:
    """Set and unset classes at once: each change by itself would style the whole tree below anew."""
    names = (pane.classes - set(classes)) | {name for name, on in classes.items() if on}
    if names != pane.classes:
        pane.set_classes(names)


class Inspector(Pane):
    """Shows one view of the registry at a time; passes on what it is told to the views in sight."""

    def __init__(self, first: str = "state") -> None:
        super().__init__(id="inspector")
        self.views: dict[str, Pane] = {}
        """The views that were needed so far: a view is made when it is first chosen."""
        self._beside = "node"
        self._wide = False
        self._node: NodeId | None = None
        self.chosen = first if first in BUILT_IN else next(iter(BUILT_IN), "")

    def compose(self) -> ComposeResult:
        yield TabStrip(id="tabs")
        yield Horizontal(*([self._made(self.chosen)] if self.chosen else []), id="views")

    def on_mount(self) -> None:
        self.query_one(TabStrip).choose(f"tab.{self.chosen}")

    def choose(self, view_id: str) -> None:
        """Bring one view to the front."""
        if view_id not in BUILT_IN:
            return
        self.chosen = view_id
        if view_id != "state":
            self._beside = view_id
        self._settle()

    def spread(self, wide: bool) -> None:
        """Where there is room for two views, State stands at the left for good."""
        if wide != self._wide:
            self._wide = wide
            self._settle()

    def _settle(self) -> None:
        if not self.is_mounted:
            return
        wanted = {"state", self._beside, self.chosen} if self._wide else {self.chosen}
        for name in (name for name in BUILT_IN if name in wanted and name not in self.views):
            self._mount(self._made(name))
        for name, pane in self.views.items():
            # Choosing State where it stands at the left leaves the other view where it is.
            take_classes(pane, {"-chosen": name == self.chosen, "-beside": name == self._beside})
        self.query_one(TabStrip).choose(f"tab.{self.chosen}")
        if self.view is not None:
            self.show(self.view)

    def _made(self, view_id: str) -> Pane:
        pane = BUILT_IN[view_id].load()(id=f"view-{view_id}")
        pane.add_class("-chosen")
        pane.point(self._node)
        self.views[view_id] = pane
        return pane

    def _mount(self, pane: Pane) -> None:
        """Put a view in; State stands before the others."""
        box = self.query_one("#views", Horizontal)
        box.mount(pane, before=0 if pane.id == "view-state" and box.children else None)

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
        self._node = node
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

    @property
    def cursor_origin(self) -> int | None:
        return self.pane.cursor_origin if self.pane is not None else None

    @property
    def cursor_item(self) -> Item | None:
        return self.pane.cursor_item if self.pane is not None else None

    def copy_text(self) -> str:
        return self.pane.copy_text() if self.pane is not None else ""
