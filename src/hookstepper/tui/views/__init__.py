"""The inspector's views by id. A view is one new file and one row here; the tab strip shows what exists."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hookstepper.tui.views.pane import Pane


@dataclass(frozen=True, slots=True)
class ViewEntry:
    """One tab of the inspector."""

    id: str
    """The part after `tab.` in the commands table."""
    key: str
    """Digit that opens it; empty for what stands behind 0."""
    title: str
    """English word, translated by `tr`."""
    short: str
    """Shorter word for narrow strips."""
    place: str
    """`module:attr` of the widget class."""

    def load(self) -> type[Pane]:
        """The widget class; imported here, so that the first paint does not wait for all views."""
        module, _, attr = self.place.partition(":")
        found: type[Pane] = getattr(import_module(module), attr)
        return found


BUILT_IN: dict[str, ViewEntry] = {
    entry.id: entry
    for entry in (
        ViewEntry("state", "1", "State", "State", "hookstepper.tui.views.state:StateView"),
        ViewEntry("messages", "2", "Messages", "Msgs", "hookstepper.tui.views.talk:TalkView"),
        ViewEntry("node", "3", "Node", "Node", "hookstepper.tui.views.node:NodeView"),
        ViewEntry("onion", "4", "Onion", "Onion", "hookstepper.tui.views.onion:OnionView"),
        ViewEntry("route", "5", "Route", "Route", "hookstepper.tui.views.route:RouteView"),
        ViewEntry("calls", "6", "Calls", "Calls", "hookstepper.tui.views.calls:CallsView"),
        ViewEntry("source", "7", "Source", "Source", "hookstepper.tui.views.source:SourceView"),
        ViewEntry(
            "breakpoints", "8", "Breakpoints", "Breaks", "hookstepper.tui.views.breakpoints:BreakpointsView"
        ),
        ViewEntry("stack", "9", "Stack", "Stack", "hookstepper.tui.views.stack:StackView"),
        ViewEntry("output", "", "Output", "Output", "hookstepper.tui.views.output:OutputView"),
        ViewEntry("branches", "", "Branches", "Branches", "hookstepper.tui.views.branches:BranchesView"),
        ViewEntry("tasks", "", "Tasks", "Tasks", "hookstepper.tui.views.tasks:TasksView"),
    )
}
