"""What the run puts on the picture, read from the view: where it is, was and will go."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from hookstepper.client.view import View
from hookstepper.model.ids import END, NodeId
from hookstepper.model.record import StepDone
from hookstepper.picture import Marks
from hookstepper.tui.rows.ahead import ahead
from hookstepper.tui.rows.lines import shown
from hookstepper.tui.rows.row import Row, row
from hookstepper.tui.words import tr


def marks_of(view: View, cursor: NodeId | None = None) -> Marks:
    """Marks for the step in view. Costs the steps of one turn and the nodes, not the length of the record."""
    if view.graph is None:
        return Marks(cursor=cursor)
    current = current_nodes(view)
    turn = _turn_steps(view)
    ran: dict[NodeId, bool] = {}
    skipped: set[NodeId] = set()
    by_hand: set[NodeId] = set()
    for step in turn:
        node = step.site.node
        ran[node] = bool(step.delta)
        skipped.discard(node)
        skipped.update(step.skipped)
        if step.by_hand:
            by_hand.add(node)
    visited: set[NodeId] = set()
    setup: set[NodeId] = set()
    for node_id in (each.id for each in view.graph.nodes):
        index = _last_visit(view, node_id)
        if index is not None:
            (setup if _in_setup(view, index) else visited).add(node_id)
    last = turn[-1] if turn else None
    return Marks(
        current=frozenset(current),
        next=frozenset(_predicted(view, current)),
        done=frozenset(ran) | setup | landed_nodes(view),
        earlier=frozenset(visited - set(ran)),
        skipped=frozenset(skipped),
        failed=frozenset(_failed(view)),
        waiting=frozenset(_waiting(view)),
        quiet=frozenset(node for node, wrote in ran.items() if not wrote),
        by_hand=frozenset(by_hand),
        breakpoints=frozenset(_breaks(view, enabled=True)),
        disabled=frozenset(_breaks(view, enabled=False)),
        jumps=_jumps(view),
        cursor=cursor,
        lit=frozenset((last.site.node, to) for to in last.route.to) if last and last.route else frozenset(),
    )


def current_nodes(view: View) -> tuple[NodeId, ...]:
    """The nodes that ▶ stands at: held first, running, due; in the past those that ran next."""
    if view.cursor is not None:
        return _nodes_after(view, view.cursor)
    live = [entered.site.node for entered in view.live]
    stop = view.stop
    if stop is None or stop.posture != "held" or stop.site is None:
        over = view.phase in ("ended", "aborted", "gone", "failed")
        return tuple(live) if live or over else view.next_nodes
    held = [each.site.node for each in (view.held or (stop,)) if each.site is not None]
    found = [*held, *view.next_nodes]
    found += [node for node in live if node not in landed_nodes(view)]
    due = _due_together(view)
    if not due.isdisjoint(held):
        landed = landed_nodes(view)
        found += [node.id for node in view.graph.nodes if node.id in due - landed] if view.graph else []
    return tuple(dict.fromkeys(found))


def landed_nodes(view: View) -> frozenset[NodeId]:
    """Nodes that have run in the superstep under way; what they wrote waits for the others."""
    stop = view.stop
    if view.cursor is not None or stop is None or stop.posture != "held" or not stop.all_stopped:
        return frozenset()
    held = {each.site.node for each in (view.held or (stop,)) if each.site is not None}
    around = {outer for node in held for outer in _around(view, node)}
    return frozenset(entered.site.node for entered in view.live) - held - around


def _around(view: View, node: NodeId) -> set[NodeId]:
    """The subgraphs that a node is in: they run as long as it does."""
    parents = {each.id: each.parent for each in view.graph.nodes} if view.graph is not None else {}
    found: set[NodeId] = set()
    outer = parents.get(node)
    while outer is not None and outer not in found:
        found.add(outer)
        outer = parents.get(outer)
    return found


def _due_together(view: View) -> set[NodeId]:
    """The nodes that the superstep before the one under way has sent the run to."""
    trace = view.trace
    due: set[NodeId] = set()
    last = trace.steps[trace.head].superstep if trace.head >= 0 else -1
    for index in trace.back_from(trace.head):
        step = trace.steps[index]
        if step.superstep != last:
            break
        due.update(step.route.to if step.route is not None else ())
    return due - _ends(view)


def _ends(view: View) -> set[NodeId]:
    """START and END of the graph and of its subgraphs: they run nothing, so no run is ever at one."""
    nodes = view.graph.nodes if view.graph is not None else ()
    return {END, *(node.id for node in nodes if node.kind in ("start", "end"))}


def _nodes_after(view: View, index: int) -> tuple[NodeId, ...]:
    if index < 0:
        return (view.trace.steps[0].site.node,) if view.trace.steps else ()
    route = view.trace.steps[index].route
    ends = _ends(view)
    return tuple(node for node in route.to if node not in ends) if route is not None else ()


def _turn_steps(view: View) -> list[StepDone]:
    """The steps of the turn in view, oldest first; what comes after the last turn counts with it."""
    trace = view.trace
    here = trace.place(view.at)
    if here is None:
        return []
    found: list[StepDone] = []
    for index in trace.back_from(view.at):
        place = trace.place(index)
        if place is None or (place.run, place.count) != (here.run, here.count):
            break
        found.append(trace.steps[index])
    return found[::-1]


def _last_visit(view: View, node: NodeId) -> int | None:
    visits = view.trace.visits(node)
    place = bisect_right(visits, view.at)
    return visits[place - 1] if place else None


def _in_setup(view: View, index: int) -> bool:
    """True if the step belongs to the setup of the run in view: it holds for every turn."""
    place, here = view.trace.place(index), view.trace.place(view.at)
    return place is not None and here is not None and place.kind == "setup" and place.run == here.run


def _predicted(view: View, current: Iterable[NodeId]) -> set[NodeId]:
    graph = view.graph
    if graph is None:
        return set()
    pending = view.stop.pending_jump if view.stop is not None and view.cursor is None else ""
    found: set[NodeId] = set()
    for node in current:
        ways = ahead(graph, node)
        target = dict(ways.jumps).get(pending) or ways.default
        if target is not None and target != END:
            found.add(target)
    return found - set(current)


def _failed(view: View) -> set[NodeId]:
    return {view.failed_at} if view.failed_at is not None and view.cursor is None else set()


def _waiting(view: View) -> set[NodeId]:
    if view.stop is None or view.cursor is not None:
        return set()
    return {ask.node for ask in view.stop.asks}


def _breaks(view: View, *, enabled: bool) -> set[NodeId]:
    if view.graph is None:
        return set()
    names = {point.node for point in view.places if point.enabled == enabled and point.on == "node"}
    return {node.id for node in view.graph.nodes if node.id in names or node.label in names}


def _jumps(view: View) -> tuple[tuple[NodeId, str], ...]:
    stop = view.stop
    if stop is None or view.cursor is not None or not stop.pending_jump:
        return ()
    node = stop.site.node if stop.site is not None else stop.next[0] if stop.next else None
    return ((node, stop.pending_jump),) if node is not None else ()


def graph_titles(view: View, *, folded: bool) -> tuple[str, str]:
    """The words on the frame of the picture."""
    words: list[str] = []
    if view.at >= 0:
        words.append(tr("step {step}", step=view.at + 1))
        turn = view.trace.turn_of(view.at)
        if turn:
            words.append(tr("turn {turn}", turn=turn))
    if folded:
        words.append(tr("hook chains folded, x unfolds"))
    return tr("Graph"), " · ".join(words)


def legend_row() -> Row:
    """What the marks mean."""
    marks = (("✓", "ran"), ("▶", "runs next"), ("›", "then"), ("·", "ran in an earlier turn"), ("●", "stop"))
    return row(("  " + "  ".join(f"{mark} {tr(word)}" for mark, word in marks), "muted"))


def loading_rows(view: View) -> list[Row]:
    """What stands in place of the picture while the target loads."""
    name = shown(view.target).rsplit("/", 1)[-1]
    return [row((tr("loading {target}", target=name), "muted"))]
