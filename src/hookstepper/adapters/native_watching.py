"""Agents and graphs of our own engine, watched while the program runs them.

The class of the compiled graph is replaced by one made from it whose runs ask the watcher's probe. So
whatever way leads to a run is seen, and giving the class back leaves the object as it was.
"""

from __future__ import annotations

from typing import Any

from hookstepper.adapters.native_asks import asks_of
from hookstepper.agent.codec import AgentCodec
from hookstepper.agent.flow.base import FlowAgent
from hookstepper.agent.react_agent import ReactAgent
from hookstepper.engine.config import RunConfig
from hookstepper.engine.driver import Driver, current
from hookstepper.engine.effects import Effects
from hookstepper.engine.effects import Here as AskDriver
from hookstepper.engine.outputs import RunResult
from hookstepper.engine.run import CompiledGraph, Inputs
from hookstepper.engine.scope import Scope
from hookstepper.model.errors import AbortedError, SpecError
from hookstepper.model.graph import Graph
from hookstepper.ports.probe import SilentProbe
from hookstepper.ports.target import Codec, Outcome
from hookstepper.ports.verdict import RunAborted
from hookstepper.ports.watching import Here, Watcher

CAPABILITIES = frozenset({"calls", "layers", "tokens", "fulfil", "jump_update"})


class NativeWatched:
    """One agent or compiled graph of the program."""

    def __init__(self, obj: Any, watcher: Watcher) -> None:
        """
        Raises:
            SpecError: it is not compiled yet.
        """
        if not isinstance(obj, (ReactAgent, FlowAgent, CompiledGraph)):
            raise SpecError("a graph is watched once it is compiled", hint="listen(graph.compile())")
        self.codec: Codec = AgentCodec()
        self.capabilities = CAPABILITIES
        self.name = str(obj.name)
        self._obj = obj
        self._watcher = watcher
        self._graph = obj if isinstance(obj, CompiledGraph) else obj.compiled()
        self._before = type(self._graph)
        self._graph.__class__ = _watched_class(self._before, self)

    def describe(self) -> Graph:
        """The compiled graph, with its anchors if it is an agent's."""
        if isinstance(self._obj, CompiledGraph):
            return self._obj.describe()
        described: Graph = self._obj.described(self._graph)
        return described

    def close(self) -> None:
        """The graph asks nobody from its next run on."""
        self._graph.__class__ = self._before

    def run(self, body: Effects[RunResult], config: RunConfig, scope: Scope | None) -> Effects[RunResult]:
        """A run as the watcher sees it; one inside of another run is seen there and is left alone."""
        driver: Driver = yield AskDriver()
        inside = current() is not None or bool(scope and scope.path)
        probe = None
        if not inside and isinstance(driver.probe, SilentProbe):
            probe = self._watcher.begin("resume" if config.wants_resume else "start", config.thread)
        if probe is None:
            return (yield from body)
        before, driver.probe = driver.probe, probe
        try:
            result = yield from body
        except RunAborted:
            self._watcher.ended(Outcome("aborted", None))
            raise AbortedError("this run was ended in the debugger") from None
        except GeneratorExit:
            # The reader of the stream has enough.
            self._watcher.ended(Outcome("aborted", None))
            raise
        except BaseException as error:
            self._watcher.ended(Outcome("failed", None, error=error))
            raise
        finally:
            driver.probe = before
        self._watcher.ended(self._outcome(result))
        return result

    def _outcome(self, result: RunResult) -> Outcome:
        tools = {tool.name: tool for tool in getattr(self._obj, "tools", ())}
        asks = asks_of(result, tools) if result.interruption is not None else ()
        return Outcome(result.status, result.checkpoint, asks, result.error, result.failed_at, result.next)


def here() -> Here | None:
    """The task that runs the calling code."""
    driver = current()
    place = driver.place if driver is not None else None
    if place is None or place.scope is None or place.node is None:
        return None
    return Here(place.scope.site("node", place.node), place.task, place.superstep)


def _watched_class(base: type[CompiledGraph], watched: NativeWatched) -> type[CompiledGraph]:
    class Watching(base):  # type: ignore[valid-type,misc]
        """A compiled graph of which every run is watched."""

        def effects(
            self, inputs: Inputs = None, config: RunConfig | None = None, *, scope: Scope | None = None
        ) -> Effects[RunResult]:
            config = config or RunConfig()
            return watched.run(super().effects(inputs, config, scope=scope), config, scope)

    Watching.__name__, Watching.__qualname__ = base.__name__, base.__qualname__
    Watching.__module__ = base.__module__
    return Watching
