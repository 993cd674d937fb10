"""Marks on a picture: each has its glyph, none moves a cell, lit lines keep their bridges."""

from __future__ import annotations

import random

import pytest

from hookstepper.model.graph import Graph, Ring
from hookstepper.model.ids import NodeId
from hookstepper.picture import ZOOMS, Canvas, Layout, Marks, Options, Zoom, layout, raster
from hookstepper.picture.marks import SHOWN
from hookstepper.picture.width import cell_width
from unit.picture.graphs import REFERENCE, agent, demo, edge, messy, multi, node


def ids(*names: str) -> frozenset[NodeId]:
    return frozenset(NodeId(name) for name in names)


def line_with(canvas: Canvas, word: str) -> str:
    return next(row.text() for row in canvas.rows if word in row.text())


@pytest.mark.parametrize(("field", "glyph"), SHOWN)
def test_every_mark_has_its_glyph_before_the_label(field: str, glyph: str) -> None:
    plan = layout(demo(), Options(zoom="row"))
    canvas = raster(plan, Marks(**{field: ids("Edit.afterModel")}))

    assert f"[ {glyph} Edit.afterModel ]" in canvas.text()


def test_the_most_urgent_mark_of_a_node_is_shown() -> None:
    plan = layout(demo(), Options(zoom="row"))
    both = ids("tool")

    assert "▶ tool" in raster(plan, Marks(current=both, done=both, next=both)).text()
    assert "✗ tool" in raster(plan, Marks(current=both, failed=both)).text()


def test_a_breakpoint_takes_the_place_of_the_left_bracket() -> None:
    plan = layout(demo(), Options(zoom="row"))

    assert "● · tool  ]" in raster(plan, Marks(breakpoints=ids("tool"), earlier=ids("tool"))).text()
    assert "○   tool  ]" in raster(plan, Marks(disabled=ids("tool"))).text()


def test_the_demonstration_stop_looks_as_the_screens_say() -> None:
    """The home screen of the debugger, cell by cell."""
    done = ids("InstructionAgentHook.before", "Audit.before", "Log.beforeModel", "model")
    marks = Marks(
        current=ids("Safety.afterModel"),
        next=ids("Edit.afterModel"),
        done=done,
        earlier=ids("HITL.afterModel", "Log.afterModel", "tool"),
        breakpoints=ids("tool"),
    )
    expected = """\
                     ( START )
                         ▼
     [ ✓ InstructionAgentHook.before ‹entry› ]
                         ▼
                [ ✓ Audit.before  ]
                         ▼
        [ ✓ Log.beforeModel ‹loop entry›  ]◀┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄╮
                         ▼                                   ┆
                    [ ✓ model ]                              ┆
                         ▼                                   ┆
 ╭┄ jump end ┄[ ▶ Safety.afterModel ]                        ┆
 ┆                       ▼                                   ┆
 ┆             [ › Edit.afterModel ]                         ┆
 ┆                       ▼                                   ┆
 ┆             [ · HITL.afterModel ]                         ┆
 ┆                       ▼                                   ┆
 ┆       [ · Log.afterModel ‹loop exit›  ]┄ jump model ┄┄┄┄┄┄┤
 ┆                       ├┄┄┄┄ tool calls ┄┄┄┄╮              ┆
 ┆                       ┆ done               ┆              ┆
 ┆                       ▼                    ▼              ┆
 ╰┄┄┄┄┄┄┄┄┄┄▶[   Audit.after ‹exit›  ]   ● · tool  ]┄ again ┄╯
                         ▼
                      ( END )"""

    assert raster(layout(demo(), Options(zoom="row")), marks).text() == expected


def test_a_folded_chain_shows_which_of_its_hooks_is_at_work() -> None:
    plan = layout(demo(), Options(zoom="folded"))

    assert "after model ×4 ‹loop exit›" in plan.base.text()
    at_work = raster(plan, Marks(current=ids("Edit.afterModel"))).text()
    assert "[ ▶ after model 2/4 Edit ‹loop exit›    ]" in at_work


def test_a_folded_chain_says_its_words_in_another_language() -> None:
    words = {"after model": "模型后", "loop exit": "循环出口", "done": "无调用", "jump": "跳转", ", ": "，"}
    text = layout(demo(), Options(zoom="folded", words=words)).base.text()

    assert "模型后 ×4 ‹循环出口›" in text
    assert "无调用，跳转 end" in text


def test_a_waiting_jump_is_named_beside_its_node() -> None:
    plan = layout(demo(), Options(zoom="row"))
    canvas = raster(plan, Marks(current=ids("Edit.afterModel"), jumps=((NodeId("Edit.afterModel"), "end"),)))

    assert "[ ▶↷Edit.afterModel ] ↷ end" in canvas.text()


def some_marks(plan: Layout, seed: int) -> Marks:
    chance = random.Random(seed)
    names = list(plan.homes)

    def pick() -> frozenset[NodeId]:
        return frozenset(name for name in names if chance.random() < 0.3)

    links = frozenset((wire.source, wire.target) for wire in plan.wires if chance.random() < 0.3)
    return Marks(
        current=pick(), next=pick(), done=pick(), earlier=pick(), skipped=pick(), failed=pick(),
        waiting=pick(), quiet=pick(), by_hand=pick(), breakpoints=pick(), disabled=pick(),
        cursor=names[0], lit=links, observed=links, jumps=((names[-1], "end"),),
    )  # fmt: skip


@pytest.mark.parametrize("zoom", ZOOMS)
@pytest.mark.parametrize("seed", range(8))
def test_no_mark_moves_a_cell(seed: int, zoom: Zoom) -> None:
    """Lines stay where they are, rows stay as wide, and taking the marks away gives the first picture."""
    plan = layout(messy(seed), Options(zoom=zoom))
    canvas = raster(plan, some_marks(plan, seed))

    assert (canvas.width, canvas.height) == (plan.width, plan.height)
    for y, row in enumerate(canvas.rows):
        assert cell_width("".join(row.chars)) == plan.width
        for x, char in enumerate(row.chars):
            if plan.base.rows[y].roles[x].startswith(("label", "border", "title", "legend")):
                assert char == plan.base.rows[y].chars[x]
    assert raster(plan, Marks()) is plan.base


def test_a_mark_touches_only_the_rows_of_its_node() -> None:
    plan = layout(agent())
    canvas = raster(plan, Marks(current=ids("model")))
    place = plan.places[NodeId("model")]
    changed = {y for y in range(plan.height) if canvas.rows[y] is not plan.base.rows[y]}

    assert changed <= set(range(place.y, place.y + place.height)) and changed


@pytest.mark.parametrize("zoom", ["box", "row"])
def test_a_box_keeps_its_port_marks_when_it_is_marked(zoom: Zoom) -> None:
    plan = layout(agent(), Options(zoom=zoom))
    canvas = raster(plan, Marks(current=frozenset(plan.places), cursor=NodeId("model")))
    for y, row in enumerate(canvas.rows):
        for x, char in enumerate(row.chars):
            if plan.base.rows[y].chars[x] in "┬┯├┤":
                assert char == plan.base.rows[y].chars[x]


def test_a_lit_path_goes_under_a_bridge_and_never_looks_joined_to_it() -> None:
    """A junction glyph on a crossing would tell of a way that does not exist."""
    plan = layout(agent(), Options(zoom="row"))
    link = (NodeId("Log.afterModel"), NodeId("PII.beforeModel"))
    wire = plan.wires[plan.wire_of[link]]
    index = plan.wire_of[link]
    bridges = [cell for cell in wire.cells if index not in plan.arms[cell][1]]
    canvas = raster(plan, Marks(lit=frozenset({link})))

    assert bridges
    for x, y in bridges:
        assert canvas.rows[y].chars[x] == plan.base.rows[y].chars[x]
        assert "lit" not in canvas.rows[y].roles[x]
    assert any("lit" in canvas.rows[y].roles[x] for x, y in wire.cells)


def test_a_lit_branch_is_heavy_only_on_its_own_arms() -> None:
    plan = layout(demo(), Options(zoom="row"))
    canvas = raster(plan, Marks(lit=frozenset({(NodeId("Log.afterModel"), NodeId("tool"))})))
    line = line_with(canvas, "tool calls")

    assert "┡" in line  # lit from above to the right, not lit downwards
    assert "┅┅ tool calls ┅┅" in line


@pytest.mark.parametrize("name", REFERENCE)
def test_every_line_can_be_lit(name: str) -> None:
    plan = layout(REFERENCE[name](), Options(zoom="row"))
    canvas = raster(plan, Marks(lit=frozenset((w.source, w.target) for w in plan.wires)))
    lit = {(x, y) for y, row in enumerate(canvas.rows) for x, role in enumerate(row.roles) if "lit" in role}

    assert lit == {cell for wire in plan.wires if wire.source != wire.target for cell in wire.cells}


def test_rings_are_counted_and_named_when_opened() -> None:
    rings = (Ring("Retry", "model"), Ring("Cache", "model"))
    graph = Graph("rings", (node("model", "model", rings=rings),), ())

    assert "◎2" in layout(graph).base.text()
    opened = layout(graph, Options(open_rings=ids("model")))
    assert "◎ Retry" in opened.base.text() and "◎ Cache" in opened.base.text()
    assert "◎ Retry › Cache" in layout(graph, Options(zoom="row", open_rings=ids("model"))).base.text()


def test_kinds_of_evidence_differ_by_glyph() -> None:
    """Colour is never the only sign."""
    rows = {}
    for evidence in ("declared", "inferred", "observed", "never"):
        graph = Graph("e", (node("a"), node("b")), (edge("a", "b", "x", "jump", evidence=evidence),))
        text = layout(graph, Options(show_never=True)).base.text()
        rows[evidence] = next(line for line in text.splitlines() if " x" in line).strip()[0]

    assert len(set(rows.values())) == 4


def test_a_node_that_can_ask_and_one_that_is_open_ended_are_told_apart() -> None:
    graph = Graph("n", (node("a", can_ask=True), node("b", open_ended=True), node("c", hidden=True)), ())
    text = layout(graph).base.text()

    assert "‖" in text and "c ‹hidden›" in text
    assert text.count("?") == 1


@pytest.mark.parametrize("zoom", ZOOMS)
def test_a_node_that_may_go_anywhere_has_a_stub_in_every_form(zoom: Zoom) -> None:
    """A router without declared targets: the picture does not pretend that nothing follows."""
    graph = Graph("g", (node("a", open_ended=True), node("b")), (edge("a", "b"),))
    plan = layout(graph, Options(zoom=zoom))
    stub = next(wire for wire in plan.wires if not wire.edges)
    end = plan.places[stub.target]

    assert plan.base.text().count("?") == 1
    assert plan.base.rows[end.text_y].chars[end.text_x] == "?"
    assert stub.source == "a" and len(stub.cells) >= 1
    assert stub.target not in plan.flow
    assert {plan.neighbour(NodeId("a"), way) for way in ("up", "down", "left", "right")} <= {None, "b"}
    assert plan.base.hit(end.x, end.y).node is None


@pytest.mark.parametrize("zoom", ZOOMS)
def test_a_node_that_may_ask_a_person_is_told_in_every_form(zoom: Zoom) -> None:
    asks = layout(Graph("g", (node("a"), node("b", can_ask=True)), (edge("a", "b"),)), Options(zoom=zoom))
    calm = layout(Graph("g", (node("a"), node("b")), (edge("a", "b"),)), Options(zoom=zoom))

    assert asks.base.text().count("‖") == 1
    assert "‖" not in calm.base.text()


@pytest.mark.parametrize("zoom", ["row", "box"])
def test_an_open_subgraph_tells_on_its_title_that_it_is_at_it(zoom: Zoom) -> None:
    """Its box is not drawn while it is open, and a stop before it must still be seen; no cell moves."""
    plan = layout(multi(), Options(zoom=zoom))
    at, due, bare = ids("research"), ids("writing"), raster(plan).text()
    text = raster(plan, Marks(current=at, next=due, breakpoints=due, done=at)).text()

    assert "▶research_team " in text
    assert "›writing_team 写作组●" in text
    changed = [(a, b) for a, b in zip(bare, text, strict=True) if a != b]
    assert changed == [(" ", "▶"), (" ", "›"), (" ", "●")]
    assert raster(plan, Marks(done=at, earlier=due)).text() == bare
    assert "○" in raster(plan, Marks(disabled=at)).text()
