"""The form of the picture: in a worker, a part first, like the one before when the graph has grown."""

from __future__ import annotations

from dataclasses import replace

from textual.widgets import Static

from hookstepper.model.graph import Edge, Node
from hookstepper.model.ids import NodeId
from hookstepper.picture import Options, layout
from hookstepper.tui.graph_parts import grew
from hookstepper.tui.graph_view import GraphView
from tui.support.graph_views import Viewer, chain, settled, shown, team
from unit.picture.graphs import messy, rand


def ranks(view: GraphView) -> dict[NodeId, tuple[int, int]]:
    """Rank of every node, and its place on the rank."""
    assert view.plan is not None
    rows: dict[int, list[NodeId]] = {}
    for place in sorted(view.plan.places.values(), key=lambda place: place.x):
        rows.setdefault(place.rank, []).append(place.id)
    return {node: (rank, row.index(node)) for rank, row in rows.items() for node in row}


async def test_an_edge_that_a_run_took_moves_no_node_to_another_place() -> None:
    """A picture that one has learned stays; made anew, the same graph would come out otherwise."""
    told = 0
    for seed in range(12):
        graph = rand(18, seed)
        names = [node.id for node in graph.nodes]
        known = {(edge.source, edge.target) for edge in graph.edges}
        extra = next((a, b) for a in names[3:] for b in names[9:] if a != b and (a, b) not in known)
        more = replace(graph, edges=(*graph.edges, Edge(*extra, "conditional", "", "observed")))
        app = Viewer(graph, Options(zoom="row"))
        async with app.run_test(size=(100, 30)) as pilot:
            await settled(app, pilot)
            assert app.view.plan is not None
            before, zoom = app.view.plan, app.view.zoom
            app.view.show(more)
            await settled(app, pilot)
            after = app.view.plan
            likeness = layout(more, replace(after.options, zoom=zoom), before)
            if after.options.zoom == zoom:
                assert after.base.text() == likeness.base.text()
            told += likeness.base.text() != layout(more, replace(after.options, zoom=zoom)).base.text()

    assert told > 0, "no graph in which it makes a difference"


async def test_another_graph_is_laid_out_as_if_it_were_the_first() -> None:
    one, other = rand(18, 1), replace(rand(18, 1), name="other")
    app, fresh = Viewer(one), Viewer(other)
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(app, pilot)
        app.view.show(other)
        await settled(app, pilot)
        again = shown(app.view)
    async with fresh.run_test(size=(100, 30)) as pilot:
        await settled(fresh, pilot)
        assert shown(fresh.view) == again


async def test_what_a_person_folded_is_laid_out_anew_after_the_graph_has_grown() -> None:
    graph = team()
    more = replace(graph, edges=(*graph.edges, Edge(NodeId("team"), NodeId("model"), "jump", "", "observed")))
    app = Viewer(graph)
    async with app.run_test(size=(100, 40)) as pilot:
        app.view.show(more)
        app.view.toggle_subgraph(NodeId("team"))
        await pilot.pause()
        folded = Options(collapsed=frozenset({NodeId("team")}), width=app.view.size.width)

        assert app.view.canvas is not None
        assert app.view.canvas.text() == layout(more, replace(folded, zoom=app.view.zoom)).base.text()


def test_a_graph_has_grown_if_it_holds_all_of_the_old_one() -> None:
    graph = messy(3)

    assert grew(graph, graph)
    assert grew(graph, replace(graph, nodes=(*graph.nodes, Node(NodeId("new"), "new"))))
    assert not grew(graph, replace(graph, nodes=graph.nodes[1:]))
    assert not grew(graph, replace(graph, edges=graph.edges[1:]))
    assert not grew(graph, replace(graph, name="other"))


async def test_a_part_is_shown_at_once_then_a_larger_one_with_the_progress_then_all() -> None:
    """A person who opens a large graph sees that something comes, and what begins it."""
    app, graph = Viewer(), rand(120, 7)
    sizes: list[int] = []
    shares: list[float] = []
    async with app.run_test(size=(80, 24)) as pilot:
        view = app.view
        progressed = view.layout_progressed

        def note() -> None:
            assert view.progress is not None
            shares.append(view.progress)
            if view.plan is not None:
                sizes.append(len(view.plan.places))
            assert f"laying out {len(graph.nodes)} nodes" in shown(view).splitlines()[-1]
            progressed()

        view.layout_progressed = note  # type: ignore[method-assign]
        view.show(graph)
        assert view.plan is not None
        sizes.append(len(view.plan.places))
        assert graph.nodes[1].label in shown(view)
        await settled(app, pilot)

        assert sizes == sorted(sizes)
        assert sizes[0] < 20 < sizes[-1] < len(view.plan.places) == len(graph.nodes)
        assert len(shares) > 3
        assert shares == sorted(shares)
        assert "laying out" not in shown(view)


async def test_a_form_that_is_left_again_is_given_up() -> None:
    """Only what was asked for last is shown, whichever thread is done first."""
    app = Viewer(chain(100))
    async with app.run_test(size=(80, 24)) as pilot:
        for _ in range(3):
            app.view.zoom_in()
            app.view.zoom_out()
            app.view.zoom_in()
        app.view.fit()
        await settled(app, pilot)
        wanted = shown(app.view)
        await pilot.pause()

        assert shown(app.view) == wanted
        assert app.view.plan is not None
        assert app.view.plan.options.zoom == "row"


async def test_the_old_form_stays_in_view_while_another_is_made() -> None:
    app = Viewer(chain(60))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(app, pilot)
        before = app.view.plan
        app.view.zoom_in()
        assert app.view.progress is not None
        assert app.view.plan is before
        await settled(app, pilot)

        assert app.view.plan is not before


async def test_what_was_followed_is_in_view_when_the_layout_arrives() -> None:
    app = Viewer()
    async with app.run_test(size=(60, 20)) as pilot:
        app.animation_level = "none"
        app.view.show(chain(90))
        app.view.follow(NodeId("step 80"))
        await settled(app, pilot)

        assert "step 80" in shown(app.view)


async def test_an_app_that_is_left_while_a_layout_is_made_ends() -> None:
    app = Viewer(chain(400))
    async with app.run_test(size=(80, 24)):
        await app.mount(Static("other"))
        assert app.view.progress is not None
