"""Nothing jumps: a key changes what it is about, and every other character stays where it is."""

from __future__ import annotations

import pytest

from hookstepper.tui.options import Options
from support.driving import Driven, driven

SIZES = [(80, 24), (120, 40), (200, 60)]
LABELS = ("START", "model", "Audit.after", "tool", "END", "tool calls", "jump model", "again")
CLOSED_AGAIN = ("J", "e", "i", "question_mark", "ctrl+p", "0", "B", "m", "q", "colon", "F")


def graph(app: Driven) -> list[str]:
    """The lines of the graph pane, without its frame."""
    assert app.app.main is not None
    region = app.app.main.workspace.graph.region
    strips = app.app.screen._compositor.render_strips()[region.y : region.bottom]
    return [strip.crop(region.x, region.right).text for strip in strips]


def places(lines: list[str]) -> dict[str, tuple[int, int]]:
    """Line and column of each label that is in sight."""
    found = {}
    for label in LABELS:
        for y, line in enumerate(lines):
            if (x := line.find(label)) >= 0:
                found[label] = (y, x)
                break
    return found


@pytest.mark.parametrize("size", SIZES)
async def test_steps_and_looks_move_no_node(size: tuple[int, int]):
    """From the first stop to the end and back, every label of the picture stays in its place."""
    async with driven(0, size=size) as app:
        # The first layout may be made on a worker, which a busy machine finishes late.
        await app.app.workers.wait_for_complete()
        await app.settle()
        before = places(graph(app))
        assert {"START", "END", "model"} <= set(before)
        for key in ("n",) * 12 + ("comma", "comma", "less_than_sign", "full_stop", "G", "b", "b"):
            await app.press(key)
            assert places(graph(app)) == before, key


@pytest.mark.parametrize("size", SIZES[1:])
async def test_a_tab_changes_the_inspector_alone(size: tuple[int, int]):
    """The picture and the timeline are, character for character, what they were."""
    async with driven(13, size=size) as app:
        before = app.lines
        assert app.app.main is not None
        region = app.app.main.workspace.graph.region
        below = app.app.main.workspace.timeline.region.y
        for key in ("2", "3", "4", "5", "6", "8", "1"):
            await app.press(key)
            for y in (*range(region.y, region.bottom), *range(below, size[1])):
                end = region.right if y < below else None
                assert app.lines[y][region.x : end] == before[y][region.x : end], (key, y)


@pytest.mark.parametrize("size", SIZES)
async def test_a_breakpoint_changes_one_cell_of_the_picture(size: tuple[int, int]):
    """The room for its sign is kept free."""
    async with driven(11, size=size) as app:
        before = graph(app)
        await app.press("b")
        after = graph(app)

        changed = [
            (y, x)
            for y, (line, then) in enumerate(zip(before, after, strict=True))
            for x, (char, now) in enumerate(zip(line, then, strict=True))
            if char != now
        ]
        assert len(changed) == 1


@pytest.mark.parametrize("key", CLOSED_AGAIN)
@pytest.mark.parametrize("language", ["en", "zh"])
async def test_what_is_opened_and_closed_leaves_the_screen_as_it_was(key: str, language: str):
    """To the character, at the smallest size, where a dialog covers nearly all."""
    options = Options(language=language, welcome=False, clock=lambda: 0.0)  # type: ignore[arg-type]
    async with driven(11, size=(80, 24), options=options) as app:
        await app.press("1", "down", "down")
        before = app.lines
        await app.press(key)
        assert app.lines != before
        await app.press("escape")

        assert app.lines == before


def rows_of(app: Driven, *words: str) -> list[int]:
    """The line that each of these words stands on."""
    return [next((y for y, line in enumerate(app.lines) if word in line), -1) for word in words]


@pytest.mark.parametrize("size", SIZES)
async def test_the_answer_dialog_keeps_its_height_while_one_decides(size: tuple[int, int]):
    """Approve, type a reason, type arguments, good or bad: the frame and what stands below stay in place."""
    async with driven(13, size=size) as app:
        await app.press("a")
        words = ("╭─ Answer", "argument ", "If you send this", "[ Send")
        before = rows_of(app, *words)
        assert min(before) >= 0
        for key in ("1", "3", "x", "escape", "2", "backspace", "backspace", "escape", "2", "enter", "1"):
            await app.press(key)
            assert rows_of(app, *words) == before, key
