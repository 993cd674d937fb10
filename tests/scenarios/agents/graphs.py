"""LangGraph graphs of the scenarios: each with plain nodes and, under `NAME_async`, with coroutines."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Annotated, Any, TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt


class State(TypedDict, total=False):
    text: str
    log: Annotated[list[str], operator.add]
    v: str
    路: str


ran: list[str] = []


def notes(name: str, **update: Any) -> Callable[[State], dict[str, Any]]:
    def node(state: State) -> dict[str, Any]:
        return {"log": [name], **update}

    node.__name__ = name
    return node


def asks(*questions: str) -> Callable[[State], dict[str, Any]]:
    def node(state: State) -> dict[str, Any]:
        ran.append("body")
        answers = [str(interrupt({"q": question})) for question in questions]
        return {"log": [*answers, f"body ran {len(ran)} times"]}

    return node


def goes(state: State) -> Command[Any]:
    return Command(update={"log": ["a"]}, goto="c")


def boom(state: State) -> dict[str, Any]:
    raise LookupError(f"no page for {state['text']}")


def chain(*nodes: tuple[str, Callable[..., Any]], asynchronous: bool, **options: Any) -> Any:
    graph = builder(dict(nodes), asynchronous)
    for first, second in zip((START, *dict(nodes)), (*dict(nodes), END), strict=True):
        graph.add_edge(first, second)
    return graph.compile(**options)


def builder(nodes: dict[str, Callable[..., Any]], asynchronous: bool) -> StateGraph[Any]:
    graph = StateGraph(State)
    for name, function in nodes.items():
        graph.add_node(name, later(function) if asynchronous else function)
    return graph


def later(function: Callable[..., Any]) -> Callable[..., Any]:
    async def node(state: State) -> Any:
        return function(state)

    node.__annotations__ = {"state": State, "return": function.__annotations__.get("return")}
    node.__name__ = function.__name__
    return node


def made(*, asynchronous: bool) -> dict[str, Callable[[], Any]]:
    def goto_and_edge() -> Any:
        graph = builder({"a": goes, "b": notes("b"), "c": notes("c")}, asynchronous)
        graph.add_edge(START, "a").add_edge("a", "b").add_edge("b", END).add_edge("c", END)
        return graph.compile()

    def routed(router: Callable[[State], str], paths: Any = None) -> Any:
        graph = builder({"a": notes("a"), "x": notes("x")}, asynchronous)
        graph.add_edge(START, "a").add_conditional_edges("a", router, paths).add_edge("x", END)
        return graph.compile()

    def side_by_side(left: Any, right: Any) -> Any:
        graph = builder({"l": left, "r": right, "end": notes("end")}, asynchronous)
        graph.add_edge(START, "l").add_edge(START, "r").add_edge(["l", "r"], "end").add_edge("end", END)
        return graph.compile(checkpointer=InMemorySaver())

    def nested() -> Any:
        parts = {"one": notes("one"), "two": notes("two"), "three": notes("three")}
        inner = builder(parts, asynchronous)
        inner.add_edge(START, "one").add_edge("one", "two").add_edge("two", "three").add_edge("three", END)
        graph = builder({"before": notes("before")}, asynchronous)
        graph.add_node("team", inner.compile())
        graph.add_edge(START, "before").add_edge("before", "team").add_edge("team", END)
        return graph.compile(checkpointer=InMemorySaver())

    return {
        "goto_and_edge": goto_and_edge,
        "no_map": lambda: routed(lambda state: "x"),
        "no_target": lambda: routed(lambda state: "maybe", {"yes": "x", "no": END}),
        "clash": lambda: side_by_side(notes("l", v="left"), notes("r", v="right")),
        "one_pause": lambda: chain(
            ("ask", asks("first?")), asynchronous=asynchronous, checkpointer=InMemorySaver()
        ),
        "two_pauses": lambda: chain(
            ("ask", asks("first?", "second?")), asynchronous=asynchronous, checkpointer=InMemorySaver()
        ),
        "two_questions": lambda: side_by_side(asks("left?"), asks("right?")),
        "stops": lambda: chain(
            ("a", notes("a")),
            ("b", notes("b")),
            ("c", notes("c")),
            asynchronous=asynchronous,
            checkpointer=InMemorySaver(),
            interrupt_after=["a", "b"],
        ),
        "nested": nested,
        "fails": lambda: chain(
            ("good", notes("good")), ("bad", boom), ("after", notes("after")), asynchronous=asynchronous
        ),
        "names": lambda: chain(
            ("计划", notes("计划", 路="走")),
            ("a.b", notes("a.b")),
            ("_x", notes("_x")),
            asynchronous=asynchronous,
        ),
    }


def __getattr__(name: str) -> Any:
    """A graph when it is asked for: a test opens one, and should not wait for all the others."""
    graphs = made(asynchronous=name.endswith("_async"))
    bare = name.removesuffix("_async")
    if bare not in graphs:
        raise AttributeError(name)
    return graphs[bare]()
