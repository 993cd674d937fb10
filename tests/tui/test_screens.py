"""Whole screens of the demonstration run, character for character, at the sizes that people have."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from hookstepper.tui.options import Options
from support.driving import driven
from tui.support.golden import check_golden

SIZES = {"120x40": (120, 40), "80x24": (80, 24), "200x60": (200, 60)}
HOME = ("120x40", "80x24")
SCENES: dict[str, tuple[int | None, tuple[str, ...]]] = {
    "stopped": (11, ()),
    "question": (13, ()),
    "answer": (13, ("a", "1")),
    "jump": (11, ("J",)),
    "onion": (20, ("4",)),
    "back": (23, (",",) * 12),
    "ended": (23, ("5",)),
}


@pytest.mark.parametrize("size", HOME)
@pytest.mark.parametrize("scene", SCENES)
async def test_screen(scene: str, size: str):
    """Read the difference before updating: the picture is the specification."""
    steps, keys = SCENES[scene]
    async with driven(steps, size=SIZES[size]) as app:
        await app.press(*keys)

        check_golden(f"screen_{scene}_{size}", app.text)


@pytest.mark.parametrize("size", HOME)
async def test_first_screen(size: str):
    """What a person sees first: the graph, what is on the screen, and what may be said."""
    async with driven(None, size=SIZES[size], options=Options(clock=lambda: 0.0)) as app:
        check_golden(f"screen_first_{size}", app.text)


@pytest.mark.parametrize("scene", ["stopped", "question", "answer"])
async def test_screen_in_chinese(scene: str):
    """Wide characters keep every column where it is."""
    steps, keys = SCENES[scene]
    options = Options(language="zh", welcome=False, clock=lambda: 0.0)
    async with driven(steps, size=SIZES["80x24"], options=options) as app:
        await app.press(*keys)

        check_golden(f"screen_{scene}_zh", app.text)


@pytest.mark.parametrize("size", ["120x40", "200x60"])
@pytest.mark.parametrize("scene", ["stopped", "answer", "jump", "onion", "back", "ended"])
async def test_larger_screen_in_chinese(scene: str, size: str):
    """No name is cut that is whole in English, and nothing is left in the other language."""
    steps, keys = SCENES[scene]
    options = Options(language="zh", welcome=False, clock=lambda: 0.0)
    async with driven(steps, size=SIZES[size], options=options) as app:
        await app.press(*keys)

        check_golden(f"screen_{scene}_{size}_zh", app.text)


@pytest.mark.parametrize("scene", ["stopped", "answer", "back", "ended"])
async def test_wide_screen_of(scene: str):
    """200×60: State beside the chosen tab, the source under the picture, both rows under the lanes."""
    steps, keys = SCENES[scene]
    async with driven(steps, size=SIZES["200x60"]) as app:
        await app.press(*keys)

        check_golden(f"screen_{scene}_200x60", app.text)


async def test_wide_screen():
    """200×60 uses the room: boxes, and State beside the chosen tab."""
    async with driven(13, size=(200, 60)) as app:
        await app.press("4")

        check_golden("screen_question_200x60", app.text)


async def test_the_screen_in_the_readme_is_what_the_program_draws():
    """`HOOKSTEPPER_GOLDENS=write` draws it anew."""
    readme = Path(__file__).parents[2] / "README.md"
    text = readme.read_text(encoding="utf-8")
    block = re.search(r"```text\n( hookstepper .*?)```", text, re.DOTALL)
    assert block is not None
    async with driven(13, size=(120, 40)) as app:
        await app.press("4")
        drawn = app.text + "\n"
    if os.environ.get("HOOKSTEPPER_GOLDENS") == "write":
        readme.write_text(text.replace(block[1], drawn), encoding="utf-8")
    assert drawn in readme.read_text(encoding="utf-8")
