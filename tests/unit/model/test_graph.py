"""A graph as plain data."""

from __future__ import annotations

from typing import get_args

import pytest

from hookstepper.model.gates import Site
from hookstepper.model.graph import HOOK_KINDS, NodeKind
from hookstepper.model.ids import END, NodeId
from support.graph_corpus import agent


def test_a_node_is_found_by_its_id_alone() -> None:
    """Labels are for people and may repeat."""
    graph = agent()

    found = graph.node(NodeId("_AGENT_HOOK_Safety.afterModel"))
    assert found is not None
    assert found.label == "Safety.afterModel"
    assert graph.node(NodeId("Safety.afterModel")) is None


def test_edges_leave_a_node_in_the_order_in_which_they_were_declared() -> None:
    """Routers read their ways in this order."""
    leaving = list(agent().leaving(NodeId("_AGENT_HOOK_Log.afterModel")))

    assert [edge.label for edge in leaving] == ["tool calls", "done", "again"]
    assert list(agent().leaving(END)) == []


def test_a_hook_is_a_node_of_a_hook_kind() -> None:
    """Nothing else is a hook, and each kind says when it runs."""
    assert set(get_args(NodeKind)) >= HOOK_KINDS
    assert {kind.partition("_")[0] for kind in HOOK_KINDS} == {"before", "after"}


@pytest.mark.parametrize(("path", "depth"), [("a", 0), ("a:b", 1), ("a:b:c", 2)])
def test_the_path_of_a_node_tells_how_deep_it_is(path: str, depth: int) -> None:
    """Stepping out of a subgraph compares depths."""
    assert Site("node", NodeId(path)).depth == depth
