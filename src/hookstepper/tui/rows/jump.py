"""What the Jump dialog says: where each choice leads, what it skips, and what stays behind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hookstepper.client.view import View
from hookstepper.model import jumps
from hookstepper.model.commands import Command, RunTo, SetJump, SetNext
from hookstepper.model.graph import HOOK_KINDS, Graph
from hookstepper.model.ids import END, START, NodeId
from hookstepper.model.jumps import JumpChoice
from hookstepper.tui.rows.ahead import ahead, label_of
from hookstepper.tui.rows.lines import shown, wrap
from hookstepper.tui.rows.row import Row, Span, pad_text, row
from hookstepper.tui.words import tr


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that can be chosen, or why it cannot."""

    id: str
    """`end`, `model`, `tool`, `clear`, `run-to` or `next`."""
    command: Command | None
    """None if it is not on offer."""
    text: str
    note: str = ""


def node_of(view: View) -> NodeId | None:
    """The node that a jump would belong to: ▶."""
    if view.stop is not None and view.stop.site is not None:
        return view.stop.site.node
    return view.next_nodes[0] if view.next_nodes else None


def jump_options(view: View, choices: Sequence[JumpChoice]) -> tuple[Option, ...]:
    """The choices of the part `after it has run`; empty if its edge reads no jump."""
    node = node_of(view)
    if view.graph is None or node is None or all(choice.why_not == "reads_no_jump" for choice in choices):
        return ()
    graph = view.graph
    found = [_word_option(graph, node, choice) for choice in choices]
    pending = view.stop.pending_jump if view.stop is not None else ""
    set_now = tr("{word} waits for this node", word=pending) if pending else _jump_now(view)
    found.append(Option("clear", SetJump("clear"), tr("clear jump_to"), set_now))
    return tuple(found)


def _word_option(graph: Graph, node: NodeId, choice: JumpChoice) -> Option:
    if not choice.offered:
        return Option(
            choice.word, None, choice.word, tr("not on offer: {why}", why=_why_not(graph, node, choice))
        )
    word = choice.word
    path = " → ".join(name_of(graph, step) for step in choice.path[:4])
    if len(choice.path) > 4:
        path += " → …"
    notes = [
        skips_text(graph, choice.skips),
        tr("would reach this node again") if choice.loops else tr("no loop"),
    ]
    command = SetJump(word) if word in ("model", "tool", "end") else None  # type: ignore[arg-type]
    return Option(word, command, f"{word:<7} → {path}", " · ".join(note for note in notes if note))


def _why_not(graph: Graph, node: NodeId, choice: JumpChoice) -> str:
    found = graph.node(node)
    match choice.why_not:
        case "not_declared":
            declared = ", ".join(found.jumps) if found is not None else ""
            return tr("{hook} declares only {words}", hook=owner_of(graph, node), words=declared)
        case "no_tools":
            return tr("this agent has no tools")
        case "own_node":
            return tr("it would lead to this node itself")
        case "reads_no_jump":
            return tr("the edge of {node} never reads jump_to", node=name_of(graph, node))
        case _:
            return tr("the graph has no such place")


def _jump_now(view: View) -> str:
    state = view.trace.state(view.at)
    value = state.get("jump_to") if isinstance(state, dict) else None
    return tr("it is {word} now", word=shown(str(value))) if value is not None else tr("it is not set now")


def run_to_option(view: View) -> Option | None:
    """Where a node reads no jump: run on to the next one that does."""
    node = node_of(view)
    if view.graph is None or node is None:
        return None
    reader = jumps.next_reader(view.graph, node)
    if reader is None:
        return None
    return Option(
        "run-to", RunTo(reader), tr("run to {node} and ask there", node=name_of(view.graph, reader))
    )


def next_targets(view: View) -> tuple[NodeId, ...]:
    """Nodes that can be set as the next one, in graph order."""
    if view.graph is None:
        return ()
    return tuple(n.id for n in view.graph.nodes if n.parent is None and n.id != START and not n.hidden)


def next_option(view: View, target: NodeId | None) -> Option:
    """Set the next node and ask no router."""
    node = node_of(view)
    if view.graph is None or target is None or node is None:
        return Option("next", None, tr("set the next node"), tr("not on offer: nothing is held"))
    skips = jumps.skipped(view.graph, node, target, with_node=True) if target != node else ()
    text = tr("next") + f" [ {pad_text(name_of(view.graph, target), 22)} ◂▸ ]"
    return Option("next", SetNext((target,)), text, skips_text(view.graph, skips))


def skips_text(graph: Graph, skips: Sequence[NodeId]) -> str:
    """`skips Edit, HITL, Log`, by the names that the user gave; empty if none."""
    names = tuple(dict.fromkeys(owner_of(graph, node) for node in skips))
    return tr("skips {names}", names=", ".join(names)) if names else ""


def warning_rows(view: View, target: NodeId) -> list[Row]:
    """What is dangerous about setting the next node: an approval that would not be asked."""
    node = node_of(view)
    if view.graph is None or node is None:
        return []
    found = view.graph.node(target)
    if found is None or found.kind != "tool":
        return []
    missed = [n for n in jumps.skipped(view.graph, node, target, with_node=True) if _asks(view.graph, n)]
    if not missed:
        return []
    who = ", ".join(dict.fromkeys(owner_of(view.graph, n) for n in missed))
    said = tr("tools would run without approval ({who} is skipped)", who=who)
    return [row("             ", ("⚠ " + said, "warning"))]


def _asks(graph: Graph, node: NodeId) -> bool:
    found = graph.node(node)
    return found is not None and found.can_ask


def intro_rows(view: View, cells: int) -> list[Row]:
    """What runs next by itself, or why no jump is on offer here."""
    node = node_of(view)
    if view.graph is None or node is None:
        return [row(tr("No node is held, so there is nothing to jump from."))]
    graph = view.graph
    name = name_of(graph, node)
    ways = ahead(graph, node)
    if not _reads_jump(view, node):
        text = tr(
            "▶ {node} declares no jump: its edge never reads jump_to, so none is on offer here.", node=name
        )
        reader = jumps.next_reader(graph, node)
        if reader is not None:
            text += " " + tr("The next place that takes one is {node}.", node=name_of(graph, reader))
    elif ways.default is not None:
        target = name_of(graph, ways.default)
        text = tr("▶ {node} runs next, then by its default edge {target}.", node=name, target=target)
    else:
        text = tr("▶ {node} runs next, then its router decides.", node=name)
    return [row(line) for line in wrap(text, cells)]


def _reads_jump(view: View, node: NodeId) -> bool:
    graph = view.graph
    if graph is None:
        return False
    return any(choice.why_not != "reads_no_jump" for choice in jumps.choices(graph, node))


def afterwards_rows(view: View, cells: int) -> list[Row]:
    """What becomes of `jump_to` when it has been read."""
    if view.graph is None:
        return []
    if view.graph.rules == "fixed":
        return [row((tr("Afterwards: jump_to is removed when a router has used it."), "muted"))]
    if view.graph.rules != "upstream":
        return []
    said = tr(
        'Afterwards: upstream never removes jump_to. It stays in thread "{thread}" and every later reader '
        "obeys it again, also in the next run. Clear it with J.",
        thread=shown(view.thread),
    )
    return [row((line, "muted")) for line in wrap(said, cells)]


def option_row(option: Option, chosen: bool, cells: int) -> Row:
    """One choice: its button, what it is, and what it brings on the right."""
    if option.command is None:
        text = pad_text(option.text, 7) + " " + option.note
        return row("    ", (pad_text(text, max(0, cells - 4)).rstrip(), "disabled"))
    left = max(10, min(36, cells - 30))
    text = pad_text(option.text, left)
    button = Span("(•) " if chosen else "( ) ", "current" if chosen else "")
    return (
        button,
        Span(text, "strong" if chosen else ""),
        Span(" "),
        Span(_cut(option.note, cells - left - 5), "muted"),
    )


def _cut(text: str, cells: int) -> str:
    return pad_text(text, max(0, cells)).rstrip()


def name_of(graph: Graph, node: NodeId) -> str:
    """A node as the dialogs write it."""
    return "END" if node == END else shown(label_of(graph, node))


def owner_of(graph: Graph, node: NodeId) -> str:
    """The hook behind a node as the user named it, or the node's own name."""
    found = graph.node(node)
    if found is not None and found.kind in HOOK_KINDS and found.owner:
        return shown(found.owner)
    return name_of(graph, node)
