"""What a run puts on the picture: every state has a sign of its own, and the path taken is all lit."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import pairwise

import pytest

from hookstepper.client.view import View
from hookstepper.model.breakpoints import Breakpoint
from hookstepper.model.events import NodeEntered
from hookstepper.model.gates import Site, Stop
from hookstepper.model.graph import Edge, Graph, Node
from hookstepper.model.ids import NodeId, StopId, TaskId
from hookstepper.model.record import Route
from hookstepper.picture import ZOOMS, Marks, Options, Zoom, layout, raster
from hookstepper.picture.options import GLYPH_SETS, GlyphSet
from hookstepper.tui.graph_taken import Taken, links_after, links_of
from hookstepper.tui.graph_trails import trails
from hookstepper.tui.rows.picture_marks import marks_of
from support.driving import Driven, driven
from support.replay import replay
from tui.support.golden import check_golden
from tui.support.graph_views import Viewer, chain, settled, shown
from tui.support.made import Made, graph_of
from unit.picture.graphs import demo

STATES = {
    "current": "Safety.afterModel",
    "next": "Edit.afterModel",
    "done": "model",
    "earlier": "Audit.before",
    "skipped": "HITL.afterModel",
    "failed": "tool",
    "waiting": "Log.afterModel",
    "quiet": "Log.beforeModel",
    "by_hand": "Audit.after",
}
"""Every state of a node, each on a node of the demonstration graph."""


def every_state() -> Marks:
    sets = {name: frozenset({NodeId(node)}) for name, node in STATES.items()}
    lit = frozenset({(NodeId("model"), NodeId("Safety.afterModel"))})
    points = frozenset({NodeId("tool")}), frozenset({NodeId("model")})
    return Marks(**sets, lit=lit, breakpoints=points[0], disabled=points[1])  # type: ignore[arg-type]


@pytest.mark.parametrize("glyphs", GLYPH_SETS)
@pytest.mark.parametrize("zoom", ZOOMS)
def test_every_state_is_told_without_colour(zoom: Zoom, glyphs: GlyphSet) -> None:
    """On paper, on a terminal without colour, to an eye that sees none."""
    plan = layout(demo(), Options(zoom=zoom, glyphs=glyphs))
    canvas = raster(plan, every_state())

    check_golden(f"graph_states_{zoom}_{glyphs}", canvas.text())
    if zoom != "folded":
        signs = {name: canvas.rows[p.text_y].chars[p.mark_x] for name, p in _places(plan).items()}
        assert len(set(signs.values())) == len(STATES), signs


def _places(plan):  # type: ignore[no-untyped-def]
    return {name: plan.places[NodeId(node)] for name, node in STATES.items()}


def test_no_state_of_a_node_is_left_out_here() -> None:
    sets = {field.name for field in fields(Marks) if field.type == "frozenset[NodeId]"}

    assert sets - {"breakpoints", "disabled"} == set(STATES)


@pytest.mark.parametrize("glyphs", GLYPH_SETS)
def test_the_edge_taken_is_told_without_colour(glyphs: GlyphSet) -> None:
    plan = layout(demo(), Options(zoom="row", glyphs=glyphs))
    link = (NodeId("model"), NodeId("Safety.afterModel"))
    back = (NodeId("tool"), NodeId("Log.beforeModel"))

    lit = raster(plan, Marks(lit=frozenset({back}))).text()
    assert lit != plan.base.text()
    assert ("┇" if glyphs == "unicode" else "#") in lit
    assert raster(plan, Marks(lit=frozenset({link}))).text().count("▼") == plan.base.text().count("▼")


def picture(app: Driven):  # type: ignore[no-untyped-def]
    assert app.app.main is not None
    return app.app.main.workspace.graph.picture


async def test_each_edge_of_steps_that_come_at_once_is_lit_and_a_light_runs_along_all() -> None:
    """After `c` one sees the way, not only its end."""
    async with driven(2) as app:
        app.app.animation_level = "full"
        conversation = app.conversation
        while conversation.view.trace.last < 8:
            conversation._take(conversation._rest.pop(0))
        ways: list[tuple[tuple[int, int], ...]] = []
        view = picture(app)
        view.dots.start = ways.append
        app.app.show_view()
        await app.settle()

        taken = links_of(conversation.view, 1)
        assert len(taken) == 7
        assert {link for link in taken if link in view.plan.wire_of} <= view._marks.lit
        whole = [cell for link in taken for cell in view.plan.wires[view.plan.wire_of[link]].cells]
        assert ways == [tuple(whole)]


async def test_one_step_lights_one_edge() -> None:
    async with driven(10) as app:
        await app.press("n")
        lit = picture(app)._marks.lit

        assert len(lit) == 1


def test_the_path_begins_where_the_run_was_let_go_last() -> None:
    conversation = replay(2)
    taken = Taken()
    assert taken.since(conversation.view) == -1
    conversation.play_to_step(5)
    assert taken.since(conversation.view) == 1
    assert taken.since(conversation.view) == 1, "asked again, nothing has changed"
    conversation.play_to_step(6)
    assert taken.since(conversation.view) == 4
    assert len(links_after(conversation.view, 4)) == 1


def test_the_path_of_an_earlier_turn_is_not_lit() -> None:
    """The loop would be lit as a whole, and tell nothing."""
    conversation = replay(16)
    lit = links_after(conversation.view, -1)
    every = links_of(conversation.view, -1)

    assert lit < set(every)
    assert every[-1] in lit


def test_while_looking_back_only_the_step_in_view_is_lit() -> None:
    conversation = replay(11)
    back = replace(conversation.view, cursor=4)

    assert links_after(back, -1) == frozenset()
    assert len(marks_of(back).lit) == 1


FAN = Graph(
    "fan",
    tuple(Node(NodeId(name), name) for name in ("plan", "a", "b", "c", "join")),
    (
        *(Edge(NodeId("plan"), NodeId(name), "conditional") for name in "abc"),
        *(Edge(NodeId(name), NodeId("join")) for name in "abc"),
    ),
)


def test_each_branch_of_a_run_has_a_light_of_its_own() -> None:
    plan = layout(FAN, Options(zoom="row"))
    links = [(NodeId("plan"), NodeId(name)) for name in "abc"]
    links += [(NodeId(name), NodeId("join")) for name in "abc"]

    def cells(*path: str) -> tuple[tuple[int, int], ...]:
        wires = [plan.wires[plan.wire_of[NodeId(a), NodeId(b)]] for a, b in pairwise(path)]
        return tuple(cell for wire in wires for cell in wire.cells)

    assert trails(plan, links) == [cells("plan", name, "join") for name in "abc"]
    assert trails(plan, [(NodeId("gone"), NodeId("a"))]) == []


async def test_all_nodes_of_a_parallel_superstep_are_marked_and_in_view() -> None:
    """Also where the first of them alone would have been in view before."""
    nodes = tuple(Node(NodeId(f"work {i}"), f"work {i}") for i in range(6))
    long = chain(12)
    graph = Graph(
        "wide",
        (*long.nodes, *nodes),
        (*long.edges, *(Edge(NodeId("step 9"), node.id, "conditional") for node in nodes)),
    )
    app = Viewer(graph, Options(zoom="row"))
    async with app.run_test(size=(70, 12)) as pilot:
        app.animation_level = "none"
        view = app.view
        view.zoom_in()
        view.zoom_in()
        await settled(app, pilot)
        current = [node.id for node in nodes[:3]]
        view.mark(Marks(current=frozenset(current)))
        view.follow(*current)
        await pilot.pause()

        assert shown(view).count("▶ work") == 3


async def test_following_what_is_in_view_moves_nothing() -> None:
    app = Viewer(chain(30))
    async with app.run_test(size=(60, 20)) as pilot:
        app.animation_level = "none"
        view = app.view
        await settled(app, pilot)
        view.zoom_in()
        await settled(app, pilot)
        view.follow(NodeId("step 20"))
        await pilot.pause()
        before = view.scroll_offset
        assert before.y > 0
        assert view.plan is not None
        visible = [
            place.id
            for place in view.plan.places.values()
            if before.y + 2 < place.y and place.y + place.height < before.y + view.size.height - 2
        ]
        for node in visible:
            view.follow(node)
            await pilot.pause()
            assert view.scroll_offset == before


async def test_no_clock_runs_while_nothing_moves() -> None:
    """A debugger that waits for a person costs nothing."""
    app = Viewer(FAN)
    async with app.run_test(size=(60, 30)) as pilot:
        app.animation_level = "full"
        view = app.view
        idle = set(app.view._timers)
        view.run_dots([(NodeId("plan"), NodeId("a")), (NodeId("a"), NodeId("join"))])
        assert view.dots.ticking
        for _ in range(100):
            view.dots.tick()
        await pilot.pause()

        assert not view.dots.ticking
        assert {timer for timer in view._timers if timer not in idle} == set()
        assert app.animator._idle_event.is_set()


async def test_without_animations_no_clock_starts_and_the_picture_jumps() -> None:
    """Textual's own setting, TEXTUAL_ANIMATIONS=none, and reduced motion by it."""
    app = Viewer(chain(30))
    async with app.run_test(size=(60, 20)) as pilot:
        app.animation_level = "none"
        view = app.view
        await settled(app, pilot)
        view.zoom_in()
        await settled(app, pilot)
        view.run_dots([(NodeId("step 1"), NodeId("step 2"))])
        view.follow(NodeId("step 20"))
        await pilot.pause()

        assert not view.dots.ticking
        assert not app.animator._animations
        assert "step 20" in shown(view)


async def test_breakpoints_of_a_view_are_marked_on_and_off() -> None:
    async with driven(11) as app:
        points = (
            Breakpoint(1, node="Edit.afterModel"),
            Breakpoint(2, node="HITL.afterModel", enabled=False),
        )
        await app.show(breakpoints=points)

        assert "● › Edit.afterModel" in app.text
        assert "○ · HITL.afterModel" in app.text


def fan_view(*live: str, held: str, all_stopped: bool = True) -> View:
    """A superstep of three branches under way, one of them held."""
    made = Made(graph_of(*FAN.nodes, edges=FAN.edges))
    made.step("plan", {"log": 1}, route=Route((NodeId("a"), NodeId("b"), NodeId("c")), "fan out"))
    site = Site("node", NodeId(held))
    stop = Stop(
        StopId(2), 2, "held", ("step",), frozenset(), site, "enter", TaskId("t"), 2, all_stopped=all_stopped
    )
    entered = tuple(NodeEntered(Site("node", NodeId(node)), TaskId(node), 2) for node in live)
    return made.view(stop=stop, held=(stop,), live=entered)


def test_all_branches_of_a_superstep_are_current_and_what_has_run_of_them_is_done() -> None:
    """The engine runs them one after another; what they wrote comes with the last."""
    first = marks_of(fan_view(held="a"))
    second = marks_of(fan_view("a", held="b"))

    assert first.current == {"a", "b", "c"}
    assert first.next == {"join"}
    assert second.current == {"b", "c"}
    assert second.done == {"plan", "a"}


def test_a_branch_that_still_runs_beside_a_held_one_is_not_done() -> None:
    marks = marks_of(fan_view("a", held="b", all_stopped=False))

    assert marks.current == {"a", "b", "c"}
    assert "a" not in marks.done


def test_the_subgraph_around_a_held_node_is_not_done() -> None:
    inner = Node(NodeId("team:x"), "x", parent=NodeId("team"))
    made = Made(graph_of(Node(NodeId("team"), "team", "subgraph"), inner))
    site = Site("node", inner.id)
    stop = Stop(StopId(2), 2, "held", ("step",), frozenset(), site, "enter", TaskId("t"), 2)
    live = (NodeEntered(Site("node", NodeId("team")), TaskId("t"), 1),)
    marks = marks_of(made.view(stop=stop, held=(stop,), live=live))

    assert "team" not in marks.done
    assert {"team", "team:x"} <= marks.current


def _nested() -> Made:
    """A team in a graph; its last node and the team itself are committed in steps of one number."""
    team = NodeId("team")
    made = Made(
        graph_of(
            Node(team, "team", "subgraph"),
            Node(NodeId("team:sift"), "sift", parent=team),
            Node(NodeId("team:__end__"), "END", "end", parent=team),
            Node(NodeId("boss"), "boss"),
        )
    )
    made.step("team:sift", {}, scope=team, superstep=1, route=Route((NodeId("team:__end__"),), "fixed"))
    made.step("team", {"notes": 1}, superstep=1, route=Route((NodeId("boss"),), "fixed"))
    return made


def test_no_run_is_ever_at_the_end_of_a_subgraph() -> None:
    """END runs nothing: a picture that points at it while another node is held tells of two places."""
    made = _nested()
    stop = Stop(
        StopId("s"), 1, "held", ("step",), frozenset(), site=Site("node", NodeId("boss")), phase="enter",
        next=(NodeId("boss"),), all_stopped=True,
    )  # fmt: skip

    assert marks_of(made.view(stop=stop)).current == {NodeId("boss")}
    assert marks_of(made.view(cursor=0)).current == set()
    assert marks_of(made.view(cursor=1)).current == {NodeId("boss")}
