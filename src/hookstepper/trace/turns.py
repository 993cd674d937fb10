"""Turns: the columns of the timeline in groups. A turn begins when the loop entry is entered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from hookstepper.model.graph import Graph
from hookstepper.model.ids import NodeId
from hookstepper.model.record import StepDone

TurnKind = Literal["setup", "turn", "end"]


@dataclass(frozen=True, slots=True)
class Turn:
    """Steps that belong together, on one line of history."""

    number: int
    """From 1 over the whole line of history; 0 for setup and end."""
    kind: TurnKind
    run: int
    steps: tuple[int, ...]
    """Indices of its steps, in order."""


@dataclass(frozen=True, slots=True)
class TurnPlace:
    """Where a step stands among the turns of its line of history."""

    number: int
    kind: TurnKind
    run: int
    count: int
    """Turns begun so far."""


def loop_entry(graph: Graph | None) -> NodeId | None:
    """The node that begins a turn: the loop entry, else the first model node; None without either."""
    if graph is None:
        return None
    if graph.anchors.loop_entry is not None:
        return graph.anchors.loop_entry
    return next((node.id for node in graph.nodes if node.kind == "model" and node.parent is None), None)


def place(step: StepDone, before: TurnPlace | None, run: int, entry: NodeId | None) -> TurnPlace:
    """The turn of a step that comes after `before` on its line of history.

    Args:
        run: of the step; a new one begins with setup again.
        entry: what `loop_entry` gives; without one a whole run is one turn.
    """
    count = before.count if before is not None else 0
    fresh = before is None or before.run != run
    top = step.site.depth == 0
    if (entry is None and fresh) or (top and entry == step.site.node):
        return TurnPlace(count + 1, "turn", run, count + 1)
    if top and step.kind == "after_agent":
        return TurnPlace(0, "end", run, count)
    if fresh or before is None:
        return TurnPlace(0, "setup", run, count)
    return TurnPlace(before.number, before.kind, run, count)


def extend(turns: list[Turn], places: Iterable[tuple[int, TurnPlace]]) -> None:
    """Go on with steps, as pairs of index and place: consecutive steps of the same turn are one."""
    fresh: list[tuple[TurnPlace, list[int]]] = []
    for index, here in places:
        if fresh and _key(fresh[-1][0]) == _key(here):
            fresh[-1][1].append(index)
        else:
            fresh.append((here, [index]))
    for here, steps in fresh:
        if turns and _key(turns[-1]) == _key(here):
            turns[-1] = replace(turns[-1], steps=turns[-1].steps + tuple(steps))
        else:
            turns.append(Turn(here.number, here.kind, here.run, tuple(steps)))


def _key(turn: Turn | TurnPlace) -> tuple[int, TurnKind, int]:
    return turn.number, turn.kind, turn.run
