"""Who wrote a value, who reads a jump: followed back through lists that grew and shrank."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookstepper.model.ids import Json
from hookstepper.model.record import RuleSeen
from support.trace_events import Script, jump_route, message, read_route


def test_the_last_write_of_a_key_is_found() -> None:
    script = Script().start({"n": 0}).step("model", {"n": 1}).step("tool", {"m": 1}).step("model", {"m": 2})

    assert script.trace.writer(("n",), 2) == 0
    assert script.trace.writer(("m",), 2) == 2
    assert script.trace.writer(("m",), 1) == 1


def test_what_came_with_the_input_has_no_writer_but_an_origin() -> None:
    script = Script().start({"n": 0}).step("model", {"m": 1})

    assert script.trace.writer(("n",), 0) is None
    found = script.trace.write(("n",), 0)
    assert found is not None and (found.step, found.by) == (-1, "start")


def test_what_is_not_there_has_no_writer() -> None:
    script = Script().start({"n": 0}).step("model", {"n": 1})

    assert script.trace.write(("gone",), 0) is None
    assert script.trace.write(("n", 0), 0) is None


def test_a_message_is_followed_when_others_before_it_go() -> None:
    script = Script().start({"messages": [message("user", str(i), f"m{i}") for i in range(3)]})
    script.step("model", append=[message("assistant", "answer", "a")])
    messages: Any = script.now[script.branch]["messages"]  # type: ignore[index,call-overload]
    script.step("Log.before_model", {"messages": messages[2:]})
    script.step("tool", append=[message("tool", "result", "t")])

    assert script.trace.writer(("messages", 1), 2) == 0
    assert script.trace.writer(("messages", -1), 2) == 2
    assert script.trace.writer(("messages", 0), 2) is None


def test_a_part_of_a_message_that_a_hook_changed_was_written_by_the_hook() -> None:
    script = Script().start({"messages": []}).step("model", append=[message("assistant", "Done.", "a")])
    script.step("Edit.after_model", {"messages": [message("assistant", "Finished.", "a")]})

    assert script.trace.writer(("messages", 0, "content"), 1) == 1
    assert script.trace.writer(("messages", 0, "role"), 1) == 0
    assert script.trace.writer(("messages",), 1) == 1
    found = script.trace.write(("messages", 0, "content"), 1)
    assert found is not None and found.old == "Done."


def test_a_value_written_by_hand_is_known_as_such() -> None:
    script = Script().start({"n": 0}).step("model", {"n": 1}).edit({"n": 2}).step("tool", {"m": 1})
    found = script.trace.write(("n",), 1)

    assert found is not None and (found.step, found.by, found.old) == (0, "edit", 1)


def test_on_a_fork_the_writer_is_looked_for_on_its_own_line() -> None:
    script = Script().start({"n": 0}).step("model", {"n": 1}).step("tool", {"n": 2})
    script.start({"n": 1}, branch="b2", entry="from", from_step=0).step("tool", {"m": 1})

    assert script.trace.writer(("n",), 2) == 0


operations = st.lists(
    st.tuples(st.sampled_from(["insert", "remove", "replace"]), st.integers(0, 9), st.integers(1, 3)),
    max_size=12,
)


@settings(max_examples=1_000 if os.environ.get("HOOKSTEPPER_THOROUGH") else 100, deadline=None)
@given(operations)
def test_each_message_is_traced_to_the_step_that_made_it(ops: list[tuple[str, int, int]]) -> None:
    """Every message carries the step that made it: the writer must say the same."""
    script = Script().start({"messages": []})
    items: list[Json] = []
    for index, (what, at, count) in enumerate(ops):
        made: list[Json] = [message("user", index, f"s{index}-{i}") for i in range(count)]
        at = min(at, len(items))
        gone = 0 if what == "insert" else min(count, len(items) - at)
        items = [*items[:at], *(made if what != "remove" else []), *items[at + gone :]]
        script.step("model", {"messages": items})

    for place, item in enumerate(items):
        assert isinstance(item, dict)
        assert script.trace.writer(("messages", place), script.trace.last) == item["content"]


def test_a_jump_has_an_author_an_age_and_readers() -> None:
    script = (
        Script()
        .start({})
        .step(
            "Safety.after_model", {"jump_to": "end"}, route=jump_route("Audit.after_agent", "declared_jump")
        )
    )
    script.step("Audit.after_agent")
    life = script.trace.jump(1)

    assert (life.word, life.written_at, life.author, life.age) == ("end", 0, "Safety.after_model", 1)
    assert life.readers == (0,)
    assert not life.stale
    assert not life.by_person


def test_a_jump_is_stale_from_its_second_reader_on() -> None:
    script = (
        Script().start({}).step("Safety.after_model", {"jump_to": "model"}, route=read_route("x", "model"))
    )
    script.step("tool").step("Log.after_model", route=jump_route("Log.before_model", saw="model"))
    script.step("model", route=None)

    life = script.trace.jump(3)
    assert life.readers == (0, 2)
    assert life.stale
    assert life.age == 3


def test_a_router_that_did_not_get_as_far_as_the_jump_has_not_read_it() -> None:
    unread = read_route("x", "")
    assert unread.rules[0] == RuleSeen("declared_jump", "", False)
    script = Script().start({"jump_to": "end"}).step("Safety.after_model", route=unread)

    assert script.trace.jump(0).readers == ()


@pytest.mark.parametrize("by_hand", [("jump end",), ("jump model", "approved")])
def test_a_jump_set_by_hand_says_so(by_hand: tuple[str, ...]) -> None:
    script = Script().start({}).step("Safety.after_model", {"jump_to": "end"}, by_hand=by_hand)

    assert script.trace.jump(0).by_person


def test_a_jump_left_over_in_the_input_has_no_author() -> None:
    script = Script().start({"jump_to": "end"}).step("Safety.after_model", route=read_route("x", "end"))
    life = script.trace.jump(0)

    assert (life.word, life.written_at, life.author, life.readers, life.age) == ("end", -1, None, (0,), 1)


def test_the_next_reader_is_the_next_node_on_the_way_that_takes_a_jump() -> None:
    script = Script().start({}).step("model", route=None)

    assert script.trace.jump(0).next_reader == "Safety.after_model"
