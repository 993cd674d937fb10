"""The real app over a replayed conversation, driven by Textual's pilot."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from textual.pilot import Pilot

from hookstepper.model.commands import Command
from hookstepper.tui.app import DebuggerApp
from hookstepper.tui.options import Options
from hookstepper.tui.words import use_language
from support.replay import ReplayConversation, replay


@dataclass(slots=True)
class Driven:
    """One running app."""

    app: DebuggerApp
    conversation: ReplayConversation
    pilot: Pilot[int]

    async def press(self, *keys: str) -> None:
        """Press keys and wait until nothing is left to do."""
        await self.pilot.press(*keys)
        await self.settle()

    async def settle(self) -> None:
        """Wait until the app has drawn what it has to draw."""
        for _ in range(3):
            await self.pilot.pause()

    async def type(self, text: str) -> None:
        """Type a text into the field in focus."""
        names = {" ": "space", '"': "quotation_mark"}
        await self.press(*(names.get(char, char) for char in text))

    async def show(self, **changes: object) -> None:
        """Let the view be another one, as after an event."""
        view = self.conversation.view
        self.conversation.view = replace(view, version=view.version + 1, **changes)  # type: ignore[arg-type]
        self.app.show_view()
        await self.settle()

    @property
    def text(self) -> str:
        """The whole screen as text."""
        return "\n".join(self.lines)

    @property
    def lines(self) -> list[str]:
        """The screen as lines without trailing blanks."""
        strips = self.app.screen._compositor.render_strips()
        return [strip.text.rstrip() for strip in strips]

    @property
    def status(self) -> str:
        """The status line."""
        return self.lines[-2].strip()

    @property
    def dialog(self) -> str:
        """Class name of the dialog on top, empty if there is none."""
        return type(self.app.screen).__name__ if self.app.screen is not self.app.main else ""

    @property
    def sent(self) -> list[Command]:
        """What went to the agent process, oldest first."""
        return list(self.conversation.sent)


@asynccontextmanager
async def driven(
    steps: int | None = 11,
    *,
    size: tuple[int, int] = (120, 40),
    options: Options | None = None,
    prepare: Callable[[ReplayConversation], None] = lambda _: None,
) -> AsyncIterator[Driven]:
    """The app on the demonstration run, held after that many steps; None: loaded, nothing has run."""
    chosen = options or Options(welcome=False, clock=lambda: 0.0)
    name = "weather_zh_events.jsonl" if chosen.language == "zh" else "weather_events.jsonl"
    conversation = replay(steps, name=name)
    prepare(conversation)

    def connect(deliver: object) -> ReplayConversation:
        conversation._deliver = deliver  # type: ignore[assignment]
        return conversation

    conversation.open = lambda: None  # type: ignore[method-assign]
    app = DebuggerApp(connect, chosen)
    try:
        async with app.run_test(size=size) as pilot:
            found = Driven(app, conversation, pilot)
            await found.settle()
            yield found
    finally:
        use_language("en")
