"""Motions: how a run is to move, and at which gates that makes it stop."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from hookstepper.model.gates import Phase, Site
from hookstepper.model.ids import NodeId, TaskId

MotionKind = Literal["run", "step", "into", "out", "to", "superstep", "turn"]


@dataclass(frozen=True, slots=True)
class Motion:
    """A wish of how far to go. `run` never stops by itself."""

    kind: MotionKind = "run"
    depth: int = 0
    """Deepest nesting at which a step over stops: that of the node it began at."""
    node: NodeId | None = None
    """Where `to` and `turn` end; the node whose frame `out` leaves."""
    superstep: int = -1
    """Superstep at which the motion began."""
    task: TaskId | None = None
    fresh: bool = False
    """True until the first gate has been passed: the gate that the run begins at does not count."""

    @property
    def command(self) -> str:
        """Id of the command that makes this motion."""
        return f"run.{ {'run': 'continue', 'step': 'next'}.get(self.kind, self.kind) }"

    def may_stop(self, site: Site, phase: Phase) -> bool:
        """False if this motion never stops at such a gate; cheap, for the silent path."""
        if self.kind == "run":
            return False
        if self.kind == "into":
            return True
        return site.kind == "node" and phase == "enter"

    def arrived(self, site: Site, phase: Phase, superstep: int) -> bool:
        """True if the motion is complete at this gate."""
        if not self.may_stop(site, phase) or self.fresh:
            return False
        match self.kind:
            case "into":
                # The exit of a node shows its update; its enter was the stop before. Layer, model and
                # tool gates stop on both sides, so that what went in and what came out is seen.
                return not (site.kind == "node" and phase == "exit")
            case "step":
                return site.depth <= self.depth
            case "out":
                return site.depth < self.depth or (self.depth == 0 and site.depth == 0)
            case "to" | "turn":
                return site.node == self.node
            case "superstep":
                return superstep > self.superstep
        return False

    def begun(self) -> Motion:
        """The same motion after its first gate."""
        return replace(self, fresh=False) if self.fresh else self


RUN = Motion()
