"""The probe: the one thing through which an engine lets a debugger watch and hold it."""

from __future__ import annotations

from typing import Protocol

from hookstepper.model.gates import Phase, Site
from hookstepper.ports.facts import Fact
from hookstepper.ports.verdict import PROCEED, Point, Verdict


class Probe(Protocol):
    """Called by engines and adapters; implemented once, by the host.

    An engine asks `wants` at every gate and calls `hold` (or awaits `ahold` in an async call stack)
    only if the answer is True. Gates come in this order, outermost first: node enter, layer enter,
    model or tool enter, and back out; then route exit.
    """

    def wants(self, site: Site, phase: Phase) -> bool:
        """True if the gate may hold; takes no lock and costs well under a microsecond."""
        ...

    def hold(self, point: Point) -> Verdict:
        """Hold the calling thread until a verdict is given; meanwhile it runs closures posted to it."""
        ...

    async def ahold(self, point: Point) -> Verdict:
        """The same for a task of an event loop: the loop goes on, only this task waits."""
        ...

    def emit(self, fact: Fact) -> None:
        """Take note of a fact; what it holds is encoded before this returns."""
        ...


class SilentProbe:
    """A probe that wants nothing and keeps nothing: an engine runs with it as if it were alone."""

    def wants(self, site: Site, phase: Phase) -> bool:  # noqa: ARG002
        """Never."""
        return False

    def hold(self, point: Point) -> Verdict:  # noqa: ARG002
        """Proceed at once."""
        return PROCEED

    async def ahold(self, point: Point) -> Verdict:  # noqa: ARG002
        """Proceed at once."""
        return PROCEED

    def emit(self, fact: Fact) -> None:
        """Forget it."""
