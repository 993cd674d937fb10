"""The whole screen where views fill it: one pane at 80×24, two side by side at 200×60, and in Chinese."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hookstepper.tui.app import DebuggerApp
from hookstepper.tui.options import Options
from hookstepper.tui.words import Language, use_language
from tui.support.golden import check_golden
from tui.support.recorded import Replay

SMALL = (80, 24)


def _back(step: int) -> Callable[[Replay], object]:
    def prepare(replay: Replay) -> None:
        replay.to_end()
        replay.look(step)

    return prepare


STATES: dict[str, tuple[Callable[[Replay], object], tuple[str, ...], tuple[int, int]]] = {
    "state_small": (lambda replay: replay.to_step(11), ("1",), SMALL),
    "onion_small": (_back(21), ("4",), SMALL),
    "timeline_small": (_back(14), ("L",), SMALL),
    "messages": (lambda replay: replay.to_end(), ("2",), (120, 40)),
    "wide": (lambda replay: replay.to_end(), ("3",), (200, 60)),
}


async def drawn(
    prepare: Callable[[Replay], object], keys: tuple[str, ...], size: tuple[int, int], language: Language
) -> str:
    """What stands on the screen in a state."""
    replay = Replay("weather_zh" if language == "zh" else "weather")
    prepare(replay)
    app = DebuggerApp(
        lambda deliver: replay,  # type: ignore[arg-type,return-value]
        Options(language=language, welcome=False, ask_input=False, clock=lambda: 0.0),
    )
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        for key in keys:
            await pilot.press(key)
        await pilot.pause()
        return "\n".join(strip.text for strip in app.screen._compositor.render_strips())


@pytest.mark.parametrize("name", STATES)
async def test_a_screen_is_what_its_golden_holds(name: str) -> None:
    """What a person sees changes only when somebody meant it to."""
    check_golden(f"view_{name}", await drawn(*STATES[name], "en"))


@pytest.mark.parametrize(("name", "step", "key"), [("route_zh", 14, "5"), ("state_zh", 18, "1")])
async def test_a_screen_in_chinese_is_what_its_golden_holds(name: str, step: int, key: str) -> None:
    """Wide characters keep every border in its column."""
    try:
        check_golden(f"view_{name}", await drawn(_back(step), (key,), (120, 40), "zh"))
    finally:
        use_language("en")
