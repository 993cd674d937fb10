"""Parallel tasks are told apart by what each of them wrote."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hookstepper.adapters.langgraph.names import (
    graph_namespace,
    node_id,
    own_namespace,
    path_of,
    task_id,
    their_name,
)
from hookstepper.adapters.langgraph.stages import staged
from hookstepper.model.ids import END, START, scope_of

KEYS = st.sampled_from(["a", "b", "log"])
WRITES = st.lists(st.tuples(KEYS, st.integers(0, 9)), max_size=3)


@st.composite
def supersteps(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any], list[list[tuple[str, Any]]]]:
    before = {"a": draw(st.integers(0, 9)), "log": draw(st.lists(st.integers(0, 9), max_size=3))}
    writes = draw(st.lists(WRITES, min_size=1, max_size=4))
    after: dict[str, Any] = dict(before)
    for one in writes:
        for key, value in one:
            after[key] = [*after["log"], value] if key == "log" else value
    return before, after, writes


@given(supersteps())
def test_the_last_stage_is_the_whole_superstep(case: Any) -> None:
    before, after, writes = case

    stages = list(staged(before, after, writes))

    assert len(stages) == len(writes)
    assert stages[-1] == after


@given(supersteps())
def test_a_stage_changes_only_what_its_task_wrote(case: Any) -> None:
    before, after, writes = case
    here = before

    for own, stage in zip(writes, staged(before, after, writes), strict=True):
        changed = {key for key in {**here, **stage} if here.get(key) != stage.get(key)}
        assert changed <= {key for key, _ in own}
        here = stage


@given(supersteps())
def test_a_list_grows_with_each_task_that_appended(case: Any) -> None:
    before, after, writes = case
    length = len(before["log"])

    for own, stage in zip(writes, staged(before, after, writes), strict=True):
        length += sum(key == "log" for key, _ in own)
        assert stage["log"] == after["log"][:length]


def test_a_list_that_was_not_only_appended_to_changes_with_its_last_writer() -> None:
    stages = list(staged({"m": [1, 2]}, {"m": [9]}, [[("m", 3)], [("m", 4)], [("x", 1)]]))

    assert [stage["m"] for stage in stages] == [[1, 2], [9], [9]]


def test_namespaces_are_taken_apart() -> None:
    namespace = "team:11-22|1|writer:33-44"

    assert path_of(namespace) == "team:writer"
    assert task_id(namespace) == "33-44"
    assert graph_namespace(namespace) == "team:11-22|1"
    assert own_namespace("a:1|__error_handler__a:2") == "__error_handler__a:2"
    assert own_namespace(namespace) == namespace


@given(st.lists(st.text(st.characters(exclude_characters=":|"), min_size=1), min_size=1, max_size=3))
def test_paths_are_put_together_and_taken_apart(names: list[str]) -> None:
    path = ""
    for name in names:
        path = node_id(name, path)

    assert scope_of(path) == ":".join(map(node_id, names[:-1]))
    assert their_name(path) == names[-1] or names[-1] in (START, END)


def test_start_and_end_have_one_name_everywhere() -> None:
    assert node_id("__start__") == START
    assert node_id("__end__", "team") == f"team:{END}"
    assert their_name(f"team:{END}") == "__end__"
