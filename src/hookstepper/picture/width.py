"""How many cells a text takes in a terminal, and text made safe to stand in one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from unicodedata import category, east_asian_width

_ZWJ = 0x200D
_EMOJI_STYLE = 0xFE0F
_ELLIPSIS = "…"
REPLACEMENT = "�"


def _extends(char: str) -> bool:
    """True if the character belongs to the one before it: marks, joiners, selectors, skin tones."""
    code = ord(char)
    if code < 0x300:
        return False
    if category(char) in ("Mn", "Me") or code == _ZWJ or 0x1F3FB <= code <= 0x1F3FF:
        return True
    return 0x1160 <= code <= 0x11FF or 0xE0020 <= code <= 0xE007F  # Hangul vowels and finals; tag letters


def _is_flag(char: str) -> bool:
    return 0x1F1E6 <= ord(char) <= 0x1F1FF


def clusters(text: str) -> Iterator[str]:
    """User-perceived characters of a text; a simple form of Unicode Annex 29, enough for labels."""
    current = ""
    for char in text:
        joined = bool(current) and (
            _extends(char)
            or ord(current[-1]) == _ZWJ
            or (_is_flag(char) and len(current) == 1 and _is_flag(current))
        )
        if joined:
            current += char
            continue
        if current:
            yield current
        current = char
    if current:
        yield current


@lru_cache(4096)
def _cluster_width(cluster: str) -> int:
    first = cluster[0]
    if _extends(first) or category(first) in ("Cc", "Cf", "Zl", "Zp", "Cs"):
        return 0
    if east_asian_width(first) in "WF":
        return 2
    if len(cluster) > 1 and (_is_flag(first) or ord(cluster[1]) == _EMOJI_STYLE):
        return 2
    return 1


@lru_cache(8192)
def cell_width(text: str) -> int:
    """Cells that a text takes: 2 for East Asian wide and emoji, 0 for marks, 1 for the rest.

    Characters of ambiguous width count 1, as terminals draw them outside of CJK locales.
    """
    if text.isascii() and text.isprintable():
        return len(text)
    return sum(_cluster_width(cluster) for cluster in clusters(text))


def cells_of(text: str) -> list[str]:
    """One string a cell; the second cell of a wide character is empty."""
    out: list[str] = []
    for cluster in clusters(text):
        width = _cluster_width(cluster)
        if width:
            out.append(cluster)
        if width == 2:
            out.append("")
    return out


def clip(text: str, width: int) -> str:
    """The text if it fits in `width` cells, else its beginning and an ellipsis, never wider than `width`."""
    if cell_width(text) <= width:
        return text
    if width < 1:
        return ""
    out, used = "", 0
    for cluster in clusters(text):
        used += _cluster_width(cluster)
        if used > width - 1:
            break
        out += cluster
    return out + _ELLIPSIS


def clean(text: str) -> str:
    """The text on one line, without characters that could move the cursor or turn the reading direction.

    Line breaks and tabs become blanks, other control and direction characters become `�`, characters
    that take no cell of their own and stand alone are dropped. Empty becomes `?`.
    """
    if text.isascii() and text.isprintable():
        return text.strip() or "?"
    out: list[str] = []
    for cluster in clusters(text):
        kind = category(cluster[0])
        if cluster[0] in "\t\n\r\v\f\x85\u2028\u2029":
            out.append(" ")
        elif kind in ("Cc", "Cs") or _turns_reading(cluster[0]):
            out.append(REPLACEMENT)
        elif _cluster_width(cluster):
            out.append("".join(char for char in cluster if not _turns_reading(char)))
    return " ".join("".join(out).split()) or "?"


def _turns_reading(char: str) -> bool:
    code = ord(char)
    return code in (0x61C, 0x200E, 0x200F) or 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069
