"""One picture in an app of its own, and a mouse for it."""

from __future__ import annotations

from itertools import pairwise

from textual import events
from textual.app import App, ComposeResult
from textual.message import Message
from textual.pilot import Pilot

from hookstepper.model.graph import Edge, Graph, Node, Ring
from hookstepper.model.ids import END, START, NodeId
from hookstepper.picture import Options
from hookstepper.tui.graph_view import GraphView


class Viewer(App[None]):
    """Shows a graph; keeps what the picture tells."""

    def __init__(self, graph: Graph | None = None, options: Options | None = None) -> None:
        super().__init__()
        self.view = GraphView(graph, options=options)
        self.seen: list[Message] = []

    def compose(self) -> ComposeResult:
        yield self.view

    def on_graph_view_node_picked(self, event: GraphView.NodePicked) -> None:
        self.seen.append(event)

    def on_graph_view_node_toggled(self, event: GraphView.NodeToggled) -> None:
        self.seen.append(event)


def chain(count: int) -> Graph:
    """A graph of so many nodes in a row."""
    names = [START, *(NodeId(f"step {i}") for i in range(count)), END]
    nodes = tuple(Node(name, name.strip("_")) for name in names)
    return Graph("chain", nodes, tuple(Edge(a, b) for a, b in pairwise(names)))


def team() -> Graph:
    """A subgraph of two nodes, after a model with two rings."""
    rings = (Ring("Retry", "model", "agent"), Ring("Cache", "model"))
    nodes = (
        Node(START, "START", "start"),
        Node(NodeId("model"), "model", "model", rings=rings),
        Node(NodeId("team"), "team", "subgraph"),
        Node(NodeId("team:a"), "writer", parent=NodeId("team")),
        Node(NodeId("team:b"), "critic", parent=NodeId("team"), can_ask=True),
        Node(END, "END", "end"),
    )
    edges = (
        Edge(START, NodeId("model")),
        Edge(NodeId("model"), NodeId("team")),
        Edge(NodeId("team:a"), NodeId("team:b"), "conditional", "draft"),
        Edge(NodeId("team"), END),
    )
    return Graph("team", nodes, edges)


def shown(view: GraphView) -> str:
    """What the widget shows, without trailing blanks."""
    return "\n".join(view.render_line(y).text.rstrip() for y in range(view.size.height))


def place_of(view: GraphView, text: str) -> tuple[int, int]:
    """Column and row in the widget of the first cell of a text that it shows."""
    for y, line in enumerate(shown(view).splitlines()):
        if text in line:
            return line.index(text), y
    raise AssertionError(f"{text!r} is not in\n{shown(view)}")


async def settled(app: App[None], pilot: Pilot[None]) -> None:
    """Wait until every layout has arrived and is drawn."""
    await pilot.pause()
    while app.query_one(GraphView).progress is not None:
        await app.workers.wait_for_complete()
        await pilot.pause()


async def hover(pilot: Pilot[None], view: GraphView, at: tuple[int, int]) -> str:
    """Move the mouse there; what the tooltip would say."""
    await pilot.hover(GraphView, offset=at)
    await pilot.pause()
    return str(view.tooltip or "")


async def drag(pilot: Pilot[None], view: GraphView, start: tuple[int, int], to: tuple[int, int]) -> None:
    """Press the left button, move in two parts, let go; then the click that a terminal app makes of it."""
    await pilot.mouse_down(GraphView, offset=start)
    middle = (start[0] + to[0]) // 2, (start[1] + to[1]) // 2
    for x, y in (middle, to):
        pilot.app.screen._forward_event(events.MouseMove(view, x, y, 0, 0, 1, False, False, False, x, y))
        await pilot.pause()
    await pilot.mouse_up(GraphView, offset=to)
    pilot.app.screen._forward_event(events.Click(view, *to, 0, 0, 1, False, False, False, *to))
    await pilot.pause()


async def wheel(
    pilot: Pilot[None], view: GraphView, down: bool, shift: bool = False, ctrl: bool = False
) -> None:
    """One notch of the wheel over the middle of the widget."""
    kind = events.MouseScrollDown if down else events.MouseScrollUp
    x, y = view.size.width // 2, view.size.height // 2
    pilot.app.screen._forward_event(kind(view, x, y, 0, 0, 0, shift, False, ctrl, x, y))
    await pilot.pause()
