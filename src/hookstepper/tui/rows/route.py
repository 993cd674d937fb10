"""The Route tab: the rules of a routing decision, what each saw, which fired, and where it would have gone.

The rules come with the decision itself, as the engine recorded it; this module only puts them into words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.cells import cell_len

from hookstepper.client.view import View
from hookstepper.model.graph import Edge, Graph
from hookstepper.model.ids import NodeId
from hookstepper.model.record import Route, RuleSeen, StepDone
from hookstepper.tui.keymap import main_key
from hookstepper.tui.rows.elsewhere import elsewhere, without_rule
from hookstepper.tui.rows.facts import label
from hookstepper.tui.rows.jump_life import jump_lines
from hookstepper.tui.rows.lines import BLANK, Line, line, shown, wrap
from hookstepper.tui.rows.row import Role, cut, cut_text, pad_text, row
from hookstepper.tui.rows.rules import Numbered, numbered
from hookstepper.tui.rows.saw import saw_text
from hookstepper.tui.words import tr

SAW, FIRED = 12, 5
"""Cells of the columns at the right edge: what a rule saw, at the least, and whether it fired."""

JOIN = "\N{NO-BREAK SPACE}"
"""Keeps `→` and its target on one line."""


def route_lines(view: View, width: int, chosen: NodeId | None = None) -> list[Line]:
    """The decision in view in full; a node that does not choose, or has not chosen yet, in words."""
    if view.graph is None:
        return [line(" ", (tr("The graph is not loaded yet."), "muted"))]
    if chosen is not None and view.graph.node(chosen) is not None:
        step = view.trace.decision(view.at, chosen)
        if step is None:
            return _undecided(view, view.graph, chosen, width)
    else:
        step = view.trace.decision(view.at)
    if step is None or step.route is None:
        return [
            line(" ", (each, "muted")) for each in wrap(tr("No router has decided anything yet."), width - 2)
        ]
    return _decision(view, view.graph, step, step.route, width)


def _decision(view: View, graph: Graph, step: StepDone, route: Route, width: int) -> list[Line]:
    rules = numbered(route.rules)
    lines = [*_heading(view, graph, step, route, width), BLANK]
    lines += (
        _table(view, graph, step, rules, width) if rules else _without_rules(view, graph, step, route, width)
    )
    others: list[Line] = []
    if graph.rules and step.site.node == graph.anchors.loop_exit:
        said = f"{main_key('explain.open')}  {tr('what other descriptions of this router say')}"
        others = [line(" ", (each, "muted")) for each in wrap(said, width - 2)]
    for part in (
        [*without_rule(view, route, rules, width), *elsewhere(view, graph, step, route, width)],
        [*jump_lines(view, width), *others],
    ):
        if part:
            lines += [BLANK, *part]
    return lines


def _heading(view: View, graph: Graph, step: StepDone, route: Route, width: int) -> list[Line]:
    names = {
        "entry": graph.anchors.entry,
        "loop entry": graph.anchors.loop_entry,
        "loop exit": graph.anchors.loop_exit,
    }
    anchor = next(
        (tr(name) for name in ("loop exit", "loop entry", "entry") if names[name] == step.site.node), ""
    )
    node = label(view, step.site.node) + (f" ({anchor})" if anchor else "")
    to = ", ".join(label(view, each) for each in route.to)
    said = tr("After {node}, step {n} → {to}", node=node, n=step.index + 1, to=to)
    lines = [
        Line(row(" ", (each, "title")), "r:step" if place == 0 else "", node=step.site.node, step=step.index)
        for place, each in enumerate(wrap(said, width - 2))
    ]
    if route.by_hand or any(mark.startswith("jump") for mark in step.by_hand):
        lines.append(line(" ", (f"✎ {tr('by hand')}", "human")))
    if step.skipped:
        names_skipped = ", ".join(label(view, each) for each in step.skipped)
        lines += [
            line(" ", (each, "disabled"))
            for each in wrap(tr("⊘ skips {nodes}", nodes=names_skipped), width - 2)
        ]
    return lines


def _without_rules(view: View, graph: Graph, step: StepDone, route: Route, width: int) -> Iterator[Line]:
    """A decision of a router that does not tell its rules: why, and the ways that it had."""
    why = shown(route.why, 400) or tr("its router named it")
    for each in wrap(why, width - 2):
        yield line(" ", each)
    ways = [edge for edge in graph.leaving(step.site.node) if edge.evidence != "never"]
    if len(ways) > 1:
        yield BLANK
    for edge in ways if len(ways) > 1 else ():
        way = _way(view, edge, width - 3)
        taken = edge.target in route.to
        yield replace(way, row=row((" ✓ " if taken else "   ", "ok"), *way.row[1:]))


def _table(view: View, graph: Graph, step: StepDone, rules: Sequence[Numbered], width: int) -> Iterator[Line]:
    fired_at = width - FIRED
    longest = max(cell_len(saw_text(each.seen.saw)) for each in rules)
    saw_at = fired_at - max(SAW, min(longest + 1, width // 3))
    head = row(
        " ", (pad_text(tr("rule"), saw_at - 1), "muted"), (pad_text(tr("saw"), fired_at - saw_at), "muted")
    )
    yield Line((*head, *row((tr("fired"), "muted"))))
    place = 0
    while place < len(rules):
        each = rules[place]
        other = rules[place + 1] if place + 1 < len(rules) else None
        text = _rule_text(view, graph, step, each.seen)
        if (
            other is not None
            and not other.first
            and not _reached(each.seen)
            and not _reached(other.seen)
            and each.seen.rule == "answered"
        ):
            text += tr("; some missing →{to}", to=JOIN + _to(view, other.seen))
            place += 1
        yield from _rule(each, text, saw_at, width)
        place += 1


def _reached(seen: RuleSeen) -> bool:
    return seen.fired or bool(seen.saw)


def _rule(each: Numbered, text: str, saw_at: int, width: int) -> Iterator[Line]:
    seen = each.seen
    fired_at = width - FIRED
    first, *rest = _two_widths(text, saw_at - 4, width - 5)
    role: Role = "current" if seen.fired else "" if _reached(seen) else "muted"
    number = f"{each.number} " if each.first else "  "
    room = fired_at - saw_at - 1
    saw = pad_text(cut_text(saw_text(seen.saw), room) if seen.saw else "–", room)
    fired = "✓" if seen.fired else tr("no") if seen.saw else "–"
    spans = row(
        " ",
        (number, "key"),
        (pad_text(first, saw_at - 3), role),
        (saw + " ", role),
        (fired, "ok" if seen.fired else "muted"),
    )
    yield Line(spans, f"r:{seen.rule}", node=seen.to)
    for more in rest:
        yield line("   ", (more, role))


def _two_widths(text: str, first: int, others: int) -> list[str]:
    """The text with a first line of one width and further lines of another."""
    lines = wrap(text, first)
    if len(lines) == 1:
        return _loose(lines)
    rest = text[len(lines[0]) :].lstrip(" ")
    return _loose([lines[0], *wrap(rest, others)])


def _loose(lines: list[str]) -> list[str]:
    return [each.replace(JOIN, " ") for each in lines]


def _to(view: View, seen: RuleSeen) -> str:
    return label(view, seen.to) if seen.to is not None else "?"


def _rule_text(view: View, graph: Graph, step: StepDone, seen: RuleSeen) -> str:
    to = JOIN + _to(view, seen)
    match seen.rule:
        case "jump_to":
            return tr("jump_to decides: model, tool, end (any hook may have set it)")
        case "no_messages":
            return tr("no messages →{to}", to=to)
        case "tool_calls":
            return tr("assistant with calls →{to}", to=to)
        case "no_tool_calls":
            return tr("assistant without →{to}", to=to)
        case "answered":
            return tr("tool response, all answered →{to}", to=to)
        case "partly_answered":
            return tr("some missing →{to}", to=to)
        case "otherwise":
            return tr("anything else →{to}", to=to)
        case "declared_jump":
            node = graph.node(step.site.node)
            words = ", ".join(node.jumps) if node is not None else ""
            return tr("jump_to, if it is one that this hook declares: {words}", words=words)
        case "default" if len(step.route.rules if step.route is not None else ()) == 1:
            return tr("always →{to}", to=to)
        case "default":
            return tr("else, its default edge →{to}", to=to)
    return f"{shown(seen.rule, 200)}" + (f" →{to}" if seen.to is not None else "")


# ---------------------------------------------------------------------------------------- undecided


def _undecided(view: View, graph: Graph, node_id: NodeId, width: int) -> list[Line]:
    ways = [edge for edge in graph.leaving(node_id) if edge.evidence != "never"]
    name = label(view, node_id)
    targets = list(dict.fromkeys(edge.target for edge in ways))
    if not ways:
        said = tr("{node} has no way out.", node=name)
    elif len(targets) == 1 and len(ways) == 1:
        said = tr("{node} has one way out: {to}.", node=name, to=label(view, targets[0]))
    elif all(edge.kind == "fixed" for edge in ways):
        said = tr(
            "{node} goes to all of these: {to}.",
            node=name,
            to=", ".join(label(view, each) for each in targets),
        )
    else:
        said = tr("{node} chooses; it has not chosen yet.", node=name)
    lines = [line(" ", each) for each in wrap(said, width - 2)]
    if len(ways) > 1:
        lines.append(BLANK)
        lines += [_way(view, edge, width) for edge in ways]
    node = graph.node(node_id)
    if node is not None and node.open_ended:
        more = tr("Its router may name other nodes, which show when a run goes there.")
        lines += [line(" ", (each, "muted")) for each in wrap(more, width - 2)]
    return [*lines, BLANK, *jump_lines(view, width)]


def _way(view: View, edge: Edge, width: int) -> Line:
    said = shown(edge.label, 80) or (tr("by default") if edge.kind != "fixed" else tr("always"))
    known = f"  ({tr(edge.evidence)})" if edge.evidence != "declared" else ""
    spans = row("   ", (pad_text(said, 16), "key"), f"→ {label(view, edge.target)}", (known, "muted"))
    return Line(cut(spans, width), f"r:way:{edge.target}:{edge.label}", node=edge.target)
