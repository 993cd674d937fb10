"""The Branches tab: every line of history as a tree, with its head and its own steps."""

from __future__ import annotations

from rich.cells import cell_len

from hookstepper.client.view import View
from hookstepper.trace.branches import Branch
from hookstepper.tui.rows.facts import label
from hookstepper.tui.rows.lines import Line, line, shown, wrap
from hookstepper.tui.rows.row import Role, cut, row, width_of
from hookstepper.tui.words import tr

MOST_STEPS = 200
"""Steps of an open branch that are listed; the timeline shows them all."""


def branch_lines(view: View, width: int, turned: frozenset[str]) -> list[Line]:
    """One line a branch, below the branch that it was forked from; an open one lists its own steps."""
    if not view.trace.branches:
        return [line(" ", (tr("No branch yet: the first run begins one."), "muted"))]
    lines: list[Line] = []
    for branch in view.trace.branches:
        if branch.parent is None:
            lines += _subtree(view, branch, 0, width, turned)
    return lines


def _subtree(view: View, branch: Branch, depth: int, width: int, turned: frozenset[str]) -> list[Line]:
    lines = _branch(view, branch, depth, width, turned)
    children = [each for each in view.trace.branches if each.parent == branch.id]
    for child in sorted(children, key=lambda each: each.from_step):
        lines += _subtree(view, child, depth + 1, width, turned)
    return lines


def _branch(view: View, branch: Branch, depth: int, width: int, turned: frozenset[str]) -> list[Line]:
    trace = view.trace
    live, looked = branch.id == trace.branch, branch.id == (view.branch or trace.branch)
    ident = f"br:{branch.id}"
    is_open = ident in turned
    mark: tuple[str, Role] = ("▶", "current") if live else ("·", "muted")
    notes = [tr("{n} step", n=1) if len(branch.steps) == 1 else tr("{n} steps", n=len(branch.steps))]
    if branch.parent is not None:
        begins = tr("the input") if branch.from_step < 0 else tr("step {step}", step=branch.from_step + 1)
        notes.insert(0, tr("from {place} of {parent}", place=begins, parent=shown(branch.parent)))
    if branch.last >= 0:
        head = label(view, trace.steps[branch.last].site.node)
        notes.append(tr("head: step {n}, {node}", n=branch.last + 1, node=head))
    if live:
        notes.append(tr("live"))
    if looked:
        notes.append(tr("in view"))
    stem = "  " * depth + ("└ " if depth else "")
    arrow = ("▾" if is_open else "▸") if branch.steps else " "
    head_row = row(
        " ", (stem, "muted"), mark, " ", arrow, " ", (shown(branch.id, 40), "current" if looked else "name")
    )
    opens = is_open if branch.steps else None
    said = " · ".join(notes)
    if width_of(head_row) + cell_len(said) + 2 <= width:
        lines = [Line((*head_row, *row(("  " + said, "muted"))), ident, opens=opens, interest=True)]
    else:
        lines = [Line(cut(head_row, width), ident, opens=opens, interest=True)]
        indent = len(stem) + 6
        lines += [line(" " * indent, (each, "muted")) for each in wrap(said, width - indent - 1)]
    if is_open:
        hidden = len(branch.steps) - MOST_STEPS
        if hidden > 0:
            lines.append(line(" " * (len(stem) + 6), (tr("… {n} earlier steps", n=hidden), "muted")))
        lines += [_step(view, index, len(stem), width) for index in reversed(branch.steps[-MOST_STEPS:])]
    return lines


def _step(view: View, index: int, stem: int, width: int) -> Line:
    step = view.trace.steps[index]
    here = index == view.at
    spans = row(
        " " * (stem + 3),
        ("▸" if here else " ", "current"),
        (f"{index + 1:>4}  ", "muted"),
        (label(view, step.site.node), "current" if here else ""),
    )
    return Line(cut(spans, width), f"brs:{index}", node=step.site.node, step=index)
