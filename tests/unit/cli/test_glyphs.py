"""The characters of the picture: what is asked for, else what the terminal can show, measured in doubt."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
from pathlib import Path

import pytest

from hookstepper.cli.glyphs import choose
from hookstepper.model.errors import UsageError

ROOT = Path(__file__).parents[3]
UTF = {"LANG": "en_GB.UTF-8", "TERM": "xterm-256color"}


def never() -> int | None:
    raise AssertionError("measured without need")


@pytest.mark.parametrize(
    ("environment", "encoding", "wanted"),
    [
        (UTF, "utf-8", "unicode"),
        ({}, "utf-8", "unicode"),
        ({}, "latin-1", "ascii"),
        ({"LANG": "de_DE.ISO-8859-1"}, "utf-8", "ascii"),
        ({"LC_ALL": "C", "LANG": "en_GB.UTF-8"}, "utf-8", "ascii"),
        ({"LC_CTYPE": "C.UTF-8"}, "utf-8", "unicode"),
        ({**UTF, "TERM": "linux"}, "utf-8", "ascii"),
        ({**UTF, "TERM": "dumb"}, "utf-8", "ascii"),
        ({**UTF, "HOOKSTEPPER_GLYPHS": "safe"}, "utf-8", "safe"),
        ({"LC_ALL": "C", "HOOKSTEPPER_GLYPHS": "unicode"}, "ascii", "unicode"),
    ],
)
def test_the_set_follows_variable_then_terminal_then_encoding(
    environment: dict[str, str], encoding: str, wanted: str
):
    assert choose(None, environment, encoding, never) == wanted


def test_a_word_on_the_command_line_decides():
    assert choose("ascii", {**UTF, "HOOKSTEPPER_GLYPHS": "unicode"}, "utf-8", never) == "ascii"


def test_a_variable_that_names_no_set_is_refused_with_the_names():
    with pytest.raises(UsageError) as refused:
        choose(None, {"HOOKSTEPPER_GLYPHS": "fancy"}, "utf-8", never)

    assert "fancy" in refused.value.message
    assert "ascii" in refused.value.hint


@pytest.mark.parametrize(("width", "wanted"), [(2, "safe"), (1, "unicode"), (None, "unicode")])
@pytest.mark.parametrize("language", ["zh_CN.UTF-8", "ja_JP.UTF-8", "ko_KR.UTF-8"])
def test_where_the_language_says_that_lines_may_be_wide_the_terminal_is_measured(
    language: str, width: int | None, wanted: str
):
    assert choose(None, {"LANG": language}, "utf-8", lambda: width) == wanted


PROGRAM = "from hookstepper.cli.glyphs import ambiguous_width; print('width', ambiguous_width())"


def measured(answer: bytes) -> str:
    """What a program in a pseudo-terminal measures that answers its question so."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdin=theirs,
        stdout=theirs,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    os.close(theirs)
    said = b""
    try:
        while b"width " not in said or b"\n" not in said.partition(b"width ")[2]:
            assert select.select([ours], [], [], 60)[0], said
            more = os.read(ours, 4096)
            if b"\x1b[6n" in more and answer:
                os.write(ours, answer)
            said += more
    finally:
        process.wait(60)
        os.close(ours)
    return said.decode().partition("width ")[2].strip()


def test_the_terminal_tells_how_wide_a_line_is():
    """The column after one character, from 1; a terminal that says nothing is not waited for."""
    assert measured(b"\x1b[5;3R") == "2"
    assert measured(b"\x1b[5;2R") == "1"
    assert measured(b"") == "None"
