"""The run loop: one execution of a compiled graph, as a generator of effects.

The order inside a step is that of Spring AI Alibaba's graph core: interrupt, enter gate, `before`, body,
exit gate, interrupt-after, merge, route, checkpoint, fact, `after`, output.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hookstepper.engine import parallel, parts, subgraph
from hookstepper.engine.actions import Action
from hookstepper.engine.beginning import fill, saved, take_up
from hookstepper.engine.bodies import Body, as_update
from hookstepper.engine.clone import clone_state
from hookstepper.engine.config import INTERRUPTED, STATE_UPDATE, RunConfig
from hookstepper.engine.effects import (
    ROUTE_ACTS,
    At,
    Call,
    Effects,
    Pass,
    Tell,
    gated,
)
from hookstepper.engine.errors import RouteError
from hookstepper.engine.keeping import committed, emit, placed, result, save
from hookstepper.engine.listening import announce
from hookstepper.engine.outputs import Interruption, Output, RunResult
from hookstepper.engine.routing import Way, ask_edge
from hookstepper.engine.scope import Scope
from hookstepper.engine.state import State
from hookstepper.model.errors import InvalidValueError
from hookstepper.model.gates import Phase
from hookstepper.model.graph import Edge
from hookstepper.model.ids import END, START, CheckpointId, NodeId, TaskId
from hookstepper.ports.facts import EdgesSeen, Seeded
from hookstepper.ports.verdict import Patch

if TYPE_CHECKING:
    from hookstepper.engine.run import CompiledGraph


class Run:
    """One execution; lives from its first effect to its result, on one call stack."""

    def __init__(
        self, graph: CompiledGraph, inputs: Mapping[str, Any] | None, config: RunConfig, scope: Scope
    ) -> None:
        self.graph = graph
        self.plan = graph.plan
        self.setup = graph.config
        self.fixed = graph.config.compat == "fixed"
        self.scope = scope
        self.resuming = config.wants_resume
        if inputs is not None and not isinstance(inputs, Mapping):
            raise InvalidValueError(
                f"the input is a {type(inputs).__name__}, not a mapping of state keys",
                hint='for a text: {"input": text}',
            )
        self.inputs = dict(inputs or {})
        self.raw_inputs = False
        """True: inputs take the place of what the thread holds, past the key strategies."""
        self.config = config.copy(graph=graph, path=scope.path, store=config.store or graph.config.store)
        self.thread = config.thread
        self.state = State({}, self.plan.keys, self.config.store)
        self.current: NodeId | None = None
        self.next: NodeId | None = None
        self.resume_from: NodeId | None = None
        self.just_ran = False
        self.iterations = 0
        self.checkpoint: CheckpointId | None = None
        self.chosen: Way | None = None
        """The branches that the way into the next parallel node has chosen."""
        self.output: Output | None = None
        self.failed_place: NodeId | None = None
        """Where it failed, if that is deeper than the current node."""

    # ------------------------------------------------------------------------------------- the loop

    def go(self) -> Effects[RunResult]:
        """Run to the end, an interruption, a failure or the limit.

        Raises:
            NotPossibleError: the run cannot be resumed.
            RunAborted: a verdict was `Abort`.
        """
        found = saved(self)
        self.checkpoint = None if found is None else found.id
        try:
            if self.resuming:
                entry: Any = "resume" if self.config.checkpoint_id is None else "from"
                yield Call(take_up, (self, found))
                yield from self._seed(entry)
            else:
                yield Call(fill, (self, found))
                yield from self._start()
            self.config.checkpoint_id = self.checkpoint
            return (yield from self._loop())
        except Exception as error:
            return (yield from self._failed(error))

    def _loop(self) -> Effects[RunResult]:
        while True:
            self.iterations += 1
            if self.iterations > self.setup.recursion_limit:
                return result(self, "limit", failed_at=self.next and self.scope.place(self.next))
            if self.fixed:
                yield from self._ask_late_edge()
                if self._must_stop():
                    return self._stopped()
            if self.next == END:
                return (yield from self._end())
            yield from self._ask_late_edge()
            if self._must_stop():
                return self._stopped()
            try:
                interruption = yield from self._step()
            except subgraph.Interrupted as stop:
                return result(self, "interrupted", interruption=stop.interruption)
            if interruption is not None:
                return self._interrupted(interruption)

    # ------------------------------------------------------------------------------- start and end

    def _seed(self, entry: Any) -> Effects[None]:
        yield Tell(Seeded(self.state.data, self.thread, entry, self.checkpoint, self.scope.owner))

    def _start(self) -> Effects[None]:
        self.iterations += 1
        yield from announce(self, "on_start", START)
        try:
            way = yield from ask_edge(self.plan, START, self.state, self.config)
            yield from self._merge_way(way)
        except Exception:
            yield from self._seed("start")
            raise
        self.next = self.current = way.next
        yield from save(self, START, way.next)
        yield from self._seed("start")
        yield from emit(self, START)

    def _end(self) -> Effects[RunResult]:
        yield from announce(self, "on_complete", END)
        yield from emit(self, END)
        return result(self, "completed")

    # ------------------------------------------------------------------------------------- stopping

    def _ask_late_edge(self) -> Effects[None]:
        if self.next != INTERRUPTED or self.resume_from is None:
            return
        node, self.resume_from = self.resume_from, None
        steps = self.scope.steps[0]
        yield At(TaskId(f"{self.scope.tasks}/{steps}:{node}"), steps, self.scope, node)
        way = yield from self._way(node)
        self.next, self.current = way.next, None

    def _must_stop(self) -> bool:
        if self.current is None or self.next is None:
            return False
        due = self.plan.due(self.next) if self.fixed else (self.next,)
        if self.next in self.plan.interrupt_before or any(n in self.plan.interrupt_before for n in due):
            return True
        moved = self.just_ran if self.fixed else self.current != self.next
        return moved and self.current in self.plan.interrupt_after

    def _stopped(self) -> RunResult:
        state = clone_state(self.state.data)
        return self._interrupted(
            Interruption(self.current or START, state, asked=False, stops=tuple(self._compiled_stops()))
        )

    def _compiled_stops(self) -> Iterator[tuple[Phase, NodeId]]:
        assert self.next is not None
        for node in self.plan.due(self.next) or ():
            if node in self.plan.interrupt_before:
                yield "enter", self.scope.place(node)
        if self.current is not None and self.current in self.plan.interrupt_after:
            yield "exit", self.scope.place(self.current)

    def _interrupted(self, interruption: Interruption) -> RunResult:
        if not interruption.state:
            interruption = replace(interruption, state=clone_state(self.state.data))
        if self.scope.path:
            interruption = replace(interruption, node=self.scope.place(interruption.node))
        self.output = interruption
        return result(self, "interrupted", interruption=interruption)

    def _failed(self, error: Exception) -> Effects[RunResult]:
        place = self.failed_place or self.scope.place(self.current or START)
        yield from announce(self, "on_error", self.current or START, error)
        return result(self, "failed", error=error, failed_at=place)

    # ----------------------------------------------------------------------------------------- a step

    def _step(self) -> Effects[Interruption | None]:
        node = self.next
        assert node is not None
        self.current, self.just_ran, self.resume_from = node, True, None
        self.failed_place = None
        fan_out = self.plan.parallels.get(node)
        spec = self.plan.nodes.get(node)
        if spec is None and fan_out is None:
            raise RouteError(
                f"the run is to go on at {node!r}, which is no node",
                hint=f"nodes: {', '.join(self.plan.nodes)}",
                upstream=f"node with id: '{node}' doesn't exist!",
            )
        self.scope.steps[0] += 1
        superstep = self.scope.steps[0]
        task = TaskId(f"{self.scope.tasks}/{superstep}:{node}")
        yield At(task, superstep, self.scope, node)
        if fan_out is not None:
            yield from parallel.step(self, fan_out, task, superstep)
            return None
        assert spec is not None
        action = spec.action
        if isinstance(action, Action) and action.interrupt is not None:
            if (yield parts.wanted(self, node, parts.INTERRUPT)):
                yield parts.held(self, node, parts.INTERRUPT, self.state.data)
            asked = yield from self._ask_action(node, action)
            if asked is not None:
                return asked
        body = Body(self, spec, task, superstep)
        returned = yield from gated(body.site, body.given, body.run)
        return (yield from self._finish(body, as_update(node, returned)))

    def _finish(self, body: Body, update: dict[str, Any]) -> Effects[Interruption | None]:
        node, action = body.spec.id, body.spec.action
        body.take_usage(update)
        asked: Interruption | None = None
        if isinstance(action, Action) and action.interrupt_after is not None and body.attempts:
            args = (node, self._state_for_action(), update, self.config)
            asked = yield Call(action.interrupt_after, args)
        if update and (yield parts.wanted(self, node, parts.MERGE)):
            yield from parts.merge(self, node, update, raw=body.raw)
        else:
            yield Call(self.state.put if body.raw else self.state.update, (update,))
        if self.setup.interrupt_before_edge and node in self.plan.interrupt_after:
            way = None
        else:
            way = yield from self._way(node, body.goto)
        self.next = INTERRUPTED if way is None else way.next
        if self.setup.saver is not None and (yield parts.wanted(self, node, parts.CHECKPOINT)):
            yield parts.held(self, node, parts.CHECKPOINT, {"thread": self.thread, "next": self.next})
        yield from save(self, node, self.next)
        route, skipped = (None, ()) if way is None else (way.route, way.skipped)
        yield Tell(committed(self, body, update, self.state.data, route, skipped))
        if body.attempts:
            yield from announce(self, "after", node)
        if asked is None:
            yield from emit(self, node, body)
        return asked

    def _ask_action(self, node: NodeId, action: Action) -> Effects[Interruption | None]:
        given = self.config.metadata.get(STATE_UPDATE)
        if isinstance(given, Mapping):
            yield Call(self.state.update, (given,))
            if self.fixed:
                del self.config.metadata[STATE_UPDATE]
        assert action.interrupt is not None
        asked = yield Call(action.interrupt, (node, self._state_for_action(), self.config))
        if asked is not None and not isinstance(asked, Interruption):
            raise RouteError(f"interrupt of {node!r} returned {type(asked).__name__}, not an Interruption")
        return asked

    # ------------------------------------------------------------------------------------ the way on

    def _way(self, node: NodeId, goto: Any = None) -> Effects[Way]:
        way = yield from ask_edge(self.plan, node, self.state, self.config, goto)
        yield from self._merge_way(way)
        if goto is not None and not self.plan.declares(node, way.next):
            place = self.scope.place
            yield Tell(EdgesSeen((Edge(place(node), place(way.next), "conditional", evidence="observed"),)))
        route = placed(way.route, self.scope)
        site = self.scope.site("route", node)
        verdict = yield Pass(site, "exit", route, None, ROUTE_ACTS)
        if isinstance(verdict, Patch):
            way = self._by_hand(node, way, verdict.value)
        self.chosen = way if way.next in self.plan.parallels else None
        return way

    def _merge_way(self, way: Way) -> Effects[None]:
        if way.next in self.plan.parallels:
            self.chosen = way
        elif way.update:
            yield Call(self.state.update, (way.update,))

    def _by_hand(self, node: NodeId, way: Way, value: Any) -> Way:
        given = (value,) if isinstance(value, str) else tuple(value)
        targets = tuple(NodeId(target.removeprefix(self.scope.path)) for target in given)
        next_node = self.graph.position_of(targets, node)
        why = f"a person set what follows {node}"
        route = replace(way.route, to=targets, rule="by_hand", why=why, otherwise=way.next, by_hand=True)
        return Way(next_node, route, targets=targets)

    def _state_for_action(self) -> State:
        return State(clone_state(self.state.data), self.plan.keys, self.config.store)
