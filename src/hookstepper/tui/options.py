"""What the command line tells the screen."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hookstepper.tui.words import Language

if TYPE_CHECKING:
    from hookstepper.picture.options import GlyphSet


@dataclass(frozen=True, slots=True)
class Options:
    """Wishes of one start; facts of the run come from the conversation."""

    language: Language = "en"
    target: str = ""
    """What is loaded, as the user wrote it; the first frame tells it before there is a conversation."""
    theme: str = ""
    """Name of a Textual theme, empty for ours."""
    glyphs: GlyphSet = "unicode"
    """Characters that the picture begins with."""
    welcome: bool = True
    """Show the card that says what is on the screen, until the first key that runs something."""
    ask_input: bool = True
    """Open Next message as soon as the target has loaded and no run has begun."""
    clock: Callable[[], float] = time.monotonic
    """Seconds; the clock of `View.started_at`."""
