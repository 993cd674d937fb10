"""The main screen: panes, status line, footer. Keys become wishes; those for panes are carried out here."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Input

from hookstepper.client.view import View
from hookstepper.model import commands
from hookstepper.model.ids import NodeId
from hookstepper.tui.footer import Footer
from hookstepper.tui.graph_pane import GraphPane
from hookstepper.tui.here import Here
from hookstepper.tui.keymap import KEYS
from hookstepper.tui.line_input import LineInput
from hookstepper.tui.options import Options
from hookstepper.tui.roles import RoleBook
from hookstepper.tui.status_line import StatusLine
from hookstepper.tui.views import BUILT_IN
from hookstepper.tui.workspace import Workspace


def bindings() -> list[BindingType]:
    """One binding for each key of the table. They sit on the screen, so that dialogs do not see them.

    They have priority: the app carries one key out before it looks at the next, so what is typed ahead goes
    where the key before it led, and never to a pane that a dialog is about to cover.
    """
    return [
        Binding(
            ",".join(keys_for_textual(keys)),
            f"wish({line!r})",
            show=False,
            priority=True,
            id=line.replace(" ", "."),
        )
        for line, keys in KEYS.items()
    ]


def keys_for_textual(keys: tuple[str, ...]) -> list[str]:
    """The keys as Textual names them; a comma would be read as a separator."""
    return ["comma" if key == "," else key for key in keys]


class MainScreen(Screen[None], inherit_bindings=False):
    """Draws what it is shown. Commands that only move panes, tabs and cursors end here; `Wish`es go up."""

    CSS_PATH: ClassVar = ["styles/roles.tcss", "styles/main.tcss", "styles/dialogs.tcss", "styles/views.tcss"]
    BINDINGS: ClassVar[list[BindingType]] = bindings()
    AUTO_FOCUS = ""

    def __init__(
        self,
        options: Options,
        wish: Callable[[commands.Command], None],
        size: tuple[int, int],
    ) -> None:
        """
        Args:
            wish: carries out what a key wishes before it returns.
            size: columns and rows of the terminal.
        """
        super().__init__(id="main")
        self._wish = wish
        self.workspace = Workspace(size, welcome=options.welcome, glyphs=options.glyphs)
        self.status = StatusLine(options.clock)
        self.footer = Footer(id="footer")
        self.line = LineInput()

    def compose(self) -> ComposeResult:
        yield RoleBook()
        yield self.workspace
        yield self.status
        yield self.footer
        yield self.line

    def on_mount(self) -> None:
        self.workspace.focus_pane("graph")

    def on_resize(self, event: events.Resize) -> None:
        self.workspace.fit(event.size.width, event.size.height)
        self.set_class(self.workspace.size_class == "tiny", "-tiny")

    # ------------------------------------------------------------------ facts in

    def show(self, view: View) -> None:
        """Draw `view`."""
        self.workspace.show(view)
        self.status.show(view)
        self.footer.show(view)
        if self.workspace.shows_card and view.trace.last >= 0:
            self.workspace.show_card(False)

    def here(self) -> Here:
        """What the person points at."""
        return self.workspace.here()

    # ------------------------------------------------------------------ wishes out

    def action_wish(self, line: str) -> None:
        """A key was pressed: wish for its command; what the cursor is on is filled in above."""
        command_id, *args = line.split()
        if command_id == "find.open" and self.workspace.pane.do(command_id):
            return  # the pane has a line of its own for that
        self._wish(commands.Screen(command_id, tuple(args)))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Keys type while a line is open."""
        return not (action == "wish" and isinstance(self.focused, Input))

    def carry_out(self, command: commands.Screen) -> bool:
        """Do what a command means for panes, tabs and cursors; False if it is not one of those."""
        group, _, word = command.id.partition(".")
        if command.id == "view.node":
            return self._go_to(" ".join(command.args))
        if group in ("cursor", "view"):
            done = self.workspace.pane.do(command.id, *command.args)
            if not done and group == "view" and word != "toggle":
                # The size of the picture is changed from any pane.
                self.workspace.graph.do(command.id, *command.args)
            self.workspace.retitle()
            return True
        if group == "tab":
            return self._tab(word)
        match command.id:
            case "find.open":
                self.workspace.pane.do(command.id, *command.args)
                self.workspace.retitle()
            case "pane.next" | "pane.prev":
                self.workspace.turn_pane(1 if word == "next" else -1)
            case "pane.graph" | "pane.inspector" | "pane.timeline":
                self.workspace.focus_pane(word)  # type: ignore[arg-type]
            case "pane.maximise":
                self.workspace.maximise(not self.workspace.alone)
            case "frame.up" | "frame.down":
                self._tab("stack")
                self.workspace.pane.do("cursor.next" if word == "up" else "cursor.prev")
            case "break.list":
                return self._tab("breakpoints")
            case "app.line":
                self.line.open(*command.args)
            case "app.tour":
                self.workspace.show_card(True)
            case "ui.close":
                self._close()
            case _:
                return False
        return True

    def _go_to(self, name: str) -> bool:
        self.workspace.focus_pane("graph")
        self.workspace.graph.go_to(name)
        return True

    def _tab(self, word: str) -> bool:
        if word == "more" or word not in BUILT_IN:
            return False
        self.workspace.choose_tab(word)
        return True

    def _close(self) -> None:
        if self.workspace.shows_card:
            self.workspace.show_card(False)
        elif self.workspace.pane.do("ui.close"):
            self.workspace.retitle()
        elif self.workspace.alone:
            self.workspace.maximise(False)
        else:
            self.clear_selection()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        self.workspace.focused(event.widget)

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        # The `:` line hides itself; a pane has to take the keys again.
        if event.widget is self.line:
            self.call_after_refresh(self._refocus)

    def _refocus(self) -> None:
        if self.focused is None:
            self.workspace.focus_pane(self.workspace.current)

    def on_graph_pane_picked(self, event: GraphPane.Picked) -> None:
        event.stop()
        self.point(event.node)

    def point(self, node: NodeId | None) -> None:
        """Tell the views which node the picture's cursor is on."""
        self.workspace.point(node)
