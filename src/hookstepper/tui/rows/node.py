"""The Node tab: who acts at a node, where, on which data, how it is mounted, what went in and out.

Every line is computed from the compiled graph and from the run; nothing is said that neither of them holds.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from hookstepper.client.view import View
from hookstepper.model.graph import HOOK_KINDS, Node
from hookstepper.model.ids import START, Json, NodeId
from hookstepper.model.record import StepDone
from hookstepper.tui.rows.facts import POSITIONS, label, ordinal, place_text, seconds, strategy
from hookstepper.tui.rows.lines import BLANK, Line, labelled, line, shown, value_text, wrap
from hookstepper.tui.rows.messages import read_message
from hookstepper.tui.rows.row import cut, row, spread
from hookstepper.tui.rows.state import summary
from hookstepper.tui.words import tr, tr_as

RECENT = 100
"""Visits that tell what a node reads and writes; more would tell the same."""
COLUMN = 13
"""Cells of the left column: a blank, the longest facet name, two blanks."""


@dataclass(frozen=True, slots=True)
class _Page:
    view: View
    node: Node
    visits: Sequence[StepDone]
    """Steps of the node up to the step in view, oldest first."""
    runs_next: bool
    width: int

    @property
    def last(self) -> StepDone | None:
        return self.visits[-1] if self.visits else None


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
    page = _Page(view, node, visits, node.id in view.next_nodes, width)
    if node.kind in ("start", "end"):
        return [*_title(page), *_facet(page, "who", _ends(node))]
    lines = _title(page)
    lines += _facet(page, "who", _who(page))
    lines += _facet(page, "where", _where(page))
    lines += _facet(page, "data", _data(page))
    lines += _facet(page, "mounted as", _mounted(page))
    lines += _in_and_out(page, opened)
    lines += _rings(page)
    lines += _visits(page)
    return lines


def visits_of(view: View, node_id: NodeId) -> list[StepDone]:
    """The steps of a node up to the step in view, on its line of history, oldest first."""
    visits = view.trace.visits(node_id)
    found = visits[: bisect_right(visits, view.at)]
    if len(view.trace.branches) > 1:
        mine = set(view.trace.back_from(min(view.at, view.trace.last)))
        found = [index for index in found if index in mine]
    return [view.trace.steps[index] for index in found]


def _title(page: _Page) -> list[Line]:
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


def _facet(page: _Page, name: str, said: str) -> list[Line]:
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


def _who(page: _Page) -> str:
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


def _where(page: _Page) -> str:
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


def _host(page: _Page) -> str:
    steps = page.view.trace.steps
    return shown(str(steps[-1].host).split("-")[0], 60) if steps else ""


def _data(page: _Page) -> str:
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


def _declared_data(page: _Page) -> str:
    before = _checkpoint_before(page)
    if page.runs_next and before:
        return tr("not known before it has run · gets checkpoint {id}", id=before)
    return tr("not known before it has run")


def _with_strategy(page: _Page, key: str) -> str:
    whole = any(
        _is_whole(visit.update.get(key)) for visit in page.visits[-RECENT:] if isinstance(visit.update, dict)
    )
    named = tr("whole list") if whole else strategy(page.view, key)
    return f"{shown(key, 60)} ({named})" if named else shown(key, 60)


def _checkpoint_before(page: _Page) -> str:
    at = page.view.at
    if not 0 <= at < len(page.view.trace.steps):
        return ""
    checkpoint = page.view.trace.steps[at].checkpoint
    return short_id(checkpoint) if checkpoint else ""


def short_id(ident: str) -> str:
    """The first eight characters of a long id; short ones whole."""
    return shown(ident if len(ident) <= 12 else ident[:8], 40)


def _mounted(page: _Page) -> str:
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


def _anchors(page: _Page) -> list[str]:
    assert page.view.graph is not None
    anchors = page.view.graph.anchors
    named = {
        "entry": anchors.entry,
        "loop entry": anchors.loop_entry,
        "loop exit": anchors.loop_exit,
        "exit": anchors.exit,
    }
    return [f"‹{tr(name)}›" for name, node in named.items() if node == page.node.id]


# ------------------------------------------------------------------------------------------ in and out


def _in_and_out(page: _Page, opened: frozenset[str]) -> list[Line]:
    state = _state_before(page)
    lines = _value(page, "in", _entering(state), state, opened)
    step = page.last
    if page.runs_next:
        before = tr("last time: {what}", what=_returned(step)) if step is not None else ""
        said = tr("(not run yet; {before})", before=before) if before else tr("(not run yet)")
        return lines + _value(page, "out", said, step.update if step is not None else None, opened)
    if step is None:
        return lines + _value(page, "out", tr("(not run yet)"), None, opened)
    return lines + _value(page, "out", _returned(step), step.update, opened)


def _state_before(page: _Page) -> Json:
    if page.runs_next or page.last is None:
        return page.view.trace.state(page.view.at)
    return page.view.trace.before(page.last.index)


def _entering(state: Json) -> str:
    if not isinstance(state, dict):
        return value_text(state, 60)
    talk = state.get("messages")
    if isinstance(talk, list):
        return f"messages, {summary(talk, 20)}"
    return summary(state, 20)


def _returned(step: StepDone | None) -> str:
    if step is None:
        return tr("nothing")
    if step.error:
        return f"✗ {shown(step.error, 300)}"
    if not step.writes and step.update in (None, {}):
        return tr("nothing")
    if isinstance(step.update, dict) and "$" not in step.update:
        return ", ".join(f"{shown(key, 60)} {_brief(value)}" for key, value in step.update.items())
    return ", ".join(step.writes) or value_text(step.update, 60)


def _is_whole(value: Json) -> bool:
    """True for an update that takes the place of a whole list, whatever the key's strategy."""
    return isinstance(value, dict) and value.get("$") == "replace_all"


def _brief(value: Json) -> str:
    if _is_whole(value) and isinstance(value, dict) and isinstance(value.get("items"), list):
        return tr("whole list, {items}", items=summary(value["items"], 24))
    message = read_message(value)
    return tr_as("role", shown(message.role, 30)) if message is not None else summary(value, 24)


def _value(page: _Page, name: str, said: str, value: Json, opened: frozenset[str]) -> list[Line]:
    ident = f"n:{name}"
    holds = isinstance(value, dict | list) and bool(value)
    is_open = holds and ident in opened
    rows = labelled(tr(name), wrap(said, page.width - COLUMN - 4), COLUMN)
    if holds:
        rows[-1] = (*rows[-1], *row("   ", ("▾" if is_open else "▸", "key")))
    lines = [
        Line(
            cut(each, page.width),
            ident if place == 0 else "",
            opens=is_open if holds and place == 0 else None,
            text=said,
        )
        for place, each in enumerate(rows)
    ]
    if is_open:
        lines += _parts(page, ident, value)
    return lines


def _parts(page: _Page, ident: str, value: Json) -> list[Line]:
    pairs: list[tuple[str, Json]] = []
    if isinstance(value, dict):
        pairs = [(key, inner) for key, inner in value.items() if key != "$"]
    elif isinstance(value, list):
        pairs = [(str(place), inner) for place, inner in enumerate(value)]
    lines = []
    for key, inner in pairs[:200]:
        room = max(8, page.width - COLUMN - len(key) - 4)
        spans = row(" " * COLUMN, (shown(key, 60), "key"), "  ", summary(inner, room))
        lines.append(Line(cut(spans, page.width), f"{ident}.{key}", text=value_text(inner, 4000)))
        if isinstance(inner, list):
            lines += _items(page, f"{ident}.{key}", inner)
    return lines


def _items(page: _Page, ident: str, items: list[Json]) -> list[Line]:
    from hookstepper.tui.rows.messages import message_text

    first = max(0, len(items) - 20)
    lines = [line(" " * (COLUMN + 2), (f"… {first}", "muted"))] if first else []
    for place, each in enumerate(items[first:], first):
        message = read_message(each)
        room = max(8, page.width - COLUMN - 6)
        said = (
            f"{tr_as('role', shown(message.role, 30))}  {message_text(message, room)}"
            if message is not None
            else summary(each, room)
        )
        spans = row(" " * (COLUMN + 2), (str(place), "muted"), " ", said)
        lines.append(Line(cut(spans, page.width), f"{ident}[{place}]"))
    return lines


# ------------------------------------------------------------------------------------------ rings, visits


def _rings(page: _Page) -> list[Line]:
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


def _visits(page: _Page) -> list[Line]:
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
