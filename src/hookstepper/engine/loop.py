"""The run loop: one execution of a compiled graph, as a generator of effects.

The order inside a step is that of Spring AI Alibaba's graph core: interrupt, enter gate, `before`, body,
exit gate, interrupt-after, merge, route, checkpoint, fact, `after`, output.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hookstepper.engine import parallel, subgraph
from hookstepper.engine.actions import Action, Compiled
from hookstepper.engine.bodies import Body, as_update
from hookstepper.engine.checkpoints import Checkpoint
from hookstepper.engine.clone import clone_state
from hookstepper.engine.config import RETAINED, STATE_UPDATE, RunConfig
from hookstepper.engine.effects import (
    ROUTE_ACTS,
    At,
    Call,
    Effects,
    Emit,
    Pass,
    Tell,
    gated,
)
from hookstepper.engine.errors import RouteError
from hookstepper.engine.listening import announce
from hookstepper.engine.outputs import Interruption, NodeOutput, Output, RunResult
from hookstepper.engine.routing import Way, ask_edge
from hookstepper.engine.scope import Scope
from hookstepper.engine.state import State
from hookstepper.engine.strategies import merged
from hookstepper.model.errors import InvalidValueError, NotPossibleError
from hookstepper.model.events import RunStatus
from hookstepper.model.ids import END, START, CheckpointId, NodeId, TaskId
from hookstepper.model.record import Route
from hookstepper.ports.facts import Committed, Seeded
from hookstepper.ports.verdict import Patch

if TYPE_CHECKING:
    from hookstepper.engine.run import CompiledGraph

INTERRUPTED = NodeId("__INTERRUPTED__")
"""Next node of a checkpoint whose edge has not been asked yet."""
EXECUTION_ID = "_graph_execution_id_"


@dataclass(frozen=True, slots=True)
class Done:
    """A node has run and its result is merged; what follows is the way on."""

    node: NodeId
    task: TaskId
    superstep: int
    update: Mapping[str, Any]
    body: Body


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
        latest = self._latest()
        try:
            if self.resuming and latest is not None:
                entry: Any = "resume" if self.config.checkpoint_id is None else "from"
                yield Call(self._take_up, (latest,))
                yield from self._seed(entry)
            else:
                yield Call(self._fill, ({} if latest is None else clone_state(latest.state),))
                yield from self._start()
            self.config.checkpoint_id = self.checkpoint
            return (yield from self._loop())
        except Exception as error:
            return (yield from self._failed(error))

    def _loop(self) -> Effects[RunResult]:
        while True:
            self.iterations += 1
            if self.iterations > self.setup.recursion_limit:
                return self._result("limit", failed_at=self.next and self.scope.place(self.next))
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
                return self._result("interrupted", interruption=stop.interruption)
            if interruption is not None:
                return self._interrupted(interruption)

    def _latest(self) -> Checkpoint | None:
        saver = self.setup.saver
        wanted = self.config.checkpoint_id
        if self.resuming and saver is None:
            raise NotPossibleError(
                "the run cannot be resumed: the graph keeps no checkpoints",
                hint="compile it with a saver",
            )
        latest = None if saver is None else saver.get(self.thread, wanted if self.resuming else None)
        if self.resuming and latest is None:
            raise NotPossibleError(
                f"the run cannot be resumed: thread {self.thread!r} has no checkpoint"
                + ("" if wanted is None else f" {wanted}"),
                hint="start it without a checkpoint id and without feedback",
            )
        if latest is not None:
            self.checkpoint = latest.id
        return latest

    def _take_up(self, latest: Checkpoint) -> None:
        self.next, self.resume_from = latest.next_node_id, latest.node_id
        data = clone_state(latest.state)
        declared = {key: value for key, value in self.inputs.items() if key in self.plan.keys}
        self.state = State(data, self.plan.keys, self.config.store)
        if declared:
            self.state = State(merged(data, declared, self.plan.keys), self.plan.keys, self.config.store)
        if not self.scope.path:
            self.scope.steps[0] = latest.step
        for due in self.plan.due(self.next):
            spec = self.plan.nodes.get(due)
            if spec is not None and isinstance(spec.action, Compiled):
                self.config.metadata[subgraph.resume_key(due)] = True

    def _fill(self, data: dict[str, Any]) -> None:
        inputs = clone_state(self.inputs)
        if self.setup.execution_id:
            inputs.setdefault(EXECUTION_ID, self.setup.new_id())
        self.state = State(merged(data, inputs, self.plan.keys), self.plan.keys, self.config.store)

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
        yield from self.save(START, way.next)
        yield from self._seed("start")
        yield from self.emit(START)

    def _end(self) -> Effects[RunResult]:
        yield from announce(self, "on_complete", END)
        yield from self.emit(END)
        return self._result("completed")

    # ------------------------------------------------------------------------------------- stopping

    def _ask_late_edge(self) -> Effects[None]:
        if self.next != INTERRUPTED or self.resume_from is None:
            return
        node, self.resume_from = self.resume_from, None
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
        state = self._copy_of_state()
        return self._interrupted(Interruption(self.current or START, state, asked=False))

    def _interrupted(self, interruption: Interruption) -> RunResult:
        if not interruption.state:
            interruption = replace(interruption, state=self._copy_of_state())
        if self.scope.path:
            interruption = replace(interruption, node=self.scope.place(interruption.node))
        self.output = interruption
        return self._result("interrupted", interruption=interruption)

    def _failed(self, error: Exception) -> Effects[RunResult]:
        place = self.failed_place or self.scope.place(self.current or START)
        yield from announce(self, "on_error", self.current or START, error)
        return self._result("failed", error=error, failed_at=place)

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
        yield At(task, superstep)
        if fan_out is not None:
            yield from parallel.step(self, fan_out, task, superstep)
            return None
        assert spec is not None
        action = spec.action
        if isinstance(action, Action) and action.interrupt is not None:
            asked = yield from self._ask_action(node, action)
            if asked is not None:
                return asked
        body = Body(self, spec, task, superstep)
        result = yield from gated(body.site, body.given, body.run)
        return (yield from self._finish(body, as_update(node, result), node, task, superstep))

    def _finish(
        self, body: Body, update: dict[str, Any], node: NodeId, task: TaskId, superstep: int
    ) -> Effects[Interruption | None]:
        action = body.spec.action
        body.take_usage(update)
        asked: Interruption | None = None
        if isinstance(action, Action) and action.interrupt_after is not None and body.attempts:
            args = (node, self._state_for_action(), update, self.config)
            asked = yield Call(action.interrupt_after, args)
        yield Call(self.state.put if body.raw else self.state.update, (update,))
        if self.setup.interrupt_before_edge and node in self.plan.interrupt_after:
            way = None
        else:
            way = yield from self._way(node, body.goto)
        self.next = INTERRUPTED if way is None else way.next
        yield from self.save(node, self.next)
        yield Tell(self._committed(Done(node, task, superstep, update, body), way))
        if body.attempts:
            yield from announce(self, "after", node)
        if asked is None:
            yield from self.emit(node, body)
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
        route = self._placed(way.route)
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

    def _placed(self, route: Route) -> Route:
        if not self.scope.path:
            return route
        place = self.scope.place
        otherwise = None if route.otherwise is None else place(route.otherwise)
        return replace(route, to=tuple(place(node) for node in route.to), otherwise=otherwise)

    def _by_hand(self, node: NodeId, way: Way, value: Any) -> Way:
        given = (value,) if isinstance(value, str) else tuple(value)
        targets = tuple(NodeId(target.removeprefix(self.scope.path)) for target in given)
        next_node = self.graph.position_of(targets, node)
        why = f"a person set what follows {node}"
        route = replace(way.route, to=targets, rule="by_hand", why=why, otherwise=way.next, by_hand=True)
        return Way(next_node, route, targets=targets)

    # ---------------------------------------------------------------------------------- what is kept

    def save(self, node: NodeId, next_node: NodeId) -> Effects[None]:
        saver = self.setup.saver
        if saver is None:
            return
        checkpoint_id = CheckpointId(self.setup.new_id())
        steps = self.scope.steps[0]
        checkpoint = Checkpoint(checkpoint_id, node, next_node, self.state.data, self.checkpoint, steps)
        yield Call(saver.put, (self.thread, checkpoint, self.config.metadata.get(RETAINED)))
        self.checkpoint = self.config.checkpoint_id = checkpoint.id
        self.config.next_node = next_node

    def _committed(self, done: Done, way: Way | None) -> Committed:
        return Committed(
            site=done.body.site,
            kind=done.body.spec.kind,
            task=done.task,
            superstep=done.superstep,
            state=self.state.data,
            update=done.update,
            route=None if way is None else self._placed(way.route),
            checkpoint=self.checkpoint,
            duration_us=done.body.duration_us,
            writes=tuple(done.update),
            reads=done.body.reads(),
            usage=done.body.usage,
            skipped=() if way is None else tuple(self.scope.place(n) for n in way.skipped),
            scope=self.scope.owner,
        )

    def emit(self, node: NodeId, body: Body | None = None) -> Effects[None]:
        if not self.scope.streaming:
            return
        self.output = NodeOutput(
            self.scope.place(node) if self.scope.path else node,
            self._copy_of_state(),
            str(self.config.metadata.get("_AGENT_", "")),
            None if body is None else body.usage,
            bool(self.scope.path),
            self.checkpoint,
            None if node == END else self.next,
        )
        yield Emit(self.output)

    def _copy_of_state(self) -> Mapping[str, Any]:
        return clone_state(self.state.data)

    def _state_for_action(self) -> State:
        return State(clone_state(self.state.data), self.plan.keys, self.config.store)

    def _result(self, status: RunStatus, **more: Any) -> RunResult:
        released = None
        if status in ("completed", "limit") and self.setup.release_thread and self.setup.saver is not None:
            released = self.setup.saver.release(self.thread)
        ended = status == "completed" or (self.next is None)
        failed = status == "failed" and self.just_ran
        due = () if ended else self.plan.due(self.current if failed else self.next)
        return RunResult(
            status,
            self._copy_of_state(),
            self.thread,
            self.checkpoint,
            due,
            output=self.output,
            released=released,
            **more,
        )
