"""Text on rows: made safe, wrapped, cut, compared."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from hookstepper.tui.rows.lines import shown, shown_lines, value_text, wrap
from hookstepper.tui.rows.textdiff import MOST, TextChange, in_short, text_changes
from hookstepper.tui.screen_svg import screen_svg

TEXT = st.text(st.characters(codec="utf-8"), max_size=200)


@given(TEXT, st.integers(2, 60))
@settings(max_examples=150, deadline=None)
def test_wrapped_text_fits_and_loses_nothing_but_blanks(text: str, width: int) -> None:
    """Every character is on some line, and no line sticks out."""
    text = shown(text)
    lines = wrap(text, width)

    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("one two three", 7, ["one two", "three"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("北京天气，晴。", 8, ["北京天", "气，晴。"]),
        ("看 report.txt 吧", 12, ["看", "report.txt", "吧"]),
        ("", 5, [""]),
    ],
)
def test_text_is_broken_where_a_reader_would(text: str, width: int, lines: list[str]) -> None:
    """At blanks, between ideographs, never before a comma."""
    assert wrap(text, width) == lines


@given(TEXT, st.integers(2, 40), st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_bounded_wrapping_ends_with_a_sign(text: str, width: int, most: int) -> None:
    """What is left out is said to be left out."""
    text = shown(text)
    lines = wrap(text, width, most=most)

    assert len(lines) <= most
    if len(wrap(text, width)) > most:
        assert lines[-1].endswith("…")


@given(st.text(max_size=120), st.integers(4, 60))
@settings(max_examples=100, deadline=None)
def test_a_value_fits_its_cells(text: str, cells: int) -> None:
    """A quoted text is never wider than its room, and keeps its quotes."""
    said = value_text(text, cells)

    assert cell_len(said) <= cells
    assert said.startswith('"') and said.endswith('"')


def test_a_megabyte_on_one_line_is_looked_at_only_as_far_as_it_shows() -> None:
    """Its length must not matter."""
    assert cell_len(value_text("x" * 5_000_000, 40)) == 40
    assert len(shown_lines("y\n" * 1_000_000)) <= 2_001


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ("same", "same", []),
        ("Done. Fine.", "Finished. Fine.", [("~", "Done", "Finished")]),
        ("完成了。晴", "已完成。晴", [("~", "完成了", "已完成")]),
        ("a\nb\nc", "a\nc", [("−", "b", "")]),
        ("a", "a\nb", [("+", "", "b")]),
        ("", "new", [("+", "", "new")]),
        ("a  b", "a b", [("~", "a  b", "a b")]),
    ],
)
def test_a_text_change_is_told_in_the_fewest_words(
    old: str, new: str, changes: list[tuple[str, str, str]]
) -> None:
    """A person reads what changed, not what stayed."""
    assert [(each.sign, each.old, each.new) for each in text_changes(old, new)] == changes


@given(st.text(max_size=80), st.text(max_size=80))
@settings(max_examples=150, deadline=None)
def test_equal_texts_and_only_they_have_no_changes(old: str, new: str) -> None:
    """No change is ever lost."""
    assert (text_changes(old, new) == ()) == (old == new)


def test_a_huge_difference_is_told_as_one() -> None:
    """The matcher is quadratic: it must not be asked about thousands of lines."""
    old = "\n".join(f"a{n}" for n in range(5 * MOST))
    new = "\n".join(f"b{n}" for n in range(4 * MOST))
    gone, come, _words = in_short(text_changes(old, new))

    assert (gone, come) == (5 * MOST, 4 * MOST)


def test_changes_are_counted_by_line_and_word() -> None:
    """The onion says `−1 line`, `1 word`."""
    assert in_short((TextChange("−", old="x"), TextChange("~", "a", "b", "word", 2))) == (1, 0, 2)


def test_wide_characters_take_two_cells_in_a_picture() -> None:
    """A border after Chinese text stands where it stands on the screen."""
    svg = screen_svg("│北京│x", 10, 1, "t")

    assert 'textLength="48.8"' in svg
    assert svg.count("<text") >= 4


def test_ideographs_that_stand_together_count_as_one_word() -> None:
    """`完成了 → 已完成` is one change of wording, not three."""
    assert in_short(text_changes("完成了。晴", "已完成。晴")) == (0, 0, 1)
