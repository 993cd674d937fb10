"""Which arrivals at gates become stops, and which tasks are held."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from hookstepper.model.gates import AskCall, Phase, Reason, Site, Stop, Unfinished
from hookstepper.model.ids import Json, StopId
from hookstepper.ports.verdict import Abort, Point, Proceed, Verdict
from hookstepper.session.breaks import BreakSet, Names
from hookstepper.session.effects import Release
from hookstepper.session.motion import RUN, Motion
from hookstepper.values.step_facts import call_key

GUARD = 1_000
"""Steps of one run after which the session asks instead of going on; engines have no such limit."""

_NEVER = 1 << 62


@dataclass(frozen=True, slots=True)
class Held:
    """One task that is parked at a gate."""

    stop: Stop
    point: Point


class Holding:
    """Motion, breakpoints, pause and guard, and the tasks that they hold."""

    def __init__(self, guard: int = GUARD) -> None:
        self.breaks = BreakSet()
        self.motion = RUN
        self.pausing = False
        self.aborting = False
        self.unfinished: Motion | None = None
        """A step that another stop has overtaken, until it is finished or passed by."""
        self.due: list[tuple[Reason, str]] = []
        """Reasons and details with which the next node is held, whatever else holds there."""
        self.here: list[tuple[Reason, str]] = []
        """The same for the gate that a task is at now, of whatever kind."""
        self.refused: dict[tuple[str, str], str] = {}
        """Ids of tool calls that a person rejected or answered, by tool and arguments: if one runs all the
        same, that is a stop. By arguments, since not every engine tells the id where the tool runs."""
        self._guard = guard
        self._guard_at = guard
        self._held: dict[StopId, Held] = {}
        self._stops = 0

    # ------------------------------------------------------------------ gates

    def wants(self, site: Site, phase: Phase, run_steps: int) -> bool:
        """True if `arrived` may hold a task here; takes no lock."""
        if self.pausing or self.aborting or self.due:
            return True
        if run_steps >= self._guard_at and site.kind == "node" and phase == "enter":
            return True
        if self.refused and site.kind == "tool" and phase == "enter":
            return True
        if self.breaks.on_errors and phase == "exit" and site.kind in ("node", "tool", "model"):
            return True
        return self.motion.may_stop(site, phase) or bool(self.breaks.at(site, phase))

    def arrived(self, point: Point, names: Names, run_steps: int) -> Stop | None:
        """The stop that holds the task, or None if it may go on."""
        reasons, detail = self._reasons(point, names, run_steps)
        motion, self.motion = self.motion, self.motion.begun()
        if not reasons:
            return None
        self._overtake(motion, point, reasons)
        if motion.kind not in ("run", "into"):
            # One motion makes one stop; siblings on their way are held at their next node.
            self.motion = replace(motion, kind="step", depth=point.site.depth, begun_at=None)
        self._stops += 1
        stop = Stop(
            id=StopId(self._stops),
            epoch=self._stops,
            posture="held",
            reasons=reasons,
            acts=point.acts | {"abort"},
            site=point.site,
            phase=point.phase,
            task=point.task,
            superstep=point.superstep,
            next=(point.site.node,),
            detail=detail,
            unfinished=self._told_unfinished(),
        )
        self._held[stop.id] = Held(stop, point)
        return stop

    def _overtake(self, motion: Motion, point: Point, reasons: tuple[Reason, ...]) -> None:
        """Keep a step that does not end at this stop; let go of one that does."""
        old = self.unfinished
        if old is not None and old.arrived(point.site, point.phase, point.superstep):
            self.unfinished = None
        if "step" not in reasons and motion.begun_at is not None and motion.kind not in ("run", "into"):
            self.unfinished = motion

    def _told_unfinished(self) -> Unfinished | None:
        motion = self.unfinished
        if motion is None or motion.begun_at is None:
            return None
        ends_at = motion.node if motion.kind in ("to", "turn") else None
        return Unfinished(motion.command, ends_at or motion.begun_at)

    def _reasons(self, point: Point, names: Names, run_steps: int) -> tuple[tuple[Reason, ...], str]:
        reasons: list[Reason] = [reason for reason, _ in self.here]
        details: list[str] = [detail for _, detail in self.here]
        self.here = []
        at_node = point.site.kind == "node" and point.phase == "enter"
        if at_node:
            for reason, detail in self.due:
                reasons.append(reason)
                details.append(detail)
            self.due = []
        failed = point.error is not None and point.phase == "exit"
        for hit in self.breaks.reached(point.site, point.phase, names, failed=failed):
            reasons.append("exception" if hit.breakpoint.on == "exception" else "breakpoint")
            details.append(str(hit))
        if self.refused and point.site.kind == "tool" and point.phase == "enter":
            call_id = self.refused.get(call_key(point.site.name, names().get("args")))
            if call_id is not None:
                reasons.append("breakpoint")
                details.append(
                    f"{point.site.name} is about to run, though a person refused the call {call_id}"
                )
        if self.motion.arrived(point.site, point.phase, point.superstep):
            reasons.append("step")
        if self.pausing and (at_node or point.site.kind in ("model", "tool")):
            self.pausing = False
            reasons.append("pause")
        if at_node and run_steps >= self._guard_at:
            self._guard_at = run_steps + self._guard
            reasons.append("limit")
            details.append(f"{run_steps:,} steps")
        return tuple(dict.fromkeys(reasons)), ", ".join(filter(None, details))

    # ------------------------------------------------------------------ held tasks

    @property
    def current(self) -> Held | None:
        """The held task that commands mean: the one that stopped last."""
        return next(reversed(self._held.values()), None) if self._held else None

    @property
    def all(self) -> tuple[Held, ...]:
        """All held tasks, in the order in which they stopped."""
        return tuple(self._held.values())

    def rest(self) -> StopId:
        """The run came to rest: no task is held any more; gives the number of the resting stop."""
        self._held.clear()
        self.unfinished = None
        self.pausing = self.aborting = False
        self._stops += 1
        return StopId(self._stops)

    def amend(self, stop: Stop) -> None:
        """Replace what is told of a stop that stands."""
        self._held[stop.id] = Held(stop, self._held[stop.id].point)

    def release(self, held: Held, verdict: Verdict) -> Release:
        """Let one task go."""
        del self._held[held.stop.id]
        how = self.motion.command if isinstance(verdict, Proceed) else type(verdict).__name__.lower()
        return Release(held.stop.id, verdict, how)

    def abort_all(self) -> tuple[Release, ...]:
        """Let all held tasks leave the run; those that move leave at their next gate."""
        self.aborting = True
        return tuple(self.release(held, Abort()) for held in self.all)

    def decided(self, call: AskCall, decision: Mapping[str, Json]) -> None:
        """A person decided about a tool call: note whether it must not run now, or may again."""
        key = call_key(call.tool, decision.get("args", call.arguments))
        if decision["type"] in ("reject", "respond"):
            self.refused[key] = call.id
        else:
            self.refused.pop(key, None)

    def guard(self, steps: int, run_steps: int) -> None:
        """Hold a run after so many steps and each time after as many more; 0 never does."""
        self._guard = steps or _NEVER
        self._guard_at = self._guard * (run_steps // self._guard + 1)

    def new_run(self) -> None:
        """A new run starts: its steps are counted from the start."""
        self._guard_at = self._guard
        self.refused.clear()
        self.breaks.new_run()
