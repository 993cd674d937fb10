"""Signs that no picture file can hold, and what is shown in their place."""

from __future__ import annotations


def legal(text: str) -> str:
    """`text` without what XML forbids, so that every format and every renderer can carry it.

    Control characters become their pictures (`␛`), half surrogate pairs and non-characters become `�`.
    Tab and line break stay.

    Source: Extensible Markup Language 1.0, section 2.2.
    """
    return text if text.isascii() and text.isprintable() else "".join(map(_legal, text))


def _legal(sign: str) -> str:
    code = ord(sign)
    if code < 0x20:
        return sign if sign in "\t\n" else chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    # Between DEL and the first letters stand the C1 controls, which terminals obey.
    forbidden = 0x80 <= code < 0xA0 or 0xD800 <= code < 0xE000 or code in (0xFFFE, 0xFFFF)
    return "�" if forbidden else sign
