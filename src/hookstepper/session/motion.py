"""Motions: how a run is to move, and at which gates that makes it stop."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from hookstepper.model.gates import Phase, Site
from hookstepper.model.ids import NodeId

MotionKind = Literal["run", "step", "into", "out", "to", "superstep", "turn"]


@dataclass(frozen=True, slots=True)
class Motion:
    """A wish of how far to go. `run` never stops by itself."""

    kind: MotionKind = "run"
    depth: int = 0
    """Deepest nesting at which `step` and `out` stop."""
    node: NodeId | None = None
    """Where `to` and `turn` end; for `out` of a ring or call, the node that it is in."""
    inside: frozenset[NodeId] = frozenset()
    """Nodes of the frame that `out` leaves: it does not stop at them."""
    ring: int = -1
    """For `out` of a ring or call: its depth; it stops at the exit of the next ring outside."""
    begun_at: NodeId | None = None
    """The node at which a person began it; None if it goes on by itself after a change by hand."""
    superstep: int = -1
    """Superstep at which the motion began."""
    line: str = ""
    """For lines of the program's own code: `into`, `over` or `out`; where no line follows, a node does."""
    fresh: bool = False
    """True until the first gate has been passed: the gate that the run begins at does not count."""

    @property
    def command(self) -> str:
        """Id of the command that makes this motion."""
        if self.line:
            return f"line.{self.line}"
        return f"run.{ {'run': 'continue', 'step': 'next'}.get(self.kind, self.kind) }"

    def may_stop(self, site: Site, phase: Phase) -> bool:
        """False if this motion never stops at such a gate; cheap, for the silent path."""
        if self.kind == "run":
            return False
        if self.kind == "into":
            return True
        if site.kind == "node":
            return phase == "enter"
        return self.ring >= 0 and site.kind == "layer" and phase == "exit"

    def arrived(self, site: Site, phase: Phase, superstep: int) -> bool:
        """True if the motion is complete at this gate."""
        if not self.may_stop(site, phase) or self.fresh:
            return False
        match self.kind:
            case "into":
                # A node's own exit is passed: its update shows at the stop after it. Layers and calls
                # stop on both sides, so that what went in and what came out is seen.
                return not (site.kind == "node" and phase == "exit")
            case "step":
                return site.depth <= self.depth
            case "out" if site.kind == "layer":
                return site.node == self.node and site.ring < self.ring
            case "out":
                return site.depth <= self.depth and site.node not in self.inside
            case "to" | "turn":
                return site.node == self.node
            case "superstep":
                return superstep > self.superstep
        return False

    def begun(self) -> Motion:
        """The same motion after its first gate."""
        return replace(self, fresh=False) if self.fresh else self


RUN = Motion()
