"""Breakpoints: where a person wants a stop."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from hookstepper.model.graph import Graph

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
    """False is muted: the place is passed without a stop."""
    origin: Literal["person", "graph"] = "person"
    """graph: it was compiled into the graph, and can be muted but not removed; its id is negative."""

    @property
    def name(self) -> str:
        """What lists and commands call it: `3`, or `g1` if the graph brought it."""
        return str(self.id) if self.origin == "person" else f"g{-self.id}"


def hit_text(breakpoint_: Breakpoint, count: int) -> str:
    """What is told of a breakpoint that holds for the count-th time."""
    if breakpoint_.origin == "graph":
        when = "before" if breakpoint_.phase == "enter" else "after"
        return f"stop {breakpoint_.name}, compiled into the graph {when} {breakpoint_.node}"
    condition = f": {breakpoint_.condition}" if breakpoint_.condition else ""
    return f"breakpoint {breakpoint_.id} (hit {count}{condition})"


def compiled_into(graph: Graph, known: Iterable[Breakpoint] = ()) -> tuple[Breakpoint, ...]:
    """The stops that a graph brings along.

    Args:
        known: those of before; what was muted stays muted.
    """
    muted = {(one.node, one.phase) for one in known if not one.enabled}
    places = [(node.id, phase) for node in graph.nodes for phase in node.stops]
    return tuple(
        Breakpoint(-number, node=node, phase=phase, enabled=(node, phase) not in muted, origin="graph")
        for number, (node, phase) in enumerate(places, 1)
    )


def kept_mutes(breakpoints: Iterable[Breakpoint]) -> tuple[Breakpoint, ...]:
    """What is to be remembered of a graph's own stops: those that are muted."""
    return tuple(replace(one, id=-1) for one in breakpoints if not one.enabled)
