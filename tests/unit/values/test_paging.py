"""Pages of what was cut, read from the live object by the path of the cut."""

from __future__ import annotations

import collections
import dataclasses

import pytest

from hookstepper.model.errors import InvalidValueError
from hookstepper.values import Limits, encode, page


@dataclasses.dataclass
class Box:
    items: object


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"a": list(range(100))}, ("a",)),
        ({"a": tuple(range(100))}, ("a",)),
        ({"a": tuple(range(100))}, ("a", "v")),
        ({"a": set(range(100, 200))}, ("a",)),
        ({"a": collections.deque(range(100))}, ("a",)),
        ({"a": Box(list(range(100)))}, ("a", "v", "items")),
        ({1: list(range(100))}, ("v", 0, 1)),
        ([{"$": list(range(100))}], (0, "v", 0, 1)),
        ((0, list(range(100))), ("v", 1)),
    ],
)
def test_a_page_of_a_container_has_its_size_and_its_items(value: object, path: tuple) -> None:
    got = page(value, path, 10, 3)

    assert got.total == 100
    assert isinstance(got.items, list) and len(got.items) == 3


def test_a_page_of_a_dict_gives_pairs() -> None:
    assert page({"d": {"a": 1, "b": 2}}, ("d",), 1, 5).items == [["b", 2]]


def test_a_page_of_a_text_gives_the_piece() -> None:
    got = page({"t": "abcdef" * 1_000}, ("t",), 6, 6)

    assert (got.total, got.items) == (6_000, "abcdef")


def test_an_item_of_a_cut_list_is_reached_through_the_cut() -> None:
    value = {"a": [[i] * 50 for i in range(50)]}
    form = encode(value, limits=Limits(items=10))
    assert isinstance(form, dict) and isinstance(form["a"], dict) and form["a"]["$"] == "cut"

    assert page(value, ("a", "v", 3), 0, 2).items == [3, 3]


@pytest.mark.parametrize("path", [("gone",), ("a", 5), ("a", "x", 1), (0,)])
def test_a_place_that_is_gone_says_so(path: tuple) -> None:
    with pytest.raises(InvalidValueError):
        page({"a": [1]}, path, 0, 10)


def test_a_value_without_parts_says_so() -> None:
    with pytest.raises(InvalidValueError, match="no parts"):
        page({"a": 5}, ("a",), 0, 10)


def test_a_page_is_small_whatever_its_items_are() -> None:
    got = page([["x" * 10_000] * 1_000] * 100, (), 0, 100)

    assert len(str(got.items)) < 100 * 600_000
    assert got.total == 100
