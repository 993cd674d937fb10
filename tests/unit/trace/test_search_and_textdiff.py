"""Finding a text in the record, and showing how a text changed."""

from __future__ import annotations

import os

from hypothesis import given, settings
from hypothesis import strategies as st

from hookstepper.trace.textdiff import text_diff
from support.trace_events import Script, message


def test_a_text_is_found_in_the_input_in_what_steps_wrote_and_in_names() -> None:
    script = Script().start({"input": "weather in BEIJING"})
    script.step("model", append=[message("assistant", "Beijing is sunny", "a")])
    script.step("beijing_node", {"beijing": 1})

    assert [(hit.step, hit.path) for hit in script.trace.search("beijing")] == [
        (-1, ("input",)),
        (0, ("messages", 0, "content")),
        (1, ()),
        (1, ("beijing",)),
    ]


def test_tags_and_types_are_no_text_of_the_user() -> None:
    script = Script().start({"a": {"$": "obj", "type": "app.msg", "form": "dataclass", "v": {"x": 1}}})

    assert script.trace.search("msg") == ()
    assert script.trace.search("dataclass") == ()


def test_a_number_is_found_and_long_texts_are_shown_around_the_find() -> None:
    script = Script().start({"n": 4711, "t": "x" * 1000 + "needle" + "y" * 1000})

    assert script.trace.search("4711")[0].path == ("n",)
    assert len(script.trace.search("needle")[0].text) < 100


def test_a_search_stops_at_its_limit_and_an_empty_one_finds_nothing() -> None:
    script = Script().start({}).step("model", {"a": "x", "b": "x", "c": "x"})

    assert len(script.trace.search("x", limit=2)) == 2
    assert script.trace.search("") == ()


texts = (
    st.text("ab \n", max_size=20)
    | st.text(max_size=20)
    | st.lists(st.sampled_from(["a b\n", "c\n", "d"])).map("".join)
)


@settings(max_examples=2_000 if os.environ.get("HOOKSTEPPER_THOROUGH") else 200, deadline=None)
@given(texts, texts)
def test_the_pieces_of_a_change_make_up_both_texts(old: str, new: str) -> None:
    changes = text_diff(old, new)

    assert "".join(change.text for change in changes if change.kind != "add") == old
    assert "".join(change.text for change in changes if change.kind != "del") == new
    assert all(change.text for change in changes)


def test_whole_lines_that_go_are_told_as_lines() -> None:
    changes = text_diff("Done. Sunny.\nTo clean up: rm\n", "Done. Sunny.\n")

    assert [(change.kind, change.text) for change in changes] == [
        ("keep", "Done. Sunny.\n"),
        ("del", "To clean up: rm\n"),
    ]


def test_a_word_that_changed_is_told_as_a_word() -> None:
    changes = text_diff("Done. It is sunny.", "Finished. It is sunny.")

    assert [(change.kind, change.text) for change in changes] == [
        ("del", "Done"),
        ("add", "Finished"),
        ("keep", ". It is sunny."),
    ]


def test_another_sentence_altogether_is_not_a_riddle_of_words() -> None:
    assert [change.kind for change in text_diff("the cat sat", "an old dog barked")] == ["del", "add"]


def test_megabytes_are_compared_in_bounded_time() -> None:
    old = "\n".join(f"old {i}" for i in range(20_000))
    new = "\n".join(f"new {i}" for i in range(30_000))

    assert {change.kind for change in text_diff(old, new)} == {"del", "add"}
