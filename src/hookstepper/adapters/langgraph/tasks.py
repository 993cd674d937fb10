"""The tasks of a run while it lasts: which node, which attempt, what came of it, what a person made of it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hookstepper.adapters.langgraph.names import (
    graph_namespace,
    hook_kind,
    path_of,
    task_id,
    their_name,
)
from hookstepper.adapters.langgraph.scopes import Scope
from hookstepper.model.gates import Site
from hookstepper.model.graph import Graph, NodeKind
from hookstepper.model.ids import NodeId, TaskId, scope_of
from hookstepper.model.record import Usage


@dataclass(slots=True)
class LiveTask:
    """One execution of a node."""

    id: TaskId
    namespace: str
    path: NodeId
    superstep: int
    kind: NodeKind
    order: tuple[Any, ...]
    """LangGraph's task path: parallel writes are applied in this order."""
    site: Site
    """The node's gate."""
    graph_namespace: str
    """Namespace of the graph that the node lies in."""
    attempt: int = 1
    entered: float = 0.0
    duration_us: int = 0
    done: bool = False
    """True if its result is in; it counts as soon as its superstep is committed."""
    output: object = None
    error: BaseException | None = None
    """What the body raised; if the superstep commits all the same, an error handler took it."""
    by_hand: bool = False
    """True if `output` was given by a person."""
    has_writes: bool = True
    """False if LangGraph saves no writes of the task: they are told from its output and from the commit."""
    tokens: list[int] = field(default_factory=lambda: [0, 0])

    is_apart: bool = False
    """True if its graph saves elsewhere, so that no commit tells of it."""

    @property
    def is_call(self) -> bool:
        """True for a task of the functional API: its result is saved when it returns, without a superstep."""
        return bool(self.order) and self.order[-1] == "True"

    @property
    def usage(self) -> Usage | None:
        """What its model calls took, None if nobody said."""
        return Usage(*self.tokens) if any(self.tokens) else None

    def returned(self, output: object) -> None:
        """Take note of the body's output and of the time that it took."""
        self.duration_us = int((time.perf_counter() - self.entered) * 1e6)
        self.output = output


@dataclass(frozen=True, slots=True)
class _Place:
    """What all tasks of one node have in common."""

    site: Site
    kind: NodeKind
    is_unsaved: bool
    is_known: bool
    """True if the graph that holds the node was found before the run."""
    is_in_reach: bool
    """True if no user code stands between the node and the root graph."""


class Tasks:
    """All tasks of the run that is alive, by id. Its owner calls it under one lock."""

    def __init__(self, scopes: Mapping[str, Scope], graph: Graph) -> None:
        self._scopes = scopes
        self._kinds: dict[str, NodeKind] = {node.id: node.kind for node in graph.nodes}
        self._places: dict[str, _Place] = {}
        self._live: dict[TaskId, LiveTask] = {}
        self._open: dict[tuple[int, str], dict[TaskId, LiveTask]] = {}
        """Tasks by superstep and graph; those that are done go when they are next seen."""
        self._attempts: dict[TaskId, int] = {}
        self._replaced: set[str] = set()
        self._passing: set[TaskId] = set()
        self._supersteps: list[int] = []
        self._rerun = False

    def begin(self, *, fresh: bool) -> None:
        """A run begins; unless it is fresh, what siblings finished in the last one still counts."""
        self._attempts.clear()
        self._replaced.clear()
        self._passing.clear()
        self._supersteps.clear()
        self._rerun = False
        self._open.clear()
        if fresh:
            self._live.clear()

    def enter(self, metadata: Mapping[str, Any], namespace: str, around: LiveTask | None) -> LiveTask:
        """The task that arrives at its node, made from the metadata of its callback."""
        is_apart = around is not None
        if around is not None:
            namespace = f"{around.namespace}|{namespace}"
        elif "|" in namespace:
            first, _, rest = namespace.partition("|")
            outer = self._live.get(task_id(first))
            if outer is not None and outer.is_apart:
                namespace, is_apart = f"{outer.namespace}|{rest}", True
        identity, path = task_id(namespace), path_of(namespace)
        place = self.place(path)
        attempt = self._attempts[identity] = self._attempts.get(identity, 0) + 1
        step = int(metadata.get("langgraph_step", 0))
        order = tuple([str(part) for part in metadata.get("langgraph_path", ())])
        task = LiveTask(
            identity,
            namespace,
            place.site.node,
            step,
            place.kind,
            order,
            place.site,
            graph_namespace(namespace),
            attempt,
        )
        task.is_apart = is_apart
        self._live[identity] = task
        self._open.setdefault((step, task.graph_namespace), {})[identity] = task
        if not task.graph_namespace:
            self._supersteps.append(step)
        return task

    def answered(self, identity: TaskId, path: NodeId, graph_namespace: str, superstep: int) -> LiveTask:
        """A task that no callback tells of; its writes are all that is known."""
        place = self.place(path)
        order = ("~", their_name(path))
        return LiveTask(
            identity, graph_namespace, path, superstep, place.kind, order, place.site, graph_namespace
        )

    def place(self, path: str) -> _Place:
        """What is the same for all tasks of a node; nobody may have known of the graph that holds it."""
        known = self._places.get(path)
        if known is None:
            known = self._places[path] = _Place(
                Site("node", NodeId(path)),
                self.kind_of(path),
                self._is_unsaved(path),
                scope_of(path) in self._scopes,
                self._is_in_reach(path),
            )
        return known

    def at(self, namespace: str) -> LiveTask | None:
        """The task whose body runs in that namespace."""
        return self._live.get(task_id(namespace)) if namespace else None

    def knows(self, identity: str) -> bool:
        """True if a callback has told of that task."""
        return identity in self._live

    def drop(self, task: LiveTask) -> None:
        """The task is told."""
        self._live.pop(task.id, None)
        self._open.get((task.superstep, task.graph_namespace), {}).pop(task.id, None)

    def drop_all(self) -> None:
        """A superstep of the root graph is told: nothing in it or below it is left."""
        self._live.clear()
        self._open.clear()

    def finished(self, namespace: str, superstep: int, *, handled: bool = False) -> list[LiveTask]:
        """Tasks of one superstep of one graph whose result is in, in the order in which they apply.

        Args:
            handled: count those that failed too, since the superstep was committed all the same.
        """
        found = [
            task
            for task in self._live.values()
            if (task.done or (handled and task.error is not None))
            and task.superstep == superstep
            and task.graph_namespace == namespace
        ]
        return sorted(found, key=lambda task: task.order)

    @property
    def uncommitted(self) -> list[LiveTask]:
        """Tasks that are done and whose superstep is not told, in the order in which they apply."""
        return sorted((task for task in self._live.values() if task.done), key=lambda task: task.order)

    def waits_for_others(self, task: LiveTask) -> bool:
        """True if other tasks of its superstep are not done, so that what it gave is not committed yet."""
        key = (task.superstep, task.graph_namespace)
        siblings = self._open.get(key, {})
        # Each task goes once, so that a fan-out of many costs no more for each than one of few.
        while siblings:
            identity, first = next(iter(siblings.items()))
            if not first.done:
                return True
            del siblings[identity]
        self._open.pop(key, None)
        return False

    def inside(self, outer: LiveTask) -> list[LiveTask]:
        """Tasks of graphs that are nested in a task."""
        prefix = f"{outer.namespace}|"
        return [task for task in self._live.values() if task.namespace.startswith(prefix)]

    def kind_of(self, path: str) -> NodeKind:
        """The node's kind; by its name if the graph that holds it was not found before the run."""
        known = self._kinds.get(path)
        if known is not None:
            return known
        name = their_name(path)
        agent_like: dict[str, NodeKind] = {"model": "model", "tools": "tool"}
        return hook_kind(name) or agent_like.get(name, "plain")

    def is_saved(self, path: str) -> bool:
        """True if the graph that holds a node is known, and known to keep checkpoints."""
        place = self.place(path)
        return place.is_known and not place.is_unsaved

    def is_unsaved(self, path: str) -> bool:
        """True if the node's graph, or one around it, is compiled with `checkpointer=False`."""
        return self.place(path).is_unsaved

    def _is_unsaved(self, path: str) -> bool:
        scope = scope_of(path)
        while scope:
            known = self._scopes.get(scope)
            if known is not None and known.graph.checkpointer is False:
                return True
            scope = scope_of(scope)
        return False

    # -------------------------------------------------------------------------------- results by hand

    def is_replaceable(self, task: LiveTask) -> bool:
        """True if a person may give the node's result: no user code stands between it and the root graph."""
        return self.place(task.path).is_in_reach and not task.is_call

    def _is_in_reach(self, path: str) -> bool:
        if self._is_unsaved(path):
            return False
        scope = scope_of(path)
        while scope:
            known = self._scopes.get(scope)
            if known is None or known.called:
                return False
            scope = scope_of(scope)
        return self._scopes[""].builder is not None

    def replace(self, task: LiveTask, output: object) -> None:
        """The task leaves its run; `output` is what it is taken to have returned."""
        task.output, task.done = output, True
        task.by_hand, task.has_writes = True, False
        self._replaced.add(task.graph_namespace)
        self._pass_again(task)

    def run_again(self, task: LiveTask) -> None:
        """The task leaves its run, to be run once more from the same state."""
        self._rerun = True
        self._pass_again(task)

    def _pass_again(self, task: LiveTask) -> None:
        """The nodes that the task is nested in are entered again, without being held again."""
        self.pass_into(task.graph_namespace)

    def pass_into(self, namespace: str) -> None:
        """The nodes around that graph are entered without being held."""
        outer = namespace.split("|") if namespace else ()
        self._passing.update(TaskId(part.rpartition(":")[2]) for part in outer)

    def namespace_of(self, identity: TaskId) -> str:
        """The namespace of the graph that holds a task, if no user code stands around it; else empty."""
        task = self._live.get(identity)
        return task.graph_namespace if task is not None and self.is_replaceable(task) else ""

    def passes_again(self, task: LiveTask) -> bool:
        """True, once, if the node has been entered already and only leads back to where the run was."""
        if task.id not in self._passing:
            return False
        self._passing.discard(task.id)
        return True

    @property
    def are_amended(self) -> bool:
        """True if the run has to go on after results were replaced, or after a node was asked for again."""
        return bool(self._replaced) or self._rerun

    def take_replaced(self) -> list[tuple[str, list[LiveTask]]]:
        """Namespaces with replaced results, innermost first, and all finished tasks of their superstep."""
        found: list[tuple[str, list[LiveTask]]] = []
        for namespace in sorted(self._replaced, key=lambda one: -one.count("|") - bool(one)):
            by_hand = [
                task for task in self._live.values() if task.by_hand and task.graph_namespace == namespace
            ]
            step = max((task.superstep for task in by_hand), default=-1)
            found.append((namespace, self.finished(namespace, step)))
        self._replaced.clear()
        self._rerun = False
        return found

    @property
    def supersteps_used(self) -> int:
        """Supersteps of the root graph that this run has taken so far."""
        return self._supersteps[-1] - self._supersteps[0] + 1 if self._supersteps else 0
