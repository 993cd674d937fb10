"""How one text became another, in few words and in lines.

Texts are compared by lines; a line that became another one is compared by words. Both with difflib's matcher
(Ratcliff and Obershelp, 1988), on at most `MOST` pieces, since its worst case is quadratic.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

MOST = 400
"""Pieces of either text that are compared; what differs beyond is told as one change."""

NEAR = 2
"""Equal pieces between two changes that do not tell them apart."""

Sign = Literal["−", "+", "~"]


@dataclass(frozen=True, slots=True)
class TextChange:
    """One difference: a line or a run of words that went, came, or became another."""

    sign: Sign
    old: str = ""
    new: str = ""
    unit: Literal["line", "word"] = "line"
    count: int = 1
    """Lines or words that it spans, the larger of both sides."""


def text_changes(old: str, new: str) -> tuple[TextChange, ...]:
    """All differences in reading order; empty if the texts are equal."""
    if old == new:
        return ()
    return tuple(_by_lines(old.splitlines(), new.splitlines())) or (TextChange("~", old, new),)


def _by_lines(old: Sequence[str], new: Sequence[str]) -> Iterator[TextChange]:
    for tag, a0, a1, b0, b1 in _opcodes(old, new):
        if tag == "replace" and a1 - a0 == b1 - b0:
            for before, after in zip(old[a0:a1], new[b0:b1], strict=True):
                yield from _by_words(before, after)
        elif tag != "equal":
            for each in old[a0:a1]:
                yield TextChange("−", old=each)
            for each in new[b0:b1]:
                yield TextChange("+", new=each)


def _by_words(old: str, new: str) -> Iterator[TextChange]:
    before, after = _WORD.findall(old), _WORD.findall(new)
    for a0, a1, b0, b1 in _joined(_opcodes(before, after)):
        gone, come = "".join(before[a0:a1]).strip(), "".join(after[b0:b1]).strip()
        count = max(_count_words(before[a0:a1]), _count_words(after[b0:b1]), 1)
        if gone and come:
            yield TextChange("~", gone, come, "word", count)
        elif gone:
            yield TextChange("−", old=gone, unit="word", count=count)
        elif come:
            yield TextChange("+", new=come, unit="word", count=count)
        else:
            yield TextChange("~", old, new, "word", 1)


def _joined(opcodes: Sequence[tuple[str, int, int, int, int]]) -> list[tuple[int, int, int, int]]:
    """Changes with at most `NEAR` equal pieces between them as one, so that a word stays a word."""
    joined: list[tuple[int, int, int, int]] = []
    for tag, a0, a1, b0, b1 in opcodes:
        if tag == "equal":
            continue
        if joined and a0 - joined[-1][1] <= NEAR:
            joined[-1] = (joined[-1][0], a1, joined[-1][2], b1)
        else:
            joined.append((a0, a1, b0, b1))
    return joined


def _count_words(pieces: Sequence[str]) -> int:
    """Words in some pieces; ideographs that stand together count as one."""
    return len(_COUNTED.findall("".join(pieces)))


def _opcodes(old: Sequence[str], new: Sequence[str]) -> list[tuple[str, int, int, int, int]]:
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    a_end, b_end = len(old) - tail, len(new) - tail
    if max(a_end, b_end) - head > MOST:
        tag = "replace" if a_end > head and b_end > head else "delete" if a_end > head else "insert"
        return [(tag, head, a_end, head, b_end)]
    matcher = SequenceMatcher(None, old[head:a_end], new[head:b_end], autojunk=False)
    return [(tag, a + head, b + head, c + head, d + head) for tag, a, b, c, d in matcher.get_opcodes()]


_IDEOGRAPHS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
# Chinese and Japanese have no blanks between words: each character is a piece.
_WORD = re.compile(rf"\s+|[{_IDEOGRAPHS}]|[^\W{_IDEOGRAPHS}]+|[^\w\s]")
_COUNTED = re.compile(rf"[{_IDEOGRAPHS}]+|[^\W{_IDEOGRAPHS}]+|[^\w\s]")


def in_short(changes: Sequence[TextChange]) -> tuple[int, int, int]:
    """Lines that went, lines that came, words that changed."""
    gone = sum(change.count for change in changes if change.unit == "line" and change.sign == "−")
    come = sum(change.count for change in changes if change.unit == "line" and change.sign == "+")
    both = sum(1 for change in changes if change.unit == "line" and change.sign == "~")
    words = sum(change.count for change in changes if change.unit == "word")
    return gone + both, come + both, words
