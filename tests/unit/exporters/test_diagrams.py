"""Mermaid and PlantUML: upstream's own output byte for byte, and any name at all in the safe form."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookstepper.exporters import ExportOptions, exporter
from hookstepper.exporters.signs import legal
from hookstepper.model.graph import Edge, Graph, Node
from hookstepper.model.ids import END, START, NodeId
from support.diagram_order import in_any_order_within_a_choice
from support.diagram_readers import Drawn, Way, read_mermaid, read_plantuml
from support.graph_corpus import chain_of, corpus, nested, plain

CONFORMANCE = Path(__file__).parents[2] / "conformance"
DIAGRAMS = sorted(path.name.removesuffix(".puml") for path in (CONFORMANCE / "diagrams").glob("*.puml"))
CORPUS = corpus()
READERS: dict[str, Callable[[str], Drawn]] = {"mermaid": read_mermaid, "plantuml": read_plantuml}
FORMATS = sorted(READERS)
NAME = st.text(min_size=1, max_size=12).filter(lambda name: name not in (START, END))


def written(graph: Graph, name: str, options: ExportOptions | None = None) -> str:
    text = exporter(name).export(graph, options or ExportOptions())
    assert isinstance(text, str)
    return text


def graph_of(name: str) -> Graph:
    """The graph of a conformance case: edges in order of their sources, choices as conditional edges."""
    case = json.loads((CONFORMANCE / "cases" / f"{name}.json").read_text())["graph"]
    nodes = [Node(START, "start", "start"), Node(END, "end", "end")]
    nodes += [Node(NodeId(str(node)), str(node)) for node in case["nodes"]]
    edges = []
    for row in case["edges"]:
        source = NodeId(str(row["source"]))
        for target in row["targets"]:
            if "to" in target:
                edges.append(Edge(source, NodeId(target["to"])))
            edges += [
                # The label is what the picture says; upstream's own label, the route, equals the target here.
                Edge(source, NodeId(to), "conditional", f"shown {route}")
                for route, to in target.get("choices", {}).items()
            ]
    return Graph("golden", tuple(nodes), tuple(edges), rules="upstream")


@pytest.mark.parametrize("case", DIAGRAMS)
@pytest.mark.parametrize(
    ("suffix", "name", "conditions"),
    [(".mmd", "mermaid", True), (".plain.mmd", "mermaid", False), (".puml", "plantuml", True)],
)
def test_upstream_dialect_prints_what_spring_ai_alibaba_prints(
    case: str, suffix: str, name: str, conditions: bool
) -> None:
    """People compare our diagrams with those of the Java program."""
    graph = graph_of(case)

    text = written(graph, name, ExportOptions(dialect="upstream", conditions=conditions))

    golden = (CONFORMANCE / "diagrams" / (case + suffix)).read_text()
    assert in_any_order_within_a_choice(text) == in_any_order_within_a_choice(golden)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("case", DIAGRAMS)
def test_reader_finds_in_upstream_files_what_the_case_says(case: str, name: str) -> None:
    """A reader that cannot read upstream's files proves nothing about ours."""
    graph = graph_of(case)
    suffix = {"mermaid": ".mmd", "plantuml": ".puml"}[name]

    drawn = READERS[name]((CONFORMANCE / "diagrams" / (case + suffix)).read_text())

    assert {i for i in drawn.ids if not i.startswith("\0")} == {node.id for node in graph.nodes}
    ways = {(e.source, e.target, "", e.kind != "fixed") for e in graph.edges}
    assert set(drawn.through_conditions()) == ways


def expected_ways(graph: Graph) -> list[Way]:
    one_router = {e.source for e in graph.edges if e.kind != "fixed"} if graph.rules else set()
    return [
        (
            legal(e.source),
            legal(e.target),
            "" if e.label == e.target else legal(e.label),
            e.kind != "fixed" or e.source in one_router,
        )
        for e in graph.edges
    ]


@pytest.mark.parametrize("conditions", [False, True], ids=["straight", "rhombus"])
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("key", [key for key in CORPUS if key != "parents in a circle"])
def test_every_node_and_edge_can_be_read_back(key: str, name: str, conditions: bool) -> None:
    """Names with quotes, brackets, dots, bars, keywords and CJK survive."""
    graph = CORPUS[key]

    drawn = READERS[name](written(graph, name, ExportOptions(conditions=conditions)))

    known = {START, END, *(node.id for node in graph.nodes), *(e.source for e in graph.edges)}
    ids = sorted(i for i in drawn.ids if not i.startswith("\0"))
    assert ids == sorted(legal(i) for i in known)
    assert sorted(drawn.through_conditions()) == sorted(set(expected_ways(graph)))


@pytest.mark.parametrize("name", FORMATS)
def test_parents_in_a_circle_lose_no_node(name: str) -> None:
    """A graph from a foreign framework may be nonsense; it is still drawn."""
    drawn = READERS[name](written(CORPUS["parents in a circle"], name))

    assert {i.rpartition(":")[2] for i in drawn.ids} == {"__START__", "__END__", "a", "b", "c", "d"}


@pytest.mark.parametrize("name", FORMATS)
@given(names=st.lists(NAME, min_size=1, max_size=6, unique_by=legal))
@settings(max_examples=int(os.environ.get("HOOKSTEPPER_THOROUGH", "0")) * 1000 or 60, deadline=None)
def test_any_names_at_all_can_be_read_back(name: str, names: list[str]) -> None:
    """The law behind the corpus."""
    graph = chain_of(tuple(names))

    drawn = READERS[name](written(graph, name))

    assert sorted(drawn.ids) == sorted([START, END, *(legal(n) for n in names)])
    assert sorted(drawn.ways) == sorted(set(expected_ways(graph)))


@pytest.mark.parametrize("name", FORMATS)
def test_subgraphs_keep_their_nodes_together(name: str) -> None:
    """`outer:inner` is inside `outer`, on every level."""
    drawn = READERS[name](written(nested(), name))

    assert drawn.groups == {"team", "team:deep"}
    assert {"team:a", "team:deep:a", "team:deep:end", "team:__START__"} <= set(drawn.ids)


@pytest.mark.parametrize("name", FORMATS)
def test_labels_can_be_written_instead_of_ids(name: str) -> None:
    """For a slide, `Safety.afterModel` says more than `_AGENT_HOOK_Safety.afterModel`."""
    drawn = READERS[name](written(CORPUS["agent"], name, ExportOptions(names="label")))

    assert "Safety.afterModel" in drawn.ids
    assert not any("_AGENT_" in node_id for node_id in drawn.ids)


@pytest.mark.parametrize("name", FORMATS)
def test_edges_never_taken_can_be_left_out(name: str) -> None:
    """Upstream declares ways that its rules never take."""
    never = ("_AGENT_TOOL_", "_AGENT_HOOK_Audit.after", "done", True)

    kept = READERS[name](written(CORPUS["agent"], name)).ways
    left = READERS[name](written(CORPUS["agent"], name, ExportOptions(show_never=False))).ways

    assert [way for way in kept if way not in left] == [never]


@pytest.mark.parametrize(
    "title", ["true", "12", 'say "hi"', "a: b", "- x", "天气", "line\nbreak", "\x07", "\ud800"]
)
def test_mermaid_title_is_one_yaml_string_on_one_line(title: str) -> None:
    """A title that YAML reads as a number, a map or a list makes Mermaid refuse the whole file."""
    text = written(plain("", (START, END)), "mermaid", ExportOptions(title=title))

    head, line, foot, *_ = text.split("\n")
    assert (head, foot) == ("---", "---")
    value = line.removeprefix("title: ")
    assert value[0] == value[-1] == '"'
    assert re.sub(r"\\u(....)", lambda found: chr(int(found[1], 16)), value[1:-1]) == title


@pytest.mark.parametrize("name", FORMATS)
def test_choices_are_numbered_in_the_order_of_their_sources(name: str) -> None:
    """Upstream numbers conditions as it meets them."""
    text = written(CORPUS["agent"], name, ExportOptions(conditions=True))

    numbers = [int(n) for n in re.findall(r"condition(\d+)(?:\{| ?<<| as )", text)]
    assert numbers == sorted(numbers) == [1, 2, 3]
