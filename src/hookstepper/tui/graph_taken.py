"""The path that a run took since it was let go: each edge of it, however fast the steps came."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from hookstepper.client.view import View
from hookstepper.model.ids import StopId
from hookstepper.model.record import StepDone
from hookstepper.picture import Link


class Taken:
    """Remembers at which step the run was let go last."""

    def __init__(self) -> None:
        self._stop: StopId | None = None
        self._held_at = -1
        """The last step that had been made when the newest stop was met."""
        self._let_go_at = -1

    def since(self, view: View) -> int:
        """Index of the last step before the run was let go; what came after it is the path just taken."""
        last = view.trace.last
        if last < self._held_at:
            self._held_at = self._let_go_at = -1  # another record
        if view.stop is not None and view.stop.id != self._stop:
            self._stop = view.stop.id
            self._let_go_at, self._held_at = self._held_at, last
        elif view.stop is None:
            self._let_go_at = self._held_at
        return self._let_go_at


def links_after(view: View, since: int) -> frozenset[Link]:
    """Edges taken after a step, within the turn in view; none while looking back."""
    trace = view.trace
    if view.cursor is not None or trace.head < 0:
        return frozenset()
    here = trace.place(trace.head)

    def is_meant(index: int) -> bool:
        place = trace.place(index)
        same = place is not None and here is not None and (place.run, place.count) == (here.run, here.count)
        return index > since and same

    meant = takewhile(is_meant, trace.back_from(trace.head))
    return frozenset(link for index in meant for link in _links(trace.steps[index]))


def links_of(view: View, since: int) -> list[Link]:
    """Edges of the steps made after a step, oldest first."""
    steps = view.trace.steps
    return [link for index in range(since + 1, view.trace.last + 1) for link in _links(steps[index])]


def _links(step: StepDone) -> Iterator[Link]:
    for target in step.route.to if step.route is not None else ():
        yield step.site.node, target
