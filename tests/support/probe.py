"""A small real probe: holds where it is told to, answers from a queue, and keeps what it saw."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from hookstepper.model.gates import Phase, Site
from hookstepper.ports.facts import Committed, EdgesSeen, Entered, Fact, Seeded
from hookstepper.ports.verdict import PROCEED, Point, Verdict

F = TypeVar("F")


def _kept(state: Mapping[str, Any]) -> dict[str, Any]:
    """The state with its lists and dicts copied, as deep as tests look."""
    return {key: _level(value, 4) for key, value in state.items()}


def _level(value: Any, depth: int) -> Any:
    if depth and isinstance(value, Mapping):
        return {key: _level(item, depth - 1) for key, item in value.items()}
    return [_level(item, depth - 1) for item in value] if depth and isinstance(value, list) else value


Decide = Callable[[Point], Verdict]


class RecordingProbe:
    """Keeps every point and fact in order of arrival; safe for parallel tasks.

    Args:
        verdicts: given out one per hold, in order; after them every task proceeds. Or a function that
            decides for each point.
        holds: which gates it wants; by default the enter gates of nodes.
    """

    def __init__(
        self,
        verdicts: Iterable[Verdict] | Decide = (),
        holds: Callable[[Site, Phase], bool] = lambda site, phase: site.kind == "node" and phase == "enter",
    ) -> None:
        self.points: list[Point] = []
        self.facts: list[Fact] = []
        self.log: list[str] = []
        """`hold NODE`, `enter NODE`, `commit NODE` in the order in which they happened."""
        self._decide = verdicts if callable(verdicts) else None
        self._queue = [] if callable(verdicts) else list(verdicts)
        self._holds = holds
        self._lock = threading.Lock()

    def wants(self, site: Site, phase: Phase) -> bool:
        return self._holds(site, phase)

    def hold(self, point: Point) -> Verdict:
        with self._lock:
            self.points.append(point)
            self.log.append(f"hold {point.site.node}" + ("" if point.phase == "enter" else " exit"))
            if self._decide is None:
                return self._queue.pop(0) if self._queue else PROCEED
        return self._decide(point)

    async def ahold(self, point: Point) -> Verdict:
        return self.hold(point)

    def emit(self, fact: Fact) -> None:
        if isinstance(fact, (Committed, Seeded)):
            # A fact holds live objects, which may be changed as soon as this returns.
            fact = replace(fact, state=_kept(fact.state))
        with self._lock:
            self.facts.append(fact)
            if isinstance(fact, Committed):
                self.log.append(f"commit {fact.site.node}")
            elif isinstance(fact, Entered):
                self.log.append(f"enter {fact.site.node}")

    def of(self, kind: type[F]) -> list[F]:
        """All facts of one kind, in order."""
        return [fact for fact in self.facts if isinstance(fact, kind)]

    @property
    def steps(self) -> list[Committed]:
        """The recorded steps, in order."""
        return self.of(Committed)

    @property
    def nodes(self) -> list[str]:
        """Nodes of the steps, in order."""
        return [step.site.node for step in self.steps]

    @property
    def held(self) -> list[str]:
        """Nodes at whose gates a task was held, in order."""
        return [point.site.node for point in self.points]

    @property
    def seeds(self) -> list[Seeded]:
        """Where runs began."""
        return self.of(Seeded)

    @property
    def edges_seen(self) -> list[tuple[str, str]]:
        """Ways that nothing declared."""
        return [(edge.source, edge.target) for fact in self.of(EdgesSeen) for edge in fact.edges]


class ThreadedProbe(RecordingProbe):
    """Parks every held task until the test lets it go: the real thing, without a wire."""

    def __init__(self, expected: int) -> None:
        super().__init__()
        self._expected = expected
        self._gate = threading.Barrier(expected)

    def hold(self, point: Point) -> Verdict:
        super().hold(point)
        if len([one for one in self.points if one.superstep == point.superstep]) <= self._expected:
            self._gate.wait(timeout=30)
        return PROCEED
