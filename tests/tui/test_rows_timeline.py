"""The timeline's rows: a step stands under its number, whatever its length, branches and parallel tasks."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookstepper.client.view import View
from hookstepper.model.events import RunStarted
from hookstepper.model.graph import Anchors, Graph, Node
from hookstepper.model.ids import BranchId, NodeId, TaskId
from hookstepper.model.record import Usage
from hookstepper.tui.rows.columns import Columns
from hookstepper.tui.rows.row import plain, width_of
from hookstepper.tui.rows.step_list import step_rows
from hookstepper.tui.rows.strip import strip_row
from hookstepper.tui.rows.timeline import short_count, timeline_rows
from hookstepper.tui.rows.timeline_window import CELL, LABELS, places, window
from tui.support.made import Made, graph_of, routed


def looping(count: int) -> Made:
    """A run of two nodes that take turns; `log` is the loop entry."""
    nodes = (Node(NodeId("log"), "log", "before_model"), Node(NodeId("model"), "model", "model"))
    graph = Graph("g", graph_of(*nodes).nodes, graph_of(*nodes).edges, Anchors(loop_entry=NodeId("log")))
    made = Made(graph, {"n": 0})
    for n in range(count):
        name = "log" if n % 2 == 0 else "model"
        made.step(name, {"n": n + 1}, kind="before_model" if n % 2 == 0 else "model", duration_us=n * 10_000)
    return made


def drawn(view: View, width: int, height: int = 8, first: int | None = None) -> list[str]:
    columns = Columns().of(view)
    return [
        plain(row) for row in timeline_rows(columns, view, width, height, window(columns, view, width, first))
    ]


def test_each_glyph_stands_under_the_number_of_its_step() -> None:
    """The one thing that a timeline must get right."""
    view = looping(9).view(phase="ended")
    rows = drawn(view, 118)
    numbers, framework, model = rows[1], rows[2], rows[3]

    for step in view.trace.steps:
        at = numbers.index(f" {step.index + 1} " if step.index < 8 else f" {step.index + 1}") + 1
        lane = model if step.kind == "model" else framework
        assert lane[at] in "●◆∅"


@given(st.integers(0, 80), st.integers(30, 200), st.integers(-1, 79))
@settings(max_examples=60, deadline=None)
def test_the_step_in_view_is_always_in_sight(count: int, width: int, cursor: int) -> None:
    """However long the run is, one sees where one stands; and no row is wider than the pane."""
    made = looping(count)
    view = made.view(phase="ended", cursor=cursor if cursor < count - 1 else None)
    columns = Columns().of(view)
    seen = window(columns, view, width)
    at = columns.of_step(view.at)

    if count and at >= 0:
        assert seen.first <= at < seen.last
    for row in timeline_rows(columns, view, width, 8, seen):
        assert width_of(row) <= width
    assert width_of(strip_row(columns, view, width)) <= width


@given(st.integers(1, 60), st.integers(40, 160), st.integers(0, 59))
@settings(max_examples=40, deadline=None)
def test_columns_in_sight_do_not_overlap_and_end_inside(count: int, width: int, first: int) -> None:
    """Clicks find their column by these places."""
    view = looping(count).view(phase="ended")
    columns = Columns().of(view)
    found = places(columns, window(columns, view, width, first))

    assert found
    for before, after in pairwise(found):
        assert after.start >= before.start + CELL
    assert found[0].start == LABELS


def test_columns_that_grow_equal_columns_made_anew() -> None:
    """Bringing them up to date costs only what is new, and must give the same."""
    growing = Columns()
    made = looping(0)
    for n in range(30):
        name = "log" if n % 3 == 0 else "model"
        made.step(name, {"n": n}, kind="before_model" if n % 3 == 0 else "model")
        growing.of(made.view())

    fresh = Columns().of(made.view())
    assert growing.all == fresh.all
    assert growing.groups == fresh.groups


def test_parallel_tasks_share_a_column() -> None:
    """They ran together, so they stand together."""
    made = Made(graph_of(Node(NodeId("l"), "l"), Node(NodeId("r"), "r")), {})
    made.step("l", {"a": 1}, superstep=1, task=TaskId("1/l"))
    made.step("r", {"a": 1, "b": 2}, superstep=1, task=TaskId("1/r"))
    made.step("l", {"a": 2, "b": 2}, superstep=2, task=TaskId("2/l"))
    view = made.view(phase="ended")

    assert [column.steps for column in Columns().of(view).all] == [(0, 1), (2,)]
    assert "●2" in drawn(view, 80)[2]


def test_marks_take_the_place_of_times_where_there_is_room_for_one() -> None:
    """At home there are seven rows; a mark matters more than a duration."""
    made = looping(4)
    plain_run = drawn(made.view(phase="ended"), 80, height=7)
    back = drawn(made.view(phase="ended", cursor=1), 80, height=7)

    assert plain_run[-1].strip().startswith("time")
    assert back[-1].strip().startswith("marks") and "▲" in back[-1]


def test_times_of_neighbours_do_not_run_together() -> None:
    """Four cells a column: a longer figure gives up its zero."""
    made = looping(0)
    for n in range(4):
        made.step("model", {"n": n + 1}, kind="model", duration_us=900_000)

    assert ".9s .9s .9s 0.9s" in drawn(made.view(phase="ended"), 80)[-1]


def test_tokens_stand_where_times_stood() -> None:
    """The other form of the pane."""
    made = looping(0)
    made.step("model", {"n": 1}, kind="model", usage=Usage(1000, 234))
    view = made.view(phase="ended")
    columns = Columns().of(view)
    rows = timeline_rows(columns, view, 80, 8, window(columns, view, 80), unit="tokens")

    assert "1.2k" in plain(rows[-1])


@pytest.mark.parametrize(
    ("count", "text"), [(0, ""), (7, "7"), (999, "999"), (1234, "1.2k"), (12_345, "12k"), (999_600, "1M")]
)
def test_a_count_takes_four_cells_at_most(count: int, text: str) -> None:
    """A wider one would stand under the next step."""
    assert short_count(count) == text
    assert len(text) <= 4


def test_a_skipped_hook_and_a_jump_are_marked() -> None:
    """What a jump did is found again by its marks."""
    made = looping(2)
    made.step("log", {"n": 3, "jump_to": "end"}, kind="before_model", update={"jump_to": "end"},
              route=routed("__END__", rule="declared_jump"), skipped=(NodeId("model"),))  # fmt: skip

    assert "↷⊘" in drawn(made.view(phase="ended"), 80)[6]


def test_only_the_columns_in_sight_are_looked_at() -> None:
    """A record of thousands of steps is drawn as quickly as one of ten."""
    made = looping(3_000)
    view = made.view(phase="ended")
    columns = Columns().of(view)
    seen = window(columns, view, 118)

    assert seen.last - seen.first <= (118 - LABELS) // CELL
    assert seen.last == len(columns.all)


def test_after_a_fork_the_new_line_is_drawn_and_the_old_one_stays_in_reach() -> None:
    """Looking at a step of the branch that was left shows that branch, not a step of the other one."""
    made = looping(4)
    made.add(RunStarted(1, BranchId("b2"), "main", "from", {"n": 2}, from_step=1))
    made.state = {"n": 2}
    made.step("log", {"n": 30}, branch=BranchId("b2"), kind="before_model")
    columns = Columns()
    live = columns.of(made.view(phase="stopped"))
    assert [column.first for column in live.all] == [0, 1, 4]
    assert live.live

    left = columns.of(made.view(phase="stopped", cursor=3))
    assert [column.first for column in left.all] == [0, 1, 2, 3]
    assert not left.live

    shared = columns.of(made.view(phase="stopped", cursor=1))
    assert [column.first for column in shared.all] == [0, 1, 4]


@pytest.mark.parametrize("cursor", [None, -1, 0, 40, 79])
def test_the_list_of_steps_holds_the_step_in_view(cursor: int | None) -> None:
    """With a whole screen the timeline also says in words what each step did."""
    view = looping(80).view(phase="ended", cursor=cursor)
    rows = [plain(row) for row in step_rows(Columns().of(view), view, 78, 9)]

    assert len(rows) == 9
    assert all(width_of(row) <= 78 for row in step_rows(Columns().of(view), view, 78, 9))
    if view.at >= 0:
        assert any(f" {view.at + 1} " in row for row in rows)
