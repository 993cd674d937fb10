"""The Node tab: who acts at a node, where, on which data, how it is mounted, what went in and out.

Every line is computed from the compiled graph and from the run; nothing is said that neither of them holds.
"""

from __future__ import annotations

from bisect import bisect_right

from hookstepper.client.view import View
from hookstepper.model.graph import HOOK_KINDS, Node
from hookstepper.model.ids import START, NodeId
from hookstepper.model.record import StepDone
from hookstepper.tui.rows.facts import POSITIONS, label, ordinal, place_text, seconds, strategy
from hookstepper.tui.rows.lines import BLANK, Line, labelled, line, shown, wrap
from hookstepper.tui.rows.node_page import COLUMN, RECENT, Page
from hookstepper.tui.rows.node_values import in_and_out, is_whole
from hookstepper.tui.rows.row import cut, row, spread
from hookstepper.tui.words import tr


def node_in_view(view: View, chosen: NodeId | None) -> NodeId | None:
    """The node that the tab is about: the chosen one, else the one looked back at, else ▶, else the last."""
    if chosen is not None and view.graph is not None and view.graph.node(chosen) is not None:
        return chosen
    if view.looking_back:
        return view.trace.steps[view.at].site.node if view.at >= 0 else None
    if view.next_nodes:
        return view.next_nodes[0]
    if view.live:
        return view.live[0].site.node
    if view.failed_at is not None:
        return view.failed_at
    return view.trace.steps[view.at].site.node if 0 <= view.at < len(view.trace.steps) else None


def node_lines(
    view: View, width: int, chosen: NodeId | None = None, opened: frozenset[str] = frozenset()
) -> list[Line]:
    """The six facets of one node.

    Args:
        opened: ids of the lines `in` and `out` that stand open.
    """
    if view.graph is None:
        return [line(" ", (tr("The graph is not loaded yet."), "muted"))]
    node_id = node_in_view(view, chosen)
    node = view.graph.node(node_id) if node_id is not None else None
    if node is None:
        return [line(" ", (tr("No node is chosen: move the cursor on the graph."), "muted"))]
    visits = visits_of(view, node.id)
    page = Page(view, node, visits, node.id in view.next_nodes, width)
    if node.kind in ("start", "end"):
        return [*_title(page), *_facet(page, "who", _ends(node))]
    lines = _title(page)
    lines += _facet(page, "who", _who(page))
    lines += _facet(page, "where", _where(page))
    lines += _facet(page, "data", _data(page))
    lines += _facet(page, "mounted as", _mounted(page))
    lines += in_and_out(page, opened)
    lines += _rings(page)
    lines += _visits(page)
    return lines


def visits_of(view: View, node_id: NodeId) -> list[StepDone]:
    """The steps of a node up to the step in view, on its line of history, oldest first."""
    visits = view.trace.visits(node_id)
    found = visits[: bisect_right(visits, view.at)]
    if len(view.trace.branches) > 1:
        mine = set(view.trace.line_to(min(view.at, view.trace.last)))
        found = [index for index in found if index in mine]
    return [view.trace.steps[index] for index in found]


def _title(page: Page) -> list[Line]:
    said = []
    if page.runs_next:
        said.append(tr("runs next"))
    elif any(entered.site.node == page.node.id for entered in page.view.live):
        said.append(tr("runs now"))
    elif not page.visits and page.node.kind not in ("start", "end"):
        said.append(tr("not run yet"))
    count = len(page.visits) + page.runs_next
    if count:
        said.append(f"×{count}")
    spans = spread(
        row(" ", (shown(page.node.id, 300), "strong")), row((" · ".join(said), "next"), " "), page.width
    )
    return [Line(spans, "n:id", node=page.node.id, text=page.node.id)]


def _facet(page: Page, name: str, said: str) -> list[Line]:
    rows = labelled(tr(name), wrap(said, page.width - COLUMN), COLUMN)
    return [
        Line(cut(each, page.width), f"n:{name}" if place == 0 else "", text=said)
        for place, each in enumerate(rows)
    ]


def _ends(node: Node) -> str:
    if node.id == START or node.kind == "start":
        return tr("framework: where every run begins; holds no code")
    return tr("framework: where every run ends; holds no code")


# ------------------------------------------------------------------------------------------ the facets


def _who(page: Page) -> str:
    node = page.node
    if node.kind in HOOK_KINDS:
        if node.index is None:
            return tr("framework (a hook that is always added)")
        return tr("framework (a hook you registered, {nth})", nth=ordinal(node.index + 1))
    if node.kind == "model":
        return tr("model")
    if node.kind == "tool":
        names = ", ".join(shown(name, 60) for name in node.tools)
        return tr("tool: {names}", names=names) if names else tr("tool")
    if node.kind == "subgraph":
        return tr("framework (a graph inside this one)")
    if node.can_ask:
        return tr("human: this node may ask you")
    return tr("framework (a node of your graph)")


def _where(page: Page) -> str:
    step = page.last
    parts = []
    host = _host(page)
    task = step.task if step is not None else ""
    if page.runs_next and page.view.stop is not None and page.view.stop.task is not None:
        task = page.view.stop.task
    if host:
        parts.append(tr("agent process {host}", host=host))
    if task:
        # A task is named by its node; what tells two tasks apart stands before that.
        parts.append(tr("task {task}", task=shown(str(task).split(":")[0], 80)))
    if page.node.parent is not None:
        parts.append(tr("inside {node}", node=label(page.view, page.node.parent)))
    place = place_text(page.node.source)
    parts.append(place or tr("no source: built into the framework"))
    return tr(", ").join(parts)


def _host(page: Page) -> str:
    steps = page.view.trace.steps
    return shown(str(steps[-1].host).split("-")[0], 60) if steps else ""


def _data(page: Page) -> str:
    step = page.last
    if step is None:
        return _declared_data(page)
    recent = page.visits[-RECENT:]
    reads = dict.fromkeys(key for visit in recent for key in visit.reads)
    writes = dict.fromkeys(key for visit in recent for key in visit.writes)
    parts = []
    if reads:
        parts.append(tr("reads {keys}", keys=", ".join(shown(key, 60) for key in reads)))
    if writes:
        parts.append(tr("writes {keys}", keys=", ".join(_with_strategy(page, key) for key in writes)))
    else:
        parts.append(tr("wrote nothing"))
    before = _checkpoint_before(page)
    if page.runs_next and before:
        parts.append(tr("gets checkpoint {id}", id=before))
    elif step.checkpoint:
        parts.append(tr("its result is checkpoint {id}", id=short_id(step.checkpoint)))
    return " · ".join(parts)


def _declared_data(page: Page) -> str:
    before = _checkpoint_before(page)
    if page.runs_next and before:
        return tr("not known before it has run · gets checkpoint {id}", id=before)
    return tr("not known before it has run")


def _with_strategy(page: Page, key: str) -> str:
    whole = any(
        is_whole(visit.update.get(key)) for visit in page.visits[-RECENT:] if isinstance(visit.update, dict)
    )
    named = tr("whole list") if whole else strategy(page.view, key)
    return f"{shown(key, 60)} ({named})" if named else shown(key, 60)


def _checkpoint_before(page: Page) -> str:
    at = page.view.at
    if not 0 <= at < len(page.view.trace.steps):
        return ""
    checkpoint = page.view.trace.steps[at].checkpoint
    return short_id(checkpoint) if checkpoint else ""


def short_id(ident: str) -> str:
    """The first eight characters of a long id; short ones whole."""
    return shown(ident if len(ident) <= 12 else ident[:8], 40)


def _mounted(page: Page) -> str:
    node, view = page.node, page.view
    if node.kind in HOOK_KINDS:
        chain = chain_of(view, node)
        place, count = chain.index(node.id) + 1, len(chain)
        said = tr(
            "graph node: {position}, {nth} of {count} to run, order {order}",
            position=tr(POSITIONS[node.kind]),
            nth=ordinal(place),
            count=count,
            order=node.order,
        )
    elif node.kind == "subgraph":
        said = tr("graph node that holds a graph of its own")
    else:
        said = tr("graph node: {kind}", kind=tr(node.kind))
    parts = [said, *_anchors(page)]
    if node.jumps:
        parts.append(tr("may jump: {words}", words=", ".join(node.jumps)))
    if node.can_ask and node.kind in HOOK_KINDS:
        parts.append(tr("may ask you"))
    if node.rings:
        count = len(node.rings)
        parts.append(
            tr("1 ring around its calls") if count == 1 else tr("{n} rings around its calls", n=count)
        )
    if node.note:
        parts.append(shown(node.note, 200))
    return " · ".join(parts)


def chain_of(view: View, node: Node) -> list[NodeId]:
    """The hooks of the node's position in the order in which they run, told by the edges between them.

    Where edges do not tell (an unknown engine), by order, then by registration; after-hooks backwards.
    """
    assert view.graph is not None
    nodes = [each for each in view.graph.nodes if each.kind == node.kind and each.parent == node.parent]
    ids = {each.id for each in nodes}
    follow = {
        edge.source: edge.target
        for edge in view.graph.edges
        if {edge.source, edge.target} <= ids and edge.kind != "jump"
    }
    starts = [each.id for each in nodes if each.id not in follow.values()]
    chain: list[NodeId] = []
    if len(starts) == 1:
        here: NodeId | None = starts[0]
        while here is not None and here not in chain:
            chain.append(here)
            here = follow.get(here)
    if len(chain) == len(nodes):
        return chain
    ordered = sorted(nodes, key=lambda each: (each.order, -1 if each.index is None else each.index))
    if node.kind in ("after_model", "after_agent"):
        ordered.reverse()
    return [each.id for each in ordered]


def _anchors(page: Page) -> list[str]:
    assert page.view.graph is not None
    anchors = page.view.graph.anchors
    named = {
        "entry": anchors.entry,
        "loop entry": anchors.loop_entry,
        "loop exit": anchors.loop_exit,
        "exit": anchors.exit,
    }
    return [f"‹{tr(name)}›" for name, node in named.items() if node == page.node.id]


# ------------------------------------------------------------------------------------------ rings, visits


def _rings(page: Page) -> list[Line]:
    if not page.node.rings:
        return []
    lines = [BLANK, line(" ", (tr("Rings, outermost first"), "title"))]
    for place, ring in enumerate(page.node.rings):
        brought = tr("from {who}", who=shown(ring.brought_by, 80)) if ring.brought_by else ""
        spans = row(
            "   ",
            (f"{place + 1} ", "muted"),
            (shown(ring.name, 120), "name"),
            f"  {tr(ring.kind)}",
            (f"  {brought}", "muted"),
        )
        lines.append(Line(cut(spans, page.width), f"n:ring{place}"))
    return lines


def _visits(page: Page) -> list[Line]:
    if not page.visits:
        return []
    lines = [BLANK, line(" ", (tr("Its visits, Enter looks at one"), "title"))]
    for step in reversed(page.visits[-50:]):
        to = ", ".join(label(page.view, each) for each in step.route.to) if step.route is not None else ""
        said = ", ".join(shown(key, 60) for key in step.writes) or tr("wrote nothing")
        spans = row("   ", (tr("step {n}", n=step.index + 1), "key"), f"  {said}")
        tail = row((f"→ {to}" if to else "", "muted"), f"  {seconds(step.duration_us)} ")
        lines.append(
            Line(spread(spans, tail, page.width), f"n:visit{step.index}", node=page.node.id, step=step.index)
        )
    if len(page.visits) > 50:
        lines.append(line("   ", (tr("… {n} earlier", n=len(page.visits) - 50), "muted")))
    return lines
