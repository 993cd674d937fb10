"""A compiled graph: run it, stream it, look at its checkpoints, edit them, describe it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import aclosing
from typing import Any, Literal

from hookstepper.engine import history
from hookstepper.engine.actions import Compiled
from hookstepper.engine.compile import Plan, plan
from hookstepper.engine.config import CompileConfig, RunConfig
from hookstepper.engine.describe import describe
from hookstepper.engine.driver import Driver, current
from hookstepper.engine.effects import Effects
from hookstepper.engine.graph import StateGraph
from hookstepper.engine.loop import Run
from hookstepper.engine.outputs import Output, RunResult, StateSnapshot
from hookstepper.engine.scope import Scope
from hookstepper.model.errors import NotPossibleError
from hookstepper.model.graph import Graph
from hookstepper.model.ids import END, CheckpointId, NodeId
from hookstepper.model.record import Route
from hookstepper.ports.probe import Probe
from hookstepper.ports.target import CheckpointRow

Inputs = Mapping[str, Any] | None


class CompiledGraph(Compiled):
    """A graph that can run. It keeps no state of its own between runs: the saver does.

    Runs of different threads of conversation may go on at once, on threads or tasks of their own.
    A run starts at START on top of what the thread's last checkpoint holds, unless its config carries a
    checkpoint id or human feedback: then it goes on from there.
    A run that is started by the code of a node is watched by the same probe, as if it stood in that node.
    """

    def __init__(self, graph: StateGraph, config: CompileConfig) -> None:
        self.config = config
        self.plan: Plan = plan(graph, config)
        self.name = graph.name
        self.graph = graph
        """The graph as it was written down."""

    # --------------------------------------------------------------------------------------- running

    def run(
        self, inputs: Inputs = None, config: RunConfig | None = None, *, probe: Probe | None = None
    ) -> RunResult:
        """Run to the end, an interruption, a failure or the limit; a failing node is part of the result.

        Raises:
            NotPossibleError: the run cannot be resumed.
            RunAborted: a verdict of the probe was `Abort`.
        """
        driver, scope = self._placed(probe)
        with driver:
            return driver.drive(self.effects(inputs, config, scope=scope))

    async def arun(
        self, inputs: Inputs = None, config: RunConfig | None = None, *, probe: Probe | None = None
    ) -> RunResult:
        """`run` on the current event loop."""
        driver, scope = self._placed(probe)
        return await driver.adrive(self.effects(inputs, config, scope=scope))

    def invoke(
        self, inputs: Inputs = None, config: RunConfig | None = None, *, probe: Probe | None = None
    ) -> Mapping[str, Any]:
        """The state when the run came to rest: at the end, at an interruption or at the limit.

        Raises:
            Exception: what made a node fail.
            NotPossibleError: the run cannot be resumed.
        """
        return _state_of(self.run(inputs, config, probe=probe))

    async def ainvoke(
        self, inputs: Inputs = None, config: RunConfig | None = None, *, probe: Probe | None = None
    ) -> Mapping[str, Any]:
        """`invoke` on the current event loop."""
        return _state_of(await self.arun(inputs, config, probe=probe))

    def stream(
        self, inputs: Inputs = None, config: RunConfig | None = None, *, probe: Probe | None = None
    ) -> Iterator[Output]:
        """Outputs as they come: START, each node, END; an `Interruption` is the last if there is one.

        Closing the iterator leaves the run where it is.

        Raises:
            Exception: what made a node fail, after the outputs of the nodes before it.
            NotPossibleError: the run cannot be resumed.
        """
        driver, scope = self._placed(probe, streaming=True)
        with driver:
            result: RunResult = yield from driver.pump(self.effects(inputs, config, scope=scope))
        if result.error is not None:
            raise result.error
        if result.interruption is not None:
            yield result.interruption

    async def astream(
        self, inputs: Inputs = None, config: RunConfig | None = None, *, probe: Probe | None = None
    ) -> AsyncIterator[Output]:
        """`stream` on the current event loop."""
        results: list[RunResult] = []
        driver, scope = self._placed(probe, streaming=True)
        outputs = driver.apump(self.effects(inputs, config, scope=scope), results.append)
        async with aclosing(outputs):
            async for output in outputs:
                yield output
        result = results[0]
        if result.error is not None:
            raise result.error
        if result.interruption is not None:
            yield result.interruption

    def _placed(self, probe: Probe | None, *, streaming: bool = False) -> tuple[Driver, Scope]:
        """A driver, and where the run stands: inside a node, if that node's code starts it."""
        outer = current() if probe is None else None
        scope = None if outer is None else outer.inner_scope()
        if outer is None or scope is None:
            return Driver(probe, clock=self.config.clock), Scope(streaming=streaming)
        scope.streaming = streaming
        return Driver(outer.probe, clock=self.config.clock), scope

    def effects(
        self,
        inputs: Inputs = None,
        config: RunConfig | None = None,
        *,
        scope: Scope | None = None,
    ) -> Effects[RunResult]:
        """The run as a body, for code that drives it itself or runs it inside another body.

        Args:
            scope: where it runs, if inside the node of another graph; see `Scope.within`.
        """
        return Run(self, inputs, config or RunConfig(), scope or Scope()).go()

    # --------------------------------------------------------------------------------------- history

    def get_state(self, config: RunConfig | None = None) -> StateSnapshot:
        """The saved state of the thread: the newest, or the one that the config names.

        Raises:
            NotPossibleError: there is none.
        """
        return history.snapshot(self, history.checkpoint_of(self, config or RunConfig()), config)

    def history(self, config: RunConfig | None = None, limit: int | None = None) -> Sequence[StateSnapshot]:
        """Saved states of the thread, newest first.

        Raises:
            NotPossibleError: the graph keeps no checkpoints.
        """
        return history.snapshots(self, config or RunConfig(), limit)

    def outline(self, config: RunConfig | None = None, limit: int | None = None) -> Sequence[CheckpointRow]:
        """Where the thread's checkpoints stand, newest first, without their states.

        Raises:
            NotPossibleError: the graph keeps no checkpoints.
        """
        rows = history.saver_of(self).outline((config or RunConfig()).thread, limit)
        return [CheckpointRow(row.id, row.node_id, self.due(row.next_node_id), row.parent) for row in rows]

    def update_state(
        self, config: RunConfig, values: Mapping[str, Any], as_node: str | None = None
    ) -> RunConfig:
        """Merge values into a saved state through the key strategies; the result names the new checkpoint.

        The checkpoint that the config names is replaced by the new one; without a name, the new one is added
        on top of the newest. With `as_node` the run goes on as if that node had returned the values: its
        edge is asked.

        Raises:
            NotPossibleError: there is no such checkpoint or node.
        """
        with Driver(clock=self.config.clock) as driver:
            return driver.drive(history.update(self, config, values, as_node))

    async def aupdate_state(
        self, config: RunConfig, values: Mapping[str, Any], as_node: str | None = None
    ) -> RunConfig:
        """`update_state` on the current event loop, for edges that are async."""
        return await Driver(clock=self.config.clock).adrive(history.update(self, config, values, as_node))

    def edit(
        self,
        thread: str | None,
        at: CheckpointId | None,
        values: Mapping[str, Any],
        *,
        mode: Literal["raw", "reducer"] = "raw",
        next: Sequence[NodeId] | None = None,  # noqa: A002 - the word of the Edit contract
    ) -> CheckpointId:
        """A new checkpoint on top, made from another one, which stays; a run may go on from it.

        Args:
            at: the checkpoint to start from; None: the newest.
            mode: `raw` sets the values, `reducer` merges them through the key strategies.
            next: what is due then; None: what is due at `at`.

        Raises:
            NotPossibleError: there is no such checkpoint, or the graph cannot go on at those nodes.
        """
        return history.edit(self, RunConfig(thread, at), values, mode, next)

    def next_of(self, node: NodeId, values: Mapping[str, Any], config: RunConfig | None = None) -> Route:
        """Where a state would lead after a node; calls the node's router, merges and saves nothing.

        Raises:
            RouteError: there is no way on.
            Exception: what the router raised.
        """
        with Driver(clock=self.config.clock) as driver:
            return driver.drive(history.route_from(self, node, values, config or RunConfig()))

    # ------------------------------------------------------------------------ as a node of another graph

    keeps_feedback = False
    """True: feedback to the graph around it makes this one resume too, also if it never stopped."""

    def inputs_in_parent(self, parent: Mapping[str, Any]) -> Mapping[str, Any]:
        """What it starts with as a node: the state of the graph around it."""
        return parent

    def config_in_parent(self, config: RunConfig, node: NodeId) -> RunConfig:  # noqa: ARG002
        """The config of a run of it as a node; `config` is a copy made for it."""
        return config

    def update_for_parent(
        self,
        result: Mapping[str, Any],  # noqa: ARG002
        before: Mapping[str, Any],  # noqa: ARG002
    ) -> dict[str, Any] | None:
        """What it gives back as a node, to be merged by the key strategies; None: all of its final state."""
        return None

    # ------------------------------------------------------------------------------------- the graph

    def describe(self) -> Graph:
        """The graph as plain data, subgraphs inside."""
        return describe(self)

    def due(self, node: NodeId | None) -> tuple[NodeId, ...]:
        """Nodes of the graph that a checkpoint's next node stands for; empty at the end."""
        return self.plan.due(node)

    def position_of(self, targets: Sequence[NodeId], after: NodeId | None = None) -> NodeId:
        """What a checkpoint calls these nodes, if they are to run next.

        Args:
            after: the node that has just run, if branches of it are meant.

        Raises:
            NotPossibleError: there is no such node, or the nodes are not branches of one fan-out.
        """
        if not targets:
            return END
        if len(targets) == 1 and (
            targets[0] == END or targets[0] in self.plan.nodes or targets[0] in self.plan.parallels
        ):
            return targets[0]
        for parallel in self.plan.parallels.values():
            if set(targets) <= set(parallel.branches) and after in (None, parallel.source):
                return parallel.id
        raise NotPossibleError(
            f"the run cannot go on at {', '.join(targets)}",
            hint="name one node, or branches of one fan-out",
        )


def _state_of(result: RunResult) -> Mapping[str, Any]:
    if result.error is not None:
        raise result.error
    return result.state
