"""Text for a terminal: nothing that it would obey, and never wider than it may be."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookstepper.model.ids import Json
from hookstepper.values import clean, encode, fit, kind_of, preview, size_of, width
from hookstepper.values.condition_values import plain


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[2J\x1b[?1049hx", "x"),
        ("\x1b]0;title\x07x", "x"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bPq#0\x1b\\x", "x"),
        ("\x9b31mx", "x"),
        ("\x9d0;t\x9cx", "x"),
        ("\x1bcx", "x"),
        ("a\x00\x07\x08b\x7f", "ab"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("a\tb", "a    b"),
        ("\u202eevil\u2066x", "evilx"),
        ("\ufeffx\u200e", "x"),
        ("\U000e0041x", "x"),
        ("lone \ud800", "lone �"),
        ("\x1b]0;never ended", ""),
        ("雨 🌧️", "雨 🌧️"),
        ("\x1b", ""),
    ],
)
def test_what_a_terminal_would_obey_is_gone(text: str, expected: str) -> None:
    assert clean(text) == expected


def test_lines_and_tabs_are_kept_only_as_asked() -> None:
    assert clean("a\n\tb", lines=False, tab=2) == "a   b"
    assert clean("a\tb", tab=0) == "a\tb"


@settings(max_examples=300, deadline=None)
@given(st.text() | st.text("\x1b\x9b\x9d[]0;m\x07\\a\r\n\u202e", max_size=30))
def test_cleaned_text_holds_no_control_character(text: str) -> None:
    out = clean(text)

    assert all(char == "\n" or (ord(char) >= 32 and not 127 <= ord(char) < 160) for char in out)
    assert clean(out) == out
    out.encode("utf-8")


def test_a_megabyte_of_unfinished_sequences_is_no_trap() -> None:
    assert clean("\x1b]" * 300_000 + "x") == ""


@pytest.mark.parametrize(
    ("text", "cells"), [("abc", 3), ("雨天", 4), ("é", 1), ("🌧️", 2), ("", 0), ("a\u200bb", 2), ("👩‍👩‍👧", 2)]
)
def test_width_is_counted_in_cells(text: str, cells: int) -> None:
    assert width(text) == cells


@settings(max_examples=300, deadline=None)
@given(st.text(), st.integers(0, 20))
def test_fitted_text_never_takes_more_than_its_cells(text: str, cells: int) -> None:
    out = fit(text, cells)

    assert width(out) <= cells
    assert out == text or out.endswith("…") or out == ""


VALUES: list[tuple[object, str]] = [
    (None, "null"),
    (True, "true"),
    (1.5, "1.5"),
    ("a\nb", '"a\\nb"'),
    ("雨", '"雨"'),
    ([1, [2]], "[1, [2]]"),
    ({"a": 1, "b": [True]}, "{a: 1, b: [true]}"),
    ((1, 2), "(1, 2)"),
    ({1, 2}, "{1, 2}"),
    ({1: "x"}, '{1: "x"}'),
    (b"abc", "bytes(3)"),
    (ValueError("bad"), "ValueError: bad"),
]


@pytest.mark.parametrize(("value", "expected"), VALUES)
def test_previews_read_as_people_write(value: object, expected: str) -> None:
    assert preview(encode(value)) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"$": "msg", "role": "user", "content": "hi"}, 'user "hi"'),
        (
            {"$": "msg", "role": "assistant", "content": "", "tool_calls": [{"name": "f", "args": {"a": 1}}]},
            "assistant → f(a: 1)",
        ),
        ({"$": "obj", "type": "app.Task", "v": {"title": "x"}}, 'Task(title: "x")'),
        ({"$": "enum", "type": "app.Colour", "name": "RED", "v": 1}, "Colour.RED"),
        ({"$": "cut", "of": "list", "n": 12_345, "v": [1]}, "list of 12,345 items [1]"),
        ({"$": "cycle", "up": 2}, "↺2"),
        ({"$": "redacted"}, "⟨redacted⟩"),
        ({"$": "unheard of"}, "⟨unheard of⟩"),
    ],
)
def test_tagged_values_have_a_short_form(value: Json, expected: str) -> None:
    assert preview(value) == expected


def test_a_preview_of_megabytes_looks_at_what_fits_only() -> None:
    class Counting(list[int]):
        seen = 0

        def __iter__(self):  # type: ignore[no-untyped-def]
            for item in range(10**9):
                Counting.seen += 1
                yield item

    out = preview(Counting(), 40)

    assert width(out) <= 40
    assert Counting.seen < 1_000


TAGS = [
    "tuple",
    "map",
    "obj",
    "enum",
    "msg",
    "cut",
    "error",
    "repr",
    "cycle",
    "bytes",
    "timedelta",
    "int",
    "str",
    "odd",
]
FIELDS = ["v", "type", "name", "role", "content", "tool_calls", "n", "of", "up"]
json_values = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=5), inner, max_size=4)
        | st.fixed_dictionaries({"$": st.sampled_from(TAGS)}, optional=dict.fromkeys(FIELDS, inner))
    ),
    max_leaves=15,
)


@settings(max_examples=300, deadline=None)
@given(json_values, st.integers(0, 60))
def test_any_form_even_a_malformed_one_has_a_safe_preview(value: Json, cells: int) -> None:
    out = preview(value, cells)

    assert width(out) <= cells
    assert "\n" not in out
    assert clean(out, lines=False) == out
    assert kind_of(value)


@settings(max_examples=300, deadline=None)
@given(json_values)
def test_any_form_even_a_malformed_one_can_be_looked_through(value: Json) -> None:
    """Views and conditions look through tags of recordings that anybody may have written."""
    plain(value)
    size_of(value)
