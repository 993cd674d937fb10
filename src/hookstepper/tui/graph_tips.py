"""What a tooltip says of the thing under the mouse: a node, an edge, a badge, the title of a subgraph."""

from __future__ import annotations

from collections.abc import Iterator

from hookstepper.model.graph import Edge, Graph, Node
from hookstepper.model.ids import NodeId
from hookstepper.picture import Hit, Layout, Marks
from hookstepper.picture.marks import SHOWN
from hookstepper.tui.words import tr
from hookstepper.values.text import clean, fit

_MOST, _WIDEST = 12, 76
"""Lines of one tooltip, and cells of a line."""


def tip(graph: Graph, plan: Layout, marks: Marks, hit: Hit, words: frozenset[str]) -> str:
    """The text for what is drawn at a cell, lines parted by line breaks; empty where nothing is.

    Args:
        words: role words of the cell: they tell a badge from its node.
    """
    if hit.node is not None:
        found = graph.node(hit.node)
        if found is not None and "ring" in words:
            lines = _rings(found)
        else:
            lines = _node(graph, plan, marks, hit.node, found)
    elif hit.edges:
        lines = (_edge(graph, edge) for edge in hit.edges)
    elif hit.frame is not None:
        lines = _frame(graph, hit.frame, "title" in words)
    else:
        return ""
    said = [fit(clean(line, lines=False), _WIDEST) for line in lines]
    return "\n".join(said if len(said) <= _MOST else [*said[: _MOST - 1], f"… {len(said) - _MOST + 1}"])


def _node(graph: Graph, plan: Layout, marks: Marks, node: NodeId, found: Node | None) -> Iterator[str]:
    place = plan.place(node)
    members = place.members if place is not None else (node,)
    yield _name(graph, node)
    if found is None:
        yield tr("not declared: only a run or an edge names it")
        return
    if str(found.id) != found.label:
        yield str(found.id)
    states = _states(marks, members)
    if states:
        yield " · ".join(states)
    if len(members) > 1:
        yield from (f"  {number} {_name(graph, member)}" for number, member in enumerate(members, 1))
        return
    yield from _facts(found)


def _states(marks: Marks, members: tuple[NodeId, ...]) -> list[str]:
    said = {
        "failed": tr("failed"),
        "waiting": tr("waits for a person"),
        "current": tr("runs next"),
        "skipped": tr("skipped by a jump"),
        "next": tr("runs then, as predicted"),
        "by_hand": tr("a person acted here"),
        "quiet": tr("ran in this turn, wrote nothing"),
        "done": tr("ran in this turn"),
        "earlier": tr("ran in an earlier turn"),
    }
    states = [f"{glyph} {said[name]}" for name, glyph in SHOWN if getattr(marks, name) & set(members)]
    if any(member in marks.breakpoints for member in members):
        states.append(f"● {tr('breakpoint')}")
    elif any(member in marks.disabled for member in members):
        states.append(f"○ {tr('breakpoint, switched off')}")
    return states


def _facts(node: Node) -> Iterator[str]:
    if node.source is not None and node.source.file:
        file = node.source.file.replace("\\", "/").rsplit("/", 1)[-1]
        line = f":{node.source.line}" if node.source.line is not None else ""
        yield f"{file}{line} {node.source.function}".rstrip()
    if node.jumps:
        yield tr("may jump: {words}", words=", ".join(node.jumps))
    if node.can_ask:
        yield tr("may ask a person")
    if node.open_ended:
        yield tr("may go where only a run can show")
    if node.hidden:
        yield tr("a helper that the framework added")
    if node.tools:
        yield tr("tools: {names}", names=", ".join(node.tools))
    if node.rings:
        yield tr("{n} around each call: a click on the badge names them", n=len(node.rings))
    if node.note:
        yield node.note


def _rings(node: Node) -> Iterator[str]:
    yield tr("around each call of {node}, the outermost first", node=node.label)
    for number, ring in enumerate(node.rings, 1):
        brought = f"  {tr('brought by {who}', who=ring.brought_by)}" if ring.brought_by else ""
        yield f"{number} {ring.name}{brought}"


def _edge(graph: Graph, edge: Edge) -> str:
    kinds = {"fixed": tr("always"), "conditional": tr("chosen"), "jump": tr("by a jump")}
    known = {
        "declared": "",
        "inferred": tr("inferred from the code"),
        "observed": tr("seen in a run, not declared"),
        "never": tr("the rules never take it"),
    }
    about = ", ".join(word for word in (kinds[edge.kind], known[edge.evidence]) if word)
    label = f"{edge.label}  " if edge.label else ""
    return f"{_name(graph, edge.source)} → {_name(graph, edge.target)}  {label}({about})"


def _frame(graph: Graph, frame: NodeId, on_title: bool) -> Iterator[str]:
    count = sum(1 for node in graph.nodes if node.parent == frame)
    yield tr("{name}: {n} nodes inside", name=_name(graph, frame), n=count)
    if on_title:
        yield tr("a click closes it")


def _name(graph: Graph, node: NodeId) -> str:
    found = graph.node(node)
    return found.label if found is not None else str(node)
