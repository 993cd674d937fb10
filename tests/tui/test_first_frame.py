"""The first frame stands before anything heavy is imported, and nothing moves when the panes come."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.app import App
from textual.screen import Screen

from hookstepper.client.conversation import Conversation
from hookstepper.client.options import TargetOptions
from hookstepper.model.errors import HookstepperError, UsageError
from hookstepper.tui.app import DebuggerApp, run_app
from hookstepper.tui.first_frame import FirstScreen
from hookstepper.tui.options import Options
from hookstepper.tui.themes import THEMES
from hookstepper.tui.words import use_language
from support.terminal import Terminal

SIZES = (
    (40, 10),
    (79, 23),
    (80, 24),
    (99, 60),
    (100, 30),
    (120, 40),
    (121, 31),
    (157, 44),
    (180, 40),
    (200, 60),
)
HEAVY = ("client", "trace", "picture", "values", "launch", "wire", "model.commands", "model.events", "host")


class Still(Conversation):
    """A conversation whose agent process is never started, so that it stays at loading."""

    def open(self) -> None:
        pass


class Alone(App[None]):
    """The first frame and nothing after it."""

    def __init__(self, options: Options) -> None:
        super().__init__()
        self.options = options
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = THEMES[0].name

    def get_default_screen(self) -> Screen[None]:
        return FirstScreen(self.options.target, welcome=self.options.welcome)


async def drawn(app: App[object], size: tuple[int, int]) -> list[list[tuple[str, object]]]:
    """Each cell of the screen: its character and its style."""
    async with app.run_test(size=size) as pilot:
        for _ in range(3):
            await pilot.pause()
        strips = app.screen._compositor.render_strips()
        # The second cell of a wide character is empty, so that columns count.
        return [
            [
                (piece, segment.style)
                for segment in strip
                for char in segment.text
                for piece in (char, *[""] * (cell_len(char) - 1))
            ]
            for strip in strips
        ]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("welcome", [True, False])
@pytest.mark.parametrize("language", ["en", "zh"])
async def test_each_cell_of_the_first_frame_stays_when_the_panes_come(
    size: tuple[int, int], welcome: bool, language: str, tmp_path: Path
):
    """Character and colour alike; the panes only fill in what was blank."""
    target = "some/天气 agent.py:graph"
    options = Options(language=language, target=target, welcome=welcome, clock=lambda: 0.0)  # type: ignore[arg-type]
    told = TargetOptions(target, tmp_path)
    try:
        full = DebuggerApp(lambda deliver: Still(told, deliver, clock=lambda: 0.0), options)
        after = await drawn(full, size)
        first = await drawn(Alone(options), size)
    finally:
        use_language("en")

    assert len(first) == len(after) == size[1]
    for y, (line, later) in enumerate(zip(first, after, strict=True)):
        for x, ((char, style), (then, now)) in enumerate(zip(line, later, strict=True)):
            if char.strip():
                assert (char, str(style)) == (then, str(now)), f"column {x}, line {y}"
    said = "".join(char for line in first for char, _ in line)
    assert "天气 agent.py:graph" in said and "…" in said


def test_nothing_heavy_is_imported_before_the_first_frame():
    """A guard for a budget that one careless import breaks."""
    heavy = tuple(f"hookstepper.{name}" for name in HEAVY)
    ask = (
        "import sys, hookstepper.cli.main, hookstepper.tui.app\n"
        "light = ('hookstepper.client', 'hookstepper.client.options')\n"
        f"print([name for name in sys.modules if name.startswith({heavy!r}) and name not in light])\n"
    )
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"


def test_a_conversation_that_cannot_be_made_is_an_error_of_the_command(monkeypatch: pytest.MonkeyPatch):
    """It is made behind the first frame; what goes wrong there reaches the shell all the same."""

    async def run(app: DebuggerApp) -> None:
        async with app.run_test():
            pass

    def connect(deliver: object) -> Conversation:
        raise UsageError("no room for the recording")

    monkeypatch.setattr(DebuggerApp, "run", lambda app: asyncio.run(run(app)))
    with pytest.raises(HookstepperError, match="no room for the recording"):
        run_app(connect)


@pytest.mark.timeout(120)
def test_a_key_that_is_typed_before_anything_is_drawn_is_carried_out(tmp_path: Path):
    """Whoever is quicker than the start loses nothing."""
    screen = Terminal(tmp_path, "demo")
    try:
        screen.press("?")
        screen.see("Keys", "run to the next stop")
        screen.press("ctrl+q")
        assert screen.closed() == 0
    finally:
        screen.close()
