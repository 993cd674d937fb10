"""Views made by hand, for facts that the recorded run does not hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from hookstepper.client.view import View
from hookstepper.model.events import Event, RunStarted, TargetLoaded
from hookstepper.model.gates import Site
from hookstepper.model.graph import Edge, Graph, Node, StateKey
from hookstepper.model.ids import END, MAIN, START, HostId, Json, NodeId, TaskId
from hookstepper.model.record import Delta, Route, StepDone
from hookstepper.trace.trace import Trace
from hookstepper.values import diff


def graph_of(*nodes: Node, edges: Sequence[Edge] = (), **more: object) -> Graph:
    """A graph of these nodes, joined in a row unless edges are given."""
    every = (Node(START, "START", "start"), *nodes, Node(END, "END", "end"))
    row = tuple(Edge(a.id, b.id) for a, b in pairwise(every))
    return Graph("made", every, tuple(edges) or row, **more)  # type: ignore[arg-type]


def step_of(index: int, node: str, delta: Delta = (), **more: object) -> StepDone:
    """One step of a node, by default of kind plain and on the main branch."""
    values: dict[str, object] = {
        "branch": MAIN,
        "superstep": index + 1,
        "task": TaskId(f"t{index}"),
        "site": Site("node", NodeId(node)),
        "kind": "plain",
        "route": None,
        "checkpoint": None,
        "host": HostId("1-a"),
        "duration_us": 0,
        **more,
    }
    return StepDone(index=index, delta=delta, **values)  # type: ignore[arg-type]


class Made:
    """A trace that grows by states: each step is the difference from the state before."""

    def __init__(self, graph: Graph | None = None, state: Json = None) -> None:
        self.graph = graph or graph_of(Node(NodeId("a"), "a"), Node(NodeId("b"), "b"))
        self.state: Json = state if state is not None else {}
        self.trace = Trace()
        self.add(TargetLoaded(self.graph, "graph"))
        self.add(RunStarted(1, MAIN, "main", "start", self.state))

    def add(self, *events: Event) -> None:
        """Take in events as they are."""
        for event in events:
            self.trace.add(event)

    def step(self, node: str, state: Json, **more: object) -> StepDone:
        """A step after which the state is this one."""
        delta = diff(self.state, state)
        self.state = state
        written = tuple(dict.fromkeys(str(op.path[0]) for op in delta if op.path))
        step = step_of(self.trace.last + 1, node, delta, **{"writes": written, **more})
        self.add(step)
        return step

    def view(self, **more: object) -> View:
        """What a screen is shown now."""
        values: dict[str, object] = {
            "version": self.trace.version,
            "phase": "stopped",
            "target": "made.py",
            "thread": "main",
            "graph": self.trace.graph,
            **more,
        }
        return View(trace=self.trace, **values)  # type: ignore[arg-type]


def message(role: str, content: str = "", **more: Json) -> Json:
    """An encoded message."""
    return {"$": "msg", "role": role, "content": content, **more}


def keys(**strategies: str) -> tuple[StateKey, ...]:
    """State keys with their strategies."""
    return tuple(StateKey(name, strategy) for name, strategy in strategies.items())


def routed(*to: str, **more: object) -> Route:
    """A route to these nodes."""
    return Route(tuple(NodeId(each) for each in to), **{"rule": "fixed", **more})  # type: ignore[arg-type]


def merged(state: Json, update: Mapping[str, Json]) -> Json:
    """The state with some keys replaced."""
    assert isinstance(state, dict)
    return {**state, **update}
