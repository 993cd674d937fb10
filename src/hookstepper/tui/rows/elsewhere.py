"""Where a decision would have gone otherwise, and what would have had to be different."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hookstepper.client.view import View
from hookstepper.model.graph import Graph
from hookstepper.model.ids import END, NodeId
from hookstepper.model.jumps import WORDS, target_of
from hookstepper.model.record import Route, StepDone
from hookstepper.tui.rows.facts import label
from hookstepper.tui.rows.lines import Line, line, shown, wrap
from hookstepper.tui.rows.row import pad_text, row
from hookstepper.tui.rows.rules import Numbered
from hookstepper.tui.words import tr

FORKS = "r:if:"
"""Beginning of the ids of lines that Enter forks at; the target follows."""


def without_rule(view: View, route: Route, rules: Sequence[Numbered], width: int) -> list[Line]:
    fired = next((each for each in rules if each.seen.fired), None)
    if route.otherwise is None or fired is None:
        return []
    later = {each.number for each in rules if each.number > fired.number and each.seen.to == route.otherwise}
    by = tr(" (rule {n})", n=later.pop()) if len(later) == 1 else ""
    said = tr("Without rule {n}: → {to}", n=fired.number, to=label(view, route.otherwise)) + by
    return [
        Line(row(" ", each), "" if place else "r:without", node=route.otherwise)
        for place, each in enumerate(wrap(said, width - 2))
    ]


def elsewhere(view: View, graph: Graph, step: StepDone, route: Route, width: int) -> list[Line]:
    """Other targets of this decision, each with what would have to be different."""
    found: dict[NodeId, list[str]] = {}
    taken = {label(view, each) for each in route.to}
    for target, condition in _conditions(graph, step, route):
        if target is not None and label(view, target) not in taken:
            conditions = found.setdefault(target, [])
            if condition not in conditions:
                conditions.append(condition)
    if not found:
        return []
    column = min(max(len(label(view, each)) for each in found) + 2, 24)
    lines = [line(" ", tr("It would go elsewhere if"))]
    for target, conditions in found.items():
        said = tr(", or ").join(conditions)
        for place, each in enumerate(wrap(said, width - column - 4)):
            name = label(view, target) if place == 0 else ""
            spans = row("   ", (pad_text(name, column), "name"), each)
            lines.append(Line(spans, f"{FORKS}{target}" if place == 0 else "", node=target))
    if any(target != END for target in found):
        lines.append(line("   ", (tr("Enter on one forks the run there"), "muted")))
    return lines


def _conditions(graph: Graph, step: StepDone, route: Route) -> Iterator[tuple[NodeId | None, str]]:
    words = {seen.rule for seen in route.rules}
    leads = {seen.rule: seen.to for seen in route.rules}
    jumps: Sequence[str]
    if "jump_to" in words:
        jumps = ("model", "tool", "end")
    elif "declared_jump" in words:
        node = graph.node(step.site.node)
        jumps = tuple(word for word in WORDS if node is not None and word in node.jumps)
    else:
        jumps = ()
    for word in jumps:
        yield target_of(graph, word, step.site.node), tr("jump_to were {word}", word=word)
    match route.rule:
        case "jump_to" | "declared_jump":
            yield route.otherwise, tr("jump_to were not set")
        case "tool_calls":
            yield leads.get("no_tool_calls"), tr("no calls")
        case "no_tool_calls":
            yield leads.get("tool_calls"), tr("the answer held tool calls")
        case "answered":
            yield leads.get("partly_answered"), tr("a call had no response")
        case "partly_answered":
            yield leads.get("answered"), tr("every call had a response")
        case "otherwise":
            yield leads.get("tool_calls"), tr("the last message held tool calls")
        case _ if not jumps:
            for edge in graph.leaving(step.site.node):
                if edge.evidence != "never":
                    yield edge.target, shown(edge.label, 60) or tr("its router named it")
