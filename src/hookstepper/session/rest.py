"""The stop of a run at rest: what an outcome becomes."""

from __future__ import annotations

from hookstepper.model.gates import Act, Reason, Site, Stop
from hookstepper.model.ids import StopId
from hookstepper.ports.target import Outcome

_REASONS: dict[str, tuple[Reason, ...]] = {
    "completed": ("exit",),
    "interrupted": ("interrupt",),
    "failed": ("exception",),
    "limit": ("limit",),
    "aborted": ("exit",),
}


def reasons_of(outcome: Outcome) -> tuple[Reason, ...]:
    """Why a run rests, as reasons of a stop."""
    return _REASONS[outcome.status]


def resting_stop(
    stop_id: StopId, outcome: Outcome, reasons: tuple[Reason, ...], capabilities: frozenset[str]
) -> Stop:
    """The stop that tells of a run at rest and what can be done there."""
    acts: set[Act] = set()
    if outcome.status == "failed" and "edit" in capabilities:
        acts |= {"retry", "abort"}
        if "fulfil" in capabilities:
            acts.add("fulfil")
    if outcome.status == "interrupted":
        acts |= {"proceed", "abort"}
    node = outcome.failed_at or (outcome.next[0] if outcome.next else None)
    return Stop(
        id=stop_id,
        epoch=int(stop_id),
        posture="resting",
        reasons=reasons,
        acts=frozenset(acts),
        site=Site("node", node) if node is not None else None,
        asks=outcome.asks,
        next=outcome.next,
        detail=outcome.detail,
        error=f"{type(outcome.error).__name__}: {outcome.error}" if outcome.error is not None else "",
    )
