"""What a routing rule saw, in words: engines say it in short English, the screen in its own language."""

from __future__ import annotations

import re

from hookstepper.tui.rows.lines import shown
from hookstepper.tui.words import tr, tr_as

PHRASES = (
    "not set",
    "unset",
    "set",
    "no calls",
    "all answered",
    "none open",
    "no answered request",
    "no answer",
    "an answer",
    "otherwise",
)
"""Said by the built-in rules as they stand; what else an engine says may be a value and stays as it is."""


def saw_text(saw: str) -> str:
    """One line; what is not known to be a phrase is shown as it came."""
    if saw in PHRASES:
        return tr_as("saw", saw)
    if found := re.fullmatch(r"(\d+) messages?", saw):
        return tr("1 message") if found[1] == "1" else tr("{n} messages", n=found[1])
    if found := re.fullmatch(r"last is (\w+)", saw):
        return tr("last is {role}", role=tr_as("role", found[1]))
    if found := re.fullmatch(r"(\d+) calls?", saw):
        return tr("1 call") if found[1] == "1" else tr("{n} calls", n=found[1])
    if found := re.fullmatch(r"(\d+) calls? without an answer", saw):
        return tr("{n} unanswered", n=found[1])
    if found := re.fullmatch(r"(.+) open", saw, re.DOTALL):
        return tr("{calls} open", calls=shown(found[1], 90))
    return shown(saw, 100)
