"""`.env` files are read as their writers mean them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookstepper.adapters.envfile import read_env

CASES = {
    "plain": ("A=1\nB=two words\n", {"A": "1", "B": "two words"}),
    "comment": ("# A=1\nB=2 # why\nC=a#b\n", {"B": "2", "C": "a#b"}),
    "export": ("export A=1\n", {"A": "1"}),
    "single": ("A='x # y ${B}\\n'\n", {"A": "x # y ${B}\\n"}),
    "double": ('A="x\\n\\"y\\" \\\\"\n', {"A": 'x\n"y" \\'}),
    "lines": ("A='one\ntwo'\nB=3\n", {"A": "one\ntwo", "B": "3"}),
    "reference": ("A=1\nB=${A}-${HOME_X}-${NO:-d}-${NO}\n", {"A": "1", "B": "1-h-d-"}),
    "empty": ("A=\nB=''\nC\n=5\n", {"A": "", "B": ""}),
    "windows": ("A=1\r\nB=2\r\n", {"A": "1", "B": "2"}),
    "mark": ("\ufeffA=天气\n", {"A": "天气"}),
    "spaces": ("  A = 1  \n", {"A": "1"}),
    "unclosed": ("A='oops\nB=2\n", {"A": "'oops", "B": "2"}),
}


@pytest.mark.parametrize("name", CASES)
def test_a_line_means_what_dotenv_says_it_means(name: str) -> None:
    text, expected = CASES[name]

    assert read_env(text, {"HOME_X": "h"}) == expected


@given(
    st.dictionaries(st.from_regex(r"[A-Z_]{1,8}", fullmatch=True), st.text().filter(lambda t: "\r" not in t))
)
def test_a_double_quoted_value_survives_any_text(values: dict[str, str]) -> None:
    def quoted(text: str) -> str:
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    plain = {key: value for key, value in values.items() if "${" not in value}

    assert read_env("".join(f"{k}={quoted(v)}\n" for k, v in plain.items()), {}) == plain


@given(st.text())
def test_no_text_breaks_the_reader(text: str) -> None:
    assert all(isinstance(value, str) for value in read_env(text, {}).values())
