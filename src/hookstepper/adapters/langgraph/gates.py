"""LangGraph's and LangChain's callbacks as gates: a handler that may hold the task that calls it.

A handler is called inside the task's own call stack, before and after the node, model or tool, so holding
it holds exactly that task. Each gate is written once, as a generator that yields the point and receives
the verdict; the synchronous and the asynchronous handler differ only in how they wait.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Generator, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from hookstepper.adapters.langgraph.around import Shape, through
from hookstepper.adapters.langgraph.calls import WATCH, Calls
from hookstepper.adapters.langgraph.channels import plain_update
from hookstepper.adapters.langgraph.endings import is_control_flow
from hookstepper.adapters.langgraph.passages import Asks
from hookstepper.adapters.langgraph.recorder import Recorder
from hookstepper.adapters.langgraph.tasks import LiveTask
from hookstepper.model.errors import NotPossibleError
from hookstepper.model.gates import Act, Phase, Site
from hookstepper.model.graph import RingKind
from hookstepper.model.record import Route
from hookstepper.ports.facts import Entered, LayerPassed, Ran
from hookstepper.ports.verdict import (
    PROCEED,
    Abort,
    Fail,
    Fulfil,
    Patch,
    Point,
    Retry,
    RunAborted,
    Verdict,
)

Steps = Generator[Point, Verdict, None]
ENTER: frozenset[Act] = frozenset({"proceed", "patch", "fail", "abort"})
FULFIL: frozenset[Act] = frozenset({"fulfil"})
CHANGE: frozenset[Act] = frozenset({"patch", "retry"})
DECIDED: frozenset[Act] = frozenset({"proceed", "abort"})
Decided = list[tuple[LiveTask, Site, Route]]
_LOGGER = "langchain_core.callbacks.manager"


class Arrival(NamedTuple):
    """A run that begins, as its callback tells of it."""

    name: str | None
    tags: Sequence[str]
    metadata: Mapping[str, Any]
    run_id: Any
    parent: Any
    """Id of the run around it."""


class Gate:
    """The gates of one run, as the callbacks of its handler; holds no thread and no loop itself."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._tasks: dict[Any, LiveTask] = {}
        self._parents: dict[Any, Any] = {}
        """Run id to the run around it, of all runs that are alive and no node's."""
        self.calls = Calls(self)

    # -------------------------------------------------------------------------------- nodes

    def other_started(self, run_id: Any, parent: Any) -> None:
        """A run began that is no node's, such as that of a graph; nodes inside it are found by it."""
        self._parents[run_id] = parent

    def node_started(self, run: Arrival, inputs: Any) -> Steps | None:
        """A run began: if it is a node's, the task is held at its enter gate.

        Nothing is made for a gate that nobody wants: this is called for every run inside of every node.
        """
        run_id = run.run_id
        if not _is_node(run):
            self._parents[run_id] = run.parent
            return None
        namespace = str(run.metadata["langgraph_checkpoint_ns"])
        task = self.recorder.entering(run.metadata, None if "|" in namespace else self._around(run.parent))
        decided = self._wanted_decisions()
        if not decided and not self.recorder.probe.wants(task.site, "enter"):
            self._runs(task, run_id, again=self.recorder.passes_again(task))
            return None
        return self._enter(task, decided, run_id, inputs)

    def _around(self, run_id: Any) -> LiveTask | None:
        """The task in whose body a graph was run on a thread of its own, so that nothing else tells of it."""
        while run_id is not None:
            if run_id in self._tasks:
                return self._tasks[run_id]
            run_id = self._parents.get(run_id)
        return None

    def _enter(self, task: LiveTask, decided: Decided, run_id: Any, inputs: Any) -> Steps:
        """Hold at the decisions that led here, then at the node."""
        yield from self._hold_at(decided)
        again = self.recorder.passes_again(task)
        if not again:
            # What a callback of the functional API is shown are not the arguments that the task gets.
            given = WATCH if task.is_call else _enter_acts(inputs)
            acts = given | (FULFIL if self.recorder.is_replaceable(task) else frozenset())
            verdict = yield from self.held_at(task, task.site, "enter", inputs, acts)
            if isinstance(verdict, Patch):
                replace_in_place(inputs, verdict.value)
            elif isinstance(verdict, Fulfil):
                self.recorder.replace(task, verdict.value)
                _leave()
        self._runs(task, run_id, again=again)

    def _runs(self, task: LiveTask, run_id: Any, *, again: bool) -> None:
        """The node's body begins."""
        if not again:
            self.recorder.probe.emit(Entered(task.site, task.kind, task.id, task.superstep))
        self._tasks[run_id] = task
        task.entered = time.perf_counter()

    def run_ended(self, run_id: Any, output: Any) -> Steps | None:
        """A run ended: if it is a node's, the task is held at its exit gate."""
        task = self._tasks.pop(run_id, None)
        if task is None:
            self._parents.pop(run_id, None)
            return None
        self.recorder.left(task, output)
        decided = self._wanted_decisions()
        if not decided and not self.recorder.probe.wants(task.site, "exit"):
            self._is_done(task)
            return None
        return self._leave_held(task, decided, output)

    def _leave_held(self, task: LiveTask, decided: Decided, output: Any) -> Steps:
        """Hold at decisions of nested graphs, then at the node's own exit."""
        yield from self._hold_at(decided)
        yield from self._exit(task, plain_update(output))
        self._is_done(task)

    def _is_done(self, task: LiveTask) -> None:
        """The result is in. Only now: what a person aborts at its exit gate is not recorded."""
        task.done = True
        if task.is_call or task.is_apart or self.recorder.is_unsaved(task):
            self.recorder.returned(task)
        elif self.recorder.waits_for_others(task):
            self.recorder.probe.emit(Ran(task.site, task.id, task.superstep, plain_update(task.output)))

    def run_broke(self, run_id: Any, error: BaseException) -> Steps | None:
        """A run raised: if it is a node's and a failure, the task is held with the error."""
        task = self._tasks.pop(run_id, None)
        if task is None:
            self._parents.pop(run_id, None)
            return None
        if is_control_flow(error):
            self.recorder.handed_over(task, error)
            return None
        self.recorder.broke(task, error)
        return self._exit(task, None, error)

    def _exit(self, task: LiveTask, update: object, error: BaseException | None = None) -> Steps:
        """A node's exit gate; a verdict that changes the result makes the task leave the run here."""
        acts = WATCH | (CHANGE if self.recorder.is_replaceable(task) else frozenset())
        verdict = yield from self.held_at(task, task.site, "exit", update, acts, error)
        if isinstance(verdict, Patch):
            self.recorder.replace(task, verdict.value)
            _leave()
        if isinstance(verdict, Retry):
            self.recorder.run_again(task)
            _leave()

    def decisions(self) -> Steps | None:
        """Hold at the decisions that were taken since the last gate, whoever arrives first after them.

        LangGraph decides while the deciding task is still alive, but a decision is a fact only when its
        superstep is committed; so it is shown between that commit and the next node.
        """
        decided = self._wanted_decisions()
        return self._hold_at(decided) if decided else None

    def _wanted_decisions(self) -> Decided:
        if not self.recorder.has_routes:
            return []
        wants = self.recorder.probe.wants
        decided = ((task, Site("route", task.path), route) for task, route in self.recorder.take_routes())
        return [one for one in decided if wants(one[1], "exit")]

    def _hold_at(self, decided: Decided) -> Steps:
        for task, site, route in decided:
            yield from self.held_at(task, site, "exit", route, DECIDED)

    # -------------------------------------------------------------------------------- rings

    def layer_passed(self, task: LiveTask, site: Site, request: Any, around: RingKind) -> Asks:
        """A request passes a ring: held before it, and held again with what the ring gives back."""
        passage = yield from through(self, task, site, request, _RING)
        if passage.error is not None:
            raise passage.error
        if passage.made:
            told = LayerPassed(site, task.id, passage.request, passage.answer, around)
            self.recorder.probe.emit(told)
        return passage.answer

    # -------------------------------------------------------------------------------- holding

    def held_at(
        self,
        task: LiveTask,
        site: Site,
        phase: Phase,
        value: object,
        acts: frozenset[Act],
        error: BaseException | None = None,
        attempt: int | None = None,
    ) -> Generator[Point, Verdict, Verdict]:
        """Hold the task if the probe wants it here; only verdicts that let it go on come back."""
        if not self.recorder.probe.wants(site, phase):
            return PROCEED
        verdict = yield Point(
            site, phase, task.id, task.superstep, value, acts, attempt or task.attempt, error
        )
        match verdict:
            case Abort():
                self._abort(task, site)
            case Fail(failure):
                raise failure
            case Patch() | Fulfil() | Retry() if word_of(verdict) not in acts:
                raise NotPossibleError(f"{site.node}: no {word_of(verdict)} at its {phase} gate")
        return verdict

    def _abort(self, task: LiveTask, site: Site) -> NoReturn:
        """Leave the run. At the top an empty GraphInterrupt leaves no trace and lets siblings finish;
        further in, the user's `except Exception` could swallow it, so there it is a BaseException."""
        self.recorder.aborted = True
        if site.kind == "node" and not task.graph_namespace:
            _leave()
        raise RunAborted


def _leave() -> NoReturn:
    """Leave the node as LangGraph's own interrupts do, with nothing to ask: no trace, siblings finish."""
    from langgraph.errors import GraphInterrupt

    raise GraphInterrupt(())


def _is_node(run: Arrival) -> bool:
    """True for the run of a node itself, and not of anything that runs inside it."""
    node = run.metadata.get("langgraph_node")
    if not node or node != run.name or node == "__start__":
        return False
    for tag in run.tags:
        if tag.startswith("graph:step:"):
            return True
    # A task of the functional API carries no step tag; its path ends in True instead.
    path: Sequence[Any] = run.metadata.get("langgraph_path") or ()
    return bool(path) and path[-1] is True


def _enter_acts(inputs: object) -> frozenset[Act]:
    return ENTER if type(inputs) in (dict, list) else WATCH


def replace_in_place(inputs: Any, value: Any) -> None:
    """Make what the node is about to see equal `value`; the stored state stays as it is.

    Raises:
        TypeError: the value is not of the input's kind.
    """
    if isinstance(inputs, dict) and isinstance(value, dict):
        if value is not inputs:
            changed = dict(value)
            inputs.clear()
            inputs.update(changed)
    elif isinstance(inputs, list) and isinstance(value, (list, tuple)):
        inputs[:] = list(value)
    else:
        raise TypeError(f"a {type(inputs).__name__} input cannot become a {type(value).__name__}")


class _RingShape(Shape):
    """A ring's requests and answers are the framework's own."""

    def changed(self, request: Any, value: Any) -> Any:
        """Another request as it is, or the old one with some of its fields replaced."""
        if isinstance(value, Mapping) and hasattr(request, "override"):
            return request.override(**value)
        return value

    def answered(self, value: Any, request: Any) -> Any:  # noqa: ARG002
        """As it is given."""
        return value


_RING = _RingShape()


def word_of(verdict: Verdict) -> str:
    """The act that a verdict asks for."""
    return type(verdict).__name__.lower()


def silence_abort_log() -> None:
    """Keep LangChain from logging our verdicts as errors of a callback; it logs all others as before."""
    logger = logging.getLogger(_LOGGER)
    if not any(isinstance(one, _OwnHandlersOnly) for one in logger.filters):
        logger.addFilter(_OwnHandlersOnly())


class _OwnHandlersOnly(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        return "HookstepperGate" not in record.getMessage()
