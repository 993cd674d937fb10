"""The app: paints the first frame, then owns the conversation's thread and draws its view."""

from __future__ import annotations

import asyncio
import signal
import threading
import traceback
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Protocol

from rich.text import Text
from textual import events, work
from textual.app import App
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import Screen

from hookstepper.model.errors import HookstepperError
from hookstepper.tui.first_frame import FirstScreen
from hookstepper.tui.inbox import Inbox
from hookstepper.tui.options import Options
from hookstepper.tui.themes import THEMES
from hookstepper.tui.words import tr, use_language

# What is imported here is imported before the first frame: Textual, and little else. The rest comes in
# `_unfold`, behind that frame.
if TYPE_CHECKING:
    from hookstepper.client.link import Item
    from hookstepper.client.view import View
    from hookstepper.model.breakpoints import Breakpoint
    from hookstepper.model.commands import Command
    from hookstepper.model.jumps import JumpChoice
    from hookstepper.tui.gatekeeper import Question
    from hookstepper.tui.line_input import Refused
    from hookstepper.tui.main_screen import MainScreen
    from hookstepper.tui.messages import Wish
    from hookstepper.tui.wishes import Wishes

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

    def set_breakpoints(self, breakpoints: tuple[Breakpoint, ...], /) -> None:
        """Replace the whole set of breakpoints."""

    def legal_jumps(self) -> tuple[JumpChoice, ...]:
        """What the Jump dialog lists."""

    def kill(self) -> None:
        """Kill the agent process at once."""

    def close(self) -> None:
        """End every process that was started."""


Connect = Callable[[Callable[["Item"], None]], Talk]
"""Makes the conversation, given what its reader threads deliver to; called after the first frame."""


class Arrived(Message):
    """Something waits in the inbox."""


class DebuggerApp(App[int]):
    """The screen of one conversation. Everything but `Inbox.deliver` runs on the screen's own thread."""

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
        self._connect = connect
        self.main: MainScreen | None = None
        self.wishes: Wishes | None = None
        """Carries out wishes; None until the first frame is painted."""
        self.failed: HookstepperError | None = None
        """Why there is no conversation, if it could not be made."""
        self._early: list[events.Key] = []
        self._woken = False
        self._shown = -1
        self._asked_input = False

    # ------------------------------------------------------------------ life

    def get_default_screen(self) -> Screen[None]:
        return FirstScreen(self.options.target, welcome=self.options.welcome)

    async def on_mount(self) -> None:
        self._obey_signals()
        if self.is_headless:
            # No terminal, so no frame that somebody would see first.
            await self._unfold()
        else:
            self.call_after_refresh(self._unfold)

    async def _unfold(self) -> None:
        """Start the agent process, and import and mount the panes while it loads."""
        try:
            self.conversation.open()
        except HookstepperError as error:
            self.failed = error
            self.exit(1)
            return
        from hookstepper.tui.main_screen import MainScreen
        from hookstepper.tui.wishes import Wishes

        self.wishes = Wishes(self)
        main = MainScreen(self.options, self.wish, (self.size.width, self.size.height))
        await self.push_screen(main)
        self.main = main
        self.set_interval(TICK, self._tick)
        self.show_view()
        for key in self._early:
            self.post_message(key)

    @cached_property
    def conversation(self) -> Talk:
        """The one that is shown; made when it is first asked for."""
        return self._connect(self.inbox.deliver)

    def end(self) -> None:
        """End the agent process, if there is one; nothing more is taken in."""
        self.inbox.close()
        if "conversation" in vars(self):
            self.conversation.close()

    def on_key(self, event: events.Key) -> None:
        """A key that is pressed before the panes are there waits for them."""
        if self.main is None:
            self._early.append(event)

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
        if self.wishes is not None:
            self.wishes.type_ahead()
        self.show_view()
        if not self.inbox.is_empty:
            self._wake()

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
        if self.wishes is not None:
            self.wishes.wish(command)

    def open_dialog(self, command_id: str, *args: str) -> bool:
        """Open the dialog that a command means; False if it means none."""
        return self.wishes is not None and self.wishes.open_dialog(command_id, *args)

    def ask(self, question: Question) -> None:
        """Put a question before a command; its answer is the command that is carried out, if any."""
        if self.wishes is not None:
            self.wishes.ask(question)

    def say(self, error: HookstepperError) -> None:
        """Tell the person that something cannot be, and what can."""
        if self.main is not None:
            self.main.status.say(error.message, error.hint)

    def export_screenshot(self, *, title: str | None = None, simplify: bool = False) -> str:
        """The screen as SVG, wide characters in two cells each."""
        from hookstepper.tui.screen_svg import screen_svg

        rendered = self.screen._compositor.render_update(
            full=True, screen_stack=self._background_screens, simplify=simplify
        )
        assert rendered is not None
        return screen_svg(rendered, *self.size, title or "hookstepper")

    @work
    async def export_screen(self, name: str = "") -> None:
        """Save the screen as SVG under a name, or under one that is made from the time."""
        path = await asyncio.to_thread(self.save_screenshot, name or None)
        self.notify(tr("saved {path}", path=path), markup=False)


def run_app(connect: Connect, options: Options | None = None) -> int:
    """Run the screen until the person leaves; the agent process is ended in every case.

    Args:
        connect: makes the conversation, given the function that its reader threads deliver to.

    Returns:
        The exit code of the command: 0, 128 + signal, or 1 if the screen itself failed.

    Raises:
        HookstepperError: the conversation could not be made.
    """
    app = DebuggerApp(connect, options)
    try:
        code = app.run()
    finally:
        app.end()
    if app.failed is not None:
        raise app.failed
    return code if code is not None else app.return_code or 0
