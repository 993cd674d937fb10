"""Graphviz DOT."""

from __future__ import annotations

import re

import pytest

from hookstepper.exporters import ExportOptions, exporter
from hookstepper.exporters.signs import legal
from hookstepper.model.ids import END, START
from support.graph_corpus import corpus, nested

CORPUS = corpus()
STRING = r'"((?:[^"\\]|\\.)*)"'


def written(key: str) -> str:
    return str(exporter("dot").export(CORPUS[key], ExportOptions()))


def unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text, flags=re.S)


@pytest.mark.parametrize(
    "key", ["agent", "nasty names", "choices", "fan-out beside a choice", "names that collide"]
)
def test_every_node_and_edge_is_in_the_file(key: str) -> None:
    """Graphviz makes nodes of what it does not know, and says nothing."""
    text = written(key)

    nodes = [unquoted(n) for n in re.findall(rf"^  {STRING} \[label=", text, re.M)]
    edges = [(unquoted(a), unquoted(b)) for a, b in re.findall(rf"^  {STRING} -> {STRING}", text, re.M)]
    graph = CORPUS[key]
    ids = {node.id for node in graph.nodes} | {edge.source for edge in graph.edges}
    assert sorted(nodes) == sorted({START, END, *map(legal, ids)})
    assert sorted(edges) == sorted((legal(e.source), legal(e.target)) for e in graph.edges)


def test_an_edge_to_a_subgraph_ends_at_its_border() -> None:
    """DOT has no edges to clusters: the edge goes to a node inside and is cut at the border."""
    text = str(exporter("dot").export(nested(), ExportOptions()))

    assert '"a" -> "team:__START__" [lhead="cluster_team"];' in text
    assert '"team" -> ' not in text
    assert '"team:deep:a" -> "team:__END__" [ltail="cluster_team:deep"];' in text


def test_strings_cannot_be_broken_out_of() -> None:
    """A quote or backslash in a name must not begin new statements."""
    text = written("nasty names")

    outside = re.sub(STRING, "", text, flags=re.S)
    assert '"' not in outside
    assert text.count("digraph") == 1
