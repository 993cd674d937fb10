"""The course of a session: which run is alive, where its thread stands, and what takes its place."""

from __future__ import annotations

from dataclasses import replace

from hookstepper.model.errors import NotPossibleError
from hookstepper.model.events import PersonActed, RunEnded
from hookstepper.model.gates import Phase, Reason, Stop
from hookstepper.model.graph import Graph
from hookstepper.model.ids import CheckpointId, NodeId, TaskId, scope_of
from hookstepper.ports.target import Entry, Outcome, Resume, Start
from hookstepper.session.breaks import Names, unknown_node
from hookstepper.session.byhand import ByHand
from hookstepper.session.effects import Announce, Effect, Publish, Run
from hookstepper.session.holding import GUARD, Held, Holding
from hookstepper.session.mocking import Mocks, Replay
from hookstepper.session.motion import Motion
from hookstepper.session.position import Position
from hookstepper.session.rest import reasons_of, resting_stop

AGAIN = Motion("step", fresh=True)
"""Run the first node, then stop: for what goes on by itself after a change by hand."""

First = tuple[Reason, str] | None
"""Why the first node of a run is held, and a detail; None lets it go."""


class Course:
    """What moving and acting share. Owned by one `DebugSession`, used under its lock."""

    def __init__(self, guard: int = GUARD) -> None:
        self.graph: Graph | None = None
        self.capabilities: frozenset[str] = frozenset()
        self.holding = Holding(guard)
        self.by_hand = ByHand()
        self.at = Position()
        self.mocks = Mocks()
        self.replay = Replay()
        """Answers of the record for the run that is alive; the host fills it for a fork."""
        self.muted: frozenset[tuple[Phase, str]] = frozenset()
        """Places where the graph itself stops and a person does not want it to."""
        self.ask: frozenset[str] = frozenset()
        """Tools before whose real calls the run is held."""
        self.resting: Stop | None = None
        """The stop of a run at rest; None while one is alive, and before the first."""
        self.running = False
        self._after_abort: Run | None = None

    # ------------------------------------------------------------------ runs

    def go(self, entry: Entry, motion: Motion, first: First = None) -> Run:
        """A run on the current branch, with how it is to move."""
        self.holding.motion = motion
        self._hold_first(first)
        return self._begin(Run(entry, self.at.branch))

    def instead(self, run: Run, first: First) -> tuple[Effect, ...]:
        """Leave the run that is alive, if one is, and begin another in its place."""
        self.holding.motion = AGAIN
        if not self.running:
            self._hold_first(first)
            return (self._begin(run),)
        self._after_abort = run
        effects = self.holding.abort_all()
        self._hold_first(first)
        return effects

    def leave(self) -> tuple[Effect, ...]:
        """Leave the run that is alive, for nothing else."""
        self._after_abort = None
        return self.holding.abort_all()

    def ended(self, outcome: Outcome, names: Names) -> tuple[Effect, ...]:
        """The run came to rest; what was to take its place begins now."""
        self.running = False
        pausing = self.holding.pausing
        stop_id = self.holding.rest()
        if outcome.checkpoint is not None:
            self.at.checkpoint = outcome.checkpoint
        follow, self._after_abort = self._after_abort, None
        if follow is not None and outcome.status == "aborted":
            return (self._begin(follow),)
        if self._passes(outcome):
            # The motion goes on as it was: nobody has noticed a stop.
            self.holding.pausing = pausing
            return (self._begin(Run(Resume({ask.id: None for ask in outcome.asks}), self.at.branch)),)
        due = [each for each in self.holding.due if each[0] in ("breakpoint", "watch")]
        self._hold_first(None)
        self.by_hand.forget()
        reasons, details = reasons_of(outcome), [outcome.detail] if outcome.detail else []
        if outcome.status != "aborted":
            # What the last step did is told here, since no node follows at which the run is held.
            reasons = tuple(dict.fromkeys((*reasons, *(reason for reason, _ in due))))
            details += [detail for _, detail in due]
        if outcome.asks:
            hits = self.holding.breaks.asked(names)
            reasons = tuple(dict.fromkeys((*reasons, "breakpoint"))) if hits else reasons
            details += [str(hit) for hit in hits]
        stop = resting_stop(stop_id, outcome, reasons, self.capabilities)
        self.resting = replace(stop, detail=", ".join(details))
        ended = RunEnded(
            outcome.status,
            self.at.branch,
            outcome.checkpoint,
            self.at.run_steps,
            failed_at=outcome.failed_at,
        )
        return (Publish(ended), Announce(self.resting))

    def _passes(self, outcome: Outcome) -> bool:
        """True if the run rests only because the graph was compiled to stop there, and that is muted."""
        stops = [stop for ask in outcome.asks for stop in ask.stops]
        return bool(stops) and all(ask.stops for ask in outcome.asks) and self.muted.issuperset(stops)

    def _begin(self, run: Run) -> Run:
        self.running = True
        self.resting = None
        self.at.branch = run.branch
        if isinstance(run.entry, Start) or run.from_step is not None:
            self.replay = Replay()
        if isinstance(run.entry, Start):
            self.ask = frozenset()
            self.at.run_steps = 0
            self.holding.new_run()
        return run

    def _hold_first(self, first: First) -> None:
        self.holding.due = [first] if first is not None else []

    # ------------------------------------------------------------------ what commands ask for

    def checkpoint(self) -> CheckpointId:
        """The checkpoint that a change by hand starts from.

        Raises:
            NotPossibleError: there is none, or now is not the time, or the target cannot be changed.
        """
        if self.running and self.holding.current is None:
            raise NotPossibleError("the program is running", hint="pause it first")
        if "edit" not in self.capabilities:
            raise NotPossibleError("this target cannot be changed at a stop")
        if self.at.checkpoint is None:
            raise NotPossibleError("there is no saved state to change yet", hint="run one node first")
        return self.at.checkpoint

    def nested(self) -> tuple[str, TaskId | None]:
        """The nested graph whose node is held and can be changed, with the held task; else empty and None."""
        held = self.holding.current
        if held is None or "edit_nested" not in self.capabilities or held.point.site.kind != "node":
            return "", None
        scope = scope_of(held.point.site.node)
        return scope, held.point.task if scope else None

    def held_node(self) -> Held:
        """The held task, if it is held before a node.

        Raises:
            NotPossibleError: it is not.
        """
        held = self.holding.current
        if held is None or held.point.site.kind != "node" or held.point.phase != "enter":
            raise NotPossibleError("this belongs to ▶, a node that is held before it runs")
        return held

    def node_named(self, name: str) -> NodeId:
        """The id of the node with that id or shown name; a nested path is taken as it is.

        Raises:
            NotPossibleError: there is none; the message names the nearest.
        """
        nodes = self.graph.nodes if self.graph is not None else ()
        for node in nodes:
            if name in (node.id, node.label):
                return node.id
        if ":" in name:
            return NodeId(name)
        raise NotPossibleError(unknown_node(name, {node.id: node.label for node in nodes}))

    def acted(self, what: str, detail: str, *, undone: bool = False) -> Publish:
        """Tell the screen of something done by hand."""
        return Publish(PersonActed(what, detail, self.at.steps - 1, undone))
