"""Breakpoints: where a person wants a stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

BreakOn = Literal[
    "node", "route", "tool", "tool_request", "model", "state", "jump", "exception", "interrupt", "loop"
]


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """One wish for a stop; plain data, kept by the screen and sent to the host as a whole set."""

    id: int
    on: BreakOn = "node"
    node: str = "*"
    """Node path, shown name, or glob over either; for `tool` and `tool_request` the tool's name."""
    phase: Literal["enter", "exit"] = "enter"
    key: str = ""
    """For `state`: the state key."""
    change: Literal["any", "grows", "removed"] = "any"
    condition: str = ""
    """In the condition language; empty is always true."""
    hit: str = ""
    """Such as `>= 3`, `% 10`, `== 2`; empty stops at every hit."""
    log: str = ""
    """Text with `{expressions}`: logged instead of stopping."""
    once: bool = False
    enabled: bool = True
