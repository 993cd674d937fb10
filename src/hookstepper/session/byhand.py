"""What a person decided for nodes that have not run yet, and how to take it back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hookstepper.model.ids import Json, NodeId, TaskId
from hookstepper.ports.verdict import Fulfil, Patch, Point, Verdict
from hookstepper.session.effects import Run
from hookstepper.session.mocking import Typed


@dataclass(frozen=True, slots=True)
class Undoable:
    """One thing done by hand; `back` is the run that takes it back, None if nothing has run for it."""

    what: str
    back: Run | None = None


class ByHand:
    """Pending jumps and skips by node, marks by task, and the stack of what can be taken back.

    The mappings are replaced and never changed in place, since `concerns` is called without a lock.
    """

    def __init__(self) -> None:
        self._jumps: Mapping[NodeId, str] = {}
        self._skips: Mapping[NodeId, Json] = {}
        self._marks: dict[TaskId, list[str]] = {}
        self.undo: list[Undoable] = []

    def concerns(self, node: NodeId) -> bool:
        """True if something was decided for the node."""
        return node in self._jumps or node in self._skips

    def set_jump(self, node: NodeId, word: str) -> None:
        """Put `jump_to` into what the node returns; an empty word takes it back."""
        rest = {name: jump for name, jump in self._jumps.items() if name != node}
        self._jumps = {**rest, node: word} if word else rest

    def set_skip(self, node: NodeId, update: Json) -> None:
        """Do not run the node; `update` is what it is taken to have returned."""
        self._skips = {**self._skips, node: update}

    def mark(self, task: TaskId, what: str) -> None:
        """Note what a person did to a task, for its step in the record."""
        self._marks.setdefault(task, []).append(what)

    def marks(self, task: TaskId) -> tuple[str, ...]:
        """What was noted of a task; forgotten once given."""
        return tuple(self._marks.pop(task, ()))

    def forget(self) -> None:
        """The run is over: nothing is pending any more."""
        self._jumps = {}
        self._skips = {}

    def verdict(self, point: Point) -> Verdict | None:
        """The verdict that was decided beforehand for this arrival, if any; it is used up."""
        node = point.site.node
        if point.site.kind != "node" or not self.concerns(node):
            return None
        if point.phase == "enter" and node in self._skips:
            update = self._skips[node]
            self._skips = {name: value for name, value in self._skips.items() if name != node}
            self.mark(point.task, "skipped")
            return Fulfil(Typed(update))
        if point.phase == "exit" and node in self._jumps and point.error is None:
            word = self._jumps[node]
            self.set_jump(node, "")
            self.mark(point.task, f"jump {word}")
            update_now = dict(point.value) if isinstance(point.value, Mapping) else {}
            # None reads as absent under every strategy, so it clears a jump that is left over.
            return Patch({**update_now, "jump_to": None if word == "clear" else word})
        return None
