"""Marks: what is worth finding again, above all what happens without a word."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hookstepper.model.events import Failure, NodeEntered, PersonActed, Stopped, TargetLoaded
from hookstepper.model.gates import Site
from hookstepper.model.ids import NodeId, TaskId
from hookstepper.model.record import DeleteKey, Route
from hookstepper.trace.trace import Trace
from support.trace_events import GRAPH, Script, jump_route, message, read_route, recorded


def kinds(trace: Trace, index: int) -> list[str]:
    return [mark.kind for mark in trace.marks(index)]


def test_a_node_that_writes_nothing_is_marked() -> None:
    script = Script().start({"n": 0}).step("Edit.after_model")

    assert kinds(script.trace, 0) == ["wrote_nothing"]
    assert script.trace.marks(0)[0].quiet


def test_a_node_that_writes_what_was_there_already_is_marked_with_its_keys() -> None:
    script = Script().start({"n": 0}).step("model", {"n": 0})

    assert [(mark.kind, mark.keys) for mark in script.trace.marks(0)] == [("same_values", ("n",))]


def test_a_key_that_the_engine_dropped_is_marked() -> None:
    script = Script().start({"n": 0}).step("model", {"n": 1}, writes=("n", "unknown"))

    assert [(mark.kind, mark.keys) for mark in script.trace.marks(0)] == [("key_dropped", ("unknown",))]


def test_a_key_that_a_node_removed_is_not_called_dropped() -> None:
    script = Script().start({"n": 0}).step("model", delta=(DeleteKey(("n",), 0),), writes=("n",))

    assert kinds(script.trace, 0) == []


def test_a_hook_that_returns_the_whole_list_under_an_appending_key_doubles_it() -> None:
    history = [message("user", "hi", "1"), message("assistant", "hello", "2")]
    again = [message("user", "hi", "3"), message("assistant", "hello there", "4")]
    script = Script().start({"messages": history}).step("Edit.after_model", append=again)

    assert [(mark.kind, mark.detail) for mark in script.trace.marks(0)] == [("message_doubled", "1")]


@pytest.mark.parametrize("node", ["model", "tool"])
def test_a_model_or_tool_may_say_the_same_thing_twice(node: str) -> None:
    script = Script().start({"messages": [message("assistant", "ok", "1")]})
    script.step(node, append=[message("assistant", "ok", "2")])

    assert kinds(script.trace, 0) == []


def test_a_message_that_only_moved_is_not_called_doubled() -> None:
    first, second = message("user", "a", "1"), message("user", "b", "2")
    script = Script().start({"messages": [first, second]})
    script.step("Edit.after_model", {"messages": [second, first]})

    assert kinds(script.trace, 0) == []


def test_a_jump_that_was_taken_is_marked_with_its_word_and_its_target_and_what_it_skipped() -> None:
    script = (
        Script()
        .start({})
        .step(
            "Safety.after_model",
            {"jump_to": "end"},
            route=jump_route("Audit.after_agent"),
            skipped=(NodeId("Edit.after_model"), NodeId("Log.after_model")),
        )
    )

    assert [(mark.kind, mark.detail, mark.node, mark.keys) for mark in script.trace.marks(0)] == [
        ("jump", "end", "Audit.after_agent", ()),
        ("hook_skipped", "", "Safety.after_model", ("Edit.after_model", "Log.after_model")),
    ]


def test_a_jump_that_nobody_reads_is_marked_as_ignored() -> None:
    script = (
        Script().start({}).step("Edit.after_model", {"jump_to": "end"}, route=Route((NodeId("x"),), "fixed"))
    )

    assert [(mark.kind, mark.detail) for mark in script.trace.marks(0)] == [("jump_ignored", "end")]


def test_a_jump_word_that_no_router_knows_is_marked_as_ignored_too() -> None:
    script = (
        Script()
        .start({})
        .step("Safety.after_model", {"jump_to": "toolz"}, route=read_route("Edit.after_model", "toolz"))
    )

    assert [(mark.kind, mark.detail) for mark in script.trace.marks(0)] == [("jump_ignored", "toolz")]


def test_a_jump_taken_because_of_an_old_value_names_the_word_all_the_same() -> None:
    script = Script().start({"jump_to": {"$": "enum", "type": "app.Jump", "name": "END", "v": 1}})
    script.step("Log.after_model", {"n": 1}, route=jump_route("Audit.after_agent"))

    assert [(mark.kind, mark.detail) for mark in script.trace.marks(0)] == [("jump", "end")]


def test_an_error_that_became_the_result_of_a_step_is_marked_and_nothing_else_is() -> None:
    script = Script().start({}).step("model", error="KeyError: 'city'")

    assert [(mark.kind, mark.detail) for mark in script.trace.marks(0)] == [("error", "KeyError: 'city'")]


def test_a_stop_waits_for_the_step_that_it_is_before() -> None:
    script = Script().start({}).step("Log.before_model", {"n": 1})
    script.stop("breakpoint", "step", node="model", detail="1 (hit 1)")
    assert kinds(script.trace, 1) == ["breakpoint"]
    script.step("model", {"n": 2})

    assert kinds(script.trace, 0) == []
    assert [(mark.kind, mark.detail) for mark in script.trace.marks(1)] == [("breakpoint", "1 (hit 1)")]
    assert kinds(script.trace, 2) == []


def test_stepping_leaves_no_mark() -> None:
    script = Script().start({}).stop("entry", node="model").stop("step", node="model").step("model", {"n": 1})

    assert kinds(script.trace, 0) == []


def test_the_same_stop_told_twice_is_one_mark() -> None:
    script = (
        Script().start({}).stop("pause", node="model").stop("pause", node="model").step("model", {"n": 1})
    )

    assert kinds(script.trace, 0) == ["pause"]


def test_with_parallel_tasks_a_mark_goes_to_the_step_of_its_own_task() -> None:
    script = Script().start({})
    for node, task in (("left", "t1"), ("right", "t0")):
        script.send(NodeEntered(Site("node", NodeId(node)), TaskId(task), 0))
    script.stop("breakpoint", node="left", task="t1")
    script.step("right", {"n": 1}).step("left", {"m": 1})

    assert kinds(script.trace, 0) == []
    assert kinds(script.trace, 1) == ["breakpoint"]


def test_a_question_is_marked_once_and_stays_with_the_node_that_asked() -> None:
    script = Script().start({}).step("model", {"n": 1})
    script.ask("Edit.after_model", ("c1", "pay", {}))
    assert kinds(script.trace, 1) == ["question"]
    script.send(PersonActed("answer.send", "approve", 0)).start(entry="resume")
    script.step("Edit.after_model", {"n": 2})

    assert kinds(script.trace, 1) == ["question", "person"]
    assert script.trace.human(1) == ("answer.send approve",)


def test_what_a_person_took_back_leaves_no_mark() -> None:
    script = Script().start({})
    script.send(PersonActed("jump.set", "end", -1)).send(PersonActed("jump.set", "end", -1, undone=True))
    script.step("model", {"n": 1})

    assert kinds(script.trace, 0) == []


def test_what_a_person_did_to_a_step_is_told_also_without_an_event() -> None:
    script = Script().start({}).step("model", {"n": 1}, by_hand=("patched",))

    assert script.trace.human(0) == ("patched",)
    assert kinds(script.trace, 0) == ["person"]


def test_an_edit_is_marked_where_the_run_goes_on_with_it() -> None:
    script = Script().start({"n": 0}).step("model", {"n": 1}).edit({"n": 5}).step("tool", {"n": 6})

    assert kinds(script.trace, 0) == []
    assert [(mark.kind, mark.keys) for mark in script.trace.marks(1)] == [("edit", ("n",))]


def test_a_change_outside_any_update_is_marked_at_the_step_after_which_it_was_found() -> None:
    script = Script().start({"n": 0}).step("model", {"n": 1}).edit({"n": 5}, by="program")

    assert [(mark.kind, mark.keys) for mark in script.trace.marks(0)] == [("mutated", ("n",))]


def test_a_failed_node_leaves_its_mark_in_the_column_that_it_did_not_fill() -> None:
    failure = Failure("KeyError", "'city'")
    script = (
        Script().start({}).step("model", {"n": 1}).stop("exception", node="tool", error="KeyError: 'city'")
    )
    script.end("failed", failure=failure, failed_at=NodeId("tool"))
    assert [(mark.kind, mark.detail) for mark in script.trace.marks(1)] == [("error", "KeyError: 'city'")]
    script.start({}, run=2).step("model", {"n": 2})

    assert kinds(script.trace, 0) == ["error"]
    assert kinds(script.trace, 1) == []


def test_a_stop_that_is_told_again_is_one_stop() -> None:
    """Of parallel tasks each is told again when it becomes the one that commands mean."""
    script = Script().start({}).stop("breakpoint", node="model", task="a").stop("step", node="tool", task="b")
    first, second = (event for event in script.events if isinstance(event, Stopped))

    script.step("tool", {"n": 1}, task="b").send(replace(first, stop=replace(first.stop, all_stopped=False)))
    script.send(TargetLoaded(GRAPH, "agent")).send(second)

    assert [stop.nodes for stop in script.trace.stops] == [("model",), ("tool",), ("tool",)]
    assert [mark.node for mark in script.trace.marks(1) if mark.kind == "breakpoint"] == ["model"]


def test_the_demonstration_run_has_its_marks() -> None:
    trace = Trace()
    for event in recorded():
        trace.add(event)

    found = {index: kinds(trace, index) for index in range(23) if kinds(trace, index)}
    assert found == {
        4: ["wrote_nothing"],
        5: ["wrote_nothing"],
        6: ["wrote_nothing"],
        11: ["wrote_nothing"],
        12: ["wrote_nothing"],
        13: ["question", "person"],
        20: ["wrote_nothing"],
    }
