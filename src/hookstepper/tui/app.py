"""The app: owns the conversation's thread, draws its view, and gives every command to whom it belongs."""

from __future__ import annotations

import asyncio
import signal
import threading
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, Protocol

from rich.text import Text
from textual import work
from textual.app import App
from textual.binding import Binding, BindingType
from textual.message import Message

from hookstepper.client.view import View
from hookstepper.model import commands
from hookstepper.model.commands import Command
from hookstepper.model.errors import HookstepperError
from hookstepper.model.jumps import JumpChoice
from hookstepper.tui.gatekeeper import Question, question_before
from hookstepper.tui.here import Here, command_here
from hookstepper.tui.inbox import Inbox
from hookstepper.tui.line_input import Refused
from hookstepper.tui.main_screen import MainScreen
from hookstepper.tui.messages import Wish
from hookstepper.tui.options import Options
from hookstepper.tui.themes import THEMES
from hookstepper.tui.type_ahead import TypeAhead
from hookstepper.tui.words import tr, use_language

if TYPE_CHECKING:
    from hookstepper.client.link import Item

BATCH = 200
"""Items taken in between two drawings."""
TICK = 0.1
"""Seconds between two looks at the clock: playing on, and whether the agent process answers."""


class Talk(Protocol):
    """What the app needs of a conversation; `client.conversation.Conversation` is one."""

    view: View

    def open(self) -> None:
        """Start the agent process."""

    def receive(self, item: Item, /) -> None:
        """Take in one delivered item."""

    def tick(self) -> None:
        """Called about ten times a second."""

    def act(self, command: Command, /) -> None:
        """Carry out a command; a refusal shows in the view."""

    def legal_jumps(self) -> tuple[JumpChoice, ...]:
        """What the Jump dialog lists."""

    def kill(self) -> None:
        """Kill the agent process at once."""

    def close(self) -> None:
        """End every process that was started."""


Connect = Callable[[Callable[["Item"], None]], Talk]
"""Makes the conversation, given the function that its reader threads deliver to."""


class Arrived(Message):
    """Something waits in the inbox."""


class DebuggerApp(App[int]):
    """The screen of one conversation. Everything but `Inbox.deliver` runs on the screen's own thread."""

    CSS_PATH: ClassVar = ["styles/roles.tcss", "styles/main.tcss", "styles/dialogs.tcss", "styles/views.tcss"]
    TITLE = "hookstepper"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+q", "quit_now", show=False, priority=True)]
    ESCAPE_TO_MINIMIZE = False

    def __init__(self, connect: Connect, options: Options | None = None) -> None:
        super().__init__()
        self.options = options or Options()
        use_language(self.options.language)
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = self.options.theme or THEMES[0].name
        self.inbox: Inbox[Item] = Inbox(self._wake)
        self.conversation = connect(self.inbox.deliver)
        self.ahead = TypeAhead()
        self._woken = False
        self._shown = -1
        self._asked_input = False
        self.main: MainScreen | None = None

    # ------------------------------------------------------------------ life

    async def on_mount(self) -> None:
        self.main = MainScreen(
            self.options.clock, self.wish, (self.size.width, self.size.height), welcome=self.options.welcome
        )
        await self.push_screen(self.main)
        self._obey_signals()
        # The first paint comes before the agent process, whatever it costs to start that.
        self.call_after_refresh(self._open)

    def _open(self) -> None:
        self.show_view()
        self.conversation.open()
        self.set_interval(TICK, self._tick)
        self.show_view()

    def _obey_signals(self) -> None:
        if threading.current_thread() is not threading.main_thread() or self.is_headless:
            return
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self.exit, 128 + number)

    def action_quit_now(self) -> None:
        self.exit(0)

    def _fatal_error(self) -> None:
        """Tell of our own fault in plain text.

        Textual would print the local variables of every frame: that takes seconds, and they hold what the
        program under debug keeps secret.
        """
        said = tr("The screen of hookstepper failed; the agent process is ended with it.")
        self.panic(Text(f"{traceback.format_exc()}\n{said}"))

    # ------------------------------------------------------------------ facts in

    def _wake(self) -> None:
        if not self._woken:
            self._woken = True
            self.post_message(Arrived())

    def on_arrived(self) -> None:
        """Take in a batch, draw once; what is left comes after the keys that were pressed meanwhile."""
        self._woken = False
        for item in self.inbox.take(BATCH):
            self.conversation.receive(item)
        self._type_ahead()
        self.show_view()
        if not self.inbox.is_empty:
            self._wake()

    def _type_ahead(self) -> None:
        due = self.ahead.due(self.view)
        if due is not None:
            self.conversation.act(due)

    def _tick(self) -> None:
        try:
            self.conversation.tick()
        except HookstepperError as error:
            self.say(error)
        self.show_view()

    @property
    def view(self) -> View:
        """Where the conversation stands."""
        return self.conversation.view

    def show_view(self) -> None:
        """Draw the view if it changed since it was drawn last."""
        view = self.view
        if self.main is None or view.version == self._shown:
            return
        self._shown = view.version
        self.main.show(view)
        no_run = view.phase == "ready" and view.stop is None and view.input is None
        if no_run and self.options.ask_input and not self._asked_input:
            self._asked_input = True
            self.open_dialog("input.open")

    # ------------------------------------------------------------------ wishes

    def on_wish(self, event: Wish) -> None:
        """Carry out what a pane, a key, the palette or the `:` line wishes."""
        event.stop()
        self.wish(event.command)

    def on_refused(self, event: Refused) -> None:
        """Tell why the `:` line was not understood."""
        event.stop()
        self.say(event.error)

    def wish(self, command: Command) -> None:
        """Carry out a command: here, in a dialog first, or in the conversation; a refusal is said."""
        if self.main is not None:
            self.main.status.say("")
        try:
            if isinstance(command, commands.Screen):
                here = self.main.here() if self.main is not None else Here()
                command = command_here(command.id, command.args, here, self.view)
            question = question_before(command, self.view)
            if question is not None:
                self.ahead.forget()
                self.ask(question)
            elif self.ahead.holds_back(command, self.view):
                return
            elif not (isinstance(command, commands.Screen) and self._carry_out(command)):
                self.act(command)
        except HookstepperError as error:
            self.say(error)

    def act(self, command: Command) -> None:
        """Hand a command to the conversation and draw what became of it."""
        self.conversation.act(command)
        self.show_view()

    def say(self, error: HookstepperError) -> None:
        """Tell the person that something cannot be, and what can."""
        if self.main is not None:
            self.main.status.say(error.message, error.hint)

    def _carry_out(self, command: commands.Screen) -> bool:
        if self.main is not None and self.main.carry_out(command):
            return True
        match command.id:
            case "app.quit" | "app.quit-now":
                self.exit(0)
            case "app.break":
                self._break()
            case "app.theme":
                self._choose_theme(*command.args)
            case "copy.value":
                self._copy()
            case "export.screen":
                self._export(*command.args)
            case "app.palette":
                self._palette()
            case _:
                return self.open_dialog(command.id, *command.args)
        return True

    def _break(self) -> None:
        """Ctrl-C: copy a selection, pause what runs, or ask to quit."""
        selected = self.screen.get_selected_text()
        if selected:
            self.copy_to_clipboard(selected)
            self.screen.clear_selection()
        elif self.view.phase == "running" or self.view.playing:
            self.wish(commands.Pause())
        else:
            self.wish(commands.Screen("app.quit"))

    def _choose_theme(self, name: str = "") -> None:
        names = list(self.available_themes)
        self.theme = name if name in names else names[(names.index(self.theme) + 1) % len(names)]

    def _copy(self) -> None:
        text = self.main.workspace.pane.copy_text() if self.main is not None else ""
        if text:
            self.copy_to_clipboard(text)
            self.notify(tr("copied, {n} characters", n=len(text)), markup=False, timeout=2)

    def _palette(self) -> None:
        from textual.command import CommandPalette

        from hookstepper.tui.palette import Commands

        self.push_screen(CommandPalette([Commands], placeholder=tr("a command, a node, a theme")))

    def export_screenshot(self, *, title: str | None = None, simplify: bool = False) -> str:
        """The screen as SVG, wide characters in two cells each."""
        from hookstepper.tui.screen_svg import screen_svg

        rendered = self.screen._compositor.render_update(
            full=True, screen_stack=self._background_screens, simplify=simplify
        )
        assert rendered is not None
        return screen_svg(rendered, *self.size, title or "hookstepper")

    @work
    async def _export(self, name: str = "") -> None:
        path = await asyncio.to_thread(self.save_screenshot, name or None)
        self.notify(tr("saved {path}", path=path), markup=False)

    # ------------------------------------------------------------------ dialogs

    def open_dialog(self, command_id: str, *args: str) -> bool:
        """Open the dialog that a command means; False if it means none."""
        from hookstepper.tui.dialogs import Occasion, dialog_for

        node = self.main.here().node if self.main is not None else None
        occasion = Occasion(self.view, args, self.conversation.legal_jumps, node)
        dialog = dialog_for(command_id, occasion)
        if dialog is None:
            return False
        self.push_screen(dialog, self._answered)
        return True

    def ask(self, question: Question) -> None:
        """Put a question before a command; its answer is the command that is carried out, if any."""
        if question.dialog:
            self.open_dialog(question.dialog)
            return
        from hookstepper.tui.dialogs.confirm import Confirm

        self.push_screen(Confirm(question), self._answered)

    def _answered(self, command: Command | None) -> None:
        if command is None:
            return
        try:
            if isinstance(command, commands.Screen) and command.id == "run.kill":
                self.conversation.kill()
            elif not (isinstance(command, commands.Screen) and self._carry_out(command)):
                self.act(command)
        except HookstepperError as error:
            self.say(error)


def run_app(connect: Connect, options: Options | None = None) -> int:
    """Run the screen until the person leaves; the agent process is ended in every case.

    Args:
        connect: makes the conversation, given the function that its reader threads deliver to.

    Returns:
        The exit code of the command: 0, 128 + signal, or 1 if the screen itself failed.
    """
    app = DebuggerApp(connect, options)
    try:
        code = app.run()
    finally:
        app.inbox.close()
        app.conversation.close()
    return code if code is not None else app.return_code or 0
