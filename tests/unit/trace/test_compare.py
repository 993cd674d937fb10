"""Two runs side by side: equal where only ids and times differ, and parted where they part."""

from __future__ import annotations

from typing import Any

import pytest

from hookstepper.model.ids import NodeId
from hookstepper.model.record import Route
from hookstepper.trace.compare import compare
from support.trace_events import Script, message


def run(*answers: str, ids: str = "m", extra: str = "") -> Script:
    script = Script().start({"messages": [message("user", "hi", f"{ids}0")], "created_at": ids})
    for index, text in enumerate(answers):
        script.step("Log.before_model", {"n": index})
        calls: Any = [{"id": f"{ids}-c{index}", "name": "look", "args": {}}]
        script.step("model", append=[message("assistant", text, f"{ids}{index}a", tool_calls=calls)])
        if extra == f"{index}":
            script.step("Edit.after_model")
        script.step("tool", append=[message("tool", "ok", f"{ids}{index}t", tool_call_id=f"{ids}-c{index}")])
    return script


def test_a_run_equals_itself() -> None:
    assert compare(run("a", "b").trace, run("a", "b").trace).equal


def test_other_ids_and_other_times_are_no_difference() -> None:
    assert compare(run("a", "b", ids="m").trace, run("a", "b", ids="zz").trace).equal


def test_an_answer_for_another_call_is_a_difference_though_ids_are_not() -> None:
    a, b = run("a", "b", ids="m"), run("a", "b", ids="z")
    state: Any = b.now[b.branch]
    wrong = message("tool", "late", "z9", tool_call_id="z-c0")
    right = message("tool", "late", "m9", tool_call_id="m-c1")
    assert state["messages"]
    a.step("tool", append=[right])
    b.step("tool", append=[wrong])

    assert compare(a.trace, b.trace).first == 7


def test_the_first_difference_is_found_with_its_path() -> None:
    found = compare(run("a", "b").trace, run("a", "other").trace)

    assert found.first == 5
    row = found.rows[5]
    assert (row.a, row.b) == (4, 4)
    assert [(one.kind, one.path) for one in row.differences] == [("changes", ("messages",))]
    assert len(found.rows) == 7


def test_a_step_that_only_one_run_made_stands_alone_and_the_rest_is_aligned() -> None:
    found = compare(run("a", "b", "c").trace, run("a", "b", "c", extra="1").trace)

    alone = [row for row in found.rows if row.a is None]
    assert [row.b for row in alone] == [5]
    assert sum(row.same for row in found.rows) == len(found.rows) - 1


def test_a_longer_run_has_its_end_alone() -> None:
    found = compare(run("a").trace, run("a", "b").trace)

    assert [(row.a, row.b) for row in found.rows[4:]] == [(None, 3), (None, 4), (None, 5)]
    assert found.first == 4


def test_another_input_is_the_first_difference() -> None:
    a, b = Script().start({"input": "x"}), Script().start({"input": "y"})
    found = compare(a.trace, b.trace)

    assert found.first == 0
    assert [(one.kind, one.path, one.a, one.b) for one in found.rows[0].differences] == [
        ("input", ("input",), "x", "y")
    ]


@pytest.mark.parametrize(
    ("more", "kind"),
    [({"route": Route((NodeId("elsewhere"),), "x")}, "route"), ({"error": "KeyError: 1"}, "error")],
)
def test_another_way_or_an_error_is_a_difference(more: dict[str, Any], kind: str) -> None:
    a = Script().start({}).step("model", {"n": 1})
    b = Script().start({}).step("model", {"n": 1}, **more)

    assert [one.kind for one in compare(a.trace, b.trace).rows[1].differences] == [kind]


def test_another_node_in_the_same_place_is_a_difference() -> None:
    a, b = Script().start({}).step("model"), Script().start({}).step("tool")

    assert [one.kind for one in compare(a.trace, b.trace).rows[1].differences] == ["node"]


def test_two_branches_of_one_trace_can_be_compared() -> None:
    script = run("a", "b")
    script.start(script.states[2], branch="b2", entry="from", from_step=2)
    script.step("Log.before_model", {"n": 1}).step("model", append=[message("assistant", "new", "x")])
    main, fork = (script.trace.line(branch.id) for branch in script.trace.branches)

    found = compare(script.trace, script.trace, main, fork)

    assert found.first == 5
    assert [row.same for row in found.rows[:5]] == [True] * 5
