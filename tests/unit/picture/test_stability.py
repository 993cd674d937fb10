"""A picture that grows while one watches stays the picture that one knows."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

from hookstepper.model.graph import Graph
from hookstepper.model.ids import NodeId
from hookstepper.picture import ZOOMS, Layout, Options, draw, fit, layout
from unit.picture.graphs import REFERENCE, demo, edge, messy, node, rand
from unit.picture.laws import broken_laws

ROW = Options(zoom="row")


def grown(graph: Graph, way: int) -> Graph:
    """The graph with one node more, or with one edge more that a run has shown."""
    names = [n.id for n in graph.nodes if n.kind != "subgraph"]
    if way:
        new = edge(names[len(names) // 2], "new")
        return replace(graph, nodes=(*graph.nodes, node("new")), edges=(*graph.edges, new))
    seen = edge(names[len(names) // 3], names[-len(names) // 4], evidence="observed", kind="conditional")
    return replace(graph, edges=(*graph.edges, seen))


def moved(old: Layout, new: Layout) -> tuple[int, int, int]:
    """Nodes on another rank, pairs of a rank that changed sides, and columns that nodes moved in all."""
    names = [name for name in old.places if name in new.places]
    ranks = sum(old.places[n].rank != new.places[n].rank for n in names)
    swapped = 0
    for a, b in combinations(names, 2):
        pairs = [(plan.places[a], plan.places[b]) for plan in (old, new)]
        if all(x.rank == y.rank for x, y in pairs):
            before, after = (x.center[0] - y.center[0] for x, y in pairs)
            swapped += before * after < 0
    columns = sum(abs(old.places[n].center[0] - new.places[n].center[0]) for n in names)
    return ranks, swapped, columns


@pytest.mark.parametrize("way", [0, 1], ids=["one edge seen", "one node more"])
def test_what_follows_an_older_picture_moves_less_than_what_is_drawn_anew(way: int) -> None:
    """No two nodes change sides, no node changes its rank that need not, columns move less than half."""
    anew = follows = 0
    for seed in range(30):
        graph = messy(seed) if seed % 2 else rand(30, seed)
        old = layout(graph, ROW)
        bigger = grown(graph, way)
        new = layout(bigger, ROW, old)
        fresh = moved(old, layout(bigger, ROW))
        mine = moved(old, new)

        assert mine[1] == 0 and mine[0] <= fresh[0], seed
        assert broken_laws(new) == []
        anew += fresh[2]
        follows += mine[2]
    assert 2 * follows < anew


@pytest.mark.parametrize("name", REFERENCE)
def test_a_picture_that_follows_itself_keeps_every_node_in_place(name: str) -> None:
    graph = REFERENCE[name]()
    old = layout(graph, ROW)

    assert moved(old, layout(graph, ROW, old))[:2] == (0, 0)


@pytest.mark.parametrize("zoom", ZOOMS)
def test_the_older_picture_may_have_another_form(zoom: str) -> None:
    old = layout(demo(), Options(zoom="box"))
    new = layout(grown(demo(), 0), Options(zoom=zoom), old)  # type: ignore[arg-type]

    assert broken_laws(new) == []


def test_an_older_picture_of_something_else_has_no_say() -> None:
    other = layout(rand(12, 3), ROW)

    assert layout(demo(), ROW, other).base.text() == layout(demo(), ROW).base.text()


def test_the_largest_form_that_fits_follows_too() -> None:
    old = fit(demo(), 120, 60)
    new = fit(grown(demo(), 0), 120, 60, previous=old)

    assert new.options.zoom == old.options.zoom
    assert moved(old, new)[:2] == (0, 0)
    assert NodeId("model") in new.places
    assert draw(demo(), width=120, previous=old).text() == draw(demo(), width=120).text()
