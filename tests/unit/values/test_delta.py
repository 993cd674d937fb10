"""Deltas: applied they give the new value, inverted the old one."""

from __future__ import annotations

import copy
import itertools
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookstepper.model.errors import InvalidValueError
from hookstepper.model.ids import Json
from hookstepper.model.record import AddKey, DeleteKey, SetValue, Splice
from hookstepper.values import apply, apply_all, diff, invert, same

THOROUGH = settings(max_examples=2_000 if os.environ.get("HOOKSTEPPER_THOROUGH") else 150, deadline=None)

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([0.0, -0.0, 1.0, 2.5]),
    st.text("ab", max_size=3),
)
messages = st.fixed_dictionaries(
    {"$": st.just("msg"), "id": st.sampled_from("abcdef"), "content": st.text("xy", max_size=2)}
)
values = st.recursive(
    scalars | messages,
    lambda inner: (
        st.lists(inner, max_size=6)
        | st.dictionaries(st.sampled_from(["k", "l", "id", "v"]), inner, max_size=4)
        | st.fixed_dictionaries({"$": st.just("tuple"), "v": st.lists(inner, max_size=3)})
        | st.fixed_dictionaries(
            {"$": st.just("map"), "v": st.lists(st.tuples(scalars, inner).map(list), max_size=3)}
        )
    ),
    max_leaves=25,
)
states = st.fixed_dictionaries({"messages": st.lists(messages, max_size=8)}, optional={"k": values})


@THOROUGH
@given(values, values)
def test_a_delta_leads_from_old_to_new_and_back(old: Json, new: Json) -> None:
    delta = diff(old, new)

    assert same(apply(delta, old), new)
    assert same(apply(invert(delta), new), old)


@THOROUGH
@given(st.lists(states, min_size=2, max_size=6))
def test_several_deltas_at_once_are_as_one_after_the_other(line: list[Json]) -> None:
    deltas = [diff(a, b) for a, b in itertools.pairwise(line)]

    assert same(apply_all(deltas, line[0]), line[-1])


@THOROUGH
@given(values, values)
def test_applying_a_delta_changes_neither_the_value_nor_the_delta(old: Json, new: Json) -> None:
    delta = diff(old, new)
    before, kept = copy.deepcopy(old), copy.deepcopy(delta)

    first = apply(delta, old)
    apply(invert(delta), first)

    assert same(old, before)
    assert delta == kept


@THOROUGH
@given(values)
def test_equal_values_give_an_empty_delta(value: Json) -> None:
    assert diff(value, copy.deepcopy(value)) == ()


@pytest.mark.parametrize(
    ("a", "b"), [(1, True), (1, 1.0), (0, False), (0.0, -0.0), ([1], [True]), ({"k": 0}, {"k": False})]
)
def test_values_that_python_calls_equal_but_json_writes_differently_are_a_change(a: Json, b: Json) -> None:
    delta = diff({"x": a}, {"x": b})

    assert len(delta) == 1
    assert same(apply(delta, {"x": a}), {"x": b})


def message(key: str, text: str = "hello") -> Json:
    return {"$": "msg", "role": "user", "id": key, "content": text}


def test_an_appended_message_is_one_splice_at_the_end() -> None:
    old = [message(str(i)) for i in range(5)]

    assert diff({"messages": old}, {"messages": [*old, message("new")]}) == (
        Splice(("messages",), 5, (), (message("new"),)),
    )


def test_messages_are_aligned_by_id_so_an_edit_a_removal_and_an_addition_stay_three_changes() -> None:
    old = [message(str(i)) for i in range(1000)]
    new = copy.deepcopy(old)
    new[10] = message("10", "changed")
    del new[500]
    new.append(message("new"))

    assert diff(old, new) == (
        SetValue((10, "content"), "hello", "changed"),
        Splice((), 500, (old[500],), ()),
        Splice((), 999, (), (message("new"),)),
    )


def test_dropping_the_first_messages_is_one_splice() -> None:
    old = [message(str(i)) for i in range(300)]

    assert diff(old, old[200:]) == (Splice((), 0, tuple(old[:200]), ()),)


def test_a_long_list_without_ids_and_without_a_common_end_is_compared_place_by_place() -> None:
    old: list[Json] = [f"line {i}" for i in range(600)]
    new: list[Json] = [f"other {i}" for i in range(600)]

    assert len(diff(old, new)) == 600


def test_keys_that_come_and_go_are_named() -> None:
    assert diff({"a": 1, "b": 2}, {"b": 2, "c": 3}) == (DeleteKey(("a",), 1), AddKey(("c",), 3))


def test_a_pair_of_a_map_changes_as_a_whole_so_that_its_key_is_seen() -> None:
    old: Json = {"$": "map", "v": [[1, "a"], ["token", "old"]]}
    new: Json = {"$": "map", "v": [[1, "b"], ["token", "new"]]}

    assert diff(old, new) == (
        SetValue(("v", 0, 1), "a", "b"),
        SetValue(("v", 1), ["token", "old"], ["token", "new"]),
    )


def test_another_kind_of_value_replaces_the_old_one_whole() -> None:
    old: Json = {"x": {"$": "tuple", "v": [1, 2]}}
    new: Json = {"x": {"$": "set", "v": [1, 2]}}

    assert diff(old, new) == (SetValue(("x",), old["x"], new["x"]),)


@pytest.mark.parametrize(
    ("delta", "value"),
    [
        ((SetValue(("gone",), 1, 2),), {}),
        ((SetValue(("a", "b"), 1, 2),), {"a": 3}),
        ((DeleteKey(("gone",), 1),), {"a": 1}),
        ((Splice(("a",), 2, (1,), ()),), {"a": [1]}),
        ((Splice(("a",), 0, (), (1,)),), {"a": "text"}),
        ((SetValue((5,), 1, 2),), [1]),
        ((SetValue(("x",), 1, 2),), None),
    ],
)
def test_a_delta_for_another_value_says_where_it_does_not_fit(delta: tuple, value: Json) -> None:
    with pytest.raises(InvalidValueError) as caught:
        apply(delta, value)

    assert caught.value.path == delta[0].path


def test_what_did_not_change_is_shared_and_not_copied() -> None:
    old: Json = {"big": [[1], [2]], "n": 1}
    new = apply((SetValue(("n",), 1, 2),), old)

    assert isinstance(new, dict) and isinstance(old, dict)
    assert new["big"] is old["big"]
