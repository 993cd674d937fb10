"""Events as a host sends them, for tests of the record: a small agent whose run is written by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

from hookstepper.model.events import Event, RunEnded, RunStarted, StateChanged, Stopped, TargetLoaded
from hookstepper.model.gates import Ask, AskCall, Reason, Site, Stop
from hookstepper.model.graph import Anchors, Edge, Graph, Node, NodeKind
from hookstepper.model.ids import MAIN, AskId, BranchId, HostId, Json, NodeId, StopId, TaskId
from hookstepper.model.jsonform import from_json
from hookstepper.model.record import CallRecord, Delta, Route, RuleSeen, StepDone
from hookstepper.trace.trace import Trace
from hookstepper.values import apply, diff

DATA = Path(__file__).parents[1] / "data"


@cache
def recorded(name: str = "weather") -> tuple[Event, ...]:
    """The events of the demonstration run."""
    lines = (DATA / f"{name}_events.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(from_json(Event, json.loads(line)) for line in lines)  # type: ignore[arg-type]


def hook(name: str, kind: NodeKind, index: int, jumps: tuple[str, ...] = ()) -> Node:
    """A hook's node."""
    return Node(NodeId(f"{name}.{kind}"), name, kind, owner=name, index=index, jumps=jumps)


GRAPH = Graph(
    "agent",
    (
        hook("Audit", "before_agent", 0),
        hook("Log", "before_model", 1),
        Node(NodeId("model"), "model", "model"),
        hook("Safety", "after_model", 3, ("end",)),
        hook("Edit", "after_model", 2),
        hook("Log", "after_model", 1),
        Node(NodeId("tool"), "tool", "tool", tools=("look", "pay")),
        hook("Audit", "after_agent", 0),
    ),
    (
        Edge(NodeId("Audit.before_agent"), NodeId("Log.before_model")),
        Edge(NodeId("Log.before_model"), NodeId("model")),
        Edge(NodeId("model"), NodeId("Safety.after_model")),
        Edge(NodeId("Safety.after_model"), NodeId("Edit.after_model")),
        Edge(NodeId("Edit.after_model"), NodeId("Log.after_model")),
        Edge(NodeId("Log.after_model"), NodeId("tool"), "conditional", "tool calls"),
        Edge(NodeId("Log.after_model"), NodeId("Audit.after_agent"), "conditional", "done"),
        Edge(NodeId("tool"), NodeId("Log.before_model")),
    ),
    Anchors(
        NodeId("Audit.before_agent"),
        NodeId("Log.before_model"),
        NodeId("Log.after_model"),
        NodeId("Audit.after_agent"),
    ),
)


def message(role: str, content: Json = "", key: str = "", **more: Json) -> dict[str, Json]:
    """A message as codecs encode it."""
    return {"$": "msg", "role": role, "content": content, "id": key, **more}


def asks_for(call_id: str, tool: str, **args: Json) -> Json:
    """A tool call inside a message."""
    return {"id": call_id, "name": tool, "args": args}


class Script:
    """Makes the events of a run, keeps the states that they lead to, and feeds a trace."""

    def __init__(self, graph: Graph | None = GRAPH) -> None:
        self.trace = Trace()
        self.events: list[Event] = []
        self.states: list[Json] = []
        """The state after each step, by index."""
        self.now: dict[BranchId, Json] = {}
        self.branch = MAIN
        self._stops = 0
        if graph is not None:
            self.send(TargetLoaded(graph, "agent"))

    def send(self, event: Event) -> Script:
        """Take in an event."""
        self.events.append(event)
        self.trace.add(event)
        return self

    def start(
        self,
        state: Json = None,
        *,
        run: int = 1,
        branch: str = "main",
        entry: Literal["start", "resume", "from"] = "start",
        from_step: int | None = None,
    ) -> Script:
        """A run begins or goes on, with the state that its first node sees."""
        self.branch = BranchId(branch)
        if state is None:
            known = self.now.get(self.branch)
            state = known if known is not None else self.states[from_step] if from_step is not None else {}
        self.now[self.branch] = state
        return self.send(RunStarted(run, self.branch, "t", entry, state, from_step))

    def step(
        self,
        node: str,
        update: dict[str, Json] | None = None,
        *,
        kind: NodeKind | None = None,
        append: Sequence[Json] = (),
        delta: Delta | None = None,
        **more: Any,
    ) -> Script:
        """A node ran: `update` replaces keys, `append` goes to the messages."""
        index = len(self.states)
        before = self.now[self.branch]
        after = before
        if delta is None:
            assert isinstance(before, dict)
            after = {**before, **(update or {})}
            if append:
                old = before.get("messages", [])
                assert isinstance(old, list)
                after["messages"] = [*old, *append]
            delta = diff(before, after)
        elif more.get("scope") is None:
            after = apply(delta, before)
        known = next((one for one in GRAPH.nodes if one.id == node), None)
        writes = tuple(update or ()) + (("messages",) if append else ())
        fields: dict[str, Any] = {
            "index": index,
            "branch": self.branch,
            "superstep": index,
            "task": TaskId(f"t{index}"),
            "site": Site("node", NodeId(node)),
            "kind": kind or (known.kind if known is not None else "plain"),
            "delta": delta,
            "route": Route((NodeId("next"),), "fixed"),
            "checkpoint": None,
            "host": HostId("h"),
            "duration_us": 5,
            "writes": writes,
        }
        self.now[self.branch] = after
        self.states.append(after)
        return self.send(StepDone(**{**fields, **more}))

    def edit(self, update: dict[str, Json], by: str = "edit") -> Script:
        """The state changes between two steps."""
        before = self.now[self.branch]
        assert isinstance(before, dict)
        after = {**before, **update}
        self.now[self.branch] = after
        delta = diff(before, after)
        return self.send(StateChanged(self.branch, delta, None, by, (), self.trace.last))

    def stop(self, *reasons: Reason, node: str = "", task: str | None = None, **more: Any) -> Script:
        """The run stops before a node."""
        self._stops += 1
        site = Site("node", NodeId(node)) if node else None
        held = "resting" if more.get("asks") else "held"
        stop = Stop(
            StopId(self._stops),
            self._stops,
            held,  # type: ignore[arg-type]
            reasons,
            frozenset(),
            site,
            task=TaskId(task) if task else None,
            **more,
        )
        return self.send(Stopped(stop))

    def ask(self, node: str, *calls: tuple[str, str, Json]) -> Script:
        """The program asks whether calls (id, tool, arguments) may run."""
        ask = Ask(
            AskId(f"ask{self._stops}"),
            "approval",
            NodeId(node),
            "May these run?",
            tuple(AskCall(call_id, tool, arguments) for call_id, tool, arguments in calls),
        )
        return self.stop("interrupt", node=node, asks=(ask,))

    def end(self, status: Literal["completed", "failed"] = "completed", **more: Any) -> Script:
        """The run comes to rest."""
        return self.send(RunEnded(status, self.branch, None, len(self.states), **more))


def jump_route(to: str, rule: str = "jump_to", saw: str = "end") -> Route:
    """A route that a jump decided."""
    return Route((NodeId(to),), rule, "", (RuleSeen(rule, saw, True, NodeId(to)),))


def read_route(to: str, saw: str = "not set") -> Route:
    """A route whose router looked at the jump and went its default way."""
    rules = (RuleSeen("declared_jump", saw, False), RuleSeen("default", "", True, NodeId(to)))
    return Route((NodeId(to),), "default", "", rules)


def tool_call(call_id: str, tool: str, request: Json, response: Json = None, error: str = "") -> CallRecord:
    """A call that a tool node made."""
    return CallRecord("tool", tool, call_id, request, response, error, 7)


def fed(events: Iterable[Event]) -> Trace:
    """A trace of these events."""
    trace = Trace()
    for event in events:
        trace.add(event)
    return trace
