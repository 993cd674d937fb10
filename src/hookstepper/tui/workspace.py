"""The panes and where they stand at each size of the terminal; which one has the focus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from textual import events
from textual.app import ComposeResult
from textual.containers import Container, Horizontal, Vertical
from textual.content import Content
from textual.widget import Widget

from hookstepper.client.view import View
from hookstepper.model.ids import NodeId
from hookstepper.picture.options import GlyphSet
from hookstepper.tui.frame import Frame
from hookstepper.tui.graph_pane import GraphPane
from hookstepper.tui.here import Here
from hookstepper.tui.inspector import Inspector, take_classes
from hookstepper.tui.messages import screen_wish
from hookstepper.tui.rows.tabs import Strip, Tab, strip
from hookstepper.tui.rows.welcome import welcome_rows
from hookstepper.tui.sizes import SIZES, SizeClass, has_tall_timeline, size_class
from hookstepper.tui.timeline import Timeline
from hookstepper.tui.top_line import TopLine
from hookstepper.tui.views import BUILT_IN
from hookstepper.tui.views.pane import Pane
from hookstepper.tui.words import tr

if TYPE_CHECKING:
    from hookstepper.tui.source_below import SourceFrame

PaneName = Literal["graph", "inspector", "timeline"]
PANES: tuple[PaneName, ...] = ("graph", "inspector", "timeline")


_LEAST = ("tab.stack", "tab.source", "tab.breakpoints", "tab.node")
"""Tabs that give way first on a narrow strip; their digits open them all the same."""


class PaneStrip(Pane):
    """The words of all panes, where only one of them fits."""

    current = "pane.graph"

    def strip(self) -> Strip:
        """What fits into the present width."""
        tabs = [Tab("pane.graph", "g", "Graph")]
        tabs += [Tab(f"tab.{entry.id}", entry.key, entry.short) for entry in BUILT_IN.values() if entry.key]
        tabs.append(Tab("pane.timeline", "L", "Timeline"))
        behind = any(not entry.key for entry in BUILT_IN.values())
        more = Tab("tab.more", "0", "More") if behind else None
        return strip(tabs, self.current, self.size.width - 1, gap=" │ ", more=more, first_to_go=_LEAST)

    def choose(self, current: str) -> None:
        """Mark the pane or tab with that command id."""
        self.current = current
        self.refresh()

    def render(self) -> Content:
        return Content(" ") + self.paint(self.strip().row)

    def on_click(self, event: events.Click) -> None:
        event.stop()
        for command, start, end in self.strip().places:
            if start <= event.x - 1 < end:
                self.post_message(screen_wish(command))


class WelcomeCard(Pane, can_focus=True):
    """What is on the screen; stands over the inspector until it is closed or something runs."""

    def render(self) -> Content:
        alone = size_class(*self.app.size) == "small"
        return self.paint_all(welcome_rows(self.size.width, self.size.height, alone=alone))

    def titles(self) -> tuple[str, str]:
        return tr("Welcome"), ""


class Workspace(Container):
    """All panes. The app tells it what to show and asks it what the person points at."""

    def __init__(self, size: tuple[int, int], *, welcome: bool, glyphs: GlyphSet = "unicode") -> None:
        """
        Args:
            size: of the terminal, so that the first layout is the right one.
        """
        super().__init__(id="workspace", classes="-welcome" if welcome else None)
        self.graph = GraphPane(glyphs)
        self.inspector = Inspector()
        self.timeline = Timeline(id="timeline")
        self.card = WelcomeCard(id="card")
        self.frames: dict[str, Frame] = {
            "graph": Frame(self.graph, id="graph-frame"),
            "inspector": Frame(self.inspector, id="inspector-frame"),
            "timeline": Frame(self.timeline, id="timeline-frame"),
        }
        self.card_frame = Frame(self.card, id="card-frame")
        self.source: SourceFrame | None = None
        """Under the picture; made when there is room for it."""
        self.current: PaneName = "graph"
        self.alone = False
        self.size_class: SizeClass = size_class(*size)
        self.set_class(has_tall_timeline(size[1]), "-tall")
        self._place()

    def compose(self) -> ComposeResult:
        yield TopLine(id="top")
        yield PaneStrip(id="strip")
        with Horizontal(id="upper"):
            with Vertical(id="left"):
                yield self.frames["graph"]
            yield self.frames["inspector"]
            yield self.card_frame
        yield self.frames["timeline"]

    def on_mount(self) -> None:
        self._place()

    # ------------------------------------------------------------------ facts in

    def show(self, view: View) -> None:
        """Draw `view` in every pane."""
        for pane in (self.query_one(TopLine), self.graph, self.inspector, self.timeline):
            pane.show(view)
        if self.source is not None:
            self.source.show(view)
        self.retitle()

    def retitle(self) -> None:
        """Write the words on the frames anew."""
        for frame in (*self.frames.values(), self.card_frame):
            frame.retitle()
        if self.source is not None:
            self.source.retitle()

    def fit(self, width: int, height: int) -> None:
        """Take the layout for a terminal of that size."""
        self.set_class(has_tall_timeline(height), "-tall")
        found = size_class(width, height)
        if found != self.size_class:
            self.size_class = found
            self._place()

    def on_graph_pane_retitled(self, event: GraphPane.Retitled) -> None:
        event.stop()
        self.retitle()

    # ------------------------------------------------------------------ panes

    @property
    def shows_card(self) -> bool:
        """True while the welcome card is up."""
        return self.has_class("-welcome")

    def show_card(self, shown: bool) -> None:
        """Put the welcome card over the inspector, or take it away."""
        self.set_class(shown, "-welcome")
        if not shown and self.card.has_focus:
            self.focus_pane(self.current)
        self.call_after_refresh(self.retitle)

    def focus_pane(self, name: PaneName) -> None:
        """Give the focus to a pane, and show it if only one is shown."""
        if name == "inspector":
            self.set_class(False, "-welcome")
        self.current = name
        self._place()
        # Hidden views count as focusable in Textual: the one in front is named, not searched for.
        front = self.inspector.pane if name == "inspector" else None
        target = focusable_in(front or self.frames[name].pane)
        if target is not None:
            self.screen.set_focus(target)

    def turn_pane(self, step: int) -> None:
        """Go to the next pane, or with -1 to the one before."""
        self.focus_pane(PANES[(PANES.index(self.current) + step) % len(PANES)])

    def choose_tab(self, view_id: str) -> None:
        """Bring a view of the inspector to the front and go there."""
        self.inspector.choose(view_id)
        self.focus_pane("inspector")

    def maximise(self, alone: bool) -> None:
        """Show the current pane alone, or all that fit."""
        self.alone = alone
        self._place()

    def focused(self, widget: Widget | None) -> None:
        """Note which pane holds the widget that got the focus."""
        for name in PANES:
            if widget is not None and self.frames[name] in widget.ancestors and name != self.current:
                self.current = name
                self._place()

    def _place(self) -> None:
        take_classes(
            self,
            {
                **{f"-{size}": size == self.size_class for size in SIZES},
                "-alone": self.alone or self.size_class in ("small", "tiny"),
                "-at-upper": self.current != "timeline",
            },
        )
        for name, frame in self.frames.items():
            take_classes(frame, {"-shown": name == self.current})
        if self.is_mounted:
            self.inspector.spread(self.size_class == "wide")
            chosen = f"tab.{self.inspector.chosen}" if self.current == "inspector" else f"pane.{self.current}"
            self.query_one(PaneStrip).choose(chosen)
            self._place_source()
            self.call_after_refresh(self.retitle)

    def _place_source(self) -> None:
        left = self.query_one("#left")
        take_classes(left, {"-shown": self.current == "graph"})
        if self.size_class != "wide" or self.source is not None:
            return
        from hookstepper.tui.source_below import SourceFrame

        self.source = SourceFrame()
        left.mount(self.source)
        if self.graph.view is not None:
            self.source.show(self.graph.view)

    def point(self, node: NodeId | None) -> None:
        """Tell the views which node the picture's cursor is on."""
        self.inspector.point(node)
        if self.source is not None:
            self.source.point(node)

    # ------------------------------------------------------------------ what the person points at

    @property
    def pane(self) -> Pane:
        """The pane in focus."""
        return self.frames[self.current].pane

    def here(self) -> Here:
        """What is under the cursor of the pane in focus; the picture's node where that pane has none."""
        pane = self.pane
        node = pane.cursor_node or self.graph.cursor_node
        return Here(node, pane.cursor_path, pane.cursor_step, pane.cursor_item, pane.cursor_origin)


def focusable_in(widget: Widget) -> Widget | None:
    """The widget itself if it takes the focus, else the first one in sight inside it that does."""
    if widget.focusable:
        return widget
    return next((child for child in widget.walk_children(Widget) if child.focusable), None)
