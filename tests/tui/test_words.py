"""The two languages: every text of the screen has its Chinese, with the same places to fill."""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

import hookstepper.tui
from hookstepper.model.commands import COMMANDS
from hookstepper.tui.keymap import GROUPS, KEYLESS
from hookstepper.tui.words import LANGUAGES, tr, tr_as, use_language
from hookstepper.tui.words_zh import CHINESE

SOURCE = Path(hookstepper.tui.__file__).parent


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    use_language("en")
    yield
    use_language("en")


def texts() -> set[str]:
    """Every text that is passed to `tr` as it stands."""
    found = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "tr" and node.args:
                first = node.args[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    found.add(first.value)
    return found


def places(text: str) -> set[str]:
    """The names between braces."""
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def test_every_text_of_the_screen_has_its_chinese():
    """A screen that changes its language in the middle of a sentence is not translated."""
    wanted = texts() | {spec.help for spec in COMMANDS} | set(GROUPS.values()) | set(KEYLESS.values())

    assert len(wanted) > 200
    assert sorted(wanted - set(CHINESE) - {"", " "}) == []


def test_both_languages_fill_the_same_places():
    """A fact that one language tells is not lost in the other."""
    different = [english for english, chinese in CHINESE.items() if places(english) != places(chinese)]

    assert different == []


def test_english_is_the_key_and_the_fallback():
    """A text without a row stays English instead of failing."""
    use_language("zh")

    assert tr("Graph") == "图"
    assert tr("no such text {n}", n=3) == "no such text 3"
    assert tr_as("column", "tool") == "工具"
    assert tr("tool") == "工具侧"


def test_braces_of_the_program_are_left_alone():
    """Only a text with values is a template."""
    for language in LANGUAGES:
        use_language(language)
        assert tr("{not a place}") == "{not a place}"
