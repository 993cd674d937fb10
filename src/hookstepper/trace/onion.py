"""The onion: the hooks around the model or the agent in one turn, what each received and passed on.

Rings are listed outermost first. A hook that runs before and after is one ring with two sides.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from hookstepper.model.graph import Graph, Node, NodeKind
from hookstepper.model.ids import Json, NodeId
from hookstepper.model.record import Delta, LayerRecord, StepDone
from hookstepper.trace.messages import CallAsked, calls_of, messages_in, new_messages, role_of, text_of
from hookstepper.trace.textdiff import TextChange, text_diff
from hookstepper.trace.turns import Turn

if TYPE_CHECKING:
    from hookstepper.trace.trace import Trace

Ring = Literal["agent", "model", "tool"]
SideStatus = Literal["none", "waiting", "running", "ran", "skipped", "failed", "not_run"]
"""none: the hook has no node on this side. waiting: its turn may still come. not_run: the turn is over."""

_SIDES: dict[Ring, tuple[NodeKind, NodeKind]] = {
    "agent": ("before_agent", "after_agent"),
    "model": ("before_model", "after_model"),
}


@dataclass(frozen=True, slots=True)
class OnionSide:
    """One side of a ring: a hook's node on the way in or on the way out."""

    status: SideStatus = "none"
    node: NodeId | None = None
    place: int = 0
    """Its place among the nodes of this side as compiled, from 1; 0 if there is no node."""
    step: int | None = None
    """Index of the step that ran it in this turn."""
    skipped_by: int | None = None
    """Index of the step that jumped over it."""
    delta: Delta = ()
    messages_in: int = 0
    messages_out: int = 0
    received: str = ""
    """Text of the newest assistant message as this node found it; empty on the way in."""
    passed_on: str = ""
    changes: tuple[TextChange, ...] = ()
    """How it changed that text; empty if it did not."""
    writes: tuple[str, ...] = ()
    error: str = ""
    sees_raw: bool | None = None
    """On the way out: True if it found what the model had answered; None if it has not run."""
    sees_after: tuple[NodeId, ...] = ()
    """Nodes that had changed the answer before this one found it."""


@dataclass(frozen=True, slots=True)
class OnionLayer:
    """One ring."""

    owner: str
    """The hook's name."""
    index: int | None
    """Place in which it was registered, from 0."""
    way_in: OnionSide
    way_out: OnionSide


@dataclass(frozen=True, slots=True)
class OnionCore:
    """What the rings are around: the model call, the agent's loop, or the tools."""

    nodes: tuple[NodeId, ...] = ()
    steps: tuple[int, ...] = ()
    running: bool = False
    raw: str = ""
    """Text of the model's answer before any hook has seen it."""
    calls: tuple[CallAsked, ...] = ()
    layers: tuple[LayerRecord, ...] = ()
    """What the interceptors of the calls saw, in the order in which they passed."""


@dataclass(frozen=True, slots=True)
class OnionView:
    """All rings of one kind in one turn."""

    ring: Ring
    turn: int
    layers: tuple[OnionLayer, ...]
    core: OnionCore
    in_progress: NodeId | None = None
    """The node of this onion that is running or runs next, None if none is."""


def onion_view(trace: Trace, turn: int, ring: Ring, upto: int | None) -> OnionView:
    """The onion of a turn; empty layers where the graph has no hooks of that kind."""
    graph = trace.graph
    if graph is None:
        return OnionView(ring, turn, (), OnionCore())
    branch = trace.branch if upto is None else trace.branch_of(upto)
    all_turns = trace.turns_of(branch)
    newest = all_turns[-1].steps[-1] if all_turns else -1
    end = newest if upto is None else min(upto, newest)
    steps = [trace.steps[index] for index in _steps_of(all_turns, turn, ring) if index <= end]
    scene = _Scene(trace, graph, ring, steps, _over(trace, end, turn, ring))
    return scene.view(turn, live=upto is None)


def _steps_of(turns: tuple[Turn, ...], turn: int, ring: Ring) -> list[int]:
    """The steps that belong to the onion: of the turn, or for the agent's ring of the turn's whole run."""
    mine = [one for one in turns if one.number == turn]
    if ring == "agent" and turns:
        run = (mine or turns)[-1].run
        mine = [one for one in turns if one.run == run]
    return [index for one in mine for index in one.steps]


def _over(trace: Trace, end: int, turn: int, ring: Ring) -> bool:
    """True if nothing of the onion can still run after the step `end`."""
    newest = trace.place(end)
    if newest is None:
        return False
    later = newest.count > turn or (newest.kind == "end" and ring != "agent")
    ended = trace.ended is not None and trace.ended.status != "interrupted"
    return later or (ended and end == trace.last)


class _Scene:
    """One onion while it is put together."""

    def __init__(self, trace: Trace, graph: Graph, ring: Ring, steps: list[StepDone], over: bool) -> None:
        self.trace, self.graph, self.ring, self.steps, self.over = trace, graph, ring, steps, over
        self.by_node = {step.site.node: step for step in steps}
        self.skipped = {node: step.index for step in steps for node in step.skipped}
        self.running = {entered.site.node for entered in trace.live.values()}
        self.core = self._core()

    def view(self, turn: int, *, live: bool) -> OnionView:
        if not live:
            self.running = set()
        kinds = _SIDES.get(self.ring)
        layers = self._layers(*kinds) if kinds is not None else ()
        names = {side.node for layer in layers for side in (layer.way_in, layer.way_out)}
        now = next((node for node in self.running if node in names or node in self.core.nodes), None)
        core = replace(self.core, running=now in self.core.nodes if now is not None else False)
        return OnionView(self.ring, turn, layers, core, now)

    def _core(self) -> OnionCore:
        kind = "tool" if self.ring == "tool" else "model"
        nodes = tuple(node.id for node in self.graph.nodes if node.kind == kind and node.parent is None)
        mine = [step for step in self.steps if step.site.node in nodes]
        raw, calls = "", ()
        for step in mine:
            for _, message in new_messages(step.delta):
                if role_of(message) == "assistant":
                    raw, calls = text_of(message), calls_of(message)  # type: ignore[assignment]
        layers = tuple(layer for step in mine for layer in step.layers)
        return OnionCore(nodes, tuple(step.index for step in mine), False, raw, calls, layers)

    def _layers(self, into: NodeKind, out: NodeKind) -> tuple[OnionLayer, ...]:
        top = [node for node in self.graph.nodes if node.parent is None and node.kind in (into, out)]
        before = _in_order([node for node in top if node.kind == into], reverse=False)
        after = _in_order([node for node in top if node.kind == out], reverse=True)
        owners = {_owner(node): node for node in reversed(top)}
        rings = sorted(owners, key=lambda owner: (owners[owner].order, _registered(owners[owner])))
        left = self._answers(after)
        return tuple(
            OnionLayer(
                owner,
                owners[owner].index,
                self._side(next((node for node in before if _owner(node) == owner), None), before, None),
                self._side(next((node for node in after if _owner(node) == owner), None), after, left),
            )
            for owner in rings
        )

    def _answers(self, after: list[Node]) -> dict[NodeId, tuple[NodeId, ...]]:
        """For each node of the way out, those that had changed the answer before it ran."""
        out: dict[NodeId, tuple[NodeId, ...]] = {}
        changed: list[NodeId] = []
        nodes = {node.id for node in after}
        for step in self.steps:
            if step.site.node in nodes:
                out[step.site.node] = tuple(changed)
                if _answer(self.trace.before(step.index)) != _answer(self.trace.after(step.index)):
                    changed.append(step.site.node)
        return out

    def _side(
        self, node: Node | None, side: list[Node], left: dict[NodeId, tuple[NodeId, ...]] | None
    ) -> OnionSide:
        if node is None:
            return OnionSide()
        place = side.index(node) + 1
        step = self.by_node.get(node.id)
        if step is None:
            by = self.skipped.get(node.id)
            status: SideStatus = "skipped" if by is not None else "not_run" if self.over else "waiting"
            if node.id in self.running:
                status = "running"
            return OnionSide(status, node.id, place, skipped_by=by)
        before, after = self.trace.before(step.index), self.trace.after(step.index)
        was, now = (_answer(before)[0], _answer(after)[0]) if left is not None else ("", "")
        return OnionSide(
            "running" if node.id in self.running else "failed" if step.error else "ran",
            node.id,
            place,
            step.index,
            None,
            step.delta,
            len(messages_in(before)),
            len(messages_in(after)),
            was,
            now,
            text_diff(was, now) if was != now else (),
            step.writes,
            step.error,
            None if left is None else not left.get(node.id),
            () if left is None else left.get(node.id, ()),
        )


def _answer(state: Json) -> tuple[str, tuple[CallAsked, ...]]:
    """Text and calls of the newest assistant message: what the hooks on the way out are about."""
    for message in reversed(messages_in(state)):
        if role_of(message) == "assistant":
            return text_of(message), calls_of(message)
    return "", ()


def _owner(node: Node) -> str:
    return node.owner or node.label


def _registered(node: Node) -> int:
    return node.index if node.index is not None else -1


def _in_order(nodes: list[Node], *, reverse: bool) -> list[Node]:
    """Nodes of one side in the order in which they are compiled to run: by order, then as registered."""
    ordered = sorted(nodes, key=lambda node: (node.order, _registered(node)))
    return ordered[::-1] if reverse else ordered
