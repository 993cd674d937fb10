"""The inspector's views and the timeline in the real app: keys, mouse, search, what Enter means."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

from hookstepper.model.commands import Screen
from hookstepper.tui.app import DebuggerApp
from hookstepper.tui.options import Options
from hookstepper.tui.rows.row import width_of
from hookstepper.tui.timeline import Timeline
from hookstepper.tui.views.lines_pane import CURSOR, LinesPane
from hookstepper.tui.views.onion import OnionView
from hookstepper.tui.views.state import StateView
from tui.support.recorded import Replay


@asynccontextmanager
async def shown(
    prepare: Callable[[Replay], object], *keys: str, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[DebuggerApp, Replay, Pilot[int]]]:
    """The app after some keys, on the recorded run."""
    replay = Replay()
    prepare(replay)
    app = DebuggerApp(lambda deliver: replay, Options(welcome=False, ask_input=False))  # type: ignore[arg-type,return-value]
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        for key in keys:
            await pilot.press(key)
        await pilot.pause()
        yield app, replay, pilot


def screen_text(app: DebuggerApp) -> str:
    """What is on the screen."""
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())


def view_of(app: DebuggerApp) -> LinesPane:
    """The view in front."""
    view = app.main.workspace.inspector.pane if app.main is not None else None
    assert isinstance(view, LinesPane)
    return view


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("1", "Changed by model · step 11"),
        ("3", "_AGENT_HOOK_Safety.afterModel"),
        ("4", "┏━ 4 Safety ━"),
        ("5", "After Log.afterModel (loop exit), step 8 → tool"),
        ("8", "None. b on a node sets one."),
        ("o", "The agent has printed nothing."),
    ],
)
async def test_each_tab_shows_its_view(key: str, text: str) -> None:
    """A key in the strip is never a dead one."""
    async with shown(lambda replay: replay.to_step(11), key) as (app, _, _pilot):
        assert text in screen_text(app)


@pytest.mark.parametrize("size", [(80, 24), (200, 60), (44, 12)])
async def test_every_view_is_drawn_at_every_size(size: tuple[int, int]) -> None:
    """No tab sticks out, however small or large the terminal is."""
    async with shown(lambda replay: replay.to_end(), size=size) as (app, _, pilot):
        for key in "13458oL":
            await pilot.press(key)
            await pilot.pause()
            assert all(cell_len(line) <= size[0] for line in screen_text(app).splitlines())


async def test_a_view_fits_itself_to_a_terminal_that_is_resized() -> None:
    """Lines are made for a width; another width makes them anew."""
    async with shown(lambda replay: replay.to_end(), "4") as (app, _, pilot):
        await pilot.resize_terminal(90, 28)
        await pilot.pause()
        view = view_of(app)

        assert view.lines
        assert all(width_of(line.row) <= view.size.width for line in view.lines)


async def test_the_cursor_is_a_sign_and_not_only_a_colour() -> None:
    """Without colours one must still see where one is."""
    async with shown(lambda replay: replay.to_step(11), "1", "down") as (app, _, _pilot):
        view = view_of(app)
        place = next(n for n, line in enumerate(view.lines) if line.id == view.cursor)

        assert view.render_line(place).text.startswith(CURSOR)


async def test_the_cursor_stays_on_its_value_when_a_step_is_made() -> None:
    """The tree grows above the cursor; the cursor must not slip to another value."""
    async with shown(lambda replay: replay.to_step(10), "1", "end") as (app, replay, pilot):
        view = view_of(app)
        assert view.cursor == "s:('jump_to',)"

        replay.to_step(14)
        app.show_view()
        await pilot.pause()

        assert view.cursor == "s:('jump_to',)"


async def test_enter_and_the_arrows_open_and_close_a_value() -> None:
    """→ opens, ← closes or goes to the value that holds this one."""
    async with shown(lambda replay: replay.to_step(11), "1") as (app, _, pilot):
        view = view_of(app)
        view.move_to(next(n for n, line in enumerate(view.lines) if line.path == ("log",)))
        await pilot.press("right")
        await pilot.pause()
        assert "turn 1: the model wants get_weather" in screen_text(app)

        await pilot.press("down", "left")
        await pilot.pause()
        assert view.cursor_path == ("log",)

        await pilot.press("left")
        await pilot.pause()
        assert "turn 1: the model wants get_weather" not in screen_text(app)


async def test_x_shows_the_whole_change() -> None:
    """The short form leaves out lines; the other one leaves out nothing."""
    async with shown(lambda replay: replay.to_end(), "1", "x") as (app, _, _pilot):
        assert isinstance(view_of(app), StateView)
        assert view_of(app).whole


async def test_search_goes_to_what_it_finds_and_on() -> None:
    """Search looks into values that are closed."""
    async with shown(lambda replay: replay.to_end(), "1") as (app, _, pilot):
        view = view_of(app)
        app.wish(Screen("find.open", ("report.txt",)))
        await pilot.pause()
        first = view.cursor_path
        await pilot.press("]")
        await pilot.pause()

        assert first == ("input",)
        assert view.cursor_path is not None and view.cursor_path[:2] == ("messages", 0)
        assert "report.txt: 2 of" in screen_text(app)


async def test_copying_takes_the_whole_value() -> None:
    """What is cut on the screen is not cut in the clipboard."""
    async with shown(lambda replay: replay.to_end(), "1") as (app, _, _pilot):
        view = view_of(app)
        view.move_to(next(n for n, line in enumerate(view.lines) if line.path == ("input",)))

        assert view.copy_text() == "Look up the weather in Beijing and write it to report.txt"


async def test_a_visit_of_a_node_is_looked_at_with_enter() -> None:
    """From what a node is to what it did."""
    async with shown(lambda replay: (replay.to_end(), replay.look(18)), "3") as (app, replay, pilot):
        view = view_of(app)
        view.move_to(next(n for n, line in enumerate(view.lines) if line.id == "n:visit4"))
        await pilot.press("enter")
        await pilot.pause()

        assert replay.view.cursor == 4


async def test_the_onion_looks_at_another_turn_and_comes_back() -> None:
    """Looking at another turn is not doing: the run stands where it stood."""
    async with shown(lambda replay: replay.to_step(11), "4", "left") as (app, replay, pilot):
        assert "turn 1 of 2" in screen_text(app)
        assert replay.view.cursor is None

        replay.to_step(12)
        app.show_view()
        await pilot.pause()
        assert "turn 2 of 2" in screen_text(app)


async def test_the_onion_has_another_order_and_other_rings() -> None:
    """x: as executed; [ and ]: the rings of the agent and of the tools."""
    async with shown(lambda replay: replay.to_step(11), "4", "x") as (app, _, pilot):
        assert isinstance(view_of(app), OnionView)
        assert "In the order of execution" in screen_text(app)

        await pilot.press("x", "[")
        await pilot.pause()
        assert "1 InstructionAgentHook" in screen_text(app)


async def test_a_click_on_a_column_looks_at_its_step() -> None:
    """The mouse does what , and . do, only further."""
    async with shown(lambda replay: replay.to_end()) as (app, replay, pilot):
        timeline = app.main.workspace.timeline if app.main is not None else None
        assert timeline is not None
        row = timeline.rows()[1]
        text = "".join(span.text for span in row)
        await pilot.click(Timeline, offset=(text.index(" 15 ") + 1, 3))
        await pilot.pause()

        assert replay.view.cursor == 14
        assert "looking back" in screen_text(app)


async def test_keys_of_the_timeline_look_along_it() -> None:
    """← and → in the timeline are looks, never steps."""
    async with shown(lambda replay: replay.to_end(), "L", "left", "left") as (_, replay, pilot):
        assert replay.view.cursor == 20
        assert replay.sent == []
        await pilot.press("home")
        await pilot.pause()
        assert replay.view.cursor == -1


async def test_space_and_shifted_arrows_keep_their_global_meaning_in_a_view() -> None:
    """No pane gives a global key another meaning."""
    async with shown(lambda replay: replay.to_step(11), "1", "space") as (_, replay, _pilot):
        assert replay.view.playing


async def test_hidden_views_are_not_drawn() -> None:
    """A step costs the views in sight only."""
    async with shown(lambda replay: replay.to_step(3)) as (app, replay, pilot):
        assert app.main is not None
        # A view is made when it is first chosen; now it exists and is hidden.
        await pilot.press("4", "1")
        await pilot.pause()
        hidden = app.main.workspace.inspector.views["onion"]
        built: list[int] = []
        assert isinstance(hidden, OnionView)
        original = hidden.build
        hidden.build = lambda view, width: built.append(1) or original(view, width)  # type: ignore[method-assign,func-returns-value]
        replay.to_step(6)
        app.show_view()
        await pilot.pause()

        assert built == []
