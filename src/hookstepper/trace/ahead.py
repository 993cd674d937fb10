"""What a fork is going to do again, as far as the record knows: what followed the step before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hookstepper.model.ids import BranchId, NodeId

if TYPE_CHECKING:
    from hookstepper.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class ToolAgain:
    """A tool that would be called again."""

    name: str
    times: int
    side_effects: bool = False
    """True if the program marks it as having effects outside of the run."""


@dataclass(frozen=True, slots=True)
class ForkPlan:
    """What runs again if a fork takes the same way as the record; run live, it may take another."""

    step: int
    nodes: tuple[NodeId, ...]
    """In the order in which they ran."""
    model_calls: int
    tools: tuple[ToolAgain, ...]


def plan_of_fork(trace: Trace, step: int, branch: BranchId | None = None) -> ForkPlan:
    """What ran after a step on a branch: by default the live one, or that of the step if it is not on it."""
    line = trace.line(branch)
    if step >= 0 and step not in line:
        line = trace.line(trace.branch_of(step))
    after = [trace.steps[index] for index in line if index > step]
    calls = [call for one in after for call in one.calls]
    marked = side_effects(trace)
    names = [call.name for call in calls if call.kind == "tool"]
    tools = tuple(ToolAgain(name, names.count(name), name in marked) for name in dict.fromkeys(names))
    models = sum(call.kind == "model" for call in calls)
    return ForkPlan(step, tuple(one.site.node for one in after), models, tools)


def side_effects(trace: Trace) -> frozenset[str]:
    """Tools that the program marks as having effects outside of the run."""
    nodes = trace.graph.nodes if trace.graph is not None else ()
    return frozenset(name for node in nodes for name in node.side_effects)
