"""Explain: what the thing under the cursor is, with the facts of this run and of this graph.

The general sentence says how such a graph works; the others are computed. Where the built-in agent departs
from what is often said about it, the real rule is told.
"""

from __future__ import annotations

from collections.abc import Iterator

from hookstepper.client.view import View
from hookstepper.model.graph import HOOK_KINDS, Graph, Node
from hookstepper.model.ids import END, START, NodeId
from hookstepper.tui.rows.facts import label, place_text
from hookstepper.tui.rows.lines import BLANK, Line, line, shown, wrap
from hookstepper.tui.rows.node import chain_of, node_in_view, visits_of
from hookstepper.tui.rows.row import Row
from hookstepper.tui.words import tr

WIDTH = 74
"""Cells of a line in the dialog; it fits 80 columns with its frame."""

OTHERS = (
    "Other descriptions of this router add a rule that tools which return directly end the run here, say "
    "that anything else goes back to the model, and that endless loops are found when the graph is compiled. "
    "The source has none of the three; warnings about loops and jumps are this tool's own."
)
"""What people read elsewhere about the router at the loop exit."""

_JAVA = {"entry": "entryNode", "loop entry": "loopEntryNode", "loop exit": "loopExitNode", "exit": "exitNode"}
"""Names that ReactAgent's compiler has for the four anchors."""


def explain_title(view: View, chosen: NodeId | None) -> str:
    """What the dialog is about: an anchor if the node is one, else the node's name."""
    node = node_in_view(view, chosen)
    if node is None or view.graph is None:
        return tr("Explain")
    names = _anchor_names(view.graph, node)
    return f"{tr('Explain')} · {tr(names[0]) if names else label(view, node)}"


def explain_lines(view: View, chosen: NodeId | None, width: int = WIDTH) -> list[Line]:
    """What the node is, why it stands where it stands, and what it did in this run."""
    graph = view.graph
    if graph is None:
        return _said([tr("The graph is not loaded yet.")], width)
    node_id = node_in_view(view, chosen)
    node = graph.node(node_id) if node_id is not None else None
    if node is None:
        return _said([_general(graph)], width)
    parts = [part for part in _parts(view, graph, node) if part]
    lines: list[Line] = []
    for place, part in enumerate(parts):
        if place:
            lines.append(BLANK)
        lines += _said([part], width)
    return lines


def explain_rows(view: View, chosen: NodeId | None, width: int = WIDTH) -> list[Row]:
    """The same as bare rows."""
    return [each.row for each in explain_lines(view, chosen, width)]


def _said(texts: list[str], width: int) -> list[Line]:
    return [line(" ", each) for text in texts for each in wrap(text, width - 2)]


def _general(graph: Graph) -> str:
    hooks = sum(1 for node in graph.nodes if node.kind in HOOK_KINDS)
    if not hooks:
        return tr(
            "This graph has {n} nodes and no hooks. Move the cursor on one of them.", n=len(graph.nodes) - 2
        )
    return tr(
        "Hooks are compiled into the graph: this one has {n} hook nodes. The loop is a cycle of edges that "
        "you can see, not a while in someone's code. Move the cursor on a node.",
        n=hooks,
    )


def _parts(view: View, graph: Graph, node: Node) -> Iterator[str]:
    yield _place(view, node)
    for name in _anchor_names(graph, node.id):
        yield _anchor(view, graph, node, name)
    yield _kind(view, node)
    if node.can_ask:
        yield tr("It may ask you. The run then waits, and nothing passes the question by itself.")
    yield _jumps(graph, node)
    yield _this_run(view, node)
    if graph.rules and node.id == graph.anchors.loop_exit:
        yield tr(OTHERS)
    yield _compiled(graph, node)


def _place(view: View, node: Node) -> str:
    name = label(view, node.id)
    if node.id == START or node.kind == "start":
        return tr("START is where every run begins. It holds no code.")
    if node.id == END or node.kind == "end":
        return tr("END is where every run ends. It holds no code.")
    if node.kind not in HOOK_KINDS:
        return ""
    chain = chain_of(view, node)
    place, count = chain.index(node.id) + 1, len(chain)
    if count == 1:
        only = {
            "before_agent": tr(
                "{node} is the only before-agent hook: it runs once, before the first turn.", node=name
            ),
            "before_model": tr("{node} is the only before-model hook: it runs in every turn.", node=name),
            "after_model": tr("{node} is the only after-model hook: it runs in every turn.", node=name),
            "after_agent": tr(
                "{node} is the only after-agent hook: it runs once, after the last turn.", node=name
            ),
        }
        return only[node.kind]
    if node.kind in ("before_agent", "before_model"):
        return tr(
            "{node} is before-hook {place} of {count} here; they run in the order of registration.",
            node=name,
            place=place,
            count=count,
        )
    said = tr(
        "{node} is after-hook {place} of {count} to run. After-hooks run backwards: the hook registered last "
        "runs first, so that each hook wraps all that were registered after it, like a ring.",
        node=name,
        place=place,
        count=count,
    )
    if node.kind == "after_model" and place == 1:
        said += " " + tr("As the first it is the only one that sees the raw answer of the model.")
    return said


def _anchor(view: View, graph: Graph, node: Node, name: str) -> str:
    here = label(view, node.id)
    match name:
        case "entry":
            return tr("{node} is the entry: the edge from START leads here.", node=here)
        case "loop entry":
            return tr(
                "{node} is the loop entry, so it is where every turn begins: the tool node comes back here, "
                "and jump_to = model leads here, never straight to the model.",
                node=here,
            )
        case "loop exit":
            if not graph.rules:
                said = "{node} is the loop exit: after it the run goes to tools, to another turn, or out."
                return tr(said, node=here)
            return tr(
                "{node} is the loop exit: after it the router decides between tools, another turn and the "
                "way out. That router obeys a jump_to that any hook has set, declared or not.",
                node=here,
            )
    return tr(
        "{node} is the exit: an answer without tool calls and jump_to = end lead here, so that what is to be "
        "done after the agent is done also on an early end.",
        node=here,
    )


def _kind(view: View, node: Node) -> str:
    if node.kind == "model":
        said = tr(
            "The model node reads the messages of the state and appends the answer: text, or calls of tools."
        )
        if node.rings:
            names = ", ".join(shown(ring.name, 80) for ring in node.rings)
            said += " " + tr(
                "Interceptors are no nodes: they are rings around the call in here: {names}.", names=names
            )
        return said
    if node.kind == "tool":
        names = ", ".join(shown(name, 60) for name in node.tools)
        return tr(
            "The tool node runs the calls that the last assistant message asks for ({names}) and writes one "
            "result for each.",
            names=names or "–",
        )
    if node.kind == "subgraph":
        return tr("{node} holds a graph of its own; s goes into it.", node=label(view, node.id))
    if node.kind == "plain":
        place = place_text(node.source)
        return (
            tr("{node} is a node of your graph: {place}.", node=label(view, node.id), place=place)
            if place
            else ""
        )
    return ""


def _jumps(graph: Graph, node: Node) -> str:
    if node.kind not in HOOK_KINDS or node.id == graph.anchors.loop_exit:
        return ""
    if node.jumps:
        words = ", ".join(node.jumps)
        return tr(
            "It declares that it may jump: {words}. Its edge reads jump_to, whoever wrote it, and takes it "
            "if declared.",
            words=words,
        )
    return tr("It declares no jump, so its edge never reads jump_to.")


def _this_run(view: View, node: Node) -> str:
    if node.kind in ("start", "end"):
        return ""
    visits = visits_of(view, node.id)
    if not visits:
        return tr("This run: not entered yet.")
    came: list[str] = []
    for step in visits:
        before = view.trace.previous(step.index)
        came.append(label(view, view.trace.steps[before].site.node) if before >= 0 else "START")
    words = {1: tr("once"), 2: tr("twice")}
    count = words.get(len(visits)) or tr("{n} times", n=len(visits))
    return tr("This run: entered {count}, from {nodes}.", count=count, nodes=", ".join(dict.fromkeys(came)))


def _compiled(graph: Graph, node: Node) -> str:
    names = _anchor_names(graph, node.id)
    if not names or graph.rules == "":
        return ""
    said = tr(
        "Fixed when the graph was compiled: the loop is an edge you can see, not a while in someone's code."
    )
    java = ", ".join(_JAVA[name] for name in names)
    return said + " " + tr("In the Java source: {name}.", name=java)


def _anchor_names(graph: Graph, node_id: NodeId) -> list[str]:
    anchors = graph.anchors
    named = {
        "loop entry": anchors.loop_entry,
        "loop exit": anchors.loop_exit,
        "entry": anchors.entry,
        "exit": anchors.exit,
    }
    return [name for name, node in named.items() if node == node_id]
