"""A probe that records what it is told and gives verdicts from a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hookstepper.ports.facts import Committed, Entered, Seeded
from hookstepper.ports.verdict import PROCEED, Point, Verdict


class TableProbe:
    """Wants every gate; answers by `kind node phase`, the first verdict first, then proceeds.

    The parts of the engine's own work only if asked to.
    """

    def __init__(
        self, table: Mapping[str, Verdict | list[Verdict]] | None = None, *, parts: bool = False
    ) -> None:
        self.parts = parts
        self.table = {
            key: list(value) if isinstance(value, list) else [value] for key, value in (table or {}).items()
        }
        self.points: list[Point] = []
        self.facts: list[Any] = []
        self.log: list[str] = []
        self.values: list[Any] = []
        """What was at the gates, copied."""
        self.told: list[dict[str, Any]] = []
        """States as they were when they were told; the live one moves on."""

    def wants(self, site, phase):
        return self.parts or site.kind != "part"

    def hold(self, point):
        self.log.append("hold")
        return self._answer(point)

    async def ahold(self, point):
        self.log.append("ahold")
        return self._answer(point)

    def _answer(self, point: Point) -> Verdict:
        key = f"{point.site.kind} {point.site.node} {point.phase}"
        self.log[-1] = key
        self.points.append(point)
        self.values.append(dict(point.value) if isinstance(point.value, Mapping) else point.value)
        waiting = self.table.get(key, [])
        return waiting.pop(0) if waiting else PROCEED

    def emit(self, fact):
        self.facts.append(fact)
        name = type(fact).__name__
        self.log.append(f"{name} {fact.site.node}" if isinstance(fact, (Entered, Committed)) else name)
        if isinstance(fact, (Committed, Seeded)):
            self.told.append(dict(fact.state))

    @property
    def steps(self) -> list[Committed]:
        """Committed steps in order."""
        return [fact for fact in self.facts if isinstance(fact, Committed)]
