"""Nested graphs keep what they would keep without a debugger, and nobody's database is written to."""

from __future__ import annotations

import operator
from typing import Annotated, Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

from hookstepper.model.ids import NodeId
from hookstepper.ports.target import OpenOptions
from support.langgraph_kit import ADAPTER, COLOURS, opened, painted, ran
from support.probe import RecordingProbe


class State(TypedDict, total=False):
    n: Annotated[int, operator.add]
    log: list[str]


class Inner(TypedDict, total=False):
    log: Annotated[list[str], operator.add]


class Program:
    """Three rounds of a node and a nested graph that tells what it finds in its state."""

    def __init__(self, saver: Any, nested: Any, *, called: bool, colour: str, thread: str = "") -> None:
        self.seen: list[list[str]] = []

        def look(state: Inner) -> dict[str, Any]:
            self.seen.append(list(state["log"]))
            return {"log": ["x"]}

        inner = StateGraph(Inner)
        inner.add_node("x", painted(look, colour))
        inner.add_edge(START, "x")
        self.inner = inner.compile(checkpointer=nested)
        config: Any = {"configurable": {"thread_id": thread}} if thread else None

        def call(state: State) -> dict[str, Any]:
            self.inner.invoke({"log": state["log"]}, config)
            return {}

        async def acall(state: State) -> dict[str, Any]:
            await self.inner.ainvoke({"log": state["log"]}, config)
            return {}

        builder = StateGraph(State)
        builder.add_node("before", painted(lambda state: {"n": 1, "log": [str(state.get("n", 0))]}, colour))
        builder.add_node("team", (call if colour == "sync" else acall) if called else self.inner)
        builder.add_edge(START, "before")
        builder.add_edge("before", "team")
        builder.add_conditional_edges(
            "team", lambda state: "before" if state["n"] < 3 else "__end__", ["before", "__end__"]
        )
        self.graph = builder.compile(checkpointer=saver)


def bare(program: Program) -> list[list[str]]:
    import asyncio

    asyncio.run(program.graph.ainvoke({"n": 0, "log": []}, {"configurable": {"thread_id": "t"}}))
    return program.seen


OWN = "InMemorySaver of its own, for calls on a thread of their own"
NESTED = [lambda: None, lambda: True, lambda: False, InMemorySaver]


@COLOURS
@pytest.mark.parametrize("called", [False, True])
@pytest.mark.parametrize("saver", [lambda: None, InMemorySaver])
@pytest.mark.parametrize("nested", NESTED)
def test_a_nested_graph_finds_what_it_would_find(nested: Any, saver: Any, called: bool, colour: str) -> None:
    """One with `checkpointer=True` keeps its state if the program has a saver, and not because we have."""
    expected = bare(Program(saver(), nested(), called=called, colour=colour))
    program = Program(saver(), nested(), called=called, colour=colour)
    kept = program.inner.checkpointer

    outcome, probe = ran(opened(program.graph), {"n": 0, "log": []})

    assert outcome.status == "completed"
    assert program.seen == expected
    assert probe.nodes == ["before", "team:x", "team"] * 3
    assert probe.held == ["before", "team", "team:x"] * 3
    assert program.inner.checkpointer is kept


@COLOURS
def test_a_called_graph_on_a_thread_of_its_own_is_told_inside_its_node_and_writes_to_memory(
    colour: str,
) -> None:
    """Its database is the user's: it is read, and never written to."""
    mine = InMemorySaver()
    mine_bare = InMemorySaver()
    expected = bare(Program(None, mine_bare, called=True, colour=colour, thread="deep"))
    program = Program(None, mine, called=True, colour=colour, thread="deep")
    target = opened(program.graph)

    _, probe = ran(target, {"n": 0, "log": []})

    assert list(mine_bare.list(None))
    assert not list(mine.list(None))
    assert program.seen == expected == [["0"], ["0", "x", "1"], ["0", "x", "1", "x", "2"]]
    assert probe.nodes == ["before", "team:x", "team"] * 3
    assert [step.update for step in probe.steps if step.site.node == "team:x"] == [{"log": ["x"]}] * 3
    again = RecordingProbe()
    ran(target, {"n": 0, "log": []}, again)
    assert again.nodes[:3] == ["before", "team:x", "team"]
    assert not list(mine.list(None))


@pytest.mark.parametrize(
    ("nested", "called", "note"),
    [
        (None, False, "inherits the checkpointer"),
        (True, False, "inherits the checkpointer, keeps its state between calls"),
        (False, False, "keeps no checkpoints"),
        (InMemorySaver(), False, "own InMemorySaver unused"),
        (
            InMemorySaver(),
            True,
            "calls a graph, InMemorySaver of its own, for calls on a thread of their own",
        ),
    ],
)
def test_the_node_says_whose_checkpointer_its_graph_has(nested: Any, called: bool, note: str) -> None:
    program = Program(None, nested, called=called, colour="sync")

    node = opened(program.graph).describe().node(NodeId("team"))

    assert node is not None
    assert node.note == note


def test_the_node_says_which_limit_its_graph_brings() -> None:
    inner = StateGraph(State)
    inner.add_node("x", lambda state: {})
    inner.add_edge(START, "x")
    limited = inner.compile().with_config(recursion_limit=7)

    def call(state: State) -> Any:
        return limited.invoke(state)

    builder = StateGraph(State)
    builder.add_node("direct", limited)
    builder.add_node("called", call)
    builder.add_edge(START, "direct")
    builder.add_edge("direct", "called")
    graph = ADAPTER.open(builder, OpenOptions()).describe()

    notes = {node.id: node.note for node in graph.nodes}
    assert "at most 7 supersteps unless the run sets a limit" in notes[NodeId("direct")]
    assert notes[NodeId("called")].endswith("at most 7 supersteps")
