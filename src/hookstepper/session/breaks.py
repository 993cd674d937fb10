"""Breakpoints made ready for matching: places resolved, conditions compiled, hits counted, problems told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from hookstepper.model.breakpoints import Breakpoint, hit_text
from hookstepper.model.errors import ConditionError
from hookstepper.model.gates import Phase, Site
from hookstepper.model.graph import Graph
from hookstepper.model.ids import Json, NodeId
from hookstepper.model.record import StepDone
from hookstepper.values.conditions import Condition, Template, compile_condition, compile_template
from hookstepper.values.step_facts import StepFacts, hit_counts, is_hit_count, names_it

Names = Callable[[], Mapping[str, Json]]
"""Gives the names that a condition may use, encoded; called only if a condition is there."""

_AT_GATES = {"node": "node", "loop": "node", "route": "route", "tool": "tool", "model": "model"}
_BY_STEP = frozenset({"tool_request", "repeat", "state", "jump"})


@dataclass(frozen=True, slots=True)
class Hit:
    """One breakpoint that holds, and how often it has by now."""

    breakpoint: Breakpoint
    count: int

    def __str__(self) -> str:
        return hit_text(self.breakpoint, self.count)


class BreakSet:
    """The breakpoints of a session. Knows nothing of runs; asked at every gate and step that may matter."""

    def __init__(self, breakpoints: tuple[Breakpoint, ...] = (), graph: Graph | None = None) -> None:
        self.breakpoints = breakpoints
        self.hits: dict[int, int] = {}
        self.problems: dict[int, str] = {}
        self.spent: set[int] = set()
        """Breakpoints that were to stop once, and have."""
        self.logged: list[str] = []
        """Texts of log points, and conditions that began to fail, until the owner takes them."""
        self._conditions: dict[int, Condition] = {}
        self._logs: dict[int, Template] = {}
        self._broken: set[int] = set()
        self._labels = {node.id: node.label for node in graph.nodes} if graph is not None else {}
        self._loop_entry = graph.anchors.loop_entry if graph is not None else None
        self._cache: dict[tuple[Site, Phase], tuple[Breakpoint, ...]] = {}
        self._facts = StepFacts()
        self.by_step = tuple(b for b in breakpoints if b.enabled and b.on in _BY_STEP)
        self.on_errors = tuple(b for b in breakpoints if b.enabled and b.on == "exception")
        for breakpoint_ in breakpoints:
            self._check(breakpoint_)

    def replaced(self, breakpoints: tuple[Breakpoint, ...], graph: Graph | None) -> BreakSet:
        """A set with these breakpoints; those that stay keep their hit counts."""
        new = BreakSet(breakpoints, graph)
        kept = {b.id for b in breakpoints if b in self.breakpoints}
        new.hits = {number: count for number, count in self.hits.items() if number in kept}
        new.spent = self.spent & kept
        new._facts = self._facts
        return new

    def new_run(self) -> None:
        """A new run begins: what its tools were asked for before no longer counts."""
        self._facts = StepFacts()

    # ------------------------------------------------------------------ gates

    def at(self, site: Site, phase: Phase) -> tuple[Breakpoint, ...]:
        """Enabled breakpoints whose place this is; conditions and counts are not looked at."""
        key = (site, phase)
        found = self._cache.get(key)
        if found is None:
            found = tuple(b for b in self.breakpoints if b.enabled and self._placed(b, site, phase))
            self._cache[key] = found
        return found

    def reached(self, site: Site, phase: Phase, names: Names, *, failed: bool = False) -> list[Hit]:
        """Breakpoints that hold at a gate; counting and logging happen here.

        A condition that fails never stops the run: it becomes a problem of its breakpoint.
        """
        errors = [b for b in self.on_errors if self._names_place(b, site)] if failed else []
        return self._holding([*self.at(site, phase), *errors], names)

    def _placed(self, breakpoint_: Breakpoint, site: Site, phase: Phase) -> bool:
        if _AT_GATES.get(breakpoint_.on) != site.kind:
            return False
        if site.kind != "route" and breakpoint_.phase != phase:
            return False
        if breakpoint_.on == "loop" and breakpoint_.node == "*":
            return site.node == self._loop_entry
        return self._names_place(breakpoint_, site)

    def _names_place(self, breakpoint_: Breakpoint, site: Site) -> bool:
        names: tuple[str, ...] = (site.node, self._labels.get(site.node, site.node))
        if breakpoint_.on in ("tool", "exception") and site.kind == "tool":
            names = (site.name,) if breakpoint_.on == "tool" else (*names, site.name)
        return any(names_it(breakpoint_.node, name) for name in names)

    # ------------------------------------------------------------------ steps and questions

    def after(self, step: StepDone, names: Names) -> list[Hit]:
        """Breakpoints that a recorded step fulfils."""
        if not self.by_step:
            return []
        facts = self._facts.of(step)
        found: list[Hit] = []
        for breakpoint_ in self.by_step:
            for more in facts.matching(breakpoint_):
                found += self._holding([breakpoint_], lambda more=more: {**names(), **more})  # type: ignore[misc]
        return found

    def asked(self, names: Names) -> list[Hit]:
        """Breakpoints on the program's questions."""
        return self._holding([b for b in self.breakpoints if b.enabled and b.on == "interrupt"], names)

    # ------------------------------------------------------------------ inside

    def _holding(self, candidates: list[Breakpoint], names: Names) -> list[Hit]:
        out = []
        for breakpoint_ in candidates:
            if breakpoint_.id in self.spent or not self._condition_holds(breakpoint_, names):
                continue
            count = self.hits[breakpoint_.id] = self.hits.get(breakpoint_.id, 0) + 1
            if not hit_counts(breakpoint_.hit, count):
                continue
            if breakpoint_.once:
                self.spent.add(breakpoint_.id)
            if breakpoint_.id in self._logs:
                self.logged.append(self._logs[breakpoint_.id]({**names(), "hits": count}))
            else:
                out.append(Hit(breakpoint_, count))
        return out

    def _condition_holds(self, breakpoint_: Breakpoint, names: Names) -> bool:
        if breakpoint_.id in self._broken:
            return False
        condition = self._conditions.get(breakpoint_.id)
        if condition is None:
            return True
        try:
            holds = bool(condition(names()))
        except ConditionError as error:
            if self.problems.get(breakpoint_.id) != error.message:
                self.logged.append(f"breakpoint {breakpoint_.name} does not hold: {error.message}")
            self.problems[breakpoint_.id] = error.message
            return False
        self.problems.pop(breakpoint_.id, None)
        return holds

    def _check(self, breakpoint_: Breakpoint) -> None:
        try:
            if breakpoint_.condition:
                self._conditions[breakpoint_.id] = compile_condition(breakpoint_.condition)
            if breakpoint_.log:
                self._logs[breakpoint_.id] = compile_template(breakpoint_.log)
        except ConditionError as error:
            self._broken.add(breakpoint_.id)
            self.problems[breakpoint_.id] = error.message
        if breakpoint_.hit and not is_hit_count(breakpoint_.hit):
            self._broken.add(breakpoint_.id)
            self.problems[breakpoint_.id] = (
                f"hit count {breakpoint_.hit!r} is not of the form >= 3, == 3, % 3"
            )
        if breakpoint_.on in ("node", "route", "loop") and self._labels and not self._known(breakpoint_.node):
            self.problems[breakpoint_.id] = unknown_node(breakpoint_.node, self._labels)

    def _known(self, pattern: str) -> bool:
        names = [*self._labels, *self._labels.values()]
        # A nested place may be in a graph that is not described before it runs.
        return ":" in pattern or any(names_it(pattern, name) for name in names)


def unknown_node(name: str, labels: Mapping[NodeId, str]) -> str:
    """The sentence that says that no node has that name, with the nearest ones."""
    near = get_close_matches(name, [*labels.values(), *labels], n=3, cutoff=0.4)
    return f"no node named {name}" + (f"; near: {', '.join(dict.fromkeys(near))}" if near else "")
