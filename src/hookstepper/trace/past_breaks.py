"""Where breakpoints hold on the record, also such as were set long after: reverse-continue, and recordings.

A breakpoint before a node is told at the step before it, where the node was ▶; so it is for a live run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from hookstepper.model.breakpoints import Breakpoint, hit_text
from hookstepper.model.errors import ConditionError
from hookstepper.model.ids import BranchId, Json, NodeId
from hookstepper.model.record import StepDone
from hookstepper.values.conditions import Condition, compile_condition
from hookstepper.values.step_facts import Facts, StepFacts, call_names, hit_counts, names_it

if TYPE_CHECKING:
    from hookstepper.trace.trace import Trace

Names = Mapping[str, Json]
_ABOUT_STEPS = frozenset({"tool_request", "repeat", "state", "jump"})


def places(
    trace: Trace, breakpoints: tuple[Breakpoint, ...], branch: BranchId | None = None
) -> dict[int, list[str]]:
    """Steps on the line of a branch at which enabled breakpoints hold, each with which ones; -1 is the input.

    Hits are counted from the beginning of the line. A condition that does not fit holds nowhere.
    """
    line = trace.line(branch)
    found: dict[int, list[str]] = {}
    facts = StepFacts()
    told = {index: facts.of(trace.steps[index]) for index in line}
    for breakpoint_ in breakpoints:
        if not breakpoint_.enabled or breakpoint_.log:
            continue
        for at, count in _held(_Past(trace, breakpoint_), line, told):
            found.setdefault(at, []).append(hit_text(breakpoint_, count))
    return found


def _held(past: _Past, line: list[int], told: Mapping[int, Facts]) -> Iterator[tuple[int, int]]:
    count = 0
    for at, names in past.candidates(line, told):
        if past.holds(at, names):
            count += 1
            if hit_counts(past.breakpoint.hit, count):
                yield at, count
                if past.breakpoint.once:
                    return


class _Past:
    """One breakpoint on one record."""

    def __init__(self, trace: Trace, breakpoint_: Breakpoint) -> None:
        self.breakpoint = breakpoint_
        self._trace = trace
        graph = trace.graph
        nodes = graph.nodes if graph is not None else ()
        self._labels: dict[str, str] = {node.id: node.label for node in nodes}
        self._loop_entry = graph.anchors.loop_entry if graph is not None else None
        self._keys: dict[str, Json] = {key.name: None for key in graph.keys} if graph is not None else {}
        self._condition: Condition | None = None
        self._broken = False
        try:
            if breakpoint_.condition:
                self._condition = compile_condition(breakpoint_.condition)
        except ConditionError:
            self._broken = True

    def holds(self, at: int, more: Names) -> bool:
        """True if the condition is true in the state at a step, with more names."""
        if self._condition is None:
            return not self._broken
        state = self._trace.state(at)
        names = {**self._keys, "jump_to": None, **(state if isinstance(state, dict) else {}), **more}
        try:
            return bool(self._condition(names))
        except ConditionError:
            return False

    def candidates(self, line: list[int], told: Mapping[int, Facts]) -> Iterator[tuple[int, Names]]:
        """Steps where the place fits, with more names for the condition; the condition is not looked at."""
        if self.breakpoint.on == "interrupt":
            known = {-1, *line}
            yield from ((at, {}) for _, at in self._trace.asks.values() if at in known)
            return
        before = -1
        for index in line:
            step = self._trace.steps[index]
            if self.breakpoint.on in _ABOUT_STEPS:
                inner = self._inner(step.scope, index)
                yield from ((index, {**inner, **names}) for names in told[index].matching(self.breakpoint))
            else:
                for at, names in self._at_gates(step, index, before):
                    yield at, {**self._inner(step.scope, at), **names}
            before = index
        if self.breakpoint.on == "exception":
            yield from self._at_the_end(before)

    def _inner(self, scope: NodeId | None, at: int) -> Names:
        """The state of the nested graph that a step belongs to."""
        state = self._trace.state(at, scope) if scope is not None else None
        return state if isinstance(state, dict) else {}

    def _at_the_end(self, head: int) -> Iterator[tuple[int, Names]]:
        """The failure that ended the last run: no step tells of it."""
        ended = self._trace.ended
        if ended is None or ended.failed_at is None or head != self._trace.head:
            return
        if self._names_node(ended.failed_at):
            title = ended.failure.title if ended.failure is not None else None
            yield head, {"node": ended.failed_at, "error": title}

    def _at_gates(self, step: StepDone, index: int, before: int) -> Iterator[tuple[int, Names]]:
        node = step.site.node
        here: dict[str, Json] = {"node": node, "error": step.error or None}
        place = index if self.breakpoint.phase == "exit" else before
        match self.breakpoint.on:
            case "node" if self._names_node(node):
                yield place, here
            case "loop" if self._is_turn(node):
                yield before, here
            case "route" if step.route is not None and self._names_node(node):
                yield index, here
            case "exception" if step.error and self._names_node(node):
                yield index, here
            case "tool" | "model" as kind:
                for call in step.calls:
                    if call.kind == kind and self._names_call(node, call.name, kind):
                        yield place, {**here, **call_names(kind, call.name, call.request)}

    def _is_turn(self, node: str) -> bool:
        if self.breakpoint.node == "*":
            return node == self._loop_entry
        return self._names_node(node)

    def _names_call(self, node: str, name: str, kind: str) -> bool:
        """As at a gate: a model is named by its node, a tool by itself."""
        return self._names_node(node) if kind == "model" else names_it(self.breakpoint.node, name)

    def _names_node(self, node: str) -> bool:
        return any(names_it(self.breakpoint.node, name) for name in (node, self._labels.get(node, node)))
