"""Breakpoints and mocks written on one line."""

from __future__ import annotations

import pytest

from hookstepper.client.lists import breakpoint_from, mock_from, number_of, with_node_id
from hookstepper.model.breakpoints import Breakpoint
from hookstepper.model.errors import UsageError
from hookstepper.model.graph import Graph, Node
from hookstepper.model.ids import NodeId
from hookstepper.model.mocks import Mock


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("model", Breakpoint(1, on="model")),
        ("Safety.afterModel", Breakpoint(1, node="Safety.afterModel")),
        ("node model", Breakpoint(1, node="model")),
        ('"My node" exit', Breakpoint(1, node="My node", phase="exit")),
        ("tool_request p* if a.b > 5", Breakpoint(1, on="tool_request", node="p*", condition="a.b > 5")),
        ("state messages grows", Breakpoint(1, on="state", key="messages", change="grows")),
        ('loop hit ">= 3" once', Breakpoint(1, on="loop", hit=">= 3", once=True)),
        ('tool log "paid {tool}"', Breakpoint(1, on="tool", log="paid {tool}")),
        ("jump", Breakpoint(1, on="jump")),
    ],
)  # fmt: skip
def test_a_line_means_a_breakpoint(text: str, meant: Breakpoint) -> None:
    assert breakpoint_from(text, 1) == meant


@pytest.mark.parametrize("text", ["", "if x", "model hit", "a b", 'x log "open', "node"])
def test_a_line_that_means_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        breakpoint_from(text, 1)


def test_a_node_named_as_on_the_picture_gets_its_id() -> None:
    graph = Graph("g", (Node(NodeId("_X_"), "x"),), ())

    assert with_node_id(Breakpoint(1, node="x"), graph).node == "_X_"
    assert with_node_id(Breakpoint(1, on="tool", node="x"), graph).node == "x"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ('tool weather "sunny"', Mock(1, "tool", "weather", "sunny")),
        ("model * always {}", Mock(1, "model", "*", {}, always=True)),
        ("tool pay fails no money", Mock(1, "tool", "pay", error="no money")),
        ("tool pay always fails", Mock(1, "tool", "pay", error="failed by hand", always=True)),
    ],
)
def test_a_line_means_a_mock(text: str, meant: Mock) -> None:
    assert mock_from(text, 1) == meant


@pytest.mark.parametrize("text", ["", "tool", "hook x 1", "tool x", "tool x {", "tool x always"])
def test_a_line_that_means_no_mock_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        mock_from(text, 1)


def test_a_number_is_a_number() -> None:
    assert number_of("12") == 12
    with pytest.raises(UsageError):
        number_of("-1")
