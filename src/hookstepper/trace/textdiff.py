"""How a text became another one, in pieces that a person can read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

MATCH_LIMIT = 1_000_000
"""Old pieces times new pieces, beyond which texts are compared by their common ends only."""

_WORDS = re.compile(r"\s+|\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class TextChange:
    """One piece of a text: kept, removed or added."""

    kind: Literal["keep", "del", "add"]
    text: str


def text_diff(old: str, new: str) -> tuple[TextChange, ...]:
    """The pieces that lead from one text to the other, removed before added.

    By lines where whole lines came or went, and by words within lines that changed.

    Source: longest matching blocks after Ratcliff and Obershelp, as in `difflib`.
    """
    out: list[TextChange] = []
    old_lines, new_lines = _lines(old), _lines(new)
    for gone, come in _blocks([line for line, _ in old_lines], [line for line, _ in new_lines]):
        before, old_lines = old_lines[: len(gone)], old_lines[len(gone) :]
        after, new_lines = new_lines[: len(come)], new_lines[len(come) :]
        if len(before) == len(after):
            for (was, was_end), (now, now_end) in zip(before, after, strict=True):
                _words(was, now, out)
                _replace(out, was_end, now_end)
        else:
            _replace(out, "".join(map("".join, before)), "".join(map("".join, after)))
    return tuple(out)


def _lines(text: str) -> list[tuple[str, str]]:
    """Lines with their ends apart, so that a last line without an end is the same line."""
    return [
        (line.rstrip("\r\n"), line[len(line.rstrip("\r\n")) :])
        for line in re.findall(r"[^\n]*\n|[^\n]+", text)
    ]


def _replace(out: list[TextChange], old: str, new: str) -> None:
    if old == new:
        _put(out, "keep", old)
    else:
        _put(out, "del", old)
        _put(out, "add", new)


def _words(old: str, new: str, out: list[TextChange]) -> None:
    if old == new:
        _put(out, "keep", old)
        return
    blocks = list(_blocks(_WORDS.findall(old), _WORDS.findall(new)))
    kept = sum(_letters("".join(gone)) for gone, come in blocks if gone == come)
    if kept * 5 < max(_letters(old), _letters(new)):  # another sentence: word by word would be a riddle
        blocks = [([old], [new])]
    for gone, come in blocks:
        _replace(out, "".join(gone), "".join(come))


def _letters(text: str) -> int:
    return sum(not char.isspace() for char in text)


def _blocks(old: list[str], new: list[str]) -> list[tuple[list[str], list[str]]]:
    start = 0
    size = min(len(old), len(new))
    while start < size and old[start] == new[start]:
        start += 1
    old_end, new_end = len(old), len(new)
    while old_end > start and new_end > start and old[old_end - 1] == new[new_end - 1]:
        old_end -= 1
        new_end -= 1
    gone, come = old[start:old_end], new[start:new_end]
    middle = [(gone, come)]
    if gone and come and len(gone) * len(come) <= MATCH_LIMIT:
        matcher = SequenceMatcher(None, gone, come, autojunk=False)
        middle = [(gone[a:b], come[c:d]) for _, a, b, c, d in matcher.get_opcodes()]
    tail = old[old_end:]
    return [pair for pair in [(old[:start], old[:start]), *middle, (tail, tail)] if pair[0] or pair[1]]


def _put(out: list[TextChange], kind: Literal["keep", "del", "add"], text: str) -> None:
    if not text:
        return
    if out and out[-1].kind == kind:
        out[-1] = TextChange(kind, out[-1].text + text)
    else:
        out.append(TextChange(kind, text))
