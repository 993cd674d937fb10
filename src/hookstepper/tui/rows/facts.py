"""Small facts of a view that several rows name: labels, strategies, times, who acts."""

from __future__ import annotations

from typing import Literal

from hookstepper.client.view import View
from hookstepper.model.graph import HOOK_KINDS, Node, NodeKind, SourcePlace
from hookstepper.model.ids import END, START, Json, NodeId
from hookstepper.model.record import StepDone
from hookstepper.tui.rows.lines import shown
from hookstepper.tui.words import tr, tr_as

Lane = Literal["framework", "model", "tool", "human"]
LANES: tuple[Lane, ...] = ("framework", "model", "tool", "human")

POSITIONS: dict[NodeKind, str] = {
    "before_agent": "before agent",
    "before_model": "before model",
    "after_model": "after model",
    "after_agent": "after agent",
}


def step_in_view(view: View) -> StepDone | None:
    """The step that the screen stands on: the last one, or the one looked back at; None before the first."""
    at = view.at
    return view.trace.steps[at] if 0 <= at < len(view.trace.steps) else None


def scope_in_view(view: View) -> NodeId | None:
    """The subgraph whose own state the step in view wrote; None for the outermost graph."""
    step = step_in_view(view)
    return step.scope if step is not None else None


def state_in_view(view: View) -> Json:
    """The state after the step in view, of the graph that the step belongs to."""
    return view.trace.state(view.at, scope_in_view(view))


def node_of(view: View, node_id: NodeId) -> Node | None:
    """The node in the graph, None if the graph is not known or does not have it."""
    return view.graph.node(node_id) if view.graph is not None else None


def label(view: View, node_id: NodeId) -> str:
    """What the picture writes on the node; nested nodes keep their path."""
    if node_id == END:
        return "END"
    if node_id == START:
        return "START"
    node = node_of(view, node_id)
    return shown(node.label if node is not None and node.label else node_id, 200)


def short_label(view: View, node_id: NodeId) -> str:
    """The hook's own name where the node is a hook, else its label."""
    node = node_of(view, node_id)
    if node is not None and node.kind in HOOK_KINDS and node.owner:
        return shown(node.owner, 100)
    return label(view, node_id)


def strategy(view: View, key: str) -> str:
    """How updates reach a state key: `append`, `replace`, …; empty if the graph does not say."""
    if view.graph is None:
        return ""
    known = next((each.strategy for each in view.graph.keys if each.name == key), "")
    # The built-in engine replaces what nothing is declared for; of other engines that is not known.
    return known or ("replace" if view.graph.rules else "")


def lane_of(kind: NodeKind) -> Lane:
    """Who acts in a node of that kind."""
    if kind == "model":
        return "model"
    if kind == "tool":
        return "tool"
    return "framework"


def seconds(duration_us: int, *, long: bool = False) -> str:
    """A duration in few characters: `0.8 s` or `0.8s`, `41s`, `3m`; empty below a twentieth of a second."""
    gap = " " if long else ""
    spent = duration_us / 1_000_000
    if spent < 0.05:
        return ""
    if spent < 9.95:
        return f"{spent:.1f}{gap}" + tr_as("unit", "s")
    if spent < 99.5:
        return f"{spent:.0f}{gap}" + tr_as("unit", "s")
    if spent < 5970:
        return f"{spent / 60:.0f}{gap}" + tr_as("unit", "m")
    return f"{spent / 3600:.0f}{gap}" + tr_as("unit", "h")


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `3rd`, `4th`, …; the plain number in Chinese sentences is put there by the table."""
    if tr("1st") != "1st":
        return tr("{n}th", n=number)
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def place_text(place: SourcePlace | None) -> str:
    """`weather.py:58 Safety.after_model`; empty if there is no place."""
    if place is None or not place.file:
        return ""
    file = place.file.replace("\\", "/").rsplit("/", 1)[-1]
    where = file if place.line is None else f"{file}:{place.line}"
    return shown(f"{where} {place.function}".strip(), 300)


def is_hook(node: Node | None) -> bool:
    """True if the node is a hook at one of its positions."""
    return node is not None and node.kind in HOOK_KINDS


def by_hand_text(mark: str) -> str:
    """One mark of what a person did to a step, in words: `jump end`, `approved`, …"""
    return tr(mark)
