"""What is drawn: folds, closed subgraphs, merged edges, the largest form that fits."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hookstepper.model.graph import Graph
from hookstepper.model.ids import NodeId
from hookstepper.picture import ZOOMS, Marks, Options, Zoom, draw, fit, layout, raster
from hookstepper.picture.options import say
from hookstepper.picture.plan import Planner
from unit.picture.graphs import demo, edge, messy, multi, node
from unit.picture.laws import broken_laws

SUPERVISOR, RESEARCH, WRITING = NodeId("supervisor"), NodeId("research"), NodeId("writing")


def test_a_closed_subgraph_is_one_box_and_keeps_its_edges() -> None:
    plan = layout(multi(), Options(collapsed=frozenset({RESEARCH})))

    assert NodeId("lead") not in plan.places
    assert plan.place(NodeId("lead")) == plan.places[RESEARCH]
    assert (SUPERVISOR, RESEARCH) in plan.wire_of and (RESEARCH, SUPERVISOR) in plan.wire_of
    assert [frame.id for frame in plan.frames] == [WRITING]
    assert broken_laws(plan) == []


def test_subgraphs_nest_to_any_depth() -> None:
    nodes = [node("start", "start"), node("g0", "subgraph", "level 0")]
    nodes += [node(f"g{i}", "subgraph", f"level {i}", parent=NodeId(f"g{i - 1}")) for i in range(1, 5)]
    nodes += [node("leaf", parent=NodeId("g4")), node("after")]
    plan = layout(Graph("deep", tuple(nodes), (edge("start", "g0"), edge("g0", "after"))))

    assert [frame.depth for frame in plan.frames] == [1, 2, 3, 4, 5]
    assert plan.wire_of.keys() >= {("start", "leaf"), ("leaf", "after")}
    assert broken_laws(plan) == []


def test_an_edge_to_an_open_subgraph_ends_at_its_own_start() -> None:
    inner = [node("team", "subgraph"), node("in", "start", parent=NodeId("team"))]
    inner += [node("work", parent=NodeId("team")), node("out", "end", parent=NodeId("team"))]
    edges = (edge("a", "team"), edge("in", "work"), edge("work", "out"), edge("team", "b"))
    plan = layout(Graph("g", (node("a"), *inner, node("b")), edges))

    assert plan.wires[plan.wire_of[NodeId("a"), NodeId("team")]].target == "in"
    assert plan.wires[plan.wire_of[NodeId("team"), NodeId("b")]].source == "out"
    assert broken_laws(plan) == []


def test_an_unfolded_chain_stays_open_where_others_are_folded() -> None:
    plan = layout(demo(), Options(zoom="folded", unfolded=frozenset({NodeId("Edit.afterModel")})))

    assert NodeId("HITL.afterModel") in plan.places
    assert plan.place(NodeId("Audit.before")) == plan.places[NodeId("InstructionAgentHook.before")]


def test_a_hook_that_may_jump_stays_in_its_chain_and_the_chain_takes_over_its_jump() -> None:
    """What goes on by a router goes on all the same."""
    graph = demo()
    safety, edit = NodeId("Safety.afterModel"), NodeId("Edit.afterModel")
    routed = tuple(
        replace(e, kind="conditional") if (e.source, e.target) == (safety, edit) else e for e in graph.edges
    )
    plan = layout(replace(graph, edges=routed), Options(zoom="folded"))

    assert plan.places[safety].members[:2] == (safety, edit)
    assert "after model ×4 ‹loop exit›" in plan.base.text() and "↻" not in plan.base.text()
    assert plan.wires[plan.wire_of[safety, NodeId("Audit.after")]].label == "done, jump end"


def test_the_hooks_of_a_folded_chain_are_counted_in_the_order_in_which_they_run() -> None:
    """They may be registered in any other."""
    graph = demo()
    plan = layout(replace(graph, nodes=tuple(reversed(graph.nodes))), Options(zoom="folded"))
    names = ["Safety.afterModel", "Edit.afterModel", "HITL.afterModel", "Log.afterModel"]

    assert list(plan.places[NodeId(names[0])].members) == names
    at_work = raster(plan, Marks(current=frozenset({NodeId(names[2])})))
    assert "▶ after model 3/4 HITL" in at_work.text()


def test_a_hook_that_chooses_between_ways_ends_its_chain() -> None:
    nodes = [node(name, "before_model") for name in ("a", "b", "c")]
    ways = (edge("a", "b", "", "conditional"), edge("a", "c", "", "conditional"), edge("b", "c"))
    plan = layout(Graph("fork", tuple(nodes), ways), Options(zoom="folded"))

    assert plan.places[NodeId("a")].members == ("a",)


def test_a_chain_can_be_folded_in_every_form() -> None:
    plan = layout(demo(), Options(zoom="box", folded=frozenset({NodeId("Edit.afterModel")})))

    assert plan.places[NodeId("Safety.afterModel")].members[-1] == "Log.afterModel"
    assert "Audit.before" in plan.base.text()


def test_parallel_edges_are_one_line_with_all_labels() -> None:
    graph = Graph(
        "p", (node("a"), node("b")), (edge("a", "b", "yes"), edge("a", "b", "no"), edge("a", "b", "yes"))
    )
    plan = layout(graph)

    assert len(plan.wires) == 1
    assert plan.wires[0].label == "yes, no"
    assert plan.cells(graph.edges[2]) == plan.wires[0].cells


def test_flow_goes_from_start_to_end_rank_by_rank() -> None:
    plan = layout(demo())
    ranks = [plan.places[name].rank for name in plan.flow]

    assert ranks == sorted(ranks)
    assert plan.after(plan.flow[0], -1) == plan.flow[0]
    assert plan.after(plan.flow[-1], 1) == plan.flow[-1]


def test_neighbours_in_opposite_directions_find_back() -> None:
    plan = layout(demo())
    model = NodeId("model")
    below = plan.neighbour(model, "down")

    assert below == "Safety.afterModel"
    assert plan.neighbour(below, "up") == model
    assert plan.neighbour(NodeId("Audit.after"), "right") == "tool"


@pytest.mark.parametrize(
    ("width", "height", "zoom"), [(120, 60, "box"), (64, 25, "row"), (78, 19, "folded"), (20, 25, "dots")]
)
def test_the_largest_form_that_fits_is_taken(width: int, height: int, zoom: str) -> None:
    plan = fit(demo(), width, height)

    assert plan.options.zoom == zoom
    assert plan.width <= width and plan.height <= height


def test_a_picture_that_is_only_too_high_keeps_its_names() -> None:
    """Scrolling down is easier than reading dots."""
    plan = fit(demo(), 70, 5)

    assert plan.options.zoom == "row" and plan.width <= 70


def test_forms_made_one_after_another_are_those_made_alone() -> None:
    """Forms share ranks and order; nothing else may leak from one to the next."""
    planner = Planner(multi())
    for zoom in (*ZOOMS, *reversed(ZOOMS)):
        options = Options(zoom=zoom, width=90)
        assert planner.layout(options).base.text() == layout(multi(), options).base.text()


def test_a_picture_that_fits_nowhere_is_drawn_whole_all_the_same() -> None:
    canvas = draw(demo(), width=5, height=3)

    assert canvas.height > 3 and "◆" in canvas.text()


def test_hits_tell_nodes_edges_and_frames() -> None:
    plan = layout(multi())
    canvas = plan.base
    place = plan.places[NodeId("draft")]
    wire = plan.wires[plan.wire_of[NodeId("draft"), NodeId("review")]]

    assert canvas.hit(*place.center).node == "draft"
    assert canvas.hit(*wire.cells[0]).edges == wire.edges
    assert canvas.hit(plan.frames[0].x + 1, plan.frames[0].y + 1).frame in (RESEARCH, WRITING)
    assert canvas.hit(-1, -1).node is None


def test_words_fall_back_to_themselves_and_jumps_to_the_word_for_jump() -> None:
    assert say({}, "done") == "done"
    assert say({"jump": "跳转"}, "jump end") == "跳转 end"
    assert say({"jump": "跳转", "jump end": "结束"}, "jump end") == "结束"
    assert say(str.upper, "entry") == "ENTRY"


@pytest.mark.parametrize("zoom", ZOOMS)
def test_a_form_is_never_smaller_than_the_least_that_was_said(zoom: Zoom) -> None:
    """`fit` passes over a form by this number alone: one that would have fitted must not be lost."""
    for seed in range(20):
        for width in (30, 80):
            planner = Planner(messy(seed))
            options = Options(zoom=zoom, width=width)
            columns, rows = planner.least(options)
            plan = planner.layout(options)

            assert columns <= plan.width and rows <= plan.height


def test_the_progress_only_grows_and_what_it_raises_ends_the_work() -> None:
    """A picture that nobody waits for any more takes no more of the processor."""
    shares: list[float] = []
    layout(messy(3), Options(width=10), progress=shares.append)

    assert len(shares) > 5
    assert shares == sorted(shares)
    assert shares[0] >= 0
    assert shares[-1] < 1

    class EnoughError(Exception):
        pass

    def stop(share: float) -> None:
        raise EnoughError

    with pytest.raises(EnoughError):
        layout(messy(3), progress=stop)
