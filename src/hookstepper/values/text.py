"""Text that is safe and fits: control characters out, width counted in terminal cells."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

_SEQUENCES = re.compile(
    "\x1b[\\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\\\|\x9c|$)"  # OSC, DCS, SOS, PM, APC up to their end
    "|[\x90\x98\x9d\x9e\x9f][^\x07\x1b\x9c]*(?:\x07|\x1b\\\\|\x9c|$)"  # the same in their one-byte form
    "|(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI
    "|\x1b[ -/]*[0-~]?"  # other escapes
)
_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # direction marks, embeddings and isolates
    "\u2028\u2029\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"  # separators, BOM, annotations, tags
)
_SURROGATES = re.compile("[\ud800-\udfff]")
_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")


def clean(text: str, *, lines: bool = True, tab: int = 4) -> str:
    """The text without anything that a terminal would obey, and without lone surrogates.

    Args:
        lines: keep line ends, as `\\n`; False writes a space for each.
        tab: cells that a tab becomes; 0 keeps it.

    Source: control functions after ECMA-48, bidirectional controls after Unicode Annex 9.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _LINE_ENDS.sub("\n", _SEQUENCES.sub("", text))
    if tab:
        text = text.replace("\t", " " * tab)
    text = _CONTROLS.sub("", text)
    if not text.isascii():
        text = _SURROGATES.sub("�", text)
    return text if lines else text.replace("\n", " ")


def width(text: str) -> int:
    """Terminal cells that the text takes; tabs and line ends count as nothing.

    Source: Unicode Annex 11 (East Asian Width) and 51 (emoji): marks take no cell, an emoji selector makes
    its sign two cells wide, and signs that are joined take the cells of the first.
    """
    if text.isascii():
        return len(text) if text.isprintable() else sum(char.isprintable() for char in text)
    return sum(_widths(text))


def fit(text: str, cells: int, end: str = "…") -> str:
    """The text if it fits into `cells`, else its beginning and `end`; never wider than `cells`."""
    if len(text) <= cells and text.isascii() and text.isprintable():
        return text
    if len(text) <= 4 * max(cells, 1) + 64 and width(text) <= cells:
        return text
    room = cells - width(end)
    if room < 0:
        return ""
    used = 0
    for index, cells_of_char in enumerate(_widths(text)):
        used += cells_of_char
        if used > room:
            return text[:index] + end
    return text


_JOINER, _EMOJI_SELECTOR = "\u200d", "\ufe0f"


def _widths(text: str) -> Iterator[int]:
    """What each character adds to the width."""
    last = 0
    joined = False
    for char in text:
        cells = 0 if joined else _cells(char)
        joined = char == _JOINER and last > 0
        if char == _EMOJI_SELECTOR and last == 1:
            cells, last = 1, 2
        elif cells:
            last = cells
        yield cells


@lru_cache(maxsize=4096)
def _cells(char: str) -> int:
    if char == "\xad":  # a soft hyphen is drawn by terminals
        return 1
    if unicodedata.category(char) in ("Mn", "Me", "Cf", "Cc", "Cs"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
