"""The target port for agents and graphs of our own engine."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from hookstepper.adapters.native_asks import asks_of, feedback_of
from hookstepper.adapters.native_mocks import Mocked
from hookstepper.agent.codec import AgentCodec
from hookstepper.agent.flow.base import FlowAgent
from hookstepper.agent.react_agent import ReactAgent
from hookstepper.engine.actions import Action
from hookstepper.engine.checkpoints import MemorySaver, Saver
from hookstepper.engine.config import HUMAN_FEEDBACK, Compat, CompileConfig, RunConfig
from hookstepper.engine.driver import Driver
from hookstepper.engine.graph import StateGraph
from hookstepper.engine.outputs import RunResult
from hookstepper.engine.run import CompiledGraph
from hookstepper.engine.strategies import apply_update
from hookstepper.model.errors import NotPossibleError, SpecError
from hookstepper.model.graph import Graph
from hookstepper.model.ids import END, CheckpointId, Json
from hookstepper.ports.probe import Probe
from hookstepper.ports.target import (
    CheckpointRow,
    Codec,
    Edit,
    Entry,
    From,
    OpenOptions,
    Outcome,
    Prediction,
    Resume,
    Snapshot,
    Start,
    Target,
)
from hookstepper.ports.verdict import RunAborted
from hookstepper.ports.watching import Here, Watched, Watcher
from hookstepper.values import encode

BASIC = frozenset({"edit", "set_next", "fork", "fulfil", "answer", "predict", "tokens"})
OF_AGENTS = frozenset({"jump_update", "layers", "calls"})
REPLACED = "checkpoints are kept by the debugger; the program's own saver is not written to"


class NativeAdapter:
    """Opens `ReactAgent`, `StateGraph` and `CompiledGraph`."""

    name = "native"

    def prepare(self) -> None:
        """Nothing to prepare: the framework is ours."""

    def claims(self, obj: object) -> bool:
        """True for our own agents and graphs, and for classes made from them."""
        return any(
            base.__module__.startswith(("hookstepper.agent.", "hookstepper.engine."))
            and base.__name__ in ("ReactAgent", "FlowAgent", "StateGraph", "CompiledGraph")
            for base in type(obj).__mro__
        )

    def open(self, obj: object, options: OpenOptions) -> Target:
        """A target for `obj`, which is left as it is.

        Raises:
            SpecError: the agent's graph is not well formed.
        """
        return NativeTarget(obj, options)

    def watch(self, obj: object, watcher: Watcher) -> Watched:
        """Watch every run of an agent or a compiled graph, in place.

        Raises:
            SpecError: it is not compiled yet.
        """
        from hookstepper.adapters.native_watching import NativeWatched

        return NativeWatched(obj, watcher)

    def here(self) -> Here | None:
        """The task that runs the calling code."""
        from hookstepper.adapters.native_watching import here

        return here()

    def versions(self) -> tuple[tuple[str, str], ...]:
        """Nothing beside hookstepper itself."""
        return ()


class NativeTarget:
    """One agent or graph being debugged, with checkpoints of its own."""

    def __init__(self, obj: Any, options: OpenOptions) -> None:
        self.codec: Codec = AgentCodec()
        self.options = options
        self.thread = options.thread
        self.saver = _saver(options)
        self._source = obj
        self._agent = self._agent_of(obj)
        self._program: ReactAgent | FlowAgent | None = self._agent or self._flow_of(obj)
        self.graph = self._compile()
        self._description: Graph | None = None
        self._last: RunResult | None = None
        self._order: tuple[int, ...] | None = None
        kinds = {node.kind for node in self.describe().nodes}
        self.capabilities: frozenset[str] = BASIC | (OF_AGENTS if "model" in kinds else frozenset())

    # ------------------------------------------------------------------------------------ what it is

    def describe(self) -> Graph:
        """The compiled graph, with the anchors if it is an agent's."""
        if self._description is None:
            described = self._program.described if self._program is not None else _described
            graph = described(self.graph)
            notes = (*graph.notes, REPLACED) if self._replaces_saver() else graph.notes
            self._description = replace(graph, notes=notes)
        return self._description

    def sample_input(self) -> Json:
        """What the module suggests, else the agent itself."""
        found = self.options.sample_input
        if found is None:
            found = getattr(self._source, "sample_input", None)
        return encode(found, self.codec) if isinstance(found, (str, int, float, bool, list, dict)) else None

    def input_schema(self) -> Json:
        """None for an agent, which takes a text; an object for a graph."""
        if self._program is not None:
            return None
        return {"type": "object", "properties": {key.name: {} for key in self.describe().keys}}

    # --------------------------------------------------------------------------------------- running

    def run(self, entry: Entry, probe: Probe) -> Outcome:
        """Run to rest; what the program raises comes back in the outcome.

        Raises:
            NotPossibleError: the entry does not fit what the target stands at.
        """
        inputs, config = self._begin(entry)
        if isinstance(entry, From) and entry.mocks:
            probe = Mocked(probe, entry.mocks)
        try:
            result = self._drive(inputs, config, probe)
        except RunAborted:
            self._last = None
            latest = self.saver.get(self.thread)
            due = self.graph.due(latest.next_node_id) if latest is not None else ()
            return Outcome("aborted", latest.id if latest is not None else None, next=due)
        self._last = result
        asks = asks_of(result, self._tools()) if result.interruption is not None else ()
        return Outcome(
            result.status,
            result.checkpoint,
            asks,
            result.error,
            result.failed_at,
            result.next,
            _detail(result, self.graph.config.recursion_limit),
        )

    def _begin(self, entry: Entry) -> tuple[Mapping[str, Any] | None, RunConfig]:
        match entry:
            case Start():
                self.thread = entry.thread
                if entry.hook_order != self._order:
                    self._reorder(entry.hook_order)
                config = self._config(entry.config)
                return self._inputs(entry.input, config), config
            case Resume():
                return None, self._answered(entry)
            case From():
                return None, self._config({}, checkpoint=entry.checkpoint)

    def _drive(self, inputs: Mapping[str, Any] | None, config: RunConfig, probe: Probe) -> RunResult:
        clock = self.graph.config.clock
        if self._goes_async():
            main = _adrive(self.graph, inputs, config, Driver(probe, clock=clock))
            if self.options.loop is not None:
                return self.options.loop.run_until_complete(main)
            return asyncio.run(main)
        with Driver(probe, clock=clock) as driver:
            steps = driver.pump(self.graph.effects(inputs, config))
            while True:
                try:
                    next(steps)  # outputs are for those who read a stream: nobody here
                except StopIteration as end:
                    result: RunResult = end.value
                    return result

    def _goes_async(self) -> bool:
        """True where only an event loop does what the program asks for."""
        if self.options.loop is not None:
            return True
        for agent in _agents(self._program):
            if agent.spec.parallel_tool_execution and any(tool.is_async for tool in agent.tools):
                return True
        actions = (spec.action for spec in self.graph.plan.nodes.values())
        coroutines = any(isinstance(a, Action) and inspect.iscoroutinefunction(a.fn) for a in actions)
        return bool(self.graph.plan.parallels) and coroutines

    def _inputs(self, value: object, config: RunConfig) -> Mapping[str, Any]:
        if self._agent is not None:
            return self._agent.first_update(value, config, self.graph)
        if self._program is not None:
            return self._program.inputs_of(value)
        if isinstance(value, Mapping):
            return value
        return {} if value is None else {"input": value}

    def _config(self, given: Mapping[str, object], checkpoint: CheckpointId | None = None) -> RunConfig:
        settings: dict[str, Any] = {**self.options.config, **given}
        config = RunConfig(self.thread, checkpoint, stream=bool(settings.pop("stream", True)))
        config.context.update(settings.pop("context", {}))
        config.metadata.update(settings.pop("metadata", {}) | settings)
        return config if self._program is None else self._program.config_of(config, stream=config.stream)

    def _answered(self, entry: Resume) -> RunConfig:
        last = self._last
        if last is None or last.interruption is None:
            raise NotPossibleError("no question is open", hint="start a run, or go on from a checkpoint")
        asks = asks_of(last, self._tools())
        answer = next((entry.answers[ask.id] for ask in asks if ask.id in entry.answers), None)
        # Not the thread's latest: a fork that asks before its first step stands at an older checkpoint.
        config = self._config({}, checkpoint=last.checkpoint)
        if last.interruption.tool_feedbacks:
            return config.resuming(feedback_of(last.interruption, asks[0], answer))
        if self._agent is not None and last.interruption.metadata.get("interruption_requested"):
            self._agent.interrupt(config, answer if isinstance(answer, str) else "")
            return config
        if not last.interruption.asked:
            return config
        return config.with_metadata(**{HUMAN_FEEDBACK: answer})

    # ------------------------------------------------------------------------------------- the state

    def state(self, at: CheckpointId | None = None) -> Snapshot:
        """State at a checkpoint; empty, with the reason, if there is none."""
        try:
            found = self.graph.get_state(RunConfig(self.thread, at))
        except Exception as error:
            return Snapshot({}, (), None, (f"{type(error).__name__}: {error}",))
        return Snapshot(found.values, found.due, found.checkpoint)

    def history(self, limit: int) -> Sequence[CheckpointRow]:
        """Checkpoints of the current thread, newest first."""
        rows = self.graph.history(RunConfig(self.thread), limit)
        return [CheckpointRow(row.checkpoint, row.node, row.due, row.parent) for row in rows]

    def edit(self, at: CheckpointId, edit: Edit) -> CheckpointId:
        """A new checkpoint with other values, or with something else due.

        Raises:
            NotPossibleError: there is no such checkpoint or node, or a jump by edit is asked for.
        """
        if edit.jump is not None:
            raise NotPossibleError(
                "a jump by hand goes into the update of a held node here", hint="hold the run at the node"
            )
        return self.graph.edit(self.thread, at, edit.values, mode=edit.mode, next=edit.next)

    def predict(self, at: CheckpointId, edit: Edit | None) -> Prediction:
        """What would be due after `edit`.

        With `jump`, or a `jump_to` among the values: where the node that is due would lead if it returned
        that. Else where the node that ran before would lead now.
        """
        if edit is not None and edit.next is not None:
            return Prediction(edit.next)
        try:
            found = self.graph.get_state(RunConfig(self.thread, at))
            values = dict(found.values)
            after = found.node
            jump = None if edit is None else (edit.jump or edit.values.get("jump_to"))
            if edit is not None:
                keys = self.graph.plan.keys if edit.mode == "reducer" else {}
                apply_update(values, edit.values, keys)
            if jump and found.due:
                values["jump_to"] = None if jump == "clear" else jump
                after = found.due[0]
            route = self.graph.next_of(after, values, RunConfig(self.thread))
        except Exception as error:
            return Prediction((), trouble=f"{type(error).__name__}: {error}")
        called = () if self._agent is not None or route.rule == "fixed" else (after,)
        return Prediction(tuple(node for node in route.to if node != END) or route.to, called)

    def close(self) -> None:
        """Let go of the checkpoint file, if there is one."""
        close = getattr(self.saver, "close", None)
        if callable(close):
            close()

    # -------------------------------------------------------------------------------------- building

    def _agent_of(self, obj: Any) -> ReactAgent | None:
        if not isinstance(obj, ReactAgent):
            return None
        wanted = self.options.compat
        if wanted in (None, obj.compat):
            return obj
        return obj.copy(compat=wanted)

    def _flow_of(self, obj: Any) -> FlowAgent | None:
        if not isinstance(obj, FlowAgent):
            return None
        wanted = self.options.compat
        return obj if wanted in (None, obj.compat) else obj.with_rules(cast("Compat", wanted))

    def _compile(self) -> CompiledGraph:
        if self._agent is not None:
            own = self._agent.spec.compile_config or self._agent.default_config()
            return self._agent.compile(self._kept(own))
        if isinstance(self._source, StateGraph):
            return self._source.compile(self._kept(CompileConfig()))
        if isinstance(self._source, CompiledGraph):
            return self._source.graph.compile(self._kept(self._source.config))
        if isinstance(self._program, FlowAgent):
            return self._program.compile(self._kept(self._program.config))
        raise SpecError(f"{type(self._source).__name__} cannot be debugged", hint="an agent or a graph")

    def _kept(self, config: CompileConfig) -> CompileConfig:
        """The program's own configuration with our saver; a released thread could not be looked at."""
        kept = replace(config, saver=self.saver, release_thread=False)
        wanted = self.options.compat
        return replace(kept, compat=cast("Compat", wanted)) if wanted in ("upstream", "fixed") else kept

    def _replaces_saver(self) -> bool:
        if self._agent is not None:
            spec = self._agent.spec
            return (spec.compile_config.saver if spec.compile_config else spec.saver) is not None
        return isinstance(self._source, CompiledGraph) and self._source.config.saver is not None

    def _reorder(self, order: tuple[int, ...] | None) -> None:
        base = self._agent_of(self._source)
        if base is None:
            raise NotPossibleError("only an agent has hooks that can be put in another order")
        self._agent = self._program = base if order is None else base.copy(hook_order=order)
        self._order = order
        self.graph = self._compile()
        self._description = None

    def _tools(self) -> Mapping[str, Any]:
        return {tool.name: tool for agent in _agents(self._program) for tool in agent.tools}


async def _adrive(
    graph: CompiledGraph, inputs: Mapping[str, Any] | None, config: RunConfig, driver: Driver
) -> RunResult:
    results: list[RunResult] = []
    async for _ in driver.apump(graph.effects(inputs, config), results.append):
        pass
    return results[0]


def _agents(program: ReactAgent | FlowAgent | None) -> Iterator[ReactAgent]:
    """All plain agents of a program, its own first."""
    if isinstance(program, ReactAgent):
        yield program
    elif program is not None:
        for agent in program.sub_agents:
            yield from _agents(agent)


def _described(graph: CompiledGraph) -> Graph:
    return replace(graph.describe(), engine="built-in engine", rules=graph.config.compat)


def _saver(options: OpenOptions) -> Saver:
    if options.db is None:
        return MemorySaver()
    from hookstepper.engine.sqlite import SqliteSaver

    return SqliteSaver(options.db)


def _detail(result: RunResult, limit: int) -> str:
    if result.status == "limit":
        return f"recursion limit {limit}: START, each node and END count one"
    if result.interruption is not None and result.interruption.metadata:
        return json.dumps(dict(result.interruption.metadata), ensure_ascii=False, default=str)
    return ""
