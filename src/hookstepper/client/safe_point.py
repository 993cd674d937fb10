"""Where a pause will stop a run: the program cannot be held in the middle of its own code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hookstepper.client.view import View
from hookstepper.model.ids import NodeId


@dataclass(frozen=True, slots=True)
class SafePoint:
    """The next place at which the run can be held, as far as is known now."""

    after: Literal["model", "tool", "node"]
    node: NodeId
    name: str = ""
    """The tool; empty for what has no name of its own."""


def safe_point(view: View) -> SafePoint | None:
    """After the call that is under way, or else after the node; None if no node runs."""
    for call in reversed(view.calling):
        if call.site.kind in ("model", "tool"):
            return SafePoint(call.site.kind, call.site.node, call.site.name)
    running = [entered for entered in view.live if all(ran.task != entered.task for ran in view.ran)]
    return SafePoint("node", running[-1].site.node) if running else None


def told(view: View) -> str:
    """The same in a sentence."""
    point = safe_point(view)
    if point is None:
        return "stops before the next node"
    node = view.graph.label(point.node) if view.graph is not None else point.node
    match point.after:
        case "model":
            return f"stops after the model call in {node}"
        case "tool":
            return f"stops after the tool {point.name} in {node}"
        case "node":
            return f"stops after {node}"
