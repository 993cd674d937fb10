"""Make pictures of the running screen: the real app, driving the real agent process of a sample.

    python scripts/screenshots.py [--lang zh] [--theme NAME] [--size 120x40] [--out screenshots]

Writes home.svg, answer.svg and onion.svg: held in the second turn, asked about write_file, and the onion of
the last turn after the end.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from textual.pilot import Pilot

from hookstepper.client.conversation import Conversation
from hookstepper.client.options import TargetOptions
from hookstepper.client.view import View
from hookstepper.tui.app import DebuggerApp
from hookstepper.tui.options import Options

TRIES = 600
"""Looks at whether the screen has come to a state, 0.05 s apart, before it is given up."""
TURN_TWO = 11
"""Steps done when Safety.afterModel of the second turn runs next."""


async def until(pilot: Pilot[int], fact: Callable[[View], bool]) -> None:
    """Wait until the view is as asked for.

    Raises:
        SystemExit: it does not come to that.
    """
    assert isinstance(pilot.app, DebuggerApp)
    for _ in range(TRIES):
        if fact(pilot.app.view):
            await pilot.pause()
            return
        await pilot.pause(0.05)
    view = pilot.app.view
    raise SystemExit(f"the screen stays {view.phase} at step {view.trace.last + 1}: {view.notice}")


def held(view: View) -> bool:
    """True if a key that runs something would be taken."""
    return view.phase in ("ready", "stopped") and view.stop is not None and not view.looking_back


async def step_to(pilot: Pilot[int], done: Callable[[View], bool]) -> None:
    """Press n, one node at a time, until `done`."""
    assert isinstance(pilot.app, DebuggerApp)
    for _ in range(60):
        await until(pilot, lambda view: held(view) or done(view))
        view = pilot.app.view
        if done(view):
            return
        await pilot.press("n")
        await until(pilot, partial(moved_on, view.version, done))


def moved_on(before: int, done: Callable[[View], bool], view: View) -> bool:
    """True if something has happened since a version of the view, and it is held again or done."""
    return view.version > before and (held(view) or done(view))


async def pictures(app: DebuggerApp, size: tuple[int, int], out: Path) -> None:
    """Drive the app through the demonstration run and save the three states."""
    async with app.run_test(size=size) as pilot:
        await step_to(pilot, lambda view: view.trace.last + 1 >= TURN_TWO and held(view))
        await pilot.press("1")
        await save(pilot, out / "home.svg")
        await step_to(pilot, lambda view: view.phase == "waiting")
        await pilot.press("a")
        await save(pilot, out / "answer.svg")
        await pilot.press("1", "enter")
        await until(pilot, held)
        await step_to(pilot, lambda view: view.phase == "ended")
        await pilot.press(",", "4")
        await save(pilot, out / "onion.svg")


async def save(pilot: Pilot[int], path: Path) -> None:
    """Write what is on the screen now."""
    await pilot.pause()
    path.write_text(pilot.app.export_screenshot(title="hookstepper"), encoding="utf-8")
    print(path)


def main() -> None:
    """Read the words of the command line and make the pictures."""
    parser = argparse.ArgumentParser(description="pictures of the running screen, by driving it")
    parser.add_argument("--lang", choices=("en", "zh"), default="en")
    parser.add_argument("--theme", default="")
    parser.add_argument("--size", default="120x40", metavar="COLUMNSxLINES")
    parser.add_argument("--out", type=Path, default=Path("screenshots"))
    words = parser.parse_args()
    columns, _, lines = words.size.partition("x")
    words.out.mkdir(parents=True, exist_ok=True)
    name = "weather_zh" if words.lang == "zh" else "weather"
    root = Path(__file__).parents[1]
    with tempfile.TemporaryDirectory() as folder:
        options = TargetOptions(
            f"sample_agents/{name}.py",
            root,
            use_sample_input=True,
            thread="demo",
            environment={**os.environ, "HOOKSTEPPER_REPORTS": folder},
        )
        app = DebuggerApp(
            lambda deliver: Conversation(options, deliver),
            Options(language=words.lang, theme=words.theme, welcome=False, ask_input=False),
        )
        try:
            asyncio.run(pictures(app, (int(columns), int(lines)), words.out))
        finally:
            app.inbox.close()
            app.conversation.close()


if __name__ == "__main__":
    main()
