"""Breakpoints made ready for matching: patterns resolved, hit counts kept, problems told."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from fnmatch import fnmatchcase

from hookstepper.model.breakpoints import Breakpoint
from hookstepper.model.errors import ConditionError
from hookstepper.model.gates import Phase, Site
from hookstepper.model.graph import Graph
from hookstepper.model.ids import Json, NodeId
from hookstepper.values.conditions import Condition, compile_condition

Facts = Callable[[], Mapping[str, Json]]
"""Gives the names that a condition may use, encoded; called only if a condition is there."""

_HIT = re.compile(r"\s*(>=|==|>|%)?\s*(\d+)\s*$")
_ON_SITE = {"node": "node", "route": "route", "tool": "tool", "model": "model"}


class BreakSet:
    """The breakpoints of a session. Knows nothing of runs; asked at every gate that may matter."""

    def __init__(self, breakpoints: tuple[Breakpoint, ...] = (), graph: Graph | None = None) -> None:
        self.breakpoints = breakpoints
        self.hits: dict[int, int] = {}
        self.problems: dict[int, str] = {}
        self._conditions: dict[int, Condition] = {}
        self._labels = {node.id: node.label for node in graph.nodes} if graph is not None else {}
        self._cache: dict[tuple[Site, Phase], tuple[Breakpoint, ...]] = {}
        for breakpoint_ in breakpoints:
            self._check(breakpoint_)

    def replaced(self, breakpoints: tuple[Breakpoint, ...], graph: Graph | None) -> BreakSet:
        """A set with these breakpoints; those that stay keep their hit counts."""
        new = BreakSet(breakpoints, graph)
        kept = {b.id for b in breakpoints if b in self.breakpoints}
        new.hits = {number: count for number, count in self.hits.items() if number in kept}
        return new

    def at(self, site: Site, phase: Phase) -> tuple[Breakpoint, ...]:
        """Enabled breakpoints whose place this is; conditions and counts are not looked at."""
        key = (site, phase)
        found = self._cache.get(key)
        if found is None:
            found = tuple(b for b in self.breakpoints if b.enabled and self._placed(b, site, phase))
            self._cache[key] = found
        return found

    def reached(self, site: Site, phase: Phase, facts: Facts) -> list[tuple[Breakpoint, int]]:
        """Breakpoints that hold here, each with its hit count; counting happens here.

        A condition that fails never stops the run: it becomes a problem of its breakpoint.
        """
        out = []
        for breakpoint_ in self.at(site, phase):
            if not self._condition_holds(breakpoint_, facts):
                continue
            count = self.hits[breakpoint_.id] = self.hits.get(breakpoint_.id, 0) + 1
            if _hit_counts(breakpoint_.hit, count):
                out.append((breakpoint_, count))
        return out

    def _placed(self, breakpoint_: Breakpoint, site: Site, phase: Phase) -> bool:
        if _ON_SITE.get(breakpoint_.on) != site.kind:
            return False
        if site.kind != "route" and breakpoint_.phase != phase:
            return False
        names = (site.name,) if site.kind == "tool" else (site.node, self._labels.get(site.node, site.node))
        return any(fnmatchcase(name, _escaped(breakpoint_.node, name)) for name in names)

    def _condition_holds(self, breakpoint_: Breakpoint, facts: Facts) -> bool:
        if breakpoint_.id in self.problems and breakpoint_.id not in self._conditions:
            return False
        condition = self._conditions.get(breakpoint_.id)
        if condition is None:
            return True
        try:
            holds = bool(condition(facts()))
        except ConditionError as error:
            self.problems[breakpoint_.id] = error.message
            return False
        self.problems.pop(breakpoint_.id, None)
        return holds

    def _check(self, breakpoint_: Breakpoint) -> None:
        if breakpoint_.condition:
            try:
                self._conditions[breakpoint_.id] = compile_condition(breakpoint_.condition)
            except ConditionError as error:
                self.problems[breakpoint_.id] = error.message
        if breakpoint_.hit and not _HIT.match(breakpoint_.hit):
            self.problems[breakpoint_.id] = (
                f"hit count {breakpoint_.hit!r} is not of the form >= 3, == 3, % 3"
            )
        if breakpoint_.on == "node" and self._labels and not self._known(breakpoint_.node):
            self.problems[breakpoint_.id] = unknown_node(breakpoint_.node, self._labels)

    def _known(self, pattern: str) -> bool:
        names = [*self._labels, *self._labels.values()]
        # A nested place may be in a graph that is not described before it runs.
        return ":" in pattern or any(fnmatchcase(name, _escaped(pattern, name)) for name in names)


def unknown_node(name: str, labels: Mapping[NodeId, str]) -> str:
    """The sentence that says that no node has that name, with the nearest ones."""
    near = get_close_matches(name, [*labels.values(), *labels], n=3, cutoff=0.4)
    return f"no node named {name}" + (f"; near: {', '.join(dict.fromkeys(near))}" if near else "")


def _escaped(pattern: str, name: str) -> str:
    """`pattern` for fnmatch; a name that contains brackets matches itself."""
    return name.replace("[", "[[]") if pattern == name else pattern


def _hit_counts(hit: str, count: int) -> bool:
    match = _HIT.match(hit) if hit else None
    if match is None:
        return True
    operator, number = match.group(1) or "==", int(match.group(2))
    match operator:
        case ">=":
            return count >= number
        case ">":
            return count > number
        case "%":
            return number > 0 and count % number == 0
    return count == number
