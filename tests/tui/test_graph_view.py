"""The picture widget: cursor, zoom, marks, mouse, lights."""

from __future__ import annotations

from pathlib import Path

from textual.geometry import Region

from hookstepper.model.graph import Edge, Graph, Node
from hookstepper.model.ids import END, START, NodeId
from hookstepper.picture import Marks
from hookstepper.tui import graph_view
from hookstepper.tui.graph_paint import ROLE_WORDS
from hookstepper.tui.graph_view import GraphView
from tui.support.graph_views import Viewer, chain, settled, shown
from unit.picture.graphs import rand

REACT = Graph(
    "react",
    (
        Node(START, "START", "start"),
        Node(NodeId("model"), "model", "model"),
        Node(NodeId("工具"), "工具 tool", "tool"),
        Node(END, "END", "end"),
    ),
    (
        Edge(START, NodeId("model")),
        Edge(NodeId("model"), NodeId("工具"), "conditional", "tool calls"),
        Edge(NodeId("model"), END, "conditional", "done"),
        Edge(NodeId("工具"), NodeId("model"), "conditional", "again"),
    ),
)


def wide() -> Graph:
    """More nodes beside each other than a screen is wide."""
    nodes = tuple(Node(NodeId(f"n{i:02}"), f"n{i:02}") for i in range(15))
    return Graph("wide", nodes, ())


async def test_the_largest_form_that_fits_is_taken_when_the_size_changes() -> None:
    app = Viewer(REACT)
    async with app.run_test(size=(100, 40)) as pilot:
        assert app.view.zoom == "box"
        await pilot.resize_terminal(100, 10)
        await pilot.pause()
        assert app.view.zoom == "row"
        await pilot.resize_terminal(12, 10)
        await pilot.pause()

        assert app.view.zoom == "dots"


async def test_every_painted_line_is_as_wide_as_the_view() -> None:
    """A line of another width shifts everything right of it."""
    app = Viewer(REACT)
    async with app.run_test(size=(61, 30)) as pilot:
        for _ in range(4):
            widths = {app.view.render_line(y).cell_length for y in range(app.view.size.height)}
            assert widths == {app.view.size.width}
            app.view.zoom_out()
            await pilot.pause()


async def test_arrows_walk_to_the_nearest_node_and_tell_it() -> None:
    app = Viewer(REACT)
    async with app.run_test(size=(100, 40)) as pilot:
        app.view.focus()
        await pilot.press("down", "down", "down", "right")
        await pilot.pause()

        assert app.view.cursor_node == "工具"
        assert [event.node for event in app.seen if isinstance(event, GraphView.NodePicked)][-1] == "工具"


async def test_brackets_follow_the_flow_to_both_ends() -> None:
    app = Viewer(REACT)
    async with app.run_test(size=(100, 40)) as pilot:
        app.view.focus()
        await pilot.press("right_square_bracket", "right_square_bracket")
        assert app.view.cursor_node == "model"
        await pilot.press(*["right_square_bracket"] * 9)
        assert app.view.cursor_node in (END, "工具")
        await pilot.press(*["left_square_bracket"] * 9)

        assert app.view.cursor_node == START


async def test_a_click_on_the_right_half_of_a_wide_character_picks_its_node() -> None:
    app = Viewer(REACT)
    async with app.run_test(size=(100, 40)) as pilot:
        view = app.view
        assert view.plan is not None and view.canvas is not None
        place = view.plan.places[NodeId("工具")]
        x = view.canvas.rows[place.text_y].chars.index("")
        await pilot.click(GraphView, offset=(x + view.origin.x, place.text_y + view.origin.y))

        assert view.cursor_node == "工具"


async def test_a_double_click_toggles_the_node_under_it() -> None:
    app = Viewer(REACT)
    async with app.run_test(size=(100, 40)) as pilot:
        view = app.view
        assert view.plan is not None
        x, y = view.plan.places[NodeId("model")].center
        await pilot.click(GraphView, offset=(x + view.origin.x, y + view.origin.y), times=2)
        await pilot.pause()

        toggled = [event for event in app.seen if isinstance(event, GraphView.NodeToggled)]
        assert [event.node for event in toggled] == ["model"]


async def test_the_cursor_is_seen_on_every_kind_of_node() -> None:
    """Also on a node that a mark has filled with colour."""
    app = Viewer(REACT)
    async with app.run_test(size=(100, 40)) as pilot:
        view = app.view
        for node in (START, NodeId("model"), NodeId("工具"), END):
            view.mark(Marks(current=frozenset({node})))
            view.go_to(node)
            await pilot.pause()
            assert view.plan is not None
            line = view.render_line(view.plan.places[node].text_y + view.origin.y)
            turned = "".join(segment.text for segment in line if segment.style and segment.style.reverse)
            assert f"▶{' ' if node not in (START, END) else ''}" in turned


async def test_marks_change_only_their_rows_and_move_nothing() -> None:
    app = Viewer(REACT)
    async with app.run_test(size=(100, 40)) as pilot:
        view = app.view
        before = shown(view)
        assert view.canvas is not None
        rows = view.canvas.rows
        view.mark(Marks(current=frozenset({NodeId("model")}), breakpoints=frozenset({NodeId("工具")})))
        await pilot.pause()
        after = shown(view)

        assert "▶ model" in after and "● " in after
        assert len(after) == len(before)
        changed = sum(a is not b for a, b in zip(rows, view.canvas.rows, strict=True))
        assert 0 < changed <= 6


async def test_a_light_runs_along_an_edge_and_its_clock_stops() -> None:
    app = Viewer(REACT)
    async with app.run_test(size=(100, 40)) as pilot:
        app.animation_level = "full"
        view = app.view
        view.run_dot(NodeId("model"), NodeId("工具"))
        assert view.dots.moving and "●" in shown(view)
        for _ in range(200):
            if not view.dots.moving:
                break
            view.dots.tick()
        await pilot.pause()

        assert not view.dots.moving
        assert "●" not in shown(view)


async def test_a_light_on_its_way_covers_no_letter_of_a_label() -> None:
    """A label is read while a run goes by; the light only colours it."""
    app = Viewer(REACT)
    async with app.run_test(size=(100, 40)):
        app.animation_level = "full"
        view = app.view
        for link in (("model", "工具"), ("model", END), ("工具", "model")):
            view.run_dot(NodeId(link[0]), NodeId(link[1]))
            while view.dots.moving:
                assert all(label in shown(view) for label in ("tool calls", "done", "again"))
                view.dots.tick()


async def test_no_light_moves_when_animations_are_off() -> None:
    app = Viewer(REACT)
    async with app.run_test(size=(100, 40)):
        app.animation_level = "none"
        app.view.run_dot(NodeId("model"), NodeId("工具"))

        assert not app.view.dots.moving


async def test_following_a_node_brings_it_into_the_window() -> None:
    app = Viewer(chain(60))
    async with app.run_test(size=(60, 20)) as pilot:
        view = app.view
        view.zoom_in()
        await settled(app, pilot)
        app.animation_level = "none"
        view.follow(NodeId("step 50"))
        await pilot.pause()
        assert view.plan is not None
        y = view.plan.places[NodeId("step 50")].y - view.scroll_offset.y

        assert 0 <= y < view.size.height


async def test_a_large_graph_shows_a_part_at_once_and_the_whole_when_it_is_laid_out() -> None:
    app = Viewer()
    async with app.run_test(size=(80, 24)) as pilot:
        view = app.view
        view.show(chain(200))
        assert view.plan is not None
        part = len(view.plan.places)
        await settled(app, pilot)

        assert part < len(view.plan.places) == 202


async def test_a_subgraph_under_the_cursor_is_closed_and_opened_again() -> None:
    inner = Node(NodeId("team:a"), "a", parent=NodeId("team"))
    graph = Graph(
        "nested",
        (Node(START, "START", "start"), Node(NodeId("team"), "team", "subgraph"), inner),
        (Edge(START, NodeId("team")),),
    )
    app = Viewer(graph)
    async with app.run_test(size=(80, 24)):
        view = app.view
        assert view.plan is not None
        assert NodeId("team:a") in view.plan.places
        view.go_to(NodeId("team:a"))
        view.toggle_fold()
        assert NodeId("team:a") not in view.plan.places
        view.go_to(NodeId("team"))
        view.toggle_fold()

        assert NodeId("team:a") in view.plan.places


async def test_a_map_appears_when_the_picture_is_much_larger_and_a_click_on_it_goes_there() -> None:
    app = Viewer(chain(60))
    async with app.run_test(size=(60, 20)) as pilot:
        view = app.view
        assert view.map.region is None
        view.zoom_in()
        view.zoom_in()
        view.map.wanted = True
        await pilot.pause()
        region = view.map.region
        assert region is not None
        assert {view.render_line(y).cell_length for y in range(view.size.height)} == {view.size.width}
        await pilot.click(GraphView, offset=(region.x + 3, region.bottom - 1))
        await pilot.pause()

        assert view.scroll_offset.y > 30
        assert view.cursor_node is None


async def test_the_map_goes_to_another_corner_rather_than_hide_the_cursor() -> None:
    app = Viewer(wide())
    async with app.run_test(size=(60, 20)) as pilot:
        view = app.view
        view.zoom_in()
        await settled(app, pilot)
        view.map.wanted = True
        await pilot.pause()
        corner = view.map.region
        assert corner is not None
        assert view.plan is not None
        hidden = [
            place.id
            for place in view.plan.places.values()
            if corner.contains(*(view.origin - view.scroll_offset + place.center))
        ]
        view.go_to(hidden[0])
        await pilot.pause()

        assert view.map.region is not None
        assert view.map.region != corner
        assert hidden[0] in shown(view)


async def test_a_key_shows_the_map_and_puts_it_away() -> None:
    app = Viewer(chain(19))
    async with app.run_test(size=(60, 30)) as pilot:
        view = app.view
        view.zoom_in()
        await settled(app, pilot)
        view.focus()
        assert view.map.region is None
        await pilot.press("O")
        assert view.map.region is not None
        await pilot.press("O")
        assert view.map.region is None


async def test_the_map_can_be_put_away() -> None:
    app = Viewer(chain(60))
    async with app.run_test(size=(60, 20)) as pilot:
        app.view.zoom_in()
        await pilot.pause()
        app.view.map.wanted = False

        assert app.view.map.region is None


async def test_the_stylesheet_has_a_rule_for_every_role_and_no_other() -> None:
    sheet = (Path(graph_view.__file__).parent / "styles" / "graph_view.tcss").read_text(encoding="utf-8")
    named = {part.split()[0] for part in sheet.split(".graph--")[1:]}

    assert named == set(ROLE_WORDS)


async def test_a_light_takes_no_letter_away_from_a_label_on_its_edge() -> None:
    """Words can be read while it runs over them: they light up."""
    app = Viewer(REACT)
    async with app.run_test(size=(100, 40)):
        app.animation_level = "full"
        view = app.view
        view.run_dot(NodeId("model"), NodeId("工具"))
        seen = []
        while view.dots.moving:
            seen.append(shown(view))
            view.dots.tick()

    assert all("tool calls" in picture for picture in seen)
    assert any("●" in picture for picture in seen)
    assert any("●" not in picture for picture in seen[:-4])


async def test_the_map_does_not_hide_what_runs_next_when_a_large_picture_arrives() -> None:
    """A run is held while the picture is laid out: the map makes way for where the window goes then."""
    app = Viewer()
    async with app.run_test(size=(64, 26)) as pilot:
        view = app.view
        hidden = 0
        for seed in range(8):
            view.show(rand(120, seed))
            view.mark(Marks(current=frozenset({NodeId("n0")})))
            view.follow(NodeId("n0"))
            await settled(app, pilot)
            assert view.plan is not None and view.map.region is not None
            place = view.plan.places[NodeId("n0")]
            shift = view.origin - view.scroll_offset
            at = Region(place.x, place.y, place.width, place.height).translate(shift)
            hidden += view.map.region.overlaps(at)

        assert hidden == 0
