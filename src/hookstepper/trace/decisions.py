"""Which steps decided something: found at once, however long the record is."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from hookstepper.model.ids import NodeId
from hookstepper.model.record import Route, StepDone


def chose(route: Route, asked: bool) -> bool:
    """True if a router had a choice; a rule that always fires counts only if one asked for its node."""
    if not route.rules:
        return route.rule != "fixed"
    return asked or len(route.rules) > 1


class DecisionBook:
    """The decisions of all branches; each step is taken in once, when it is recorded."""

    def __init__(self) -> None:
        self._last: list[int] = []
        """For each step the last one up to it, on its line, whose router had a choice; -1 for none."""
        self._of_node: dict[NodeId, list[int]] = {}

    def take(self, step: StepDone, before: int) -> None:
        """Take in the next step, which came after the step `before` on its line."""
        index = len(self._last)
        route = step.route
        if route is not None and chose(route, asked=True):
            self._of_node.setdefault(step.site.node, []).append(index)
        if route is not None and chose(route, asked=False):
            self._last.append(index)
        else:
            self._last.append(self._last[before] if before >= 0 else -1)

    def last(self, at: int) -> int:
        """The last step up to `at` on its line whose router had a choice; -1 for none."""
        return self._last[at] if 0 <= at < len(self._last) else -1

    def last_of(self, node: NodeId, line: Sequence[int]) -> int:
        """The last step of a node on a line that decided anything, if by the only rule; -1 for none."""
        if not line:
            return -1
        known = self._of_node.get(node, [])
        for place in range(bisect_right(known, line[-1]) - 1, -1, -1):
            at = bisect_right(line, known[place]) - 1
            if at >= 0 and line[at] == known[place]:
                return known[place]
        return -1
