"""Branches and Tasks: lines of history, and what is alive now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from hookstepper.model.commands import Screen
from hookstepper.model.events import NodeEntered, NodeRan, RunStarted
from hookstepper.model.gates import Site, Stop
from hookstepper.model.ids import MAIN, BranchId, NodeId, StopId, TaskId
from hookstepper.tui.options import Options
from hookstepper.tui.rows.branches import branch_lines
from hookstepper.tui.rows.lines import as_text
from hookstepper.tui.rows.row import plain
from hookstepper.tui.rows.status_line import status_row
from hookstepper.tui.rows.tasks import task_lines
from hookstepper.tui.words import use_language
from support.driving import driven
from support.replay import ReplayConversation, replay
from tui.support.made import Made, step_of

WORK = NodeId("a")


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    use_language("en")
    yield
    use_language("en")


def forked(conversation: ReplayConversation) -> None:
    """A branch from step 6 with two steps of its own."""
    steps = conversation.view.trace.steps
    conversation._take(RunStarted(1, BranchId("b2"), "demo", "from", conversation.view.trace.state(5), 5))
    for n, old in enumerate(steps[6:8]):
        conversation._take(replace(old, index=len(steps) + n, branch=BranchId("b2")))


def held_task(number: int) -> Stop:
    return Stop(
        StopId(number),
        number,
        "held",
        ("step",),
        frozenset({"proceed"}),
        Site("node", WORK),
        "enter",
        TaskId(f"t{number}"),
        2,
        next=(WORK,),
        value={"item": f"tea-{number}"},
    )


def test_a_fork_stands_below_the_branch_it_came_from():
    """Head, own steps and where it begins; the old branch keeps its steps."""
    conversation = replay(12)
    forked(conversation)
    text = as_text(branch_lines(conversation.view, 100, frozenset()), 100)

    first, second = text.splitlines()[:2]
    assert "· ▸ main  12 steps · head: step 12" in first
    assert "└ ▶ ▸ b2  from step 6 of main · 2 steps · head: step 14" in second
    assert "live · in view" in second
    opened = as_text(branch_lines(conversation.view, 100, frozenset({"br:b2"})), 100)
    assert "13  HITL.afterModel" in opened


async def test_enter_looks_at_a_branch_and_at_its_steps_and_nothing_runs():
    """The view changes its branch only here."""
    async with driven(12, prepare=forked) as app:
        before = app.sent
        app.app.wish(Screen("tab.branches"))
        await app.settle()
        await app.press("home", "enter")
        view = app.conversation.view
        assert (view.branch, view.at) == (MAIN, 11)
        await app.press("right", "down", "down", "enter")
        assert app.conversation.view.at == 10
        assert app.sent == before


def test_tasks_tell_what_is_held_and_what_was_let_go():
    """The one that n runs is marked, by what it was given too."""
    made = Made()
    stops = tuple(held_task(n) for n in (3, 2))
    entered = NodeEntered(Site("node", WORK), TaskId("t1"), 2)
    view = made.view(stop=stops[0], held=stops, live=(entered,), graph=made.graph)
    text = as_text(task_lines(view, 100), 100)

    assert "Tasks of superstep 2  2 held, 1 let go" in text
    assert "▶ a " in text and 'item: "tea-3"' in text
    assert "its writes wait for the others" in text
    status = plain(status_row(view, 0.0, 200))
    assert 'STOPPED, 2 of 3 tasks held │ at a {item: "tea-3"}' in status
    assert "n this one, N all" in status


def test_a_task_that_ran_is_told_from_one_that_runs():
    """What it gave is shown with it: the state does not have it yet."""
    made = Made()
    entered = tuple(NodeEntered(Site("node", WORK), TaskId(f"t{n}"), 2) for n in (1, 2))
    ran = (NodeRan(Site("node", WORK), TaskId("t1"), 2, {"cups": 3}),)
    view = made.view(stop=held_task(3), held=(held_task(3),), live=entered, ran=ran, graph=made.graph)
    over, runs = [text for text in as_text(task_lines(view, 100), 100).splitlines() if "wait" in text]

    assert "✓ a" in over
    assert "cups: 3" in over
    assert "ran; its writes wait" in over
    assert "let go: it runs" in runs


def test_at_rest_there_are_no_tasks():
    """Said, not left empty."""
    made = Made()
    made.add(step_of(0, "a"))
    assert "No task is alive" in as_text(task_lines(made.view(), 80), 80)
    assert "G goes back" in as_text(task_lines(made.view(cursor=0), 80), 80)


async def test_leaving_a_program_that_runs_by_itself_detaches():
    """The question says what becomes of the program."""

    class Away:
        can_restart = False

    async with driven(11) as app:
        await app.press("q")
        assert "Quitting ends the agent process." in app.text
        await app.press("escape")
        app.conversation._links.append(Away())  # type: ignore[arg-type]
        await app.press("q")
        assert "the program goes on without the debugger" in app.text


async def test_the_top_line_says_that_files_are_watched():
    """A restart that comes by itself should surprise nobody."""
    async with driven(11) as app:
        await app.show(watching=True)
        assert "watching files" in app.lines[0]


async def test_a_step_key_while_the_target_loads_is_refused_and_nothing_breaks():
    """A person who is quicker than an import gets a word, not a failure to load."""
    async with driven(None, options=Options(welcome=False, ask_input=False, clock=lambda: 0.0)) as app:
        await app.show(phase="loading")
        before = app.sent
        await app.press("n", "c")
        assert "the target is still loading" in app.status
        assert app.sent == before


async def test_w_leads_from_a_call_to_the_step_that_asked_for_it():
    """Enter goes to where it ran, W to where it comes from."""
    async with driven(23) as app:
        await app.press("6", "home", "W")
        calls = app.conversation.view.trace.calls()
        assert app.conversation.view.cursor == calls[0].proposed_at


async def test_w_leads_from_a_value_to_the_step_that_wrote_it():
    """The state tab tells the path."""
    async with driven(23) as app:
        await app.press("1", "end")
        pane = app.app.main.workspace.inspector.pane  # type: ignore[union-attr]
        place = next(n for n, line in enumerate(pane.lines) if line.path == ("turn",))  # type: ignore[union-attr]
        pane.move_to(place)  # type: ignore[union-attr]
        await app.press("W")
        assert app.conversation.view.cursor == app.conversation.view.trace.writer(("turn",), 22)
