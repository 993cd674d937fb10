"""Turns what LangGraph's callbacks and checkpoints tell into facts: one `Committed` for each task.

Callbacks tell when a node begins and ends and what it returned; the saver tells what each task wrote and
the state when a superstep was committed. A commit is told to the probe before any node of the next
superstep is held, on the thread that arrives there. Nothing here calls the user's code.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from hookstepper.adapters.langgraph.channels import is_command, plain_update
from hookstepper.adapters.langgraph.commits import Commits, lone_step
from hookstepper.adapters.langgraph.expecting import Expectation
from hookstepper.adapters.langgraph.names import graph_namespace, own_namespace, path_of
from hookstepper.adapters.langgraph.scopes import Scope
from hookstepper.adapters.langgraph.tasks import LiveTask, Tasks
from hookstepper.model.graph import Graph
from hookstepper.model.ids import CheckpointId, NodeId, TaskId
from hookstepper.model.record import Route
from hookstepper.ports.facts import Fact, Seeded
from hookstepper.ports.probe import Probe


class Recorder:
    """Watches the runs of one target, one after another; callable from any thread of a run."""

    def __init__(self, scopes: Mapping[str, Scope], graph: Graph) -> None:
        self.last_checkpoint: CheckpointId | None = None
        self.aborted = False
        self.amending = False
        """True while results given by a person are committed."""
        self._tasks = Tasks(scopes, graph)
        self._commits = Commits(self._tasks, scopes, graph, self._emit)
        self._failures: dict[int, NodeId] = {}
        self._lock = threading.RLock()
        self._probe: Probe | None = None
        self._expectation: Expectation | None = None

    # -------------------------------------------------------------------------------- a run

    def begin(self, probe: Probe, thread: str, *, fresh: bool, waits: bool) -> None:
        """A run begins.

        Args:
            fresh: False if it goes on from the last checkpoint, where finished siblings are not run again.
            waits: True if writes are saved by other threads, False if by the event loop itself.
        """
        with self._lock:
            self._probe = probe
            self._expectation = None
            self.aborted = self.amending = False
            self._failures.clear()
            self._tasks.begin(fresh=fresh)
            self._commits.begin(fresh=fresh)
            self._commits.thread, self._commits.waits = thread, waits

    def seed(
        self,
        state: Mapping[str, Any],
        entry: Literal["start", "resume", "from"],
        seen: Mapping[str, Any] | None = None,
    ) -> None:
        """The run goes on from `state`; one that starts tells so itself, when its input is merged.

        Args:
            seen: LangGraph's versions_seen of that checkpoint.
        """
        with self._lock:
            self._commits.start_from(state, seen)
            self._emit(Seeded(state, self._commits.thread, entry, self.last_checkpoint))

    @property
    def probe(self) -> Probe:
        """Of the run that is alive."""
        assert self._probe is not None
        return self._probe

    def _emit(self, fact: Fact) -> None:
        self.probe.emit(fact)

    def read_with(self, read_whole: Callable[[str, CheckpointId], Mapping[str, Any]]) -> None:
        """Take note of how whole values are read where a checkpoint holds only their changes."""
        self._commits.read_whole = read_whole

    @property
    def graph(self) -> Graph:
        """The graph with the ways that runs have taken so far."""
        return self._commits.graph

    def expect(self, expectation: Expectation | None) -> None:
        """Have it checked which nodes the run that goes on begins with."""
        self._expectation = expectation

    # -------------------------------------------------------------------------------- tasks

    def entering(self, metadata: Mapping[str, Any], around: LiveTask | None = None) -> LiveTask:
        """The task that arrives at its node, after all that was committed before it has been told.

        Args:
            around: the task in whose body its graph was run on a thread of its own, with a saver of its own.
        """
        namespace = own_namespace(str(metadata["langgraph_checkpoint_ns"]))
        if around is None and self._tasks.is_saved(path_of(namespace)):
            self._commits.wait_for(graph_namespace(namespace), int(metadata.get("langgraph_step", 0)) - 1)
        with self._lock:
            self.flush()
            task = self._tasks.enter(metadata, namespace, around)
            if self._expectation is not None:
                self._expectation.meet(task)
            return task

    def left(self, task: LiveTask, output: object) -> None:
        """The node's body and its routers are done."""
        task.returned(output)
        # A nested graph may have come to its end: its last commit has no later node to wait for.
        self.flush()

    def is_unsaved(self, task: LiveTask) -> bool:
        """True if the node lies in a graph that is compiled to keep no checkpoints."""
        return self._tasks.is_unsaved(task.path)

    def returned(self, task: LiveTask) -> None:
        """A node returned that no commit tells of: a functional task, or one of a graph that saves none."""
        with self._lock:
            self._tasks.drop(task)
            self._emit(lone_step(task, {}, plain_update(task.output)))

    def handed_over(self, task: LiveTask, error: BaseException) -> None:
        """The node's body ended in control flow; a Command for a parent graph is what it returned."""
        command = error.args[0] if error.args else None
        if is_command(command):
            task.returned(command)
            task.done = True

    def broke(self, task: LiveTask, error: BaseException) -> None:
        """The node raised; the innermost node is the one that failed."""
        with self._lock:
            self.flush()
            task.error = error
            self._failures.setdefault(id(error), task.path)

    def place_of(self, error: BaseException) -> NodeId | None:
        """The innermost node that raised this very exception."""
        return self._failures.get(id(error))

    @property
    def uncommitted(self) -> list[LiveTask]:
        """What has run of the superstep that came to no commit."""
        return self._tasks.uncommitted

    def waits_for_others(self, task: LiveTask) -> bool:
        """True if other tasks of its superstep are not done yet."""
        with self._lock:
            return self._tasks.waits_for_others(task)

    def task_at(self, namespace: str) -> LiveTask | None:
        """The task whose body makes a call, by the namespace in the call's metadata."""
        return self._tasks.at(namespace)

    # -------------------------------------------------------------------------------- results by hand

    def is_replaceable(self, task: LiveTask) -> bool:
        """True if a person may give the node's result."""
        return self._tasks.is_replaceable(task)

    def replace(self, task: LiveTask, output: object) -> None:
        """The task leaves its run; `output` is what it is taken to have returned."""
        with self._lock:
            self._tasks.replace(task, output)

    def run_again(self, task: LiveTask) -> None:
        """The task leaves its run, to be run once more from the same state."""
        with self._lock:
            self._tasks.run_again(task)

    def namespace_of(self, task: TaskId) -> str:
        """Namespace of the graph that holds a task that was held; empty at the top or if it is not known.

        It is known until the next run begins; empty too where user code stands between it and the root.
        """
        with self._lock:
            return self._tasks.namespace_of(task)

    def changed_inside(self, namespace: str, state: Mapping[str, Any]) -> None:
        """A nested graph was changed by hand: the run about to go on leads into it without being held."""
        with self._lock:
            self._tasks.pass_into(namespace)
            self._commits.change(namespace, state)
            scope = NodeId(path_of(namespace))
            self._emit(Seeded(state, self._commits.thread, "from", None, scope))

    def passes_again(self, task: LiveTask) -> bool:
        """True, once, if the node has been entered already and only leads back to where the run was."""
        with self._lock:
            return self._tasks.passes_again(task)

    @property
    def is_amended(self) -> bool:
        """True if the run has to go on after results were replaced, or after a node was asked for again."""
        return self._tasks.are_amended

    def take_replaced(self) -> list[tuple[str, list[LiveTask]]]:
        """Namespaces with replaced results, innermost first, and all finished tasks of their superstep."""
        with self._lock:
            return self._tasks.take_replaced()

    @property
    def supersteps_used(self) -> int:
        """Supersteps of the root graph that this run has taken so far."""
        return self._tasks.supersteps_used

    # -------------------------------------------------------------------------------- the saver's listener

    def saved(self, namespace: str, checkpoint: dict[str, Any], metadata: dict[str, Any]) -> None:
        """A checkpoint was saved: if it commits a superstep, that is told before the next node is held."""
        if not namespace:
            self.last_checkpoint = CheckpointId(str(checkpoint["id"]))
        source, step = metadata.get("source"), int(metadata.get("step", 0))
        if source == "loop" or (source == "update" and self.amending):
            root = (metadata.get("parents") or {}).get("", "") if namespace else ""
            self._commits.saved(namespace, checkpoint, step, str(root))
        self._commits.reached(namespace, step)

    def wrote(self, task: str, writes: Sequence[tuple[str, Any]], path: str) -> None:
        """A task's writes were saved."""
        self._commits.wrote(task, writes, path)

    @property
    def has_routes(self) -> bool:
        """True if decisions were told that nobody was held at; read without a lock."""
        return self._commits.has_routes

    def take_routes(self) -> list[tuple[LiveTask, Route]]:
        """Decisions that were told and not yet held at, oldest first; each is given once."""
        with self._lock:
            return self._commits.take_routes()

    def flush(self) -> None:
        """Tell all commits that have not been told, oldest first."""
        # Read without the lock: this is asked at every gate, and whoever saves something saves it before.
        if self._commits.has_waiting:
            with self._lock:
                self._commits.tell_all()
