"""Make pictures of the running screen: the real app, driving the real agent processes of the samples.

    python scripts/screenshots.py                      the pictures of the documentation, in screenshots/
    python scripts/screenshots.py --all --out FOLDER   every state, in one size, theme and language
    python scripts/screenshots.py --every --out FOLDER every state, size, theme and language

Each picture is an SVG named by its state; `--every` makes each at 80×24, 120×40 and 200×60, dark and light,
in English and Chinese, as `STATE-SIZE-THEME-LANGUAGE.svg`.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from textual.pilot import Pilot

from hookstepper.client.conversation import Conversation
from hookstepper.client.options import TargetOptions
from hookstepper.client.view import View
from hookstepper.tui.app import DebuggerApp
from hookstepper.tui.options import Options
from hookstepper.tui.themes import THEMES
from hookstepper.tui.words import Language

ROOT = Path(__file__).parents[1]
TRIES = 600
"""Looks at whether the screen has come to a state, 0.05 s apart, before it is given up."""
SIZES = ("80x24", "120x40", "200x60")
Fact = Callable[[View], bool]
Name = Callable[[str], Path | None]
"""The file of a picture, by the name of its state; None if it is not wanted."""


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture, and how to come to it from the one before."""

    name: str
    keys: tuple[str, ...] = ()
    """Pressed before the picture is taken."""
    until: Fact | None = None
    """Nodes are run one by one until this holds, before the keys."""
    after: tuple[str, ...] = ("escape",)
    """Pressed when the picture is taken."""


@dataclass(frozen=True, slots=True)
class Tour:
    """Pictures that are taken in one run of one sample."""

    target: str
    shots: tuple[Shot, ...]
    welcome: bool = False


def steps(count: int) -> Fact:
    """True when that many steps have run and the run is held."""
    return lambda view: view.trace.last + 1 >= count and held(view)


def phase(*names: str) -> Fact:
    """True in one of these phases."""
    return lambda view: view.phase in names


def held(view: View) -> bool:
    """True if a key that runs something would be taken."""
    return view.phase in ("ready", "stopped") and view.stop is not None and not view.looking_back


WEATHER = Tour(
    "weather",
    (
        Shot("welcome", until=held),
        Shot("start", after=()),
        Shot("into", ("s", "s", "s"), until=steps(3), after=()),
        Shot("home", ("g",), until=steps(11), after=()),
        Shot("state", ("1",), after=()),
        Shot("messages", ("2",), after=()),
        Shot("node", ("3",), after=()),
        Shot("onion-held", ("4",), after=()),
        Shot("route", ("5",), after=()),
        Shot("calls-held", ("6",), after=()),
        Shot("timeline", ("L",), after=("g",)),
        Shot("breakpoints", ("b", "w", *"len(messages)", "enter", "8"), after=("g",)),
        Shot("break-dialog", ("B",)),
        Shot("explain", ("i",)),
        Shot("jump", ("J",)),
        Shot("edit", ("1", "down", "down", "e")),
        Shot("help", ("?",)),
        Shot("palette", ("ctrl+p",)),
        Shot("more", ("0",)),
        Shot("line", ("colon",)),
        Shot("quit", ("q",)),
        Shot("question", ("g",), until=phase("waiting"), after=()),
        Shot("answer-open", ("a",), after=()),
        Shot("answer", ("1",), after=("enter",)),
        Shot("back", (",",) * 5, until=phase("ended"), after=()),
        Shot("onion-back", ("4",), after=()),
        Shot("fork", ("F",), after=("escape",)),
        Shot("onion", ("G", "4"), after=()),
        Shot("ended", ("5",), after=()),
        Shot("calls", ("6",), after=()),
        Shot("output", ("o",), after=()),
        Shot("message", ("m",)),
    ),
    welcome=True,
)
TOURS = (
    WEATHER,
    Tour(
        "langchain_approval",
        (Shot("approval", ("g",), until=phase("waiting"), after=()), Shot("approval-answer", ("a",))),
    ),
    Tour("langgraph_map_reduce", (Shot("fan-out", ("g",), until=lambda view: len(view.held) > 1, after=()),)),
    Tour(
        "langgraph_supervisor",
        (Shot("nested", ("g",), until=steps(3), after=()), Shot("nested-node", ("3",), after=())),
    ),
    Tour("team", (Shot("team", ("g",), until=steps(4), after=()),)),
    Tour("FAILING", (Shot("failed", ("g",), until=phase("failed"), after=()), Shot("failure", ("a",)))),
    Tour("BROKEN", (Shot("not-loaded", ("g",), until=phase("not_loaded"), after=()),)),
    Tour(
        "LARGE",
        (Shot("large", ("g",), until=steps(3), after=()), Shot("large-boxes", ("plus",) * 3, after=())),
    ),
)
MADE = {
    "FAILING": '''"""A graph whose second node fails."""
from hookstepper.engine import END, START, StateGraph

SAMPLE_INPUT = {"city": "Bonn"}

def plan(state):
    return {"plan": "ask for the weather"}

def look(state):
    facts = {}
    return {"weather": facts["temperature"]}

graph = StateGraph()
graph.add_node("plan", plan)
graph.add_node("look", look)
graph.add_edge(START, "plan")
graph.add_edge("plan", "look")
graph.add_edge("look", END)
''',
    "BROKEN": '"""An agent that cannot be imported."""\nimport a_module_that_is_not_there\n',
    "LARGE": '''"""Sixty nodes: stages of five that begin together and meet again."""
from hookstepper.engine import END, START, StateGraph

SAMPLE_INPUT = {"turn": 0}

def work(state):
    return {}

graph = StateGraph()
before = START
for stage in range(10):
    for lane in range(5):
        graph.add_node(f"stage{stage}.worker{lane}", work)
        graph.add_edge(before, f"stage{stage}.worker{lane}")
    graph.add_node(f"stage{stage}.gather", work)
    for lane in range(5):
        graph.add_edge(f"stage{stage}.worker{lane}", f"stage{stage}.gather")
    before = f"stage{stage}.gather"
graph.add_edge(before, END)
''',
}
DOCUMENTATION = ("home", "jump", "answer", "onion")
"""What `screenshots/` holds."""


async def until(pilot: Pilot[int], fact: Fact) -> None:
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


async def step_to(pilot: Pilot[int], done: Fact) -> None:
    """Press n, one node at a time, until `done`."""
    assert isinstance(pilot.app, DebuggerApp)
    for _ in range(60):
        await until(pilot, lambda view: held(view) or done(view))
        view = pilot.app.view
        if done(view):
            return
        await pilot.press("n")
        await until(pilot, partial(moved_on, view.version, done))


def moved_on(before: int, done: Fact, view: View) -> bool:
    """True if something has happened since a version of the view, and it is held again or done."""
    return view.version > before and (held(view) or done(view))


async def take(app: DebuggerApp, tour: Tour, size: tuple[int, int], name: Name) -> None:
    """Drive the app through a tour and save its pictures."""
    async with app.run_test(size=size) as pilot:
        for shot in tour.shots:
            if shot.until is not None:
                await step_to(pilot, shot.until)
            await pilot.press(*shot.keys)
            for _ in range(4):
                await pilot.pause()
            path = name(shot.name)
            if path is not None:
                path.write_text(pilot.app.export_screenshot(title="hookstepper"), encoding="utf-8")
                print(path)
            await pilot.press(*shot.after)


def drive(tour: Tour, language: Language, theme: str, size: str, name: Name) -> None:
    """Start the app on the tour's sample and take its pictures."""
    columns, _, lines = size.partition("x")
    with tempfile.TemporaryDirectory() as folder:
        chinese = language == "zh" and tour is WEATHER
        target = Path("sample_agents", f"{tour.target}_zh.py" if chinese else f"{tour.target}.py")
        if tour.target in MADE:
            target = Path(folder, f"{tour.target.lower()}.py")
            target.write_text(MADE[tour.target], encoding="utf-8")
        options = TargetOptions(
            str(target),
            ROOT,
            use_sample_input=True,
            thread="demo",
            environment={**os.environ, "HOOKSTEPPER_REPORTS": folder},
        )
        app = DebuggerApp(
            lambda deliver: Conversation(options, deliver),
            Options(
                language=language, target=str(target), theme=theme, welcome=tour.welcome, ask_input=False
            ),
        )
        try:
            asyncio.run(take(app, tour, (int(columns), int(lines)), name))
        finally:
            app.end()


def rounds(words: argparse.Namespace) -> Iterator[tuple[Language, str, str]]:
    """Language, theme and size of each round through the tours."""
    languages: tuple[Language, ...] = ("en", "zh")
    themes = [theme.name for theme in THEMES]
    every = words.every
    yield from itertools.product(
        languages if every else [words.lang],
        themes if every else [words.theme],
        SIZES if every else [words.size],
    )


def main() -> None:
    """Read the words of the command line and make the pictures."""
    parser = argparse.ArgumentParser(description="pictures of the running screen, by driving it")
    parser.add_argument("--lang", choices=("en", "zh"), default="en")
    parser.add_argument("--theme", default=THEMES[0].name)
    parser.add_argument("--size", default="120x40", metavar="COLUMNSxLINES")
    parser.add_argument("--out", type=Path, default=ROOT / "screenshots")
    parser.add_argument("--all", action="store_true", help="every state, in that size, theme and language")
    parser.add_argument("--every", action="store_true", help="every state, size, theme and language")
    parser.add_argument("--only", nargs="*", default=[], metavar="SAMPLE", help="the tours of these samples")
    words = parser.parse_args()
    words.out.mkdir(parents=True, exist_ok=True)
    whole = words.all or words.every
    tours = [tour for tour in TOURS if tour.target in (words.only or [each.target for each in TOURS])]
    for language, theme, size in rounds(words):
        tail = f"-{size}-{theme.rsplit('-', 1)[-1]}-{language}" if whole else ""

        def name(shot: str, tail: str = tail) -> Path | None:
            return words.out / f"{shot}{tail}.svg" if whole or shot in DOCUMENTATION else None

        for tour in tours if whole else [WEATHER]:
            drive(tour, language, theme, size, name)


if __name__ == "__main__":
    main()
