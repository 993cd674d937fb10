"""LangGraph's and LangChain's callbacks as gates: a handler that may hold the task that calls it.

A handler is called inside the task's own call stack, before and after the node, model or tool, so holding
it holds exactly that task. Each gate is written once, as a generator that yields the point and receives
the verdict; the synchronous and the asynchronous handler differ only in how they wait.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Generator, Mapping
from typing import Any, NoReturn

from hookstepper.adapters.langgraph.calls import AROUND_ENTER, AROUND_EXIT, WATCH, Calls
from hookstepper.adapters.langgraph.channels import plain_update
from hookstepper.adapters.langgraph.endings import is_control_flow
from hookstepper.adapters.langgraph.passages import Asks, Inner
from hookstepper.adapters.langgraph.recorder import Recorder
from hookstepper.adapters.langgraph.tasks import LiveTask
from hookstepper.model.errors import NotPossibleError
from hookstepper.model.gates import Act, Phase, Site
from hookstepper.model.graph import RingKind
from hookstepper.ports.facts import Entered, LayerPassed
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
_LOGGER = "langchain_core.callbacks.manager"


class Gate:
    """The gates of one run, as the callbacks of its handler; holds no thread and no loop itself."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._tasks: dict[Any, LiveTask] = {}
        self.calls = Calls(self)

    # -------------------------------------------------------------------------------- nodes

    def node_started(
        self, name: str | None, tags: list[str], metadata: Mapping[str, Any], run_id: Any, inputs: Any
    ) -> Steps:
        """A run began: if it is a node's, the task is held at its enter gate."""
        if not _is_node(name, tags, metadata):
            return
        task = self.recorder.entering(metadata)
        yield from self.decisions()
        if not self.recorder.passes_again(task):
            acts = _enter_acts(inputs) | (FULFIL if self.recorder.is_replaceable(task) else frozenset())
            verdict = yield from self.held_at(task, task.site, "enter", inputs, acts)
            if isinstance(verdict, Patch):
                replace_in_place(inputs, verdict.value)
            elif isinstance(verdict, Fulfil):
                self.recorder.replace(task, verdict.value)
                _leave()
            self.recorder.probe.emit(Entered(task.site, task.kind, task.id, task.superstep))
        self._tasks[run_id] = task
        task.entered = time.perf_counter()

    def run_ended(self, run_id: Any, output: Any) -> Steps:
        """A run ended: if it is a node's, the task is held at its exit gate."""
        task = self._tasks.pop(run_id, None)
        if task is None:
            return
        self.recorder.left(task, output)
        yield from self.decisions()
        yield from self._exit(task, plain_update(output))
        # Only now: what a person aborts at its exit gate is not recorded.
        task.done = True
        if task.is_call or self.recorder.is_unsaved(task):
            self.recorder.returned(task)

    def run_broke(self, run_id: Any, error: BaseException) -> Steps:
        """A run raised: if it is a node's and a failure, the task is held with the error."""
        task = self._tasks.pop(run_id, None)
        if task is None:
            return
        if is_control_flow(error):
            self.recorder.handed_over(task, error)
            return
        self.recorder.broke(task, error)
        yield from self._exit(task, None, error)

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

    def decisions(self) -> Steps:
        """Hold at the decisions that were taken since the last gate, whoever arrives first after them.

        LangGraph decides while the deciding task is still alive, but a decision is a fact only when its
        superstep is committed; so it is shown between that commit and the next node.
        """
        for task, route in self.recorder.take_routes():
            yield from self.held_at(task, Site("route", task.path), "exit", route, DECIDED)

    # -------------------------------------------------------------------------------- rings

    def layer_passed(self, task: LiveTask, site: Site, request: Any, around: RingKind) -> Asks:
        """A request passes a ring: held before it, and held again with what the ring gives back.

        Here all can be done, since the ring's method is called from in here: another request, an answer
        without the method, another answer, or the method once more.
        """
        verdict = yield from self.held_at(task, site, "enter", request, AROUND_ENTER)
        if isinstance(verdict, Fulfil):
            return verdict.value
        if isinstance(verdict, Patch):
            request = replaced_request(request, verdict.value)
        attempt = 1
        while True:
            response: Any = None
            error: BaseException | None = None
            try:
                response = yield Inner(request)
            except Exception as raised:
                if is_control_flow(raised):
                    raise
                error = raised
            verdict = yield from self.held_at(task, site, "exit", response, AROUND_EXIT, error, attempt)
            if isinstance(verdict, Retry):
                request = request if verdict.value is None else replaced_request(request, verdict.value)
                attempt += 1
                continue
            if isinstance(verdict, Patch):
                response, error = verdict.value, None
            if error is not None:
                raise error
            self.recorder.probe.emit(LayerPassed(site, task.id, request, response, around))
            return response

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


def _is_node(name: str | None, tags: list[str], metadata: Mapping[str, Any]) -> bool:
    """True for the run of a node itself, and not of anything that runs inside it."""
    node = metadata.get("langgraph_node")
    if not node or node != name or node == "__start__":
        return False
    # A task of the functional API carries no step tag; its path ends in True instead.
    path = metadata.get("langgraph_path") or ()
    return any(tag.startswith("graph:step:") for tag in tags) or bool(path and path[-1] is True)


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


def replaced_request(request: Any, value: Any) -> Any:
    """Another request for a ring: one as it is, or the old one with some of its fields replaced."""
    if isinstance(value, Mapping) and hasattr(request, "override"):
        return request.override(**value)
    return value


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
