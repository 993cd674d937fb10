"""What the saver is given becomes steps: one for each task of a committed superstep, in order."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hookstepper.adapters.langgraph import routes
from hookstepper.adapters.langgraph.channels import (
    TASKS,
    TO,
    Writes,
    changes,
    is_command,
    is_state,
    kept_out,
    plain_update,
    public_state,
)
from hookstepper.adapters.langgraph.names import THEIR_START, node_id, path_of, their_name
from hookstepper.adapters.langgraph.saver import snapshot
from hookstepper.adapters.langgraph.savings import place_inside
from hookstepper.adapters.langgraph.scopes import Scope
from hookstepper.adapters.langgraph.stages import staged
from hookstepper.adapters.langgraph.tasks import LiveTask, Tasks
from hookstepper.model import jumps
from hookstepper.model.graph import Edge, Graph
from hookstepper.model.ids import CheckpointId, NodeId, TaskId, scope_of
from hookstepper.model.record import Route
from hookstepper.ports.facts import Committed, EdgesSeen, Fact, Seeded

PATIENCE_S = 2.0
"""Longest wait for what another thread is saving at that moment."""
ROUTES_KEPT = 1_000
"""Decisions that may wait to be held at; a superstep of more parallel tasks keeps the last."""


@dataclass(frozen=True, slots=True)
class Commit:
    """One superstep of one graph, as it was saved."""

    namespace: str
    step: int
    checkpoint: CheckpointId
    values: Mapping[str, Any]
    seen: Mapping[str, Any]
    """LangGraph's versions_seen: changes for exactly the nodes that ran."""
    root: str = ""
    """The root's checkpoint at which a nested graph ran; empty for the root's own commits."""


class Commits:
    """Commits that wait to be told, and what telling them needs.

    `saved` and `wrote` may be called from any thread; the rest under its owner's lock.
    """

    def __init__(
        self, tasks: Tasks, scopes: Mapping[str, Scope], graph: Graph, emit: Callable[[Fact], None]
    ) -> None:
        self.waits = True
        """False if writes are saved by the event loop itself, which must not be blocked."""
        self.thread = ""
        self.read_whole: Callable[[str, CheckpointId], Mapping[str, Any]] = lambda _namespace, _at: {}
        """Gives the values of keys of which a checkpoint holds only the changes."""
        self._untracked = {path: scope.untracked_keys for path, scope in scopes.items()}
        self._delta_scopes = {path for path, scope in scopes.items() if scope.delta_keys}
        self._tasks = tasks
        self._scopes = scopes
        self.graph = graph
        """The graph with the ways that runs have taken so far."""
        self._emit = emit
        self._known = {(edge.source, edge.target) for edge in graph.edges}
        self._routes: deque[tuple[LiveTask, Route]] = deque(maxlen=ROUTES_KEPT)
        self._waiting: deque[Commit] = deque()
        self._writes: dict[str, tuple[Writes, str]] = {}
        self._arrival = threading.Condition()
        self._last_saved: dict[str, int] = {}
        self._fresh = True
        self._states: dict[str, Mapping[str, Any]] = {}
        self._seen: dict[str, Mapping[str, Any]] = {}
        self._initials: dict[str, Mapping[str, Any]] = {}

    def begin(self, *, fresh: bool) -> None:
        """A run begins; unless it is fresh, what siblings wrote in the last one still counts."""
        self._waiting.clear()
        self._routes.clear()
        self._last_saved.clear()
        self._fresh = fresh
        if fresh:
            self._writes.clear()
            self._states.clear()
            self._seen.clear()

    def start_from(self, state: Mapping[str, Any], seen: Mapping[str, Any] | None) -> None:
        """The root graph goes on from this state."""
        self._states[""] = state
        if seen is not None:
            self._seen[""] = seen

    def change(self, namespace: str, state: Mapping[str, Any]) -> None:
        """A graph's state is another one now."""
        self._states[namespace] = state

    @property
    def has_routes(self) -> bool:
        """True if `take_routes` gives something."""
        return bool(self._routes)

    @property
    def has_waiting(self) -> bool:
        """True if `tell_all` has something to tell."""
        return bool(self._waiting)

    def take_routes(self) -> list[tuple[LiveTask, Route]]:
        """Decisions that were told since the last call, oldest first."""
        found = list(self._routes)
        self._routes.clear()
        return found

    def reached(self, namespace: str, step: int) -> None:
        """Whatever is saved of a graph: how far it is."""
        with self._arrival:
            self._last_saved[namespace] = step
            self._arrival.notify_all()

    def wait_for(self, namespace: str, step: int) -> None:
        """Wait until a superstep is saved, which LangGraph does in the background."""
        if not self.waits or self._last_saved.get(namespace, -2) >= step:
            return
        with self._arrival:
            self._arrival.wait_for(
                lambda: self._last_saved.get(namespace, -2) >= step or not self._expects(namespace, step),
                PATIENCE_S,
            )

    def _expects(self, namespace: str, step: int) -> bool:
        """False where a graph goes on from what was saved before this run."""
        if namespace in self._last_saved or (self._fresh and not self._seen.get("")):
            return True
        return bool(namespace) and namespace not in self._states and step == 0

    def saved(self, namespace: str, checkpoint: Mapping[str, Any], step: int, root: str = "") -> None:
        """A superstep was saved; it is told by the next `tell_all`.

        LangGraph gives its savers a copy of the checkpoint, so what it holds stays as it is.
        """
        commit = Commit(
            namespace,
            step,
            CheckpointId(str(checkpoint["id"])),
            checkpoint.get("channel_values", {}),
            checkpoint.get("versions_seen", {}),
            root,
        )
        self._waiting.append(commit)

    def wrote(self, task: str, writes: Sequence[tuple[str, Any]], path: str) -> None:
        """A task's writes were saved."""
        with self._arrival:
            self._writes[task] = (list(writes), path)
            self._arrival.notify_all()

    def tell_all(self) -> None:
        """Tell all commits that have not been told, oldest first."""
        while self._waiting:
            try:
                self._tell(self._waiting[0])
            finally:
                # Only now: who finds nothing waiting may go on, and must find it told.
                self._waiting.popleft()

    # -------------------------------------------------------------------------------- one superstep

    def _tell(self, commit: Commit) -> None:
        scope_path = path_of(commit.namespace)
        state = {**self._initial(scope_path), **public_state(commit.values)}
        if scope_path in self._delta_scopes:
            state.update(self.read_whole(commit.namespace, commit.checkpoint))
        before, self._states[commit.namespace] = self._states.get(commit.namespace, {}), state
        seen, self._seen[commit.namespace] = self._seen.get(commit.namespace, {}), commit.seen
        ran = {name for name, versions in commit.seen.items() if seen.get(name) != versions}
        tasks = self._tasks.finished(commit.namespace, commit.step, handled=True)
        if THEIR_START in ran and not tasks:
            scope = NodeId(scope_path) if scope_path else None
            self._emit(Seeded(state, self.thread, "start", None if scope else commit.checkpoint, scope))
            return
        scope_data = self._scopes.get(scope_path)
        if seen and scope_data is not None and scope_data.builder is not None:
            unseen = ran - {their_name(task.path) for task in tasks}
            tasks += self._cached(commit, unseen, before, state)
        saved = [self._writes_of(task) if task.has_writes and task.done else [] for task in tasks]
        writes = [
            own if task.has_writes else _writes_left(task, commit, saved)
            for task, own in zip(tasks, saved, strict=True)
        ]
        if untracked := self._untracked.get(scope_path):
            writes = _with_untracked(untracked, before, state, tasks, writes)
        for task, own, after in zip(tasks, writes, staged(before, state, writes), strict=True):
            self._tell_handed_over(task)
            self._emit(self._step(commit, task, own, after, state))
            self._tasks.drop(task)
        if not commit.namespace:
            self._forget_all()

    def _step(
        self,
        commit: Commit,
        task: LiveTask,
        writes: Sequence[tuple[str, Any]],
        after: Mapping[str, Any],
        state: Mapping[str, Any],
    ) -> Committed:
        scope_path = scope_of(task.path)
        scope = self._scopes.get(scope_path)
        route = None
        if writes:
            ways = routes.taken(writes, scope, commit.values)
            route = routes.explain(scope, scope_path, their_name(task.path), ways, task.output, state)
            self._observe(task.path, route)
            if task.by_hand:
                route = replace(route, by_hand=True)
            self._routes.append((task, route))
        return Committed(
            task.site,
            task.kind,
            task.id,
            task.superstep,
            after,
            plain_update(task.output),
            route,
            self._checkpoint(commit, task),
            task.duration_us,
            writes=tuple(dict.fromkeys(name for name, _ in writes if is_state(name))),
            usage=task.usage,
            skipped=self._skipped(scope, task.path, route),
            scope=NodeId(scope_path) if scope_path else None,
            error=None if task.done else task.error,
        )

    def _checkpoint(self, commit: Commit, task: LiveTask) -> CheckpointId | None:
        """Where a run can go on from after that step; None inside of what can only be run again whole."""
        if not commit.namespace:
            return commit.checkpoint
        # A counter in the place of a node's name stands for a graph that code calls.
        reachable = commit.root and all(":" in part for part in commit.namespace.split("|"))
        if not reachable or not self._tasks.is_replaceable(task):
            return None
        return place_inside(commit.root, commit.namespace, commit.checkpoint)

    def _tell_handed_over(self, outer: LiveTask) -> None:
        """Steps of nested graphs that nothing else tells: a Command to the parent ended the graph, or it
        was found only now and keeps no checkpoints."""
        for task in self._tasks.inside(outer):
            self._tasks.drop(task)
            if not task.done:
                continue
            route = None
            if is_command(task.output):
                target = tuple(node_id(name, scope_of(outer.path)) for name in routes.goto_of(task.output))
                route = Route(target, "goto", "a Command to the parent graph, which takes its update")
            state = self._states.get(task.graph_namespace, {})
            self._emit(lone_step(task, state, plain_update(task.output), route))

    def _forget_all(self) -> None:
        """The root graph has committed: whatever was nested in this superstep is over."""
        self._tasks.drop_all()
        with self._arrival:
            self._writes.clear()
        for kept in (self._states, self._seen):
            for namespace in [name for name in kept if name]:
                del kept[namespace]

    # -------------------------------------------------------------------------------- what is known

    def _writes_of(self, task: LiveTask) -> Writes:
        """The task's writes; waits for the thread that is saving them."""
        with self._arrival:
            if self.waits:
                self._arrival.wait_for(lambda: task.id in self._writes, PATIENCE_S)
            return self._writes.get(task.id, ([], ""))[0]

    def _cached(
        self, commit: Commit, names: set[str], before: Mapping[str, Any], state: Mapping[str, Any]
    ) -> list[LiveTask]:
        """Tasks that LangGraph answered from its cache: no callback tells of them.

        Newer versions save their writes; else what changed in the superstep is all that is known.
        """
        saved = {path.rpartition(", ")[2]: identity for identity, (_, path) in self._writes.items()}
        found: list[LiveTask] = []
        for name in sorted(name for name in names if not name.startswith("__")):
            node = node_id(name, path_of(commit.namespace))
            identity = TaskId(saved.get(name, f"{name}@{commit.step}"))
            task = self._tasks.answered(identity, node, commit.namespace, commit.step)
            task.has_writes = name in saved
            writes = self._writes[identity][0] if name in saved else changes(before, state)
            task.output = {channel: value for channel, value in writes if is_state(channel)}
            found.append(task)
        return found

    def _observe(self, source: NodeId, route: Route) -> None:
        """Tell ways that nothing declares, once each."""
        label = "goto" if route.rule == "goto" else ""
        edges = tuple(
            Edge(source, target, "conditional", label, "observed")
            for target in route.to
            if (source, target) not in self._known
        )
        if edges:
            self._known.update((edge.source, edge.target) for edge in edges)
            self.graph = replace(self.graph, edges=(*self.graph.edges, *edges))
            self._emit(EdgesSeen(edges))

    def _skipped(self, scope: Scope | None, here: NodeId, route: Route | None) -> tuple[NodeId, ...]:
        """Nodes of the chain that a jump has passed over."""
        if scope is None or scope.path or route is None or route.rule != "jump_to" or not route.to:
            return ()
        return jumps.skipped(self.graph, here, route.to[0])

    def _initial(self, scope_path: str) -> Mapping[str, Any]:
        known = self._initials.get(scope_path)
        if known is None:
            scope = self._scopes.get(scope_path)
            known = self._initials[scope_path] = scope.initial if scope is not None else {}
        return {name: snapshot(value) for name, value in known.items()}


def lone_step(
    task: LiveTask, state: Mapping[str, Any], update: object, route: Route | None = None
) -> Committed:
    """A nested step that no commit of its own graph tells."""
    return Committed(
        task.site,
        task.kind,
        task.id,
        task.superstep,
        state,
        update,
        route,
        None,
        task.duration_us,
        usage=task.usage,
        scope=NodeId(scope_of(task.path)),
    )


def _with_untracked(
    keys: Sequence[str],
    before: Mapping[str, Any],
    state: dict[str, Any],
    tasks: Sequence[LiveTask],
    writes: Sequence[Writes],
) -> list[Writes]:
    """The tasks' writes with those to keys that no checkpoint holds; puts the values into the state."""
    state.update({key: before[key] for key in keys if key in before})
    found: list[Writes] = []
    for task, own in zip(tasks, writes, strict=True):
        saved = {channel for channel, _ in own}
        more = [(key, value) for key, value in kept_out(task.output, keys) if key not in saved]
        state.update(more or [one for one in own if one[0] in keys])
        found.append([*more, *own])
    return found


def _writes_left(task: LiveTask, commit: Commit, siblings: Sequence[Writes]) -> Writes:
    """Writes that were not saved: the keys of the output, and the ways that no sibling opened."""
    update = plain_update(task.output)
    own = list(update.items()) if isinstance(update, Mapping) else []
    theirs = {channel for writes in siblings for channel, _ in writes}
    due = [(name, None) for name in commit.values if name.startswith(TO) and name not in theirs]
    sent = [] if TASKS in theirs else list(commit.values.get(TASKS) or ())
    return [*own, *due, *((TASKS, one) for one in sent)]
