"""What a fork means in words: where it starts, what runs again, and which tools would act once more."""

from __future__ import annotations

from hookstepper.client.view import View
from hookstepper.model.commands import Fork
from hookstepper.model.ids import END, NodeId
from hookstepper.trace.ahead import ForkPlan, ToolAgain, plan_of_fork
from hookstepper.tui.rows.ahead import label_of
from hookstepper.tui.rows.lines import shown, wrap
from hookstepper.tui.rows.row import Row, row
from hookstepper.tui.words import tr

MOST_TOOLS = 6
"""Tools that can be ticked in the dialog; those with side effects first."""


def plan(view: View, command: Fork) -> ForkPlan:
    """What ran after the step, which is what a fork runs again if nothing differs."""
    return plan_of_fork(view.trace, command.step, view.branch)


def fork_rows(view: View, command: Fork, found: ForkPlan, cells: int) -> list[Row]:
    """Where the new branch begins, and what runs again."""
    after = tr("the input") if command.step < 0 else _label(view, view.trace.steps[command.step].site.node)
    name = view.trace.branch_of(command.step) if command.step >= 0 else view.trace.branch
    begins = tr(
        "A new branch from the state after {node}. Branch {branch} stays as it is.",
        node=after,
        branch=shown(name),
    )
    rows = [row(line) for line in wrap(begins, cells)]
    if command.node is not None:
        rows.append(row(tr("It begins at {node}.", node=_label(view, command.node))))
    nodes = list(dict.fromkeys(_label(view, node) for node in found.nodes))
    again = tr("Ran after it, so runs again: {nodes}", nodes=", ".join(nodes) or "–")
    rows += [row((line, "")) for line in wrap(again, cells, most=3)]
    if found.model_calls or found.tools:
        tools = ", ".join(_tool(tool) for tool in found.tools) or "–"
        said = tr("Calls in it: model ×{n}; tools {tools}", n=found.model_calls, tools=tools)
        role = "warning" if any(tool.side_effects for tool in found.tools) else ""
        rows += [row((line, role)) for line in wrap(said, cells, most=2)]  # type: ignore[arg-type]
    held = tr("It is held before its first node: e edits the state before anything runs.")
    return [*rows, *[row((line, "muted")) for line in wrap(held, cells)]]


def askable(found: ForkPlan) -> tuple[ToolAgain, ...]:
    """Tools before whose real calls one may want to be asked, those with side effects first."""
    return tuple(sorted(found.tools, key=lambda tool: not tool.side_effects))[:MOST_TOOLS]


def _tool(tool: ToolAgain) -> str:
    name = shown(tool.name, 40) + (f" ×{tool.times}" if tool.times > 1 else "")
    return f"⚠ {name}" if tool.side_effects else name


def _label(view: View, node: NodeId) -> str:
    return "END" if node == END else shown(label_of(view.graph, node))
