"""The fork dialog: what it tells, what it asks, what it sends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from hookstepper.model.commands import Fork
from hookstepper.tui.options import Options
from hookstepper.tui.rows.fork import askable, fork_rows, plan
from hookstepper.tui.rows.row import plain
from hookstepper.tui.words import use_language
from support.driving import driven
from support.replay import ReplayConversation, view_at
from tui.support.golden import check_golden


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    use_language("en")
    yield
    use_language("en")


def marked(conversation: ReplayConversation) -> None:
    """write_file is marked as having side effects."""
    graph = conversation.view.graph
    assert graph is not None
    nodes = tuple(replace(n, side_effects=("write_file",)) if n.kind == "tool" else n for n in graph.nodes)
    changed = replace(graph, nodes=nodes)
    conversation.view.trace.graph = changed
    conversation.view = replace(conversation.view, graph=changed)


def test_a_fork_tells_what_ran_after_its_step():
    """Nodes once each, calls counted."""
    view = view_at(23)
    text = "\n".join(plain(row) for row in fork_rows(view, Fork(10), plan(view, Fork(10)), 74))

    assert "from the state after model. Branch main stays as it is." in text
    assert "Ran after it, so runs again: Safety.afterModel, Edit.afterModel" in text
    assert "model ×1; tools write_file" in text


async def test_answers_come_from_the_record_unless_one_wants_them_live():
    """Both ways, and the box that holds the run before a tool."""
    async with driven(23) as app:
        await app.press(*",,,,,,,,,,,,,", "F")
        assert app.dialog == "ForkDialog"
        await app.press("enter")
        assert app.sent[-1] == Fork(9, replay=True)

    async with driven(23) as app:
        await app.press(*",,,,,,,,,,,,,", "F", "right", "tab", "space", "enter")
        assert app.sent[-1] == Fork(9, ask=("write_file",))


async def test_tools_with_side_effects_are_asked_about_by_themselves():
    """Nobody sends a mail twice by pressing Enter."""
    async with driven(23, prepare=marked) as app:
        assert next(tool.name for tool in askable(plan(app.conversation.view, Fork(3)))) == "write_file"
        await app.press(*",,,,,,,,,,,,,", "F")
        assert "⚠ write_file" in app.text
        assert "[x] write_file" in app.text
        await app.press("enter")
        assert app.sent[-1] == Fork(9, replay=True, ask=("write_file",))


async def test_a_step_key_while_looking_back_says_why_it_offers_a_fork():
    """Looking is not doing."""
    async with driven(23) as app:
        before = app.sent
        await app.press(*",,,,,,,,,,,,,", "n")
        assert app.dialog == "ForkDialog"
        assert "you are looking back" in app.text
        await app.press("escape")
        assert app.sent == before


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_fork_on_the_screen(size: tuple[int, int], language: str):
    """The picture is the specification."""
    options = Options(language=language, welcome=False, clock=lambda: 0.0)  # type: ignore[arg-type]
    async with driven(23, size=size, options=options, prepare=marked) as app:
        await app.press(*",,,,,,,,,,,,", "F")
        check_golden(f"form_fork_{size[0]}x{size[1]}_{language}", app.text)


async def test_route_forks_to_where_the_run_would_have_gone():
    """Enter on another way out; END is no node to begin at."""
    async with driven(20) as app:
        await app.press("5")
        assert "Enter on one forks the run there" in app.text
        pane = app.app.main.workspace.inspector.pane  # type: ignore[union-attr]
        place = next(n for n, line in enumerate(pane.lines) if line.id.startswith("r:if:"))  # type: ignore[union-attr]
        pane.move_to(place)  # type: ignore[union-attr]
        await app.press("enter")
        assert app.dialog == "ForkDialog"
        assert "It begins at " in app.text
        await app.press("enter")
        sent = app.sent[-1]
        assert isinstance(sent, Fork) and sent.node == pane.lines[place].node  # type: ignore[union-attr]
