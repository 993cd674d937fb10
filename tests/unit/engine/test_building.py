"""Every mistake in a graph that can be seen before it runs, and what a sound graph says about itself."""

import pytest

from hookstepper.engine import (
    APPEND,
    END,
    START,
    Command,
    CompileConfig,
    GraphSpecError,
    NodeMeta,
    RunConfig,
    StateGraph,
)
from hookstepper.model.errors import SpecError
from hookstepper.model.graph import Graph
from hookstepper.model.jsonform import from_json, to_json


def node(state):
    return {}


def graph(*nodes: str, edges=()) -> StateGraph:
    made = StateGraph("g")
    for name in nodes:
        made.add_node(name, node)
    for source, target in edges:
        made.add_edge(source, target)
    return made


def choose(made: StateGraph, source: str, **mapping: str) -> StateGraph:
    return made.add_conditional_edges(source, lambda s: "x", mapping)


def child(*edges) -> StateGraph:
    return graph("x", "y", edges=edges)


MISTAKES = [
    ("END as a node", lambda: StateGraph().add_node(END, node), "END is not a valid node id!"),
    ("a doubled node", lambda: graph("a", "a"), "node with id: a already exist!"),
    ("no action", lambda: StateGraph().add_node("a", None), "action factory for node id 'a' is null!"),
    ("an edge from END", lambda: graph("a", edges=[(END, "a")]), "END is not a valid edge sourceId!"),
    ("a choice from END", lambda: choose(graph("a"), END, x="a"), "END is not a valid edge sourceId!"),
    (
        "no sources",
        lambda: graph("a", edges=[([], "a")]),
        "Source nodeIds missing for addEdges(sourceIds, a)!",
    ),
    (
        "no targets",
        lambda: graph("a", edges=[("a", [])]),
        "Target nodeIds missing for addEdges(a, targetIds)!",
    ),
    ("an empty mapping", lambda: choose(graph("a"), "a"), "edge mapping is empty!"),
    (
        "a choice after an edge",
        lambda: choose(graph("a", edges=[("a", END)]), "a", x=END),
        "conditional edge from 'a' already exist!",
    ),
    ("a blank id", lambda: graph(" ", edges=[(START, " ")]).compile(), "END is not a valid node id!"),
    ("a reserved id", lambda: graph("__x", edges=[(START, "__x")]).compile(), "END is not a valid node id!"),
    ("no way in", lambda: graph("a", edges=[("a", END)]).compile(), "missing Entry Point"),
    (
        "an undefined source",
        lambda: graph("a", edges=[(START, "a"), ("zz", "a")]).compile(),
        "edge sourceId 'zz' refers to undefined node!",
    ),
    (
        "an undefined target",
        lambda: graph("a", edges=[(START, "a"), ("a", "zz")]).compile(),
        "edge sourceId 'zz' refers to undefined node!",
    ),
    (
        "an undefined choice",
        lambda: choose(graph("a", edges=[(START, "a")]), "a", x="zz").compile(),
        "edge mapping for sourceId: a contains a not existent nodeId zz!",
    ),
    (
        "an edge after a choice",
        lambda: choose(graph("a", edges=[(START, "a")]), "a", x=END).add_edge("a", END).compile(),
        "element cannot be mapped to a null key",
    ),
    (
        "a doubled branch",
        lambda: graph("a", "b", edges=[(START, "a"), ("a", ["b", "b"]), ("b", END)]).compile(),
        "edge [a] has duplicate targets [b]!",
    ),
    (
        "a branch with a choice",
        lambda: choose(
            graph("a", "b", "c", edges=[(START, "a"), ("a", ["b", "c"]), ("c", END)]), "b", x=END
        ).compile(),
        "parallel node doesn't support conditional branch, but on [a] a conditional branch on [b] "
        "have been found!",
    ),
    (
        "branches that do not meet",
        lambda: graph(
            "a", "b", "c", "d", edges=[(START, "a"), ("a", ["b", "c"]), ("b", "d"), ("c", END), ("d", END)]
        ).compile(),
        f"parallel node [a] must have only one target, but [d, {END}] have been found!",
    ),
    (
        "a branch without a way on",
        lambda: graph("a", "b", "c", edges=[(START, "a"), ("a", ["b", "c"]), ("c", END)]).compile(),
        "NoSuchElementException",
    ),
    (
        "a branch that fans out",
        lambda: graph(
            "a", "b", "c", "d", edges=[(START, "a"), ("a", ["b", "c"]), ("b", ["c", "d"]), ("c", END)]
        ).compile(),
        "Edge 'b' is parallel",
    ),
    (
        "several choices of END",
        lambda: (
            graph("a", edges=[(START, "a")])
            .add_parallel_conditional_edges("a", lambda s: ["x"], {"x": END})
            .compile()
        ),
        f"Conditional multi-command mapping from node 'a' references unknown target nodes: [{END}]",
    ),
    (
        "several choices that lead nowhere",
        lambda: (
            graph("a", "b", edges=[(START, "a")])
            .add_parallel_conditional_edges("a", lambda s: ["x"], {"x": "b"})
            .compile()
        ),
        "parallel node [a] must have only one target, but 0 have been found!",
    ),
    (
        "an interrupt before nothing",
        lambda: graph("a", edges=[(START, "a"), ("a", END)]).compile(CompileConfig(interrupt_before=["zz"])),
        "node 'zz' configured as interruption doesn't exist!",
    ),
    (
        "an interrupt after nothing",
        lambda: graph("a", edges=[(START, "a"), ("a", END)]).compile(CompileConfig(interrupt_after=["zz"])),
        "node 'zz' configured as interruption doesn't exist!",
    ),
    (
        "a subgraph that begins in parallel",
        lambda: (
            graph(edges=[(START, "S"), ("S", END)])
            .add_node("S", child((START, ["x", "y"]), (["x", "y"], END)))
            .compile()
        ),
        "subgraph not support start with parallel branches yet!",
    ),
    (
        "a subgraph that begins with a choice",
        lambda: (
            graph(edges=[(START, "S"), ("S", END)])
            .add_node("S", choose(child(("x", END), ("y", END)), START, x="x"))
            .compile()
        ),
        "the target for node 'S' is null!",
    ),
    (
        "a subgraph that nothing leads to",
        lambda: (
            graph("a", edges=[(START, "a"), ("a", END), ("S", END)])
            .add_node("S", child((START, "x"), ("x", END)))
            .compile()
        ),
        "the node 'S' is not present as target in graph!",
    ),
    (
        "a subgraph that leads to branches",
        lambda: (
            graph("a", "b", edges=[(START, "S"), ("S", ["a", "b"]), (["a", "b"], END)])
            .add_node("S", child((START, "x"), ("x", END)))
            .compile()
        ),
        "subgraph not support routes to parallel branches yet!",
    ),
    (
        "a subgraph that leads nowhere",
        lambda: graph(edges=[(START, "S")]).add_node("S", child((START, "x"), ("x", END))).compile(),
        "No value present",
    ),
    (
        "an interrupt after a subgraph",
        lambda: (
            graph("a", edges=[(START, "S"), ("S", "a"), ("a", END)])
            .add_node("S", child((START, "x"), ("x", END)))
            .compile(CompileConfig(interrupt_after=["S"]))
        ),
        "'interruption after' on subgraph is not supported yet! consider to use 'interruption before' "
        "node: 'a'",
    ),
]


@pytest.mark.parametrize(("build", "upstream"), [m[1:] for m in MISTAKES], ids=[m[0] for m in MISTAKES])
def test_a_mistake_is_told_with_what_upstream_says_and_a_remedy(build, upstream):
    with pytest.raises(GraphSpecError) as caught:
        build()

    assert isinstance(caught.value, SpecError)
    assert caught.value.upstream == upstream
    assert caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    "build",
    [
        lambda: graph("a:b", edges=[(START, "a:b"), ("a:b", END)]).compile(),
        lambda: (
            graph("S-x", edges=[(START, "S"), ("S", "S-x"), ("S-x", END)])
            .add_node("S", child((START, "x"), ("x", END)))
            .compile()
        ),
    ],
    ids=["a colon", "a name that flattening needs"],
)
def test_ids_that_would_be_ambiguous_are_refused(build):
    """A path must lead to one node."""
    with pytest.raises(GraphSpecError) as caught:
        build()

    assert caught.value.hint


def test_a_list_of_targets_stands_for_itself_and_a_text_is_one_node():
    made = graph("a", "bb", edges=[(START, "a"), ("bb", END)])
    made.add_conditional_edges("a", lambda s: "bb", ["bb", END])

    compiled = made.compile(CompileConfig(interrupt_before="bb"))

    assert compiled.run({}).next == ("bb",)


def test_a_command_node_stands_where_its_router_does():
    def router(state):
        return "x"

    made = StateGraph().add_command_node("R", router, {"x": END}).add_edge(START, "R")

    assert made.compile().describe().node("R").source.function.endswith("router")


@pytest.mark.parametrize("limit", [0, -1, "5", None, 1.5])
def test_a_limit_must_be_above_zero(limit):
    with pytest.raises(SpecError, match="recursion limit"):
        CompileConfig(recursion_limit=limit)


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: StateGraph("g", {"k": 5}), "state key 'k' is 5"),
        (lambda: StateGraph().add_conditional_edges("a", None, ["b"]), "router of 'a' is None"),
        (lambda: StateGraph().add_parallel_conditional_edges("a", "b", ["b"]), "router of 'a' is 'b'"),
        (lambda: StateGraph().add_edge(None, "a"), "has no source"),
        (lambda: StateGraph().add_edge("a", None), "has no target"),
        (lambda: CompileConfig(compat="java"), "'java'"),
        (lambda: RunConfig().retaining(0), "cannot be kept"),
        (lambda: RunConfig().retaining("2"), "cannot be kept"),
        (lambda: RunConfig().with_aggregation("some"), "no aggregation 'some'"),
    ],
)
def test_what_cannot_be_is_refused_when_it_is_given(build, says):
    with pytest.raises(SpecError, match=says):
        build()


@pytest.mark.parametrize("answer", [None, 5, True, ["b"], Command(None), Command(5), Command([1])])
def test_a_router_that_gives_no_route_key_is_named(answer):
    """The run has many routers."""
    made = graph("a", "b", edges=[(START, "a"), ("b", END)]).add_conditional_edges(
        "a", lambda s: answer, ["b"]
    )

    failed = made.compile().run({})

    assert "the router of 'a' returned" in str(failed.error)
    assert failed.failed_at == "a"


def test_a_child_graph_is_checked_when_it_is_added():
    with pytest.raises(SpecError):
        StateGraph().add_node("S", StateGraph())


def test_compiling_does_not_change_the_graph_and_later_changes_do_not_reach_it():
    made = graph("a", edges=[(START, "S"), ("S", "a"), ("a", END)])
    made.add_node("S", child((START, "x"), ("x", END)))
    compiled = made.compile()
    made.add_node("late", node)
    made.edges[START] = ["late"]

    assert list(compiled.plan.nodes) == ["a", "S-x", "S-y"]
    assert [o.node for o in compiled.stream({})] == [START, "S-x", "a", END]


def test_rewritten_edges_move_to_the_end_and_nested_graphs_are_flattened_too():
    inner = child((START, "x"), ("x", "y"), ("y", END))
    middle = graph("m", edges=[(START, "m"), ("m", "I"), ("I", END)]).add_node("I", inner)
    outer = graph("a", edges=[(START, "M"), ("M", "a"), ("a", END)]).add_node("M", middle)

    compiled = outer.compile()

    assert [o.node for o in compiled.stream({})] == [START, "M-m", "M-I-x", "M-I-y", "a", END]
    assert list(compiled.plan.edges) == ["a", START, "M-m", "M-I-x", "M-I-y"]


def test_a_description_names_boxes_paths_and_labels():
    inner = graph("p", "q", edges=[(START, "p"), ("p", "q"), ("q", END)])
    flat = child((START, "x"), ("x", "y"), ("y", END))
    made = StateGraph("all", {"messages": APPEND, "n": lambda old, new: new})
    made.add_node("a", node, kind="model", meta=NodeMeta(label="A!", index=2, order=-1, jumps=("end",)))
    made.add_node("S", flat).add_node("C", inner.compile()).add_node("b", node).add_node("c", node)
    made.add_edge(START, "a").add_edge("S", "C").add_edge("C", ["b", "c"]).add_edge(["b", "c"], END)
    made.add_conditional_edges(
        "a",
        lambda s: "on",
        {"on": "S", "out": END, "never": "b", "a": "a"},
        labels={"out": "jump end"},
        kinds={"out": "jump"},
        never=["b"],
    )

    described = made.compile().describe()

    ids = [n.id for n in described.nodes]
    assert ids == [
        START, "S", "a", "S-x", "S-y", "C", "C:__START__", "C:p", "C:q", "C:__END__", "b", "c", END
    ]  # fmt: skip
    by_id = {n.id: n for n in described.nodes}
    assert by_id["S-x"].parent == "S"
    assert by_id["S-x"].label == "x"
    assert by_id["C:p"].parent == "C"
    assert by_id["C:__START__"].hidden
    assert (by_id["S"].kind, by_id["C"].kind) == ("subgraph", "subgraph")
    a = by_id["a"]
    assert (a.label, a.kind, a.index, a.order, a.jumps) == ("A!", "model", 2, -1, ("end",))
    assert a.source.function == "node"
    edges = {(e.source, e.target, e.kind, e.label, e.evidence) for e in described.edges}
    assert edges == {
        (START, "a", "fixed", "", "declared"),
        ("a", "S-x", "conditional", "on", "declared"),
        ("a", END, "jump", "jump end", "declared"),
        ("a", "b", "conditional", "never", "never"),
        ("a", "a", "conditional", "", "declared"),
        ("S-x", "S-y", "fixed", "", "declared"),
        ("S-y", "C", "fixed", "", "declared"),
        ("C", "b", "fixed", "", "declared"),
        ("C", "c", "fixed", "", "declared"),
        ("b", END, "fixed", "", "declared"),
        ("c", END, "fixed", "", "declared"),
        ("C:__START__", "C:p", "fixed", "", "declared"),
        ("C:p", "C:q", "fixed", "", "declared"),
        ("C:q", "C:__END__", "fixed", "", "declared"),
    }
    assert [(k.name, k.strategy) for k in described.keys] == [
        ("input", "replace"),
        ("messages", "append"),
        ("n", "<lambda>"),
    ]
    assert from_json(Graph, to_json(described)) == described


def test_a_colon_in_a_name_is_refused_since_it_stands_between_nested_places():
    with pytest.raises(GraphSpecError, match="'a:b'"):
        StateGraph("g").add_node("a:b", lambda state: {})
