"""What each hook saw and passed on in one turn, with how far the run has come: the facts of the Onion tab.

The trace knows what ran; the stop of the view knows what runs next or waits for a person.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hookstepper.client.view import View
from hookstepper.model.graph import HOOK_KINDS, Graph, Node, Ring
from hookstepper.model.ids import Json, NodeId
from hookstepper.model.record import LayerRecord, StepDone
from hookstepper.trace.messages import messages_in, role_of
from hookstepper.trace.onion import OnionSide
from hookstepper.tui.rows.messages import Message, read_message
from hookstepper.tui.rows.textdiff import TextChange, text_changes

RingName = Literal["agent", "model", "tool"]
RINGS: tuple[RingName, ...] = ("agent", "model", "tool")

Progress = Literal["none", "waiting", "next", "running", "done", "skipped", "failed"]
"""none: the hook has no node there. waiting: not reached, or never to be reached in this turn."""


@dataclass(frozen=True, slots=True)
class Side:
    """One node of a hook in one turn."""

    node: Node | None = None
    progress: Progress = "none"
    step: StepDone | None = None
    place: int = 0
    """Place among the nodes of its side, in the order of execution, from 1."""
    skipped_by: StepDone | None = None
    saw: Message | None = None
    """The answer of the model as it came to an after-hook."""
    passed: Message | None = None
    """The same as it went on."""
    changes: tuple[TextChange, ...] = ()
    after: tuple[str, ...] = ()
    """Hooks that had changed the answer before this one saw it."""

    @property
    def changed_answer(self) -> bool:
        """True if the answer went on in another form than it came."""
        return self.saw is not None and self.passed is not None and self.saw != self.passed


@dataclass(frozen=True, slots=True)
class Layer:
    """One hook as a ring."""

    owner: str
    way_in: Side
    way_out: Side

    @property
    def busy(self) -> bool:
        """True if a node of this ring runs or runs next."""
        return {self.way_in.progress, self.way_out.progress} & {"next", "running"} != set()


@dataclass(frozen=True, slots=True)
class Core:
    """What all rings are around: the model, the tools, or, for the agent, the turns."""

    node: Node | None
    step: StepDone | None
    progress: Progress
    raw: Message | None = None
    """The answer as the model gave it."""
    rings: tuple[Ring, ...] = ()
    """Interceptors, outermost first."""
    records: tuple[LayerRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class Onion:
    """One ring's layers in one turn, outermost first."""

    ring: RingName
    layers: tuple[Layer, ...]
    core: Core
    order: tuple[StepDone, ...]
    """The steps that belong to this onion, as they ran."""
    turn: int
    turns: int


def onion_of(view: View, ring: RingName, turn: int) -> Onion | None:
    """The onion of one turn up to the step in view; None if the graph is not known.

    Args:
        turn: number of the turn, from 1; the agent's rings belong to the run that holds it.
    """
    if view.graph is None:
        return None
    found = view.trace.onion(turn, ring, view.at if view.looking_back else None)
    here = _Here(view, view.graph, turn)
    layers = tuple(
        Layer(
            each.owner,
            here.side(each.way_in, answers=False),
            here.side(each.way_out, answers=ring == "model"),
        )
        for each in found.layers
    )
    core = here.core(ring, found.core.nodes, found.core.steps, found.core.layers)
    steps = {
        side.step.index: side.step for layer in layers for side in (layer.way_in, layer.way_out) if side.step
    }
    for index in found.core.steps if ring != "agent" else ():
        steps[index] = view.trace.steps[index]
    order = tuple(steps[index] for index in sorted(steps))
    return Onion(ring, layers, core, order, turn, turns_begun(view))


def turns_begun(view: View) -> int:
    """How many turns have begun on the live line."""
    last = next((each.last for each in view.trace.branches if each.id == view.trace.branch), -1)
    place = view.trace.place(last)
    return place.count if place is not None else 0


def turn_in_view(view: View) -> int:
    """Number of the turn that the step in view belongs to, of the one that begins with ▶; at least 1."""
    graph = view.graph
    if not view.looking_back and graph is not None and graph.anchors.loop_entry in view.next_nodes:
        return turns_begun(view) + 1
    place = view.trace.place(view.at)
    return max(1, place.count if place is not None else 1)


def ring_in_view(view: View) -> RingName:
    """The ring that what runs next, or else the step in view, belongs to."""
    if view.graph is None:
        return "model"
    node_id = view.next_nodes[0] if view.next_nodes else None
    if node_id is None and 0 <= view.at < len(view.trace.steps):
        node_id = view.trace.steps[view.at].site.node
    node = view.graph.node(node_id) if node_id is not None else None
    if node is None:
        return "model"
    if node.kind in ("before_agent", "after_agent"):
        return "agent"
    return "tool" if node.kind == "tool" and node.rings else "model"


@dataclass(frozen=True, slots=True)
class _Here:
    """Where the run stands, for one onion."""

    view: View
    graph: Graph
    turn: int

    def side(self, found: OnionSide, *, answers: bool) -> Side:
        node = self.graph.node(found.node) if found.node is not None else None
        if node is None:
            return Side()
        steps = self.view.trace.steps
        step = steps[found.step] if found.step is not None else None
        skipper = steps[found.skipped_by] if found.skipped_by is not None else None
        saw = passed = None
        if answers and step is not None:
            saw = newest_answer(self.view.trace.before(step.index))
            passed = newest_answer(self.view.trace.after(step.index))
        changes = text_changes(saw.text, passed.text) if saw is not None and passed is not None else ()
        after = tuple(self._owner(each) for each in found.sees_after)
        return Side(
            node,
            self.progress(node.id, step, skipper),
            step,
            found.place,
            skipper,
            saw,
            passed,
            changes,
            after,
        )

    def _owner(self, node_id: NodeId) -> str:
        node = self.graph.node(node_id)
        return (node.owner or node.label) if node is not None else str(node_id)

    def progress(self, node_id: NodeId, step: StepDone | None, skipper: StepDone | None) -> Progress:
        """How far a node has come in this turn."""
        view = self.view
        live = not view.looking_back and self.turn == turn_in_view(view)
        if live and view.phase == "failed" and view.failed_at == node_id:
            return "failed"
        if live and any(entered.site.node == node_id for entered in view.live):
            return "running"
        if step is not None:
            return "failed" if step.error else "done"
        if live and node_id in view.next_nodes:
            return "next"
        return "skipped" if skipper is not None else "waiting"

    def core(
        self,
        ring: RingName,
        nodes: tuple[NodeId, ...],
        steps: tuple[int, ...],
        records: tuple[LayerRecord, ...],
    ) -> Core:
        node = self.graph.node(nodes[0]) if nodes else None
        if ring == "agent" or node is None:
            return Core(None, None, "none")
        step = self.view.trace.steps[steps[-1]] if steps else None
        raw = (
            newest_answer(self.view.trace.after(step.index)) if step is not None and ring == "model" else None
        )
        return Core(node, step, self.progress(node.id, step, None), raw, node.rings, records)


def newest_answer(state: Json) -> Message | None:
    """The newest assistant message that a state holds."""
    for value in reversed(messages_in(state)):
        if role_of(value) == "assistant":
            return read_message(value)
    return None


def has_hooks(graph: Graph) -> bool:
    """True if anything in the graph is a hook."""
    return any(node.kind in HOOK_KINDS for node in graph.nodes)
