"""Which characters a picture is drawn with: what was asked for, else what this terminal can show."""

from __future__ import annotations

import os
import re
import select
import sys
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from hookstepper.model.errors import UsageError

if TYPE_CHECKING:
    # The picture is imported behind the first frame.
    from hookstepper.picture.options import GlyphSet

_SETS: tuple[GlyphSet, ...] = ("unicode", "safe", "ascii")
VARIABLE = "HOOKSTEPPER_GLYPHS"
_POOR = frozenset({"dumb", "linux", "ansi", "vt52", "vt100", "vt102", "vt220"})
"""Values of TERM whose fonts or character sets lack our signs."""
_EAST_ASIAN = ("zh", "ja", "ko")
"""Languages in whose terminals characters of ambiguous width may take two cells (Unicode Annex 11)."""
_SAMPLE = "─"
"""A character of ambiguous width, as nearly all lines and signs of the picture are."""
_PATIENCE = 0.3
"""Seconds that a terminal has for its answer; one that is far away needs some."""


def glyphs_here(wish: GlyphSet | None) -> GlyphSet:
    """The character set for the terminal of this process, or for the file that its output goes to.

    Raises:
        UsageError: the variable names none.
    """
    environment = dict(os.environ)
    if not sys.stdout.isatty():
        environment.pop("TERM", None)
    return choose(wish, environment, sys.stdout.encoding or "", ambiguous_width)


def choose(
    wish: GlyphSet | None, environment: Mapping[str, str], encoding: str, measure: Callable[[], int | None]
) -> GlyphSet:
    """The set that was asked for, by word or by variable; else by terminal, encoding and measured width.

    Args:
        measure: cells that a character of ambiguous width takes, None if that cannot be known. Asked only
            where the language says that it may be two.

    Raises:
        UsageError: the variable names no set.
    """
    if wish is not None:
        return wish
    named = environment.get(VARIABLE, "")
    for known in _SETS:
        if named == known:
            return known
    if named:
        raise UsageError(f"{VARIABLE}={named}: no such character set", hint=f"one of {', '.join(_SETS)}")
    locale = environment.get("LC_ALL") or environment.get("LC_CTYPE") or environment.get("LANG") or ""
    charset = locale.partition(".")[2].partition("@")[0] or encoding
    no_unicode = locale in ("C", "POSIX") or "utf" not in charset.lower()
    if environment.get("TERM", "") in _POOR or no_unicode:
        return "ascii"
    return "safe" if locale.startswith(_EAST_ASIAN) and measure() == 2 else "unicode"


def ambiguous_width() -> int | None:
    """Cells that the terminal gives a character of ambiguous width; None without a terminal that answers.

    Source: cursor position report, CPR of ECMA-48 8.3.14, asked for with DSR 6.
    """
    try:
        import termios
        import tty
    except ImportError:
        return None  # no POSIX terminal
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return None
    keyboard, screen = sys.stdin.fileno(), sys.stdout.fileno()
    before = termios.tcgetattr(keyboard)
    try:
        tty.setcbreak(keyboard)
        os.write(screen, f"\r{_SAMPLE}\x1b[6n".encode())
        column = _reported_column(keyboard)
        os.write(screen, b"\r\x1b[K")
    finally:
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)
    return None if column is None else column - 1


def _reported_column(keyboard: int) -> int | None:
    """The column, from 1, that the terminal reports; what is typed meanwhile is lost."""
    answer, end = b"", time.monotonic() + _PATIENCE
    while (left := end - time.monotonic()) > 0 and select.select([keyboard], [], [], left)[0]:
        answer += os.read(keyboard, 64)
        if found := re.search(rb"\x1b\[\d+;(\d+)R", answer):
            return int(found[1])
    return None
