"""One agent again and again."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from hookstepper.agent.flow.base import FlowAgent, _chain
from hookstepper.agent.messages import Message, SystemMessage, UserMessage, messages_of
from hookstepper.agent.react_agent import ReactAgent
from hookstepper.engine.actions import Decision, NodeMeta
from hookstepper.engine.graph import StateGraph
from hookstepper.model.errors import SpecError

MOST = 1000
"""Iterations that no loop goes beyond."""


class LoopStrategy(Protocol):
    """Says how often to go round."""

    def begin(self, state: Mapping[str, Any]) -> Mapping[str, Any]:
        """The update when the loop begins; may leave a plan in it."""
        ...

    def step(self, done: int, plan: Any, state: Mapping[str, Any]) -> tuple[bool, Sequence[Message]]:
        """Whether to go round once more after `done` rounds, and messages to add."""
        ...


@dataclass(frozen=True, slots=True)
class Times:
    """So many rounds, at most 1000."""

    count: int

    def begin(self, state: Mapping[str, Any]) -> Mapping[str, Any]:  # noqa: ARG002
        """Nothing to plan."""
        return {}

    def step(self, done: int, plan: Any, state: Mapping[str, Any]) -> tuple[bool, Sequence[Message]]:  # noqa: ARG002
        """Until it was so many."""
        return done < min(self.count, MOST), ()


@dataclass(frozen=True, slots=True)
class Until:
    """Rounds until the predicate on the messages is true, at most 1000."""

    stop: Callable[[Sequence[Message]], bool]

    def begin(self, state: Mapping[str, Any]) -> Mapping[str, Any]:  # noqa: ARG002
        """Nothing to plan."""
        return {}

    def step(self, done: int, plan: Any, state: Mapping[str, Any]) -> tuple[bool, Sequence[Message]]:  # noqa: ARG002
        """Asks the predicate, then counts."""
        if self.stop(messages_of(state)):
            return False, ()
        if done >= MOST:
            return False, (SystemMessage(f"The loop was ended after {MOST} rounds."),)
        return True, ()


@dataclass(frozen=True, slots=True)
class EachItem:
    """A round for each item of the JSON array in the last message; the item is added as a user message."""

    def begin(self, state: Mapping[str, Any]) -> Mapping[str, Any]:
        """The items; none, with a remark, if there is no message.

        Raises:
            ValueError: the text is not JSON, or no array.
        """
        messages = messages_of(state)
        if not messages or not messages[-1].text:
            return {"items": [], "remark": "There is no JSON array in the last message."}
        items = json.loads(messages[-1].text)
        if not isinstance(items, list):
            raise ValueError("the last message is JSON, but no array")  # noqa: TRY004 - the text is wrong
        return {"items": items}

    def step(self, done: int, plan: Any, state: Mapping[str, Any]) -> tuple[bool, Sequence[Message]]:  # noqa: ARG002
        """The next item."""
        items = plan.get("items", [])
        if done < len(items):
            item = items[done]
            return True, (
                UserMessage(item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)),
            )
        remark = plan.get("remark")
        return False, (SystemMessage(remark),) if remark else ()


class LoopAgent(FlowAgent):
    """One sub-agent, run again and again as `strategy` says; model hooks stand around each round.

    In upstream rules a flow with before-model hooks and without before-agent hooks leads past the start of
    the loop: it makes one round, whatever the strategy says. Fixed rules do not.
    """

    def __init__(
        self, name: str, sub_agent: ReactAgent | FlowAgent, strategy: LoopStrategy, **options: Any
    ) -> None:
        super().__init__(name, [sub_agent], **options)
        if not callable(getattr(strategy, "begin", None)) or not callable(getattr(strategy, "step", None)):
            raise SpecError(
                f"loop agent {name!r}: {strategy!r:.60} is no strategy",
                hint="Times(3), Until(lambda messages: ...), EachItem(), or an object with begin and step",
            )
        self.strategy = strategy
        self._count = f"_loop_count__{name}"
        self._plan = f"_loop_plan__{name}"

    @property
    def sub_agent(self) -> ReactAgent | FlowAgent:
        """The agent that is run again and again."""
        return self.sub_agents[0]

    def join(
        self,
        graph: StateGraph,
        way_in: Sequence[str],
        before_model: Sequence[str],
        after_model: Sequence[str],
        leave: str,
    ) -> None:
        """Start and dispatch, with the model hooks between dispatch and sub-agent."""
        begin, dispatch = f"_loop_init__{self.name}", f"_loop_dispatch__{self.name}"
        graph.add_node(begin, self._begin, meta=NodeMeta(note="begins the loop"))
        graph.add_node(dispatch, self._dispatch, meta=NodeMeta(note="one more round, or out"))
        self.add_agent(graph, self.sub_agent)
        inside = [*before_model, self.sub_agent.name, *after_model, dispatch]
        past_the_start = self.compat != "fixed" and before_model and len(way_in) == 1
        if past_the_start:
            graph.add_edge(way_in[0], before_model[0])
        else:
            _chain(graph, [*way_in, self.name])
        _chain(graph, [self.name, begin, dispatch])
        _chain(graph, inside)
        mapping = {"continue": inside[0], "break": leave}
        graph.add_conditional_edges(
            dispatch, self._route, mapping, labels={"continue": "again", "break": "done"}
        )

    def build(self, graph: StateGraph, first: str, last: str) -> None:
        """All is done in `join`."""

    def _begin(self, state: Mapping[str, Any]) -> dict[str, Any]:
        return {self._count: 0, self._plan: dict(self.strategy.begin(state)), self._go: True}

    @property
    def _go(self) -> str:
        return f"_loop_go__{self.name}"

    def _dispatch(self, state: Mapping[str, Any]) -> dict[str, Any]:
        done = state.get(self._count)
        if done is None:
            return {self._go: False}
        again, messages = self.strategy.step(done, state.get(self._plan) or {}, state)
        update: dict[str, Any] = {self._go: again, self._count: done + 1 if again else done}
        return update | ({"messages": list(messages)} if messages else {})

    def _route(self, state: Mapping[str, Any]) -> Decision:
        again = bool(state.get(self._go))
        rounds = state.get(self._count)
        why = f"round {rounds} begins" if again else "the loop is over"
        return Decision("continue" if again else "break", "loop", why)
