"""The truth tables of the key strategies, row by row, and laws about them."""

import array
import collections
import copy
import pickle
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookstepper.engine import (
    APPEND,
    APPEND_UNIQUE,
    MARK_FOR_REMOVAL,
    MERGE,
    REPLACE,
    RemoveByHash,
    RemoveIdentifier,
    ReplaceAllWith,
    State,
)
from hookstepper.engine.strategies import apply_update, merged, strategy_name


class Last(RemoveIdentifier):
    """Removes the element at an index."""

    def __init__(self, index):
        self.index = index

    def matches(self, element, index):
        return index == self.index


MARK = RemoveByHash("b")
Pair = collections.namedtuple("Pair", "x y")

APPEND_ROWS = [
    ("None leaves a list alone", ["a"], None, ["a"]),
    ("None leaves a scalar alone", "a", None, "a"),
    ("None leaves an absent key absent", None, None, None),
    ("replace-all gives a copy of its list", ["a"], ReplaceAllWith(["x"]), ["x"]),
    ("replace-all works on an absent key", None, ReplaceAllWith([]), []),
    ("replace-all inside a list is an element", ["a"], [1, MARK_FOR_REMOVAL], ["a", 1, MARK_FOR_REMOVAL]),
    ("an absent key takes a scalar", None, "x", ["x"]),
    ("an old scalar is discarded for a scalar", "old", "new", ["new"]),
    ("an absent key takes a list", None, ["x", "y"], ["x", "y"]),
    ("an old scalar is discarded for a list", "old", ["x"], ["x"]),
    ("an absent key takes markers as they are", None, ["x", MARK], ["x", MARK]),
    ("an absent key takes one marker as it is", None, MARK, [MARK]),
    ("a list takes a scalar", ["a"], "a", ["a", "a"]),
    ("an empty list changes nothing", ["a"], [], ["a"]),
    ("a list takes a list", ["a"], ["b", "c"], ["a", "b", "c"]),
    ("a list takes a tuple", ["a"], ("b",), ["a", "b"]),
    ("a list takes a deque", ["a"], collections.deque(["b"]), ["a", "b"]),
    ("a list takes a set", ["a"], {"b"}, ["a", "b"]),
    ("a named tuple is one element", ["a"], Pair(1, 2), ["a", Pair(1, 2)]),
    ("a dict is one element", ["a"], {"k": 1}, ["a", {"k": 1}]),
    ("a text is one element", [], "text", ["text"]),
    ("bytes are one element", ["a"], b"bc", ["a", b"bc"]),
    ("a marker removes the first match", ["b", "a", "b"], MARK, ["a", "b"]),
    ("a marker without a match removes nothing", ["a"], MARK, ["a"]),
    ("markers in a list remove first, then the rest is appended", ["a", "b"], ["b", MARK], ["a", "b"]),
    ("several markers are carried out in order", ["b", "b", "b"], [MARK, MARK], ["b"]),
    ("a marker may look at the index", ["a", "b", "c"], Last(1), ["a", "c"]),
    ("a marker does not take one for True", [1, True], RemoveByHash(True), [1]),
    ("an unhashable element can be removed", [{"k": 1}, {}], RemoveByHash({"k": 1}), [{}]),
]


@pytest.mark.parametrize(
    ("old", "new", "result"), [r[1:] for r in APPEND_ROWS], ids=[r[0] for r in APPEND_ROWS]
)
def test_append(old, new, result):
    before = copy.copy(old)

    assert APPEND(old, new) == result
    assert old == before


def test_append_refuses_an_array_of_numbers():
    with pytest.raises(TypeError):
        APPEND([1], array.array("i", [2]))


def test_append_unique_is_distinct_over_the_whole():
    assert APPEND_UNIQUE(["a", "a"], ["b", "a", "b"]) == ["a", "b"]
    assert APPEND_UNIQUE([{"k": 1}], [{"k": 1}, {"k": 2}, 1, True]) == [{"k": 1}, {"k": 2}, 1, True]


def test_append_unique_keeps_a_doubled_scalar():
    """So the Java engine does, and messages depend on it."""
    assert APPEND_UNIQUE(["a"], "a") == ["a", "a"]


def test_replace_all_hands_out_a_copy():
    items = ["x"]
    result = APPEND(None, ReplaceAllWith(items))
    items.append("y")

    assert result == ["x"]


@dataclass
class Point:
    x: int | None = None
    y: int | None = None


@dataclass(frozen=True)
class Fixed:
    x: int | None = None
    y: int | None = None


class Thing:
    def __init__(self, **values):
        self.__dict__.update(values)


MERGE_ROWS = [
    ("None keeps the old", 1, None, 1),
    ("an absent old takes the new", None, 1, 1),
    ("mappings are united at the top", {"a": {"x": 1}, "b": 1}, {"a": {"y": 2}}, {"a": {"y": 2}, "b": 1}),
    ("plain values of one type are replaced", 1, 2, 2),
    ("lists are replaced", [1], [2], [2]),
    ("objects are merged field by field", Point(1, 2), Point(None, 3), Point(1, 3)),
    ("what cannot change is replaced", Fixed(1, 2), Fixed(None, 3), Fixed(None, 3)),
]


@pytest.mark.parametrize(
    ("old", "new", "result"), [r[1:] for r in MERGE_ROWS], ids=[r[0] for r in MERGE_ROWS]
)
def test_merge(old, new, result):
    before = copy.deepcopy(old)

    assert MERGE(old, new) == result
    assert old == before


def test_merge_of_objects_without_declared_fields():
    assert vars(MERGE(Thing(a=1, b=2), Thing(b=3, c=None))) == {"a": 1, "b": 3}


@pytest.mark.parametrize(("old", "new"), [({"a": 1}, [1]), (1, "1"), ([1], (1,)), (1, True)])
def test_merge_refuses_different_types(old, new):
    with pytest.raises(TypeError, match="cannot merge"):
        MERGE(old, new)


def test_a_custom_strategy_gets_the_raw_old_value():
    seen = []

    def keep(old, new):
        seen.append(old)
        return old or new

    data = {}
    apply_update(data, {"k": 1}, {"k": keep})
    apply_update(data, {"k": 2}, {"k": keep})

    assert seen == [None, 1]
    assert data == {"k": 1}


def test_an_update_is_all_or_nothing():
    """A reducer that raises on the second key must not leave half an update behind."""
    data = {"a": 1}

    with pytest.raises(ZeroDivisionError):
        apply_update(data, {"a": 2, "b": 1}, {"b": lambda old, new: 1 / 0})

    assert data == {"a": 1}


def test_the_two_ways_of_merging_treat_none_differently():
    data = {"a": 1}
    apply_update(data, {"a": None}, {})

    assert data == {"a": None}
    assert merged({"a": 1, "b": 2}, {"a": None}, {}) == {"b": 2}
    assert merged({"a": 1}, {"a": MARK_FOR_REMOVAL}, {}) == {}


def test_the_removal_mark_stays_itself_in_copies():
    assert copy.deepcopy([MARK_FOR_REMOVAL])[0] is MARK_FOR_REMOVAL
    assert pickle.loads(pickle.dumps(MARK_FOR_REMOVAL)) is MARK_FOR_REMOVAL


def test_strategies_have_names_for_people():
    def mine(old, new):
        return new

    class Callable:
        def __call__(self, old, new):
            return new

    names = [strategy_name(s) for s in (APPEND, APPEND_UNIQUE, REPLACE, MERGE, mine, Callable())]
    assert names == ["append", "append unique", "replace", "merge", "mine", "Callable"]


def test_a_state_reads_like_a_mapping_and_notes_what_was_read():
    state = State({"a": 1, "n": None, "l": [1]}, {"l": APPEND})

    assert dict(state.data) == {"a": 1, "n": None, "l": [1]}
    assert state.reads == set()
    assert state["a"] == 1
    assert (state.value("n", 5), state.value("a", 5, str), state.get("x")) == (5, 5, None)
    assert "n" in state
    assert state.reads == {"a", "n", "x"}
    state.update({"l": 2})
    assert state.data["l"] == [1, 2]
    with pytest.raises(TypeError):
        state.data["a"] = 2


lists = st.lists(st.integers(0, 5) | st.text(max_size=2))


@given(lists, lists, lists)
def test_append_is_associative(one, two, three):
    """So that branches can be gathered before they meet the state."""
    assert APPEND(APPEND(one, two), three) == APPEND(one, APPEND(two, three))


@given(lists, lists)
def test_append_keeps_what_was_there_in_front(old, new):
    result = APPEND(old, new)

    assert result[: len(old)] == old
    assert result[len(old) :] == new


@given(lists)
def test_removing_each_element_leaves_nothing(items):
    assert APPEND(items, [RemoveByHash(item) for item in items]) == []


@given(lists, lists)
def test_append_unique_of_lists_has_no_doubles(old, new):
    result = APPEND_UNIQUE(old, new) if new else []

    assert len(result) == len({(type(item), item) for item in result})


mappings = st.dictionaries(st.sampled_from("abc"), st.integers())


@given(mappings, mappings, mappings)
def test_merge_is_associative_and_the_last_wins(one, two, three):
    left = MERGE(MERGE(one, two), three)

    assert left == MERGE(one, MERGE(two, three))
    assert left == {**one, **two, **three}
