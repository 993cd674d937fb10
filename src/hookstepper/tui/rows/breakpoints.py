"""The Breakpoints tab: a person's breakpoints, stops that the graph itself holds, and open questions."""

from __future__ import annotations

from hookstepper.client.lists import cannot_mute
from hookstepper.client.view import View
from hookstepper.model.breakpoints import Breakpoint
from hookstepper.model.gates import Ask
from hookstepper.model.ids import NodeId
from hookstepper.tui.keymap import main_key
from hookstepper.tui.rows.facts import label
from hookstepper.tui.rows.lines import BLANK, Line, line, shown, wrap
from hookstepper.tui.rows.mock import mock_lines
from hookstepper.tui.rows.row import Role, cut, row
from hookstepper.tui.words import tr


def breakpoint_lines(view: View, width: int) -> list[Line]:
    """Every place where the run can come to a stop, by where the stop comes from."""
    lines = [line(" ", (tr("Yours"), "title"))]
    if not view.breakpoints:
        key = main_key("break.toggle")
        lines.append(line("   ", (tr("None. {key} on a node sets one.", key=key), "muted")))
    for each in view.breakpoints:
        lines += _yours(view, each, width)
    lines += mock_lines(view, width)
    lines += _compiled_in(view, width)
    lines += _open(view, width)
    return lines


def where_text(view: View, each: Breakpoint) -> str:
    """What a breakpoint waits for, in words."""
    node = label(view, NodeId(each.node)) if each.node != "*" else tr("any node")
    match each.on:
        case "node":
            return tr("before {node}", node=node) if each.phase == "enter" else tr("after {node}", node=node)
        case "route":
            return tr("when {node} chooses", node=node)
        case "tool":
            name = shown(each.node, 80)
            if each.phase == "exit":
                return tr("after tool {name} ran", name=name)
            return tr("a call of tool {name}", name=name)
        case "tool_request":
            return tr("a request for tool {name}", name=shown(each.node, 80))
        case "model":
            if each.phase == "exit":
                return tr("after a model call in {node}", node=node)
            return tr("a model call in {node}", node=node)
        case "state":
            key = shown(each.key, 80)
            if each.change == "grows":
                return tr("{key} grows", key=key)
            return (
                tr("{key} goes away", key=key)
                if each.change == "removed"
                else tr("a change of {key}", key=key)
            )
        case "jump":
            return tr("a jump at {node}", node=node)
        case "exception":
            return tr("an exception in {node}", node=node)
        case "interrupt":
            return tr("a question of {node}", node=node)
        case "repeat":
            return tr("the same call again of tool {name}", name=shown(each.node, 80))
        case "loop":
            return tr("the beginning of a turn") if each.node == "*" else tr("the entry of {node}", node=node)


def _yours(view: View, each: Breakpoint, width: int) -> list[Line]:
    role: Role = "breakpoint" if each.enabled else "disabled"
    hits = dict(view.hits).get(each.id, 0)
    notes = []
    if each.condition:
        notes.append(tr("if {condition}", condition=shown(each.condition, 200)))
    if each.hit:
        notes.append(tr("hits {hits}", hits=shown(each.hit, 40)))
    if each.log:
        notes.append(tr("logs {text}", text=shown(each.log, 200)))
    if each.once:
        notes.append(tr("once"))
    if not each.enabled:
        notes.append(tr("off"))
    if hits:
        notes.append(tr("reached {n} times", n=hits) if hits != 1 else tr("reached once"))
    spans = row(" ", ("●" if each.enabled else "○", role), f" {each.id}  ", (where_text(view, each), role))
    tail = row(("  " + " · ".join(notes) if notes else "", "muted"))
    node = NodeId(each.node) if view.graph is not None and view.graph.node(NodeId(each.node)) else None
    lines = [Line(cut((*spans, *tail), width), f"b:{each.id}", node=node, interest=True)]
    problem = dict(view.problems).get(each.id)
    if problem:
        lines.append(Line(cut(row("     ", (f"✗ {shown(problem, 400)}", "failed")), width)))
    return lines


def _compiled_in(view: View, width: int) -> list[Line]:
    """Stops that the graph holds, and nodes that may ask; those cannot be muted, and the line says why."""
    asking = [node for node in (view.graph.nodes if view.graph is not None else ()) if node.can_ask]
    if not asking and not view.compiled:
        return []
    lines = [BLANK, line(" ", (tr("Compiled into the graph"), "title"))]
    lines += [_stop_of_graph(view, each, width) for each in view.compiled]
    for node in asking:
        said = f" · {shown(node.note, 120)}" if node.note else ""
        spans = row(
            " ", ("‖", "waiting"), "    ", label(view, node.id), (f"  {tr('may ask you')}{said}", "muted")
        )
        lines.append(Line(cut(spans, width), f"b:ask:{node.id}", node=node.id, interest=True))
    if asking:
        why = tr("A question cannot be muted: only an answer leads on.")
        lines += [line("        ", (text, "muted")) for text in wrap(why, width - 9)]
    return lines


def _stop_of_graph(view: View, each: Breakpoint, width: int) -> Line:
    role: Role = "breakpoint" if each.enabled else "disabled"
    note = tr("the graph stops here by itself") if each.enabled else tr("muted: passed without a stop")
    note = tr("the program decides: it cannot be muted from here") if cannot_mute(view) else note
    spans = row(" ", ("●" if each.enabled else "○", role), f" {each.name:<3}", (where_text(view, each), role))
    tail = row((f"  {note}", "muted"))
    return Line(cut((*spans, *tail), width), f"b:{each.id}", node=NodeId(each.node), interest=True)


def _open(view: View, width: int) -> list[Line]:
    asks = view.stop.asks if view.stop is not None else ()
    if not asks:
        return []
    lines = [BLANK, line(" ", (tr("Open questions of the program"), "title"))]
    for ask in asks:
        spans = row(
            " ",
            ("‖", "waiting"),
            "    ",
            (asked_text(view, ask), "waiting"),
            (f"  {main_key('answer.open')}", "key"),
        )
        lines.append(Line(cut(spans, width), f"b:open:{ask.id}", node=ask.node, interest=True))
    return lines


def asked_text(view: View, ask: Ask) -> str:
    """One open question in short: who asks, and about what."""
    if ask.calls:
        names = ", ".join(shown(call.tool, 60) for call in ask.calls if call.needs_approval)
        return tr("{node} asks about {what}", node=label(view, ask.node), what=names)
    prompt = shown(ask.prompt, 200)
    return (
        tr("{node} asks: {what}", node=label(view, ask.node), what=prompt)
        if prompt
        else tr("{node} asks", node=label(view, ask.node))
    )
