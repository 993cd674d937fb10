"""Why something cannot be done at a stop, in one sentence each."""

from __future__ import annotations

from hookstepper.model import jumps
from hookstepper.model.errors import NotPossibleError
from hookstepper.model.gates import Stop
from hookstepper.model.graph import Graph
from hookstepper.model.ids import NodeId
from hookstepper.session.position import Position


def cannot_move(resting: Stop | None, *, running: bool) -> NotPossibleError:
    """No task is held, so nothing can be stepped."""
    if running:
        return NotPossibleError("the program is running", hint="pause it first")
    if resting is not None and resting.asks:
        return NotPossibleError("a question is open", hint="answer it first")
    if resting is not None and "exception" in resting.reasons:
        return NotPossibleError("the node failed", hint="retry it, skip it, or fork")
    return NotPossibleError("no run is alive", hint="start one with an input")


def cannot_jump(graph: Graph, node_id: NodeId, choice: jumps.JumpChoice) -> NotPossibleError:
    """A jump word is not offered at a node."""
    node = graph.node(node_id)
    label = graph.label(node_id)
    match choice.why_not:
        case "no_tools":
            return NotPossibleError("the agent has no tools, so there is no tool node to jump to")
        case "not_declared":
            declared = ", ".join(node.jumps) if node is not None else ""
            return NotPossibleError(f"{label} declares only {declared}, not {choice.word}")
        case "reads_no_jump":
            reader = jumps.next_reader(graph, node_id)
            hint = f"the next place that takes one is {graph.label(reader)}" if reader else ""
            return NotPossibleError(f"{label} declares no jump: its edge never reads jump_to", hint=hint)
        case "own_node":
            return NotPossibleError(f"{label} is the loop entry itself; no edge leads from it to itself")
    return NotPossibleError(f"{choice.word} leads nowhere in this graph")


def cannot_fork(step: int, at: Position) -> NotPossibleError:
    """No checkpoint was saved after a step."""
    if not -1 <= step < at.steps:
        made = f"the last one is {at.steps - 1}" if at.steps else "nothing has run yet"
        return NotPossibleError(f"there is no step {step}: {made}")
    before = at.last_kept(step)
    hint = "" if before is None else f"time.fork {before} begins at the last checkpoint before it"
    if step < 0:
        return NotPossibleError("no checkpoint was saved of the input", hint=hint)
    why = "it ran in a graph that saves none, or that the code of a node runs"
    return NotPossibleError(f"no checkpoint was saved after step {step}: {why}", hint=hint)
