"""A probe that answers calls from a record instead of making them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hookstepper.model.gates import Phase, Site
from hookstepper.ports.facts import Fact
from hookstepper.ports.probe import Probe
from hookstepper.ports.verdict import PROCEED, Fulfil, Point, Proceed, Verdict


class Mocked:
    """Wraps the host's probe: where the record still has an answer, the body is skipped for it."""

    def __init__(self, inner: Probe, mocks: Mapping[Site, Sequence[object]]) -> None:
        self.inner = inner
        self.left = {site: list(answers) for site, answers in mocks.items() if answers}

    def wants(self, site: Site, phase: Phase) -> bool:
        """True where an answer is left, or where the host wants it."""
        return (phase == "enter" and bool(self.left.get(site))) or self.inner.wants(site, phase)

    def hold(self, point: Point) -> Verdict:
        """What the host says; if that is to go on, the next recorded answer."""
        wanted = self.inner.wants(point.site, point.phase)
        return self._answered(point, self.inner.hold(point) if wanted else PROCEED)

    async def ahold(self, point: Point) -> Verdict:
        """The same in an async run."""
        wanted = self.inner.wants(point.site, point.phase)
        return self._answered(point, await self.inner.ahold(point) if wanted else PROCEED)

    def _answered(self, point: Point, verdict: Verdict) -> Verdict:
        left = self.left.get(point.site)
        if point.phase != "enter" or not left or not isinstance(verdict, Proceed):
            return verdict
        return Fulfil(left.pop(0))

    def emit(self, fact: Fact) -> None:
        """Pass it on."""
        self.inner.emit(fact)
