"""Cells of text: what a terminal shows must be what the layout counted."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from hookstepper.picture import cell_width, clean, clip
from hookstepper.picture.width import cells_of

SAMPLES = {
    "plain": 5,
    "节点": 4,
    "é": 1,
    "e\u0301": 1,
    "👩‍💻": 2,
    "🇨🇳": 2,
    "❤️": 2,
    "👍🏽": 2,
    "日本 go": 7,
    "": 0,
    "…": 1,
}


@pytest.mark.parametrize(("text", "width"), SAMPLES.items())
def test_known_texts_take_the_cells_that_terminals_give_them(text: str, width: int) -> None:
    assert cell_width(text) == width == cell_len(text)


@given(st.text())
def test_cells_of_a_text_are_as_many_as_its_width(text: str) -> None:
    cells = cells_of(text)

    assert len(cells) == cell_width(text)
    assert all(cells[index - 1] for index, cell in enumerate(cells) if cell == "")


@given(st.text(), st.integers(0, 30))
def test_clipping_never_exceeds_the_width_and_keeps_what_fits(text: str, width: int) -> None:
    shown = clip(text, width)

    assert cell_width(shown) <= width
    if cell_width(text) <= width:
        assert shown == text


@given(st.text(st.characters(codec=None)))
def test_clean_text_has_one_line_and_nothing_that_moves_or_turns(text: str) -> None:
    shown = clean(text)

    assert shown.strip() and cell_width(shown) > 0
    turning = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    assert not any(
        unicodedata.category(char) in ("Cc", "Zl", "Zp", "Cs") or char in turning for char in shown
    )


@given(st.text(st.characters(codec=None)))
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    assert clean(clean(text)) == clean(text)
