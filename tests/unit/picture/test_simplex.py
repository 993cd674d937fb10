"""Ranks by network simplex are feasible and, on small graphs, as good as any."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from hookstepper.picture.simplex import Arc, tight_ranks


@st.composite
def acyclic(draw: st.DrawFn) -> tuple[int, list[Arc]]:
    count = draw(st.integers(2, 6))
    arcs = [Arc(draw(st.integers(0, i - 1)), i, draw(st.integers(0, 5))) for i in range(1, count)]
    for _ in range(draw(st.integers(0, 6))):
        a = draw(st.integers(0, count - 2))
        arcs.append(Arc(a, draw(st.integers(a + 1, count - 1)), draw(st.integers(0, 5))))
    return count, arcs


def cost(ranks: tuple[int, ...] | list[int], arcs: list[Arc]) -> int:
    return sum(arc.weight * (ranks[arc.target] - ranks[arc.source]) for arc in arcs)


@given(acyclic())
def test_ranks_keep_every_arc_and_cost_least(graph: tuple[int, list[Arc]]) -> None:
    count, arcs = graph
    ranks = tight_ranks(count, arcs, list(range(count)))

    assert min(ranks) == 0
    assert all(ranks[arc.target] > ranks[arc.source] for arc in arcs)
    feasible = (
        r for r in product(range(count), repeat=count) if all(r[a.target] > r[a.source] for a in arcs)
    )
    assert cost(ranks, arcs) == min(cost(r, arcs) for r in feasible)
