"""Which jumps a person may set at a node, where each leads, and what it skips; told from the graph alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookstepper.model.graph import Anchors, Edge, Graph, Node
from hookstepper.model.ids import END, START, NodeId
from hookstepper.model.jumps import WORDS, JumpChoice, choices, default_path, next_reader, skipped, target_of
from support.graph_corpus import agent, corpus

BEFORE, AFTER = NodeId("_AGENT_HOOK_Audit.before"), NodeId("_AGENT_HOOK_Audit.after")
LOG_IN, LOG_OUT = NodeId("_AGENT_HOOK_Log.beforeModel"), NodeId("_AGENT_HOOK_Log.afterModel")
SAFETY, MODEL, TOOL = (
    NodeId("_AGENT_HOOK_Safety.afterModel"),
    NodeId("_AGENT_MODEL_"),
    NodeId("_AGENT_TOOL_"),
)


def by_word(graph: Graph, node: NodeId) -> dict[str, JumpChoice]:
    return {choice.word: choice for choice in choices(graph, node)}


def jumping(word: str, node: NodeId) -> Graph:
    """The agent with one more declared jump at a node."""
    graph = agent()
    nodes = tuple(replace(n, jumps=(*n.jumps, word)) if n.id == node else n for n in graph.nodes)
    return replace(graph, nodes=nodes)


def test_words_mean_the_anchors() -> None:
    """`model` is the first before-model hook, `end` the first after-agent hook: hooks still run."""
    assert [target_of(agent(), word) for word in WORDS] == [AFTER, LOG_IN, TOOL]


def test_without_hooks_words_mean_the_nodes_themselves() -> None:
    """A graph without anchors has a model, a tool and an end all the same."""
    bare = replace(agent(), anchors=Anchors())

    assert [target_of(bare, word) for word in WORDS] == [END, MODEL, TOOL]


def test_a_declared_word_is_offered_at_its_own_node_with_what_it_skips() -> None:
    """The person reads it before the run does it."""
    end = by_word(agent(), SAFETY)["end"]

    assert end == JumpChoice("end", AFTER, offered=True, path=(AFTER, END), skips=(LOG_OUT,))


@pytest.mark.parametrize(
    ("node", "word", "why"),
    [
        (SAFETY, "model", "not_declared"),
        (SAFETY, "tool", "not_declared"),
        (BEFORE, "end", "reads_no_jump"),
        (MODEL, "end", "reads_no_jump"),
        (NodeId("nobody"), "end", "no_anchor"),
    ],
)
def test_what_is_not_offered_says_why(node: NodeId, word: str, why: str) -> None:
    """A greyed line without a reason is a riddle."""
    choice = by_word(agent(), node)[word]

    assert not choice.offered
    assert choice.why_not == why
    assert choice.path == choice.skips == ()


def test_at_the_loop_exit_of_an_agent_with_tools_every_word_is_legal() -> None:
    """That router asks no declaration."""
    assert [choice.offered for choice in choices(agent(), LOG_OUT)] == [True, True, True]


def test_at_the_loop_exit_without_tools_only_what_is_declared_is_legal() -> None:
    """Without a tool node that router is an ordinary hook's."""
    graph = agent()
    graph = replace(
        graph,
        nodes=tuple(node for node in graph.nodes if node.id != TOOL),
        edges=tuple(edge for edge in graph.edges if TOOL not in (edge.source, edge.target)),
    )

    assert [choice.why_not for choice in choices(graph, LOG_OUT)] == [
        "reads_no_jump",
        "reads_no_jump",
        "no_tools",
    ]


def test_the_first_before_model_hook_cannot_jump_to_itself() -> None:
    """Upstream fails the run there."""
    assert by_word(jumping("model", LOG_IN), LOG_IN)["model"].why_not == "own_node"


def test_a_jump_that_comes_back_is_told_to_loop() -> None:
    """`model` from an after-model hook runs the model again."""
    model = by_word(jumping("model", SAFETY), SAFETY)["model"]

    assert model.offered
    assert model.loops
    assert model.path[:3] == (LOG_IN, MODEL, SAFETY)


def test_the_default_path_goes_on_as_if_nothing_were_asked_for() -> None:
    """No tool call, no jump: straight to the end."""
    assert default_path(agent(), START) == (BEFORE, LOG_IN, MODEL, SAFETY, LOG_OUT, AFTER, END)


def test_the_next_reader_is_the_next_node_that_takes_a_jump() -> None:
    """A jump set early lies in the state until somebody reads it."""
    assert next_reader(agent(), BEFORE) == SAFETY
    assert next_reader(agent(), SAFETY) == LOG_OUT
    assert next_reader(agent(), AFTER) is None


def test_setting_the_next_node_skips_the_held_node_too() -> None:
    """It has not run yet."""
    assert skipped(agent(), SAFETY, AFTER) == (LOG_OUT,)
    assert skipped(agent(), SAFETY, AFTER, with_node=True) == (SAFETY, LOG_OUT)


def inside(graph: Graph, box: str) -> Graph:
    """A graph whose one node holds another graph, named by path."""

    def path(node: NodeId) -> NodeId:
        return NodeId(f"{box}:{node}")

    nodes = [replace(n, id=path(n.id), parent=NodeId(box)) for n in graph.nodes]
    edges = [replace(e, source=path(e.source), target=path(e.target)) for e in graph.edges]
    around = [Edge(START, NodeId(box)), Edge(NodeId(box), END)]
    frame = [Node(START, "START", "start"), Node(NodeId(box), box, "subgraph"), Node(END, "END", "end")]
    return Graph("outer", (*frame, *nodes), (*around, *edges))


def renamed(nodes: tuple[NodeId, ...], box: str) -> tuple[NodeId, ...]:
    return tuple(NodeId(f"{box}:{node}") for node in nodes)


@pytest.mark.parametrize("box", ["team", "team:inner"])
@pytest.mark.parametrize("made", [agent(), jumping("model", LOG_IN), jumping("model", SAFETY)])
def test_a_nested_agent_has_the_jumps_that_it_has_alone(made: Graph, box: str) -> None:
    """Its words mean its own nodes: those of the outermost graph cannot be reached from there."""
    outer = inside(made, box)

    for node in made.nodes:
        alone, nested = choices(made, node.id), choices(outer, NodeId(f"{box}:{node.id}"))
        assert [one.why_not for one in nested] == [one.why_not for one in alone]
        assert [one.path for one in nested] == [renamed(one.path, box) for one in alone]
        assert [one.skips for one in nested] == [renamed(one.skips, box) for one in alone]


@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_on_any_graph_paths_end_and_offers_are_sound(data: st.DataObject) -> None:
    """Cycles, missing ends and self-loops must not hang the dialog, nor offer a way to nowhere."""
    ids = [NodeId(f"n{number}") for number in range(5)]
    ends = st.sampled_from([START, END, *ids])
    kinds = st.sampled_from(["plain", "model", "tool", "before_model", "after_model"])
    words = st.lists(st.sampled_from(WORDS), unique=True).map(tuple)
    nodes = [Node(i, i, data.draw(kinds), jumps=data.draw(words)) for i in ids]
    edge = st.builds(Edge, ends, ends, st.sampled_from(["fixed", "conditional", "jump"]))
    anchors = st.builds(Anchors, *(st.none() | st.sampled_from(ids) for _ in range(4)))
    graph = Graph("any", tuple(nodes), tuple(data.draw(st.lists(edge, max_size=10))), data.draw(anchors))

    for node in ids:
        path = default_path(graph, node)
        assert len(set(path)) == len(path)
        assert node not in path
        for choice in choices(graph, node):
            assert choice.offered == (choice.why_not == "")
            assert not choice.offered or (choice.target is not None and choice.path[0] == choice.target)
            assert choice.target not in choice.skips


@pytest.mark.parametrize("key", corpus())
def test_every_graph_of_the_corpus_has_an_answer_for_every_node(key: str) -> None:
    """Whatever is drawn can be asked."""
    graph = corpus()[key]

    assert all(len(choices(graph, node.id)) == len(WORDS) for node in graph.nodes)
