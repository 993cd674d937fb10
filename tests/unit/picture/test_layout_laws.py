"""Laws of the layout on reference graphs and on many random ones."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from hookstepper.model.graph import Graph
from hookstepper.model.ids import END, START, NodeId
from hookstepper.picture import ZOOMS, Options, Zoom, layout
from unit.picture.graphs import REFERENCE, demo, edge, messy, node, wishes
from unit.picture.laws import broken_laws, broken_lights

SEEDS = range(500 if os.environ.get("HOOKSTEPPER_THOROUGH") == "1" else 100)


@pytest.mark.parametrize("zoom", ZOOMS)
@pytest.mark.parametrize("name", REFERENCE)
def test_reference_graphs_keep_every_law(name: str, zoom: Zoom) -> None:
    assert broken_laws(layout(REFERENCE[name](), Options(zoom=zoom))) == []


@pytest.mark.parametrize("block", range(0, len(SEEDS), 25))
def test_random_graphs_keep_every_law(block: int) -> None:
    """No overlap, no bad joint, no lost label: with nested subgraphs, loops, hostile labels, lit lines."""
    broken = {}
    for seed in SEEDS[block : block + 25]:
        plan = layout(messy(seed), wishes(messy(seed), seed))
        laws = broken_laws(plan) + broken_lights(plan, seed)
        if laws:
            broken[seed] = laws[:3]

    assert broken == {}


def test_the_picture_is_the_same_in_every_process() -> None:
    """A picture that depends on the hash seed jumps at every restart."""
    tests = Path(__file__).parents[2]
    program = (
        "from unit.picture.graphs import REFERENCE, messy\n"
        "from hookstepper.picture import Options, layout\n"
        "import hashlib\n"
        "texts = [layout(make(), Options(zoom='row')).base.text() for make in REFERENCE.values()]\n"
        "texts += [layout(messy(seed)).base.text() for seed in range(12)]\n"
        "print(hashlib.sha256('\\n'.join(texts).encode()).hexdigest())\n"
    )
    sums = set()
    for seed in ("0", "1", "4242"):
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(tests)}
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, env=env, check=True, timeout=100
        )
        sums.add(done.stdout)

    assert len(sums) == 1


def test_the_main_path_is_one_straight_column() -> None:
    plan = layout(demo(), Options(zoom="row"))
    spine = [
        START,
        "InstructionAgentHook.before",
        "Log.beforeModel",
        "model",
        "Log.afterModel",
        "Audit.after",
        END,
    ]

    assert len({plan.places[NodeId(name)].center[0] for name in spine}) == 1


def test_a_never_taken_edge_is_left_off_and_moves_nothing() -> None:
    """The picture of an agent must not depend on an exit that the rules forbid."""
    graph = demo()
    without = replace(graph, edges=tuple(e for e in graph.edges if e.evidence != "never"))

    assert layout(graph).base.text() == layout(without).base.text()
    assert "return direct" in layout(graph, Options(show_never=True)).base.text()
    assert "return direct" in layout(graph, Options(never_of=frozenset({NodeId("tool")}))).base.text()


def test_an_edge_seen_in_a_run_leaves_the_nodes_of_the_spine_where_they_are() -> None:
    """A picture that rebuilds itself while one watches loses the reader."""
    graph = demo()
    before = layout(graph, Options(zoom="row"))
    seen = replace(
        graph, edges=(*graph.edges, edge("Edit.afterModel", "tool", "", "jump", evidence="observed"))
    )
    after = layout(seen, Options(zoom="row"))

    moved = [n for n, p in before.places.items() if p.rank != after.places[n].rank]
    assert moved == []
    assert list(before.places) == list(after.places)


@pytest.mark.parametrize(
    "graph",
    [
        Graph("empty", (), ()),
        Graph("one", (node("a"),), ()),
        Graph("lonely", (node("a"), node("b"), node("c")), ()),
        Graph("loop", (node("a"),), (edge("a", "a", "again"),)),
        Graph("two ways", (node("a"), node("b")), (edge("a", "b"), edge("b", "a", "back"))),
        Graph("unknown", (node("a"),), (edge("a", "nobody", "somewhere"),)),
        Graph("own parent", (node("a", parent=NodeId("a")),), ()),
        Graph(
            "parents in a ring",
            (node("a", parent=NodeId("b")), node("b", parent=NodeId("a"))),
            (edge("a", "b"),),
        ),
        Graph("into start", (node(START, "start"), node("a")), (edge("a", START), edge(START, "a"))),
    ],
    ids=lambda graph: graph.name,
)
@pytest.mark.parametrize("zoom", ZOOMS)
def test_odd_graphs_are_drawn(graph: Graph, zoom: Zoom) -> None:
    plan = layout(graph, Options(zoom=zoom))

    assert broken_laws(plan) == []
    assert set(plan.homes) >= {n.id for n in graph.nodes} - {frame.id for frame in plan.frames}


def test_a_label_that_is_only_control_characters_is_still_one_line() -> None:
    plan = layout(Graph("x", (node("a", label="\x1b[2J\n\u202eevil"),), ()))

    assert "\x1b" not in plan.base.text() and "\u202e" not in plan.base.text()
    assert broken_laws(plan) == []


def test_a_narrow_picture_shortens_labels_before_it_grows_wider() -> None:
    names = ["a_rather_long_name_for_a_node", "another_long_name_for_a_node"]
    graph = Graph("wide", (node("s"), *(node(n) for n in names)), tuple(edge("s", n) for n in names))

    assert layout(graph, Options(zoom="row")).width > 60
    assert layout(graph, Options(zoom="row", width=60)).width <= 60


@pytest.mark.parametrize("lack", [1, 2])
def test_the_blank_columns_at_the_sides_go_before_a_name_is_cut(lack: int) -> None:
    """At 120×40 in Chinese the demonstration lacked two columns, and half of its names were cut for them."""
    whole = layout(demo(), Options(zoom="row"))
    plan = layout(demo(), Options(zoom="row", width=whole.width - lack))

    assert plan.max_label == whole.max_label
    assert plan.width == whole.width - 2
    assert broken_laws(plan) == []
    rows = [line.removeprefix(" ") for line in whole.base.text().splitlines()]
    assert plan.base.text().splitlines() == rows


@pytest.mark.parametrize("block", range(0, 50, 25))
def test_random_graphs_without_blank_columns_keep_every_law(block: int) -> None:
    broken = {}
    for seed in range(block, block + 25):
        graph, options = messy(seed), wishes(messy(seed), seed)
        whole = layout(graph, replace(options, width=None))
        plan = layout(graph, replace(options, width=whole.width - 2))
        laws = broken_laws(plan) + broken_lights(plan, seed)
        if laws:
            broken[seed] = laws[:3]

    assert broken == {}
