"""Facts of the engine become events of the record: encoded and diffed here, on the run's own thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from hookstepper.model.events import (
    CallStarted,
    EdgesObserved,
    Event,
    NodeEntered,
    NodeRan,
    RunStarted,
    StateChanged,
    Token,
)
from hookstepper.model.gates import Site
from hookstepper.model.ids import BranchId, HostId, Json, NodeId, TaskId
from hookstepper.model.record import CallRecord, LayerRecord, StepDone, Usage
from hookstepper.ports.facts import (
    CallBegan,
    CallEnded,
    Committed,
    EdgesSeen,
    Entered,
    Fact,
    LayerPassed,
    Ran,
    Seeded,
    TextStreamed,
)
from hookstepper.ports.target import Codec
from hookstepper.ports.verdict import Point
from hookstepper.session.mocking import Recorded
from hookstepper.values import Limits, StateEncoder, diff, encode

RECHECK_EVERY = 250
"""Steps after which the state is encoded afresh, to find changes made in place; as often as keyframes."""
PREVIEW = Limits(text=20_000, items=500, depth=12, total=200_000)
"""What requests, responses and updates are cut to; the state itself is kept whole."""


@dataclass(slots=True)
class _Open:
    """What has been gathered of a task that has not been committed yet."""

    calls: list[CallRecord] = field(default_factory=list)
    layers: list[LayerRecord] = field(default_factory=list)
    usage: Usage | None = None
    replaced: list[tuple[Site, Json]] = field(default_factory=list)
    """Calls that were answered instead of being made, with what they would have been made with."""
    answers: list[Recorded] = field(default_factory=list)


@dataclass(slots=True)
class _Scope:
    """The state of one graph, as last encoded."""

    encoder: StateEncoder
    live: Mapping[str, object] = field(default_factory=dict)
    """The state itself, as the engine gave it last."""
    state: Json = field(default_factory=dict)


class Recorder:
    """Keeps the last encoded state of each graph. Safe for several threads: branches run side by side."""

    def __init__(self, host: HostId, codec: Codec, publish: Callable[[Event], None]) -> None:
        self.host = host
        self.branch: BranchId = BranchId("main")
        self.run = 0
        self.from_step: int | None = None
        self.marks: Callable[[TaskId], tuple[str, ...]] = lambda _: ()
        self.codec = codec
        self._publish = publish
        self._lock = threading.RLock()
        self._index = 0
        self._scopes: dict[NodeId | None, _Scope] = {}
        self._open: dict[TaskId, _Open] = {}
        self._running: dict[TaskId, Entered] = {}
        self._answers: list[tuple[int, BranchId, Recorded]] = []

    @property
    def state(self) -> Json:
        """The root state as last committed, encoded."""
        scope = self._scopes.get(None)
        return {} if scope is None else scope.state

    def state_in(self, scope: str) -> dict[str, Json]:
        """What code in a nested graph sees, encoded: its own state over that of the graphs around it.

        Args:
            scope: path of the subgraph node that holds it; empty for the root graph.
        """
        parts = scope.split(":") if scope else []
        known = [self.state]
        for depth in range(1, len(parts) + 1):
            inner = self._scopes.get(NodeId(":".join(parts[:depth])))
            known.append(inner.state if inner is not None else None)
        return {key: value for state in known if isinstance(state, dict) for key, value in state.items()}

    @property
    def last(self) -> int:
        """Index of the last recorded step; -1 before the first."""
        return self._index - 1

    def begin(self, branch: BranchId, from_step: int | None, *, new: bool) -> None:
        """A run is about to start on that branch; `new` if it is another one and does not go on."""
        with self._lock:
            self.branch = branch
            self.from_step = from_step
            self.run += new

    def forget(self, *, count_anew: bool) -> None:
        """Let go of what was recorded of earlier runs.

        Args:
            count_anew: True: steps are counted from 0 again; nobody may know of the earlier ones.
        """
        with self._lock:
            self._answers.clear()
            if count_anew:
                self._index = 0

    def take(self, fact: Fact) -> StepDone | None:
        """Record a fact; gives the step if the fact completed one."""
        with self._lock:
            match fact:
                case Seeded():
                    self._seed(fact)
                case Entered():
                    self._running[fact.task] = fact
                    self._publish(NodeEntered(fact.site, fact.task, fact.superstep))
                case Ran():
                    update = self.preview(fact.update)
                    self._publish(NodeRan(fact.site, fact.task, fact.superstep, update))
                case CallBegan():
                    self._publish(CallStarted(fact.site, fact.task, fact.call_id))
                case CallEnded():
                    self._call(fact)
                case LayerPassed():
                    self._layer(fact)
                case TextStreamed():
                    self._publish(Token(fact.task, fact.text))
                case EdgesSeen():
                    self._publish(EdgesObserved(fact.edges))
                case Committed():
                    return self._commit(fact)
                case _:
                    assert_never(fact)
        return None

    @property
    def running(self) -> Entered | None:
        """The node that was entered last of those that run now; None if none does."""
        return next(reversed(list(self._running.values())), None)

    def replaced(self, point: Point) -> None:
        """The call at this gate is answered instead of being made."""
        with self._lock:
            open_ = self._open.setdefault(point.task, _Open())
            open_.replaced.append((point.site, self.preview(point.value)))

    def answers_after(self, step: int) -> tuple[Recorded, ...]:
        """Calls that were recorded after a step, on the branch that the run is on now."""
        with self._lock:
            return tuple(a for index, branch, a in self._answers if index > step and branch == self.branch)

    def preview(self, value: object) -> Json:
        """A value at a gate, encoded and cut for the screen."""
        return encode(value, self.codec, PREVIEW)

    def recheck(self) -> None:
        """Look for changes that the program made in place, outside any update; costs a full encoding.

        Only while no node runs: then the state is what was committed last. Does nothing if another thread
        is recording just now.
        """
        if not self._lock.acquire(blocking=False):
            return
        try:
            if not self._running:
                for scope in list(self._scopes):
                    self._recheck(scope)
        finally:
            self._lock.release()

    def _recheck(self, scope_id: NodeId | None) -> None:
        scope = self._scopes[scope_id]
        delta = scope.encoder.rehash(scope.live)
        scope.state = scope.encoder.state
        if delta:
            self._publish(StateChanged(self.branch, delta, None, "program", (), self.last, scope_id))

    def _seed(self, fact: Seeded) -> None:
        before = self._scopes[fact.scope].state if fact.scope in self._scopes else {}
        state = self._encode(fact.scope, fact.state)
        if fact.scope is not None:
            delta = diff(before, state)
            if delta:
                changed = StateChanged(self.branch, delta, None, "input", (), self.last, fact.scope)
                self._publish(changed)
            return
        self._open.clear()
        self._running.clear()
        self._publish(RunStarted(self.run, self.branch, fact.thread, fact.entry, state, self.from_step))
        self.from_step = None

    def _encode(self, scope_id: NodeId | None, state: Mapping[str, object]) -> Json:
        scope = self._scopes.get(scope_id)
        if scope is None:
            scope = self._scopes[scope_id] = _Scope(StateEncoder(self.codec))
        scope.live = state
        scope.state = scope.encoder.encode(state)
        return scope.state

    def _call(self, fact: CallEnded) -> None:
        open_ = self._open.setdefault(fact.task, _Open())
        request = self.preview(fact.request)
        mocked = (fact.site, request) in open_.replaced
        if mocked:
            open_.replaced.remove((fact.site, request))
        if fact.error is None:
            open_.answers.append(Recorded(fact.site, request, fact.response))
        error = f"{type(fact.error).__name__}: {fact.error}" if fact.error is not None else ""
        open_.calls.append(
            CallRecord(
                fact.site.kind,
                fact.site.name,
                fact.call_id,
                request,
                self.preview(fact.response),
                error,
                fact.duration_us,
                mocked,
            )
        )
        if fact.usage is not None:
            old = open_.usage or Usage()
            open_.usage = Usage(
                old.input_tokens + fact.usage.input_tokens, old.output_tokens + fact.usage.output_tokens
            )

    def _layer(self, fact: LayerPassed) -> None:
        self._open.setdefault(fact.task, _Open()).layers.append(
            LayerRecord(
                fact.site.name,
                fact.site.ring,
                fact.around,
                self.preview(fact.request),
                self.preview(fact.response),
            )
        )

    def _commit(self, fact: Committed) -> StepDone:
        before = self._scopes[fact.scope].state if fact.scope in self._scopes else {}
        after = self._encode(fact.scope, fact.state)
        gathered = self._open.pop(fact.task, None) or _Open()
        step = StepDone(
            index=self._index,
            branch=self.branch,
            superstep=fact.superstep,
            task=fact.task,
            site=fact.site,
            kind=fact.kind,
            delta=diff(before, after),
            route=fact.route,
            checkpoint=fact.checkpoint,
            host=self.host,
            duration_us=fact.duration_us,
            usage=fact.usage or gathered.usage,
            reads=fact.reads,
            writes=fact.writes,
            update=self.preview(fact.update),
            calls=tuple(gathered.calls),
            layers=tuple(gathered.layers),
            by_hand=self.marks(fact.task),
            skipped=fact.skipped,
            error=f"{type(fact.error).__name__}: {fact.error}" if fact.error is not None else "",
            scope=fact.scope,
        )
        told = [replace(answer, superstep=fact.superstep) for answer in gathered.answers]
        self._answers += [(self._index, self.branch, answer) for answer in told]
        self._index += 1
        self._running.pop(fact.task, None)
        self._publish(step)
        if self._index % RECHECK_EVERY == 0:
            self._recheck(fact.scope)
        return step
