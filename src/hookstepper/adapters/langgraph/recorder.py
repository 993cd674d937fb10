"""Turns what LangGraph's callbacks and checkpoints tell into facts: one `Committed` for each task.

Callbacks tell when a node begins and ends and what it returned; the saver tells what each task wrote and
the state when a superstep was committed. A commit is told to the probe before any node of the next
superstep is held, on the thread that arrives there. Nothing here calls the user's code.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from hookstepper.adapters.langgraph import routes
from hookstepper.adapters.langgraph.names import (
    THEIR_START,
    graph_namespace,
    hook_kind,
    node_id,
    path_of,
    scope_of,
    task_id,
    their_name,
)
from hookstepper.adapters.langgraph.saver import snapshot
from hookstepper.adapters.langgraph.scopes import Scope
from hookstepper.adapters.langgraph.stages import staged
from hookstepper.model import jumps
from hookstepper.model.gates import Site
from hookstepper.model.graph import Edge, Graph, NodeKind
from hookstepper.model.ids import CheckpointId, NodeId, TaskId
from hookstepper.model.record import Route, Usage
from hookstepper.ports.facts import Committed, EdgesSeen, Seeded
from hookstepper.ports.probe import Probe

PATIENCE_S = 5.0
"""Longest wait for a task's writes, which another thread is saving at that moment."""


@dataclass(slots=True)
class LiveTask:
    """One execution of a node, while its run lasts."""

    id: TaskId
    namespace: str
    path: NodeId
    superstep: int
    kind: NodeKind
    order: tuple[Any, ...]
    """LangGraph's task path: parallel writes are applied in this order."""
    attempt: int = 1
    entered: float = 0.0
    duration_us: int = 0
    done: bool = False
    output: object = None
    by_hand: bool = False
    """True if `output` was given by a person."""
    tokens: list[int] = field(default_factory=lambda: [0, 0])

    @property
    def is_call(self) -> bool:
        """True for a task of the functional API: its result is saved when it returns, without a superstep."""
        return bool(self.order) and self.order[-1] == "True"

    @property
    def site(self) -> Site:
        """The node's gate."""
        return Site("node", self.path)

    @property
    def graph_namespace(self) -> str:
        """Namespace of the graph that the node lies in."""
        return graph_namespace(self.namespace)


@dataclass(frozen=True, slots=True)
class _Commit:
    namespace: str
    step: int
    checkpoint: CheckpointId
    values: Mapping[str, Any]
    seen: Mapping[str, Any]
    """LangGraph's versions_seen: changes for exactly the nodes that ran."""


class Recorder:
    """Keeps the tasks of one target's runs. Its methods may be called from any thread of the run."""

    def __init__(self, scopes: Mapping[str, Scope], graph: Graph) -> None:
        self.scopes = scopes
        self.graph = graph
        self.last_checkpoint: CheckpointId | None = None
        self.aborted = False
        self.rerun = False
        """True if a node is to run once more though it returned."""
        self.amending = False
        """True while results given by a person are committed."""
        self._replaced: set[str] = set()
        self._passing: set[TaskId] = set()
        self._supersteps: list[int] = []
        self._failures: dict[int, NodeId] = {}
        self._kinds: dict[str, NodeKind] = {node.id: node.kind for node in graph.nodes}
        self._known = {(edge.source, edge.target) for edge in graph.edges}
        self._tasks: dict[TaskId, LiveTask] = {}
        self._attempts: dict[TaskId, int] = {}
        self._writes: dict[str, tuple[list[tuple[str, Any]], str]] = {}
        self._initials: dict[str, Mapping[str, Any]] = {}
        self._states: dict[str, Mapping[str, Any]] = {}
        self._seen: dict[str, Mapping[str, Any]] = {}
        self._commits: deque[_Commit] = deque()
        self._lock = threading.RLock()
        self._arrival = threading.Condition()
        self._probe: Probe | None = None
        self._thread = ""
        self._waits = True

    # -------------------------------------------------------------------------------- a run

    def begin(self, probe: Probe, thread: str, *, fresh: bool, waits: bool) -> None:
        """A run begins.

        Args:
            fresh: False if it goes on from the last checkpoint, where finished siblings are not run again.
            waits: True if writes are saved by other threads, False if by the event loop itself.
        """
        with self._lock:
            self._probe, self._thread, self._waits = probe, thread, waits
            self.aborted = self.rerun = self.amending = False
            self._replaced.clear()
            self._passing.clear()
            self._supersteps.clear()
            self._failures.clear()
            self._attempts.clear()
            self._commits.clear()
            if fresh:
                self._tasks.clear()
                self._writes.clear()
                self._states.clear()
                self._seen.clear()

    def seed(self, state: Mapping[str, Any], entry: Literal["start", "resume", "from"]) -> None:
        """The run goes on from `state`; one that starts tells so itself, when its input is merged."""
        with self._lock:
            self._states[""] = state
            self._emit(Seeded(state, self._thread, entry, self.last_checkpoint))

    @property
    def probe(self) -> Probe:
        """Of the run that is alive."""
        assert self._probe is not None
        return self._probe

    # -------------------------------------------------------------------------------- tasks

    def entering(self, metadata: Mapping[str, Any]) -> LiveTask:
        """The task that arrives at its node, with all that was committed before it told."""
        namespace = str(metadata["langgraph_checkpoint_ns"])
        path = NodeId(path_of(namespace))
        identity = task_id(namespace)
        with self._lock:
            self.flush()
            attempt = self._attempts[identity] = self._attempts.get(identity, 0) + 1
            task = LiveTask(
                identity,
                namespace,
                path,
                int(metadata.get("langgraph_step", 0)),
                self.kind_of(path),
                tuple(str(part) for part in metadata.get("langgraph_path", ())),
                attempt,
            )
            self._tasks[identity] = task
            if not task.graph_namespace:
                self._supersteps.append(task.superstep)
        return task

    def left(self, task: LiveTask, output: object) -> None:
        """The node's body and its routers are done."""
        task.duration_us = int((time.perf_counter() - task.entered) * 1e6)
        task.output = output
        with self._lock:
            # A nested graph has come to its end: its last commit has no later node to wait for.
            self.flush()

    def returned(self, task: LiveTask) -> None:
        """A task of the functional API returned: that is all there is to its commit."""
        with self._lock:
            self._tasks.pop(task.id, None)
            self._emit(self._step(task, {}, task.output))

    def handed_over(self, task: LiveTask, error: BaseException) -> None:
        """The node's body ended in control flow; a Command for a parent graph is what it returned."""
        command = error.args[0] if error.args else None
        if is_command(command):
            task.duration_us = int((time.perf_counter() - task.entered) * 1e6)
            task.output, task.done = command, True

    def broke(self, task: LiveTask, error: BaseException) -> None:
        """The node raised; the innermost node is the one that failed."""
        with self._lock:
            self.flush()
            self._failures.setdefault(id(error), task.path)

    def place_of(self, error: BaseException) -> NodeId | None:
        """The innermost node that raised this very exception."""
        return self._failures.get(id(error))

    def task_at(self, namespace: str) -> LiveTask | None:
        """The task whose body makes a call, by the namespace in the call's metadata."""
        return self._tasks.get(task_id(namespace)) if namespace else None

    def kind_of(self, path: str) -> NodeKind:
        """The node's kind; by its name if the graph that holds it was not found before the run."""
        known = self._kinds.get(path)
        if known is not None:
            return known
        name = their_name(path)
        agent_like: dict[str, NodeKind] = {"model": "model", "tools": "tool"}
        return hook_kind(name) or agent_like.get(name, "plain")

    # -------------------------------------------------------------------------------- results by hand

    def is_replaceable(self, task: LiveTask) -> bool:
        """True if a person may give the node's result: no user code stands between it and the root graph."""
        if task.is_call:
            return False
        scope = scope_of(task.path)
        while scope:
            known = self.scopes.get(scope)
            if known is None or known.called:
                return False
            scope = scope_of(scope)
        return self.scopes[""].builder is not None

    def replace(self, task: LiveTask, output: object) -> None:
        """The task leaves its run; `output` is what it is taken to have returned."""
        with self._lock:
            task.output, task.done, task.by_hand = output, True, True
            self._replaced.add(task.graph_namespace)
            self._pass_again(task)

    def run_again(self, task: LiveTask) -> None:
        """The task leaves its run, to be run once more from the same state."""
        with self._lock:
            self.rerun = True
            self._pass_again(task)

    def _pass_again(self, task: LiveTask) -> None:
        """The nodes that the task is nested in are entered again, without being held again."""
        outer = task.namespace.split("|")[:-1]
        self._passing.update(TaskId(part.rpartition(":")[2]) for part in outer)

    def passes_again(self, task: LiveTask) -> bool:
        """True, once, if the node has been entered already and only leads back to where the run was."""
        with self._lock:
            if task.id in self._passing:
                self._passing.discard(task.id)
                return True
        return False

    @property
    def is_amended(self) -> bool:
        """True if the run has to go on after results were replaced, or after a node was asked for again."""
        return bool(self._replaced) or self.rerun

    def take_replaced(self) -> list[tuple[str, list[LiveTask]]]:
        """Namespaces with replaced results, innermost first, and all finished tasks of their superstep."""
        with self._lock:
            self.rerun = False
            found: list[tuple[str, list[LiveTask]]] = []
            for namespace in sorted(self._replaced, key=lambda one: -one.count("|") - bool(one)):
                tasks = [
                    task for task in self._tasks.values() if task.done and task.graph_namespace == namespace
                ]
                step = max((task.superstep for task in tasks if task.by_hand), default=-1)
                now = [task for task in tasks if task.superstep == step]
                found.append((namespace, sorted(now, key=lambda task: task.order)))
            self._replaced.clear()
            return found

    @property
    def supersteps_used(self) -> int:
        """Supersteps of the root graph that this run has taken so far."""
        return self._supersteps[-1] - self._supersteps[0] + 1 if self._supersteps else 0

    # -------------------------------------------------------------------------------- the saver's listener

    def saved(self, namespace: str, checkpoint: dict[str, Any], metadata: dict[str, Any]) -> None:
        """A checkpoint was saved: told later, before the next node is held."""
        identity = CheckpointId(str(checkpoint["id"]))
        if not namespace:
            self.last_checkpoint = identity
        if metadata.get("source") == "loop" or (metadata.get("source") == "update" and self.amending):
            commit = _Commit(
                namespace,
                int(metadata.get("step", 0)),
                identity,
                dict(checkpoint.get("channel_values", {})),
                {name: dict(seen) for name, seen in checkpoint.get("versions_seen", {}).items()},
            )
            self._commits.append(commit)

    def wrote(self, task: str, writes: Sequence[tuple[str, Any]], path: str) -> None:
        """A task's writes were saved."""
        with self._arrival:
            self._writes[task] = (list(writes), path)
            self._arrival.notify_all()

    # -------------------------------------------------------------------------------- commits

    def flush(self) -> None:
        """Tell all commits that have not been told, oldest first."""
        if not self._commits:
            return
        with self._lock:
            while self._commits:
                self._tell(self._commits.popleft())

    def _tell(self, commit: _Commit) -> None:
        scope_path = path_of(commit.namespace)
        state = {**self._initial(scope_path), **public_state(commit.values)}
        before, self._states[commit.namespace] = self._states.get(commit.namespace, {}), state
        old, self._seen[commit.namespace] = self._seen.get(commit.namespace, {}), commit.seen
        ran = {name for name, seen in commit.seen.items() if old.get(name) != seen}
        tasks = sorted(
            (
                task
                for task in self._tasks.values()
                if task.done and task.superstep == commit.step and task.graph_namespace == commit.namespace
            ),
            key=lambda task: task.order,
        )
        if THEIR_START in ran and not tasks:
            scope = NodeId(scope_path) if scope_path else None
            self._emit(Seeded(state, self._thread, "start", None if scope else commit.checkpoint, scope))
            return
        tasks += self._cached(commit, ran - {their_name(task.path) for task in tasks}, scope_path)
        writes = [[] if task.by_hand else self._writes_of(task) for task in tasks]
        writes = [
            _writes_by_hand(task, commit, writes) if task.by_hand else own
            for task, own in zip(tasks, writes, strict=True)
        ]
        stages = staged(before, state, writes)
        for task, own, after in zip(tasks, writes, stages, strict=True):
            self._tell_handed_over(task)
            self._tell_task(commit, task, own, after, state)
            self._tasks.pop(task.id, None)
            self._writes.pop(task.id, None)

    def _tell_task(
        self,
        commit: _Commit,
        task: LiveTask,
        writes: Sequence[tuple[str, Any]],
        after: Mapping[str, Any],
        state: Mapping[str, Any],
    ) -> None:
        scope_path = scope_of(task.path)
        scope = self.scopes.get(scope_path)
        route = None
        if writes:
            ways = routes.taken(writes, scope, commit.values)
            route = routes.explain(scope, scope_path, their_name(task.path), ways, task.output, state)
            self._observe(task.path, route)
            if task.by_hand:
                route = replace(route, by_hand=True)
        self._emit(
            Committed(
                task.site,
                task.kind,
                task.id,
                task.superstep,
                after,
                plain_update(task.output),
                route,
                None if commit.namespace else commit.checkpoint,
                task.duration_us,
                writes=tuple(dict.fromkeys(name for name, _ in writes if _is_state(name))),
                usage=Usage(*task.tokens) if any(task.tokens) else None,
                skipped=self._skipped(scope, task.path, route),
                scope=NodeId(scope_path) if scope_path else None,
            )
        )

    def _tell_handed_over(self, outer: LiveTask) -> None:
        """Steps of a nested graph that a Command to its parent ended: it never commits them itself."""
        inside = [task for task in self._tasks.values() if task.namespace.startswith(f"{outer.namespace}|")]
        for task in inside:
            del self._tasks[task.id]
            if not task.done or not is_command(task.output):
                continue
            target = tuple(node_id(name, scope_of(outer.path)) for name in routes.goto_of(task.output))
            route = Route(target, "goto", "a Command to the parent graph, which takes its update")
            state = self._states.get(task.graph_namespace, {})
            self._emit(self._step(task, state, plain_update(task.output), route))

    def _step(
        self, task: LiveTask, state: Mapping[str, Any], update: object, route: Route | None = None
    ) -> Committed:
        """A step that no commit of its own graph tells."""
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
            usage=Usage(*task.tokens) if any(task.tokens) else None,
            scope=NodeId(scope_of(task.path)),
        )

    def _writes_of(self, task: LiveTask) -> list[tuple[str, Any]]:
        """The task's writes; waits for the thread that is saving them."""
        with self._arrival:
            if self._waits:
                self._arrival.wait_for(lambda: task.id in self._writes, PATIENCE_S)
            return self._writes.get(task.id, ([], ""))[0]

    def _cached(self, commit: _Commit, names: set[str], scope_path: str) -> list[LiveTask]:
        """Tasks that LangGraph answered from its cache: no callback tells of them."""
        found: list[LiveTask] = []
        for identity, (writes, path) in list(self._writes.items()):
            name = path.rpartition(", ")[2]
            if name in names and TaskId(identity) not in self._tasks:
                node = node_id(name, scope_path)
                task = LiveTask(
                    TaskId(identity), commit.namespace, node, commit.step, self.kind_of(node), (path,)
                )
                task.output = {channel: value for channel, value in writes if _is_state(channel)}
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
            self._emit(EdgesSeen(edges))

    def _skipped(self, scope: Scope | None, here: NodeId, route: Route | None) -> tuple[NodeId, ...]:
        """Nodes of the chain that a jump has passed over."""
        if scope is None or scope.path or route is None or route.rule != "jump_to" or not route.to:
            return ()
        return jumps.skipped(self.graph, here, route.to[0])

    def _initial(self, scope_path: str) -> Mapping[str, Any]:
        known = self._initials.get(scope_path)
        if known is None:
            scope = self.scopes.get(scope_path)
            known = self._initials[scope_path] = scope.initial if scope is not None else {}
        return {name: snapshot(value) for name, value in known.items()}

    def _emit(self, fact: Seeded | Committed | EdgesSeen) -> None:
        self.probe.emit(fact)


def _writes_by_hand(
    task: LiveTask, commit: _Commit, siblings: Sequence[Sequence[tuple[str, Any]]]
) -> list[tuple[str, Any]]:
    """What a result given by a person wrote: its keys, and the ways that no sibling opened."""
    update = plain_update(task.output)
    own = list(update.items()) if isinstance(update, Mapping) else []
    theirs = {channel for writes in siblings for channel, _ in writes}
    due = [
        (channel, None)
        for channel in commit.values
        if channel.startswith(routes.TO) and channel not in theirs
    ]
    sent = [] if routes.TASKS in theirs else list(commit.values.get(routes.TASKS) or ())
    return [*own, *due, *((routes.TASKS, one) for one in sent)]


def public_state(values: Mapping[str, Any]) -> dict[str, Any]:
    """Channel values that are state, without LangGraph's own bookkeeping."""
    return {name: value for name, value in values.items() if _is_state(name)}


def plain_update(output: object) -> object:
    """A node's output with a lone Command seen through: its update is what the node changed."""
    if isinstance(output, list) and len(output) == 1 and is_command(output[0]):
        output = output[0]
    return getattr(output, "update", None) if is_command(output) else output


def is_command(output: object) -> bool:
    """True for a LangGraph Command."""
    return type(output).__name__ == "Command" and hasattr(output, "goto")


def _is_state(channel: str) -> bool:
    return channel == "__root__" or not channel.startswith(("__", "branch:", "join:"))
