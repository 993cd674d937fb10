"""What the screen says, in English and Chinese. English is the key: a text without a row stays English.

Whole sentences are rows of the table, never glued from words, since word order differs. A text that comes
from the program under debug is never translated.
"""

from __future__ import annotations

from typing import Literal

from hookstepper.tui.words_zh import CHINESE

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")


class _Choice:
    language: Language = "en"


def use_language(language: Language) -> None:
    """Let `tr` speak `language` from now on; one per process, as there is one screen per process."""
    _Choice.language = language


def language() -> Language:
    """The language that `tr` speaks."""
    return _Choice.language


def tr_as(context: str, english: str, /) -> str:
    """`english` where the same word means different things: the row `context: english`, or the plain one."""
    if _Choice.language == "zh":
        return CHINESE.get(f"{context}: {english}") or tr(english)
    return english


def tr(english: str, /, **values: object) -> str:
    """`english` in the chosen language, with `{name}` places filled from `values`.

    Args:
        english: the English text, a row of the table or not.
        values: what stands in the places; without values, braces are left as they are.

    Raises:
        KeyError: the text names a place that `values` lacks.
    """
    text = CHINESE.get(english, english) if _Choice.language == "zh" else english
    return text.format_map(values) if values else text
