"""Runs what a node does, once or again, and keeps what the record needs to know about it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Mapping
from typing import TYPE_CHECKING, Any

from hookstepper.engine import parts, subgraph
from hookstepper.engine.actions import Action, Command, NodeSpec
from hookstepper.engine.effects import Call, Effects, Here, Tell
from hookstepper.engine.errors import RunError
from hookstepper.engine.listening import announce
from hookstepper.engine.state import State
from hookstepper.engine.streams import drain
from hookstepper.model.ids import NodeId, TaskId
from hookstepper.model.record import Usage
from hookstepper.ports.facts import Entered

if TYPE_CHECKING:
    from hookstepper.engine.loop import Run

TOKEN_USAGE = "_TOKEN_USAGE_"
"""Key of an update that reports a `Usage`; it does not reach the state."""


class Body:
    """One execution of a node: of the run's own state, or of a branch's copy."""

    def __init__(
        self, run: Run, spec: NodeSpec, task: TaskId, superstep: int, branch: State | None = None
    ) -> None:
        self.run_of = run
        self.spec = spec
        self.task = task
        self.superstep = superstep
        self.in_branch = branch is not None
        self.state = run.state if branch is None else branch
        self.given: Mapping[str, Any] = self.state.data
        """What the enter gate shows."""
        self.site = run.scope.site("node", spec.id)
        self.attempts = 0
        self.raw = False
        """True if the update goes past the key strategies."""
        self.goto: Any = None
        """Where the node itself said to go."""
        self.usage: Usage | None = None
        self.duration_us = 0
        """Of the last attempt, without the time for which it was held."""
        self._reads: set[str] = set()

    def run(self, value: Mapping[str, Any]) -> Effects[dict[str, Any]]:
        """The update that the node returns for an input; a patched input is a state of its own."""
        run = self.run_of
        self.attempts += 1
        self.goto, run.failed_place = None, None
        state = self.state
        if value is not self.given:
            state = State(dict(value), run.plan.keys, run.config.store)
        state.reads.clear()
        yield Tell(Entered(self.site, self.spec.kind, self.task, self.superstep))
        yield from announce(run, "before", self.spec.id, state=state, in_branch=self.in_branch)
        if (yield parts.wanted(run, self.spec.id, parts.INPUT)):
            yield from parts.before_body(self, state)
        driver = yield Here()
        clock = run.setup.clock
        began, held = clock(), driver.held_ns
        try:
            result = yield from self._act(state)
            if isinstance(result, Command):
                self.goto, result = result.goto, result.update
            return (yield from drain(run, self.spec.id, as_update(self.spec.id, result)))
        finally:
            self.duration_us = (clock() - began - (driver.held_ns - held)) // 1000
            self._reads |= state.reads

    def _act(self, state: State) -> Effects[Any]:
        action = self.spec.action
        if not isinstance(action, Action):
            return (yield from subgraph.run_child(self, state))
        config = self.run_of.config
        if action.is_body:
            return (yield from action.body(state, config))
        return (yield Call(action.fn, (state, config) if action.wants_config else (state,)))

    def take_usage(self, update: dict[str, Any]) -> None:
        """Take the reported usage out of the update."""
        usage = update.get(TOKEN_USAGE)
        if isinstance(usage, Usage):
            self.usage = usage
            del update[TOKEN_USAGE]

    def reads(self) -> tuple[str, ...]:
        """State keys that the node read."""
        return tuple(sorted(self._reads))


def as_update(node: NodeId, result: Any) -> dict[str, Any]:
    """The update that a result is: a copy of the mapping, empty for None.

    Raises:
        RunError: the result is something else.
    """
    if result is None:
        return {}
    if isinstance(result, Mapping):
        return dict(result)
    hint = "return a dict with the keys to change, or nothing"
    if isinstance(result, (Generator, AsyncGenerator)):
        hint = "a generator goes under a key of the dict; a body of effects is marked with @effectful"
    raise RunError(f"node {node!r} returned {type(result).__name__}, not a mapping of state keys", hint=hint)
