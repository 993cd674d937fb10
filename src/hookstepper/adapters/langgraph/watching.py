"""LangGraph graphs, watched while the program runs them: with its own saver, config, stream and loop.

The object's class is replaced by one made from it whose `stream` and `astream`, through which every other
way to run a graph goes, run a copy with our callbacks and a saver that tells what is written. A result can
be given by hand only where the run stands still for it: at the calls inside of a node.
"""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import aclosing, contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, cast

from hookstepper.adapters.langgraph import (
    asks,
    call_gates,
    configuring,
    gates,
    handlers,
    layers,
    running,
    savings,
)
from hookstepper.adapters.langgraph.codec import LangChainCodec
from hookstepper.adapters.langgraph.describing import describe
from hookstepper.adapters.langgraph.recorder import Recorder
from hookstepper.adapters.langgraph.recovering import recovered
from hookstepper.adapters.langgraph.saver import Listener, recording_saver
from hookstepper.adapters.langgraph.scopes import find_scopes
from hookstepper.adapters.langgraph.tasks import LiveTask
from hookstepper.model.errors import AbortedError, SpecError
from hookstepper.model.graph import Graph
from hookstepper.model.ids import NodeId
from hookstepper.ports.probe import Probe
from hookstepper.ports.target import Codec, Outcome
from hookstepper.ports.verdict import RunAborted
from hookstepper.ports.watching import Here, Watcher
from hookstepper.values import encode

CAPABILITIES = frozenset({"calls", "layers", "tokens"})


class _Watching(Recorder):
    """A recorder of runs that are the program's own: no node's result can be taken back."""

    def is_replaceable(self, task: LiveTask) -> bool:  # noqa: ARG002
        """Never."""
        return False


class LangGraphWatched:
    """One compiled graph of the program."""

    def __init__(self, graph: Any, watcher: Watcher, engine: str) -> None:
        """
        Raises:
            SpecError: it is not compiled, or its class cannot be replaced.
        """
        self.codec: Codec = LangChainCodec()
        self.capabilities = CAPABILITIES
        self.name = str(getattr(graph, "name", "") or type(graph).__name__)
        self._watcher = watcher
        self._scopes = find_scopes(graph)
        self._forget_rings, found = recovered(self._scopes.values())
        self._recorder = _Watching(self._scopes, describe(self._scopes, engine, found))
        self._graph = graph
        self._before = type(graph)
        try:
            graph.__class__ = _watched_class(self._before, self)
        except TypeError as error:
            raise SpecError(f"a {self._before.__name__} cannot be watched: {error}") from None

    def describe(self) -> Graph:
        """The graph as declared, with the ways that runs have taken beside."""
        return self._recorder.graph

    def close(self) -> None:
        """The graph asks nobody from its next run on."""
        if type(self._graph) is not self._before:
            self._graph.__class__ = self._before
            self._forget_rings()

    # -------------------------------------------------------------------------------- a run

    def stream(self, graph: Any, value: Any, config: Any, options: dict[str, Any]) -> Iterator[Any]:
        """What the graph's own `stream` gives."""
        own = self._before.stream
        run = self._run(graph, value, config, options, is_async=False)
        if run is None:
            yield from own(graph, value, config, **options)
            return
        if run.resumes:
            self._seed(run.graph.get_state(run.config))
        with self._told():
            with run.entered():
                for part in own(run.graph, value, run.config, **options):
                    self._recorder.flush()
                    yield part
                self._recorder.flush()
                steps = run.gate.decisions()
                if steps is not None:
                    handlers.block_on(steps, run.gate)
            self._came_to_rest(run.graph.get_state(run.place, subgraphs=True))

    async def astream(
        self, graph: Any, value: Any, config: Any, options: dict[str, Any]
    ) -> AsyncIterator[Any]:
        """What the graph's own `astream` gives."""
        own = self._before.astream
        run = self._run(graph, value, config, options, is_async=True)
        if run is None:
            async with aclosing(own(graph, value, config, **options)) as parts:
                async for part in parts:
                    yield part
            return
        if run.resumes:
            self._seed(await run.graph.aget_state(run.config))
        with self._told():
            with run.entered():
                async with aclosing(own(run.graph, value, run.config, **options)) as parts:
                    async for part in parts:
                        self._recorder.flush()
                        yield part
                self._recorder.flush()
                steps = run.gate.decisions()
                if steps is not None:
                    await handlers.wait_on(steps, run.gate)
            self._came_to_rest(await run.graph.aget_state(run.place, subgraphs=True))

    def _run(
        self, graph: Any, value: Any, config: Any, options: Mapping[str, Any], *, is_async: bool
    ) -> _Run | None:
        """A run that is to be watched; None if it is part of another, or saves only when it is over."""
        if _is_inside(config) or options.get("durability") == "exit":
            return None
        resumes = value is None or type(value).__name__ == "Command"
        thread = str(((config or {}).get("configurable") or {}).get("thread_id") or uuid.uuid4())
        probe = self._watcher.begin("resume" if resumes else "start", thread)
        if probe is None:
            return None
        return _Run(
            self._recorder, graph, self._before, config, thread, probe, is_async=is_async, resumes=resumes
        )

    def _seed(self, state: Any) -> None:
        values = state.values if isinstance(state.values, Mapping) else {}
        self._recorder.seed(values, "resume")

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Whatever way the run ends, the watcher is told, and the program gets its own exception."""
        try:
            yield
        except BaseException as error:
            self._recorder.flush()
            if self._recorder.aborted:
                self._watcher.ended(Outcome("aborted", self._recorder.last_checkpoint))
                raise AbortedError("this run was ended in the debugger") from None
            if isinstance(error, GeneratorExit):
                self._watcher.ended(Outcome("aborted", self._recorder.last_checkpoint))
            else:
                self._watcher.ended(self._failed(error))
            raise

    def _failed(self, error: BaseException) -> Outcome:
        limit = any(kind.__name__ == "GraphRecursionError" for kind in type(error).__mro__)
        place = self._recorder.place_of(error)
        at = self._recorder.last_checkpoint
        if limit:
            return Outcome("limit", at, failed_at=place, detail=str(error).splitlines()[0])
        return Outcome("failed", at, error=error, failed_at=place)

    def _came_to_rest(self, state: Any) -> None:
        """The run ended without an exception.

        Raises:
            RunAborted: it did so only since a person left it.
        """
        if self._recorder.aborted:
            raise RunAborted
        encoded = partial(encode, codec=self.codec)
        schema_of = partial(configuring.tool_schema, self._scopes)
        found = asks.open_asks(state, encoded, schema_of, self._scopes, lambda _: frozenset())
        due = tuple(NodeId(name) for name in state.next)
        self._watcher.ended(
            Outcome(
                "interrupted" if found or due else "completed",
                self._recorder.last_checkpoint,
                found,
                next=due,
            )
        )


class _Run:
    """One run: the copy of the graph that runs, its config, and its gate."""

    def __init__(
        self,
        recorder: Recorder,
        graph: Any,
        base: type,
        config: Any,
        thread: str,
        probe: Probe,
        *,
        is_async: bool,
        resumes: bool,
    ) -> None:
        self.resumes = resumes
        self.gate = gates.Gate(recorder)
        own = getattr(graph, "checkpointer", None)
        saver = telling_saver(own, recorder) if savings.is_saver(own) else recording_saver(recorder)
        # The plain class: what runs now is this run and must not begin another one.
        attributes = {key: value for key, value in vars(graph).items() if key != "__orig_class__"}
        self.graph = base(**{**attributes, "checkpointer": saver})
        self.place = savings.config_for(thread)
        recorder.begin(probe, thread, fresh=True, waits=not is_async)
        handler = handlers.async_handler(self.gate) if is_async else handlers.sync_handler(self.gate)
        given = dict(config or {})
        given["configurable"] = {**(given.get("configurable") or {}), "thread_id": thread}
        given["callbacks"] = running.with_handler(given.get("callbacks"), handler)
        self.config = given
        gates.silence_abort_log()

    @contextmanager
    def entered(self) -> Iterator[None]:
        """While entered, calls and rings inside of nodes find the run's gate."""
        token = layers.ACTIVE_GATE.set(self.gate)
        try:
            with call_gates.gated_calls():
                yield
        finally:
            _reset(layers.ACTIVE_GATE, token)


def _reset(variable: ContextVar[Any], token: Any) -> None:
    """Put a variable back; a stream may be closed from another context, in which it was never set."""
    try:
        variable.reset(token)
    except ValueError:
        return


def _is_inside(config: Any) -> bool:
    """True for a graph that a node of another graph runs: it is seen there."""
    from langchain_core.runnables.config import var_child_runnable_config

    for known in (config, var_child_runnable_config.get()):
        configurable = (known or {}).get("configurable") or {}
        if any(str(key).startswith("__pregel") for key in configurable):
            return True
    return False


def telling_saver(own: Any, listener: Listener) -> Any:
    """The program's own saver, of which `listener` is told what is written; it is written to as ever.

    It is of a class made from the saver's and shares all of its attributes, so that it is the same saver
    but for the four methods that write.
    """
    quiet: ContextVar[bool] = ContextVar("hookstepper_told", default=False)
    base = type(own)

    class Telling(base):  # type: ignore[valid-type,misc]
        """Asynchronous methods may call the synchronous ones, or the other way: each write is told once."""

        def put(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
            with _once(quiet) as first:
                saved = super().put(config, checkpoint, metadata, new_versions)
            if first:
                listener.saved(_space(config), checkpoint, metadata)
            return saved

        async def aput(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
            with _once(quiet) as first:
                saved = await super().aput(config, checkpoint, metadata, new_versions)
            if first:
                listener.saved(_space(config), checkpoint, metadata)
            return saved

        def put_writes(self, config: Any, writes: Any, task_id: str, task_path: str = "") -> None:
            with _once(quiet) as first:
                super().put_writes(config, writes, task_id, task_path)
            if first:
                listener.wrote(task_id, writes, task_path)

        async def aput_writes(self, config: Any, writes: Any, task_id: str, task_path: str = "") -> None:
            with _once(quiet) as first:
                await super().aput_writes(config, writes, task_id, task_path)
            if first:
                listener.wrote(task_id, writes, task_path)

    telling = object.__new__(Telling)
    telling.__dict__ = own.__dict__
    return telling


@contextmanager
def _once(quiet: ContextVar[bool]) -> Iterator[bool]:
    first = not quiet.get()
    token = quiet.set(True)
    try:
        yield first
    finally:
        quiet.reset(token)


def _space(config: Any) -> str:
    return str((config.get("configurable") or {}).get("checkpoint_ns", ""))


def here() -> Here | None:
    """The task that runs the calling code."""
    gate = layers.ACTIVE_GATE.get()
    task = layers.task_here(gate) if gate is not None else None
    return Here(task.site, task.id, task.superstep) if task is not None else None


def _watched_class(base: type, watched: LangGraphWatched) -> type:
    class Watching(base):  # type: ignore[misc]
        """A compiled graph of which every run is watched."""

        def stream(self, input: Any, config: Any = None, **options: Any) -> Iterator[Any]:  # noqa: A002
            return watched.stream(self, input, config, options)

        def astream(self, input: Any, config: Any = None, **options: Any) -> AsyncIterator[Any]:  # noqa: A002
            return watched.astream(self, input, config, options)

    Watching.__name__, Watching.__qualname__ = base.__name__, base.__qualname__
    Watching.__module__ = base.__module__
    return cast("type", Watching)
