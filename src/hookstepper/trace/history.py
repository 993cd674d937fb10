"""States over time: a tree of deltas with a keyframe now and then, so that any state is near.

Every change is a point with a parent. The states at the tips of branches are kept whole; they share all
unchanged parts with each other and with the keyframes, so a keyframe costs its containers only.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NewType

from hookstepper.model.errors import InvalidValueError
from hookstepper.model.ids import Json, NodeId
from hookstepper.model.record import Delta
from hookstepper.values.delta import apply, apply_all

KEYFRAME_EVERY = 250
"""Points from one keyframe to the next; measured in spec/debug-protocol.md §2.7."""
CACHED = 24
"""States that were asked for lately and are kept."""

PointId = NewType("PointId", int)
ROOT = PointId(-1)
"""The parent of a first point: before it, every state is empty."""

States = Mapping[NodeId | None, Json]
"""The state of each graph: of the root graph under None, of subgraphs under their node."""


@dataclass(slots=True)
class _Point:
    parent: PointId
    delta: Delta
    scope: NodeId | None
    depth: int
    """Points since the last keyframe."""


class History:
    """All states of a record. Points are only ever added."""

    def __init__(self) -> None:
        self._points: list[_Point] = []
        self._keyframes: dict[PointId, States] = {}
        self._tips: dict[PointId, States] = {}
        self._cache: OrderedDict[tuple[PointId, NodeId | None], Json] = OrderedDict()
        self.misfits: list[tuple[PointId, InvalidValueError]] = []
        """Deltas that did not fit their state, as in a record that has lost a step."""

    def __len__(self) -> int:
        return len(self._points)

    def add(self, parent: PointId, delta: Delta, scope: NodeId | None = None) -> PointId:
        """The point after `parent` and `delta`. A delta that does not fit changes nothing and is noted."""
        here = PointId(len(self._points))
        states = self._tips.pop(parent, None) or self._all_states(parent)
        if delta:
            try:
                states = {**states, scope: apply(delta, states.get(scope, {}))}
            except InvalidValueError as error:
                self.misfits.append((here, error))
                delta = ()
        depth = self._points[parent].depth + 1 if parent != ROOT else 1
        if depth >= KEYFRAME_EVERY:
            self._keyframes[here] = states
            depth = 0
        self._points.append(_Point(parent, delta, scope, depth))
        self._tips[here] = states
        return here

    def state(self, point: PointId, scope: NodeId | None = None) -> Json:
        """The state at a point; an empty object before the first."""
        tip = self._tips.get(point)
        if tip is not None:
            return tip.get(scope, {})
        key = (point, scope)
        found = self._cache.get(key)
        if found is None:
            found = self._cache[key] = self._rebuilt(point, scope)
            if len(self._cache) > CACHED:
                self._cache.popitem(last=False)
        self._cache.move_to_end(key)
        return found

    def scopes(self, point: PointId) -> frozenset[NodeId]:
        """Subgraphs whose state is known at a point."""
        return frozenset(scope for scope in self._all_states(point) if scope is not None)

    def parent(self, point: PointId) -> PointId:
        """The point before."""
        return self._points[point].parent

    def delta(self, point: PointId) -> Delta:
        """What changed at a point."""
        return self._points[point].delta

    def scope(self, point: PointId) -> NodeId | None:
        """Whose state changed at a point."""
        return self._points[point].scope

    def _rebuilt(self, point: PointId, scope: NodeId | None) -> Json:
        deltas: list[Delta] = []
        here = point
        while here != ROOT:
            known = self._keyframes.get(here) or self._tips.get(here)
            if known is not None:
                return apply_all(reversed(deltas), known.get(scope, {}))
            cached = self._cache.get((here, scope))
            if cached is not None:
                return apply_all(reversed(deltas), cached)
            entry = self._points[here]
            if entry.scope == scope and entry.delta:
                deltas.append(entry.delta)
            here = entry.parent
        return apply_all(reversed(deltas), {})

    def _all_states(self, point: PointId) -> States:
        """The states at a point that is no tip, as when a branch starts there."""
        found: set[NodeId | None] = set()
        here = point
        while here != ROOT:
            known = self._tips.get(here) or self._keyframes.get(here)
            if known is not None:
                found |= set(known)
                break
            found.add(self._points[here].scope)
            here = self._points[here].parent
        return {scope: self.state(point, scope) for scope in found}
