"""Breakpoints: where a person wants a stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

BreakOn = Literal[
    "node",
    "route",
    "model",
    "tool",
    "tool_request",
    "repeat",
    "state",
    "jump",
    "exception",
    "interrupt",
    "loop",
]
"""node, route, model, tool: at that gate. tool_request: the model asked for the tool. repeat: it asked for
the same tool with the same arguments as before in this run. state: a step changed the key. jump: a step
wrote jump_to. exception: a node or a tool raised. interrupt: the program asks. loop: a turn began, or the
node was entered; its hit count says how often."""


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """One wish for a stop; plain data, kept by the screen and sent to the host as a whole set."""

    id: int
    on: BreakOn = "node"
    node: str = "*"
    """Node path, shown name, or glob over either; for tools the tool's name."""
    phase: Literal["enter", "exit"] = "enter"
    key: str = ""
    """For `state`: the state key, or a glob."""
    change: Literal["any", "grows", "removed"] = "any"
    condition: str = ""
    """In the condition language; empty is always true."""
    hit: str = ""
    """Such as `>= 3`, `% 10`, `== 2`; empty stops at every hit."""
    log: str = ""
    """Text with `{expressions}`: logged instead of stopping."""
    once: bool = False
    enabled: bool = True
