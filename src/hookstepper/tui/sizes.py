"""Sizes of the screen: which layout a terminal gets, and the measures that more than one place needs."""

from __future__ import annotations

from typing import Literal

SizeClass = Literal["tiny", "small", "home", "wide"]
SIZES: tuple[SizeClass, ...] = ("tiny", "small", "home", "wide")


def size_class(width: int, height: int) -> SizeClass:
    """tiny: a line of advice. small: one pane at a time. home: all three. wide: State beside the tab."""
    if width < 40 or height < 10:
        return "tiny"
    if width < 100 or height < 30:
        return "small"
    return "wide" if width >= 180 and height >= 40 else "home"


def has_tall_timeline(height: int) -> bool:
    """True if the timeline has a row for the marks and one for the times, so that neither hides the other."""
    return height >= 40
