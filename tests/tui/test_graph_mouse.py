"""The mouse on the picture: what a click, a drag and the wheel do, and what a tooltip says."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from hookstepper.model.graph import Edge, Graph, Node, SourcePlace
from hookstepper.model.ids import END, START, NodeId
from hookstepper.picture import Marks, Options
from hookstepper.tui.graph_view import GraphView
from tui.support.graph_views import Viewer, chain, drag, hover, place_of, settled, shown, team, wheel

MODEL, TEAM, WRITER, CRITIC = NodeId("model"), NodeId("team"), NodeId("team:a"), NodeId("team:b")


async def test_a_click_on_the_badge_of_rings_names_them_and_another_counts_them_again() -> None:
    app = Viewer(team())
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.click(GraphView, offset=place_of(app.view, "◎2"))
        await pilot.pause()
        assert "◎ Retry" in shown(app.view) and "◎ Cache" in shown(app.view)

        await pilot.click(GraphView, offset=place_of(app.view, "◎2"))
        await pilot.pause()
        assert "◎ Retry" not in shown(app.view)
        assert app.view.cursor_node == MODEL


async def test_a_click_on_the_title_of_a_subgraph_closes_it_and_one_on_its_sign_opens_it() -> None:
    app = Viewer(team())
    async with app.run_test(size=(100, 40)) as pilot:
        assert "writer" in shown(app.view)
        await pilot.click(GraphView, offset=place_of(app.view, " team "))
        await pilot.pause()
        assert "writer" not in shown(app.view)

        await pilot.click(GraphView, offset=place_of(app.view, "▸"))
        await pilot.pause()
        assert "writer" in shown(app.view)


async def test_a_click_on_the_name_of_a_closed_subgraph_only_picks_it() -> None:
    """A breakpoint can be set on it with a double click."""
    app = Viewer(team(), Options(collapsed=frozenset({TEAM})))
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.click(GraphView, offset=place_of(app.view, "team"), times=2)
        await pilot.pause()

        assert "writer" not in shown(app.view)
        assert [type(event).__name__ for event in app.seen] == ["NodePicked", "NodeToggled"]


async def test_a_click_on_the_count_of_a_folded_chain_unfolds_that_chain_alone() -> None:
    kinds = ("before_model", "before_model", "model", "after_model", "after_model")
    hooks = tuple(Node(NodeId(f"n{i}"), f"n{i}", kind) for i, kind in enumerate(kinds))
    nodes = (Node(START, "START", "start"), *hooks, Node(END, "END", "end"))
    edges = tuple(Edge(a.id, b.id) for a, b in pairwise(nodes))
    app = Viewer(Graph("g", nodes, edges))
    async with app.run_test(size=(60, 40)) as pilot:
        app.view.zoom_out()
        app.view.zoom_out()
        await pilot.pause()
        assert app.view.zoom == "folded"
        await pilot.click(GraphView, offset=place_of(app.view, "×2"))
        await pilot.pause()
        assert "n0" in shown(app.view) and "n3" not in shown(app.view)

        app.view.go_to(NodeId("n1"))
        app.view.toggle_fold()
        assert shown(app.view).count("×2") == 2


async def test_a_drag_moves_the_picture_with_the_mouse_and_is_no_click() -> None:
    app = Viewer(chain(60))
    async with app.run_test(size=(60, 20)) as pilot:
        view = app.view
        view.zoom_in()
        await settled(app, pilot)
        view.scroll_to(0, 30, animate=False)
        await pilot.pause()
        await drag(pilot, view, (30, 12), (30, 5))

        assert view.scroll_offset.y == 37
        assert view.cursor_node is None
        assert app.seen == []
        assert app.mouse_captured is None


async def test_after_a_drag_a_click_is_a_click_again() -> None:
    app = Viewer(chain(60))
    async with app.run_test(size=(60, 20)) as pilot:
        view = app.view
        view.zoom_in()
        await settled(app, pilot)
        await drag(pilot, view, (30, 12), (30, 5))
        await pilot.click(GraphView, offset=place_of(view, "step 2"))

        assert view.cursor_node == "step 2"


async def test_the_wheel_scrolls_with_shift_sideways_and_with_ctrl_it_changes_the_form() -> None:
    app = Viewer(Graph("wide", tuple(Node(NodeId(f"node {i:02}"), f"node {i:02}") for i in range(18)), ()))
    async with app.run_test(size=(50, 4)) as pilot:
        view = app.view
        while view.zoom != "box":
            view.zoom_in()
            await pilot.pause()
        assert view.virtual_size.width > 60 and view.virtual_size.height >= 3
        await wheel(pilot, view, down=True, shift=True)
        assert view.scroll_offset.x > 0
        await wheel(pilot, view, down=False, shift=True)
        assert view.scroll_offset.x == 0
        await wheel(pilot, view, down=True, ctrl=True)
        assert view.zoom == "row"


async def test_the_wheel_scrolls_down() -> None:
    app = Viewer(chain(30))
    async with app.run_test(size=(50, 12)) as pilot:
        await settled(app, pilot)
        app.view.zoom_in()
        await settled(app, pilot)
        await wheel(pilot, app.view, down=True)

        assert app.view.scroll_offset.y > 0


async def test_shift_and_arrows_pan_and_leave_the_cursor_where_it_is() -> None:
    app = Viewer(chain(30))
    async with app.run_test(size=(50, 12)) as pilot:
        view = app.view
        view.zoom_in()
        await settled(app, pilot)
        view.focus()
        await pilot.press("shift+down", "shift+down", "shift+down")
        assert view.scroll_offset.y == 6
        await pilot.press("shift+up")
        assert view.scroll_offset.y == 4
        assert view.cursor_node is None


async def test_a_tooltip_tells_what_a_node_is_and_what_the_run_did_there() -> None:
    graph = team()
    place = SourcePlace("/home/me/write.py", 12, "Critic.run")
    nodes = tuple(replace(node, source=place) if node.id == CRITIC else node for node in graph.nodes)
    app = Viewer(replace(graph, nodes=nodes))
    async with app.run_test(size=(100, 40)) as pilot:
        app.view.mark(Marks(current=frozenset({CRITIC}), breakpoints=frozenset({CRITIC})))
        await pilot.pause()
        said = await hover(pilot, app.view, place_of(app.view, "critic"))

        assert said.splitlines() == [
            "critic",
            "team:b",
            "▶ runs next · ● breakpoint",
            "write.py:12 Critic.run",
            "may ask a person",
        ]


async def test_a_tooltip_of_a_badge_names_the_rings_from_outside() -> None:
    app = Viewer(team())
    async with app.run_test(size=(100, 40)) as pilot:
        said = await hover(pilot, app.view, place_of(app.view, "◎2"))

        assert said.splitlines()[1:] == ["1 Retry  brought by agent", "2 Cache"]


async def test_a_tooltip_of_an_edge_tells_where_from_where_to_and_why() -> None:
    app = Viewer(team())
    async with app.run_test(size=(100, 40)) as pilot:
        view = app.view
        assert view.plan is not None
        x, y = view.plan.wires[view.plan.wire_of[WRITER, CRITIC]].cells[0]
        said = await hover(pilot, view, (x + view.origin.x, y + view.origin.y))

        assert said == "writer → critic  draft  (chosen)"


async def test_a_tooltip_on_a_title_tells_what_is_inside_and_away_from_all_there_is_none() -> None:
    app = Viewer(team())
    async with app.run_test(size=(100, 40)) as pilot:
        assert (await hover(pilot, app.view, place_of(app.view, " team "))).startswith("team: 2 nodes inside")
        assert await hover(pilot, app.view, (0, 39)) == ""


async def test_a_hostile_name_is_plain_text_in_a_tooltip() -> None:
    """No markup, no control characters, no line as wide as ten screens."""
    name = NodeId("[/x]\x1b[31m\nred " + "w" * 500)
    app = Viewer(Graph("bad", (Node(name, name),), ()))
    async with app.run_test(size=(100, 40)) as pilot:
        said = await hover(pilot, app.view, place_of(app.view, "[/x]"))

        assert said.startswith("[/x] red www")
        assert "\x1b" not in said
        assert max(map(len, said.splitlines())) <= 76
