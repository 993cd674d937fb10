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
    for gone, come in _blocks(old.splitlines(keepends=True), new.splitlines(keepends=True)):
        if gone == come:
            _put(out, "keep", "".join(gone))
        elif len(gone) == len(come):
            for before, after in zip(gone, come, strict=True):
                _words(before, after, out)
        else:
            _put(out, "del", "".join(gone))
            _put(out, "add", "".join(come))
    return tuple(out)


def _words(old: str, new: str, out: list[TextChange]) -> None:
    blocks = list(_blocks(_WORDS.findall(old), _WORDS.findall(new)))
    kept = sum(len("".join(gone)) for gone, come in blocks if gone == come)
    if kept * 3 < max(len(old), len(new)):  # another sentence altogether: word by word would be a riddle
        blocks = [([old], [new])]
    for gone, come in blocks:
        if gone == come:
            _put(out, "keep", "".join(gone))
        else:
            _put(out, "del", "".join(gone))
            _put(out, "add", "".join(come))


def _blocks(old: list[str], new: list[str]) -> list[tuple[list[str], list[str]]]:
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
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
