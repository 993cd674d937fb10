"""What the Java engine does that surprises people, and what this one does with it, in both modes.

`compat="upstream"` reproduces, since people come to understand their Java agent; `compat="fixed"` repairs.
The table is data for docs and checks; the engine itself asks `Run.fixed` where a row says so.
Ids with Q are those of the register that was kept when upstream was studied, E were found while building.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Treatment = Literal["by mode", "kept", "repaired"]
"""by mode: as upstream, or repaired with `compat="fixed"`. kept: as upstream in both. repaired: in both."""


@dataclass(frozen=True, slots=True)
class CompatRow:
    """One behaviour."""

    id: str
    treatment: Treatment
    upstream: str
    """What happens there."""
    here: str
    """What happens here, where that differs: with `fixed`, or in both modes if it is repaired."""


COMPAT: tuple[CompatRow, ...] = (
    CompatRow(
        "Q1",
        "kept",
        "A run that uses up its recursion limit ends without an error, an END output or `on_complete`.",
        'The same state comes back; `RunResult.status` is "limit" and names the node that was due.',
    ),
    CompatRow(
        "Q2",
        "by mode",
        "An interrupt after a node never fires if END follows; with `interrupt_before_edge` it fires, but "
        "the run cannot be resumed.",
        "It fires, and the resumed run ends.",
    ),
    CompatRow(
        "Q3",
        "repaired",
        "A custom key strategy gets the old value in an Optional when a node's update is merged.",
        "It gets the old value itself, None if there is none.",
    ),
    CompatRow(
        "Q4",
        "repaired",
        "`update_state` with `as_node` has no effect on where a run goes on, and doubles every list.",
        "The node's edge is asked, its answer is saved, and the values are merged once.",
    ),
    CompatRow(
        "Q5",
        "repaired",
        "Marking a node as interrupted in the run config has no effect when there is a saver.",
        "There is no such call: an action that wants to ask has `interrupt`.",
    ),
    CompatRow(
        "Q6",
        "kept",
        "A run on a thread that was used before starts at START on top of the saved state.",
        "",
    ),
    CompatRow(
        "Q7",
        "by mode",
        "What a compiled subgraph returns is merged into the parent through its key strategies, so appended "
        "lists come twice; when it is resumed, or runs again on its thread, the parent's state is merged "
        "into it once more.",
        "Each takes the other's values over as they are; a resumed subgraph takes what has changed.",
    ),
    CompatRow(
        "Q8",
        "by mode",
        "A branch of a fan-out that returns None for a key fails the run, and a removal in a branch is lost.",
        "Branches are merged one after another in declaration order, as if they had run so.",
    ),
    CompatRow(
        "Q9",
        "by mode",
        "Nothing in the engine removes `jump_to`, so routers that read it read it again and again (see A1).",
        "The agent's routers take out what they have read.",
    ),
    CompatRow(
        "Q10",
        "repaired",
        "A checkpoint gives back sets as lists and enums as texts.",
        "A state comes back from a file as it was saved, or is refused when it is saved.",
    ),
    CompatRow(
        "Q11",
        "repaired",
        "Some errors name the wrong thing: swapped ids, END for any bad node id.",
        "Errors name node, edge and remedy; upstream's text is in `error.upstream`.",
    ),
    CompatRow(
        "Q12",
        "repaired",
        "A copied compile config loses its recursion limit.",
        "A config has no copying builder.",
    ),
    CompatRow(
        "Q13",
        "repaired",
        "Listeners are not told when an edge fails, or a node that fails at once.",
        "`on_error` is told of every failure, once.",
    ),
    CompatRow(
        "Q14",
        "by mode",
        "Listeners are called in the order of registration, but in parallel branches in the reverse order, "
        "and there one that raises keeps the others from hearing the event. "
        "Those beyond 25 are never called.",
        "In branches too they are called in the order of registration, whatever one of them raises.",
    ),
    CompatRow(
        "Q15",
        "repaired",
        "The choices of a conditional edge come in the random order of a hash map in diagrams.",
        "They come in the order in which they were declared.",
    ),
    CompatRow(
        "Q16",
        "kept",
        "A run that is resumed without feedback fails at the next approval hook that has a question.",
        "The error names the hook and what it takes. Going on from a checkpoint id needs no feedback.",
    ),
    CompatRow(
        "Q17",
        "by mode",
        "A state update given at resume is merged again before every later interruptable node of the run.",
        "It is merged once.",
    ),
    CompatRow(
        "E1",
        "by mode",
        "An interrupt after a node never fires if the node leads back to itself.",
        "It fires after each execution.",
    ),
    CompatRow(
        "E2",
        "by mode",
        "An interrupt before a branch of a fan-out is accepted and never fires.",
        "It fires before the fan-out.",
    ),
    CompatRow(
        "E3",
        "by mode",
        "The update of a router that chooses several branches is lost for keys that a branch writes too.",
        "It is merged before the branches' updates.",
    ),
    CompatRow(
        "E4",
        "by mode",
        "In a flattened subgraph, a conditional edge to END ends the whole run if the subgraph itself is "
        "followed by a conditional edge.",
        "It leaves the subgraph, and the edge that follows it is asked.",
    ),
    CompatRow(
        "E5",
        "repaired",
        "If a router chooses a single branch and it fails at once, the failure is swallowed.",
        "The run fails with it.",
    ),
    CompatRow(
        "E6",
        "by mode",
        "A compiled subgraph that uses up its recursion limit returns what it has, and the parent goes on.",
        "The node fails with an error that names the limit.",
    ),
    CompatRow(
        "E7",
        "repaired",
        "Every state carries a random `_graph_execution_id_`.",
        "Only with `CompileConfig(execution_id=True)`, so that two runs can have equal states.",
    ),
    CompatRow(
        "E8",
        "repaired",
        "A fan-out whose branches all have conditional edges compiles and then fails when it runs.",
        "It does not compile.",
    ),
    CompatRow(
        "E9",
        "repaired",
        "A resumed parent always resumes the compiled subgraph that is due, also one that has not begun or "
        "has ended, which fails or does nothing.",
        "A subgraph that has nothing to go on from starts.",
    ),
    CompatRow(
        "E10",
        "repaired",
        "Parallel branches run on a pool of threads that the engine owns.",
        "On an event loop they run concurrently; else one after another in declaration order, or on the "
        "executor that the run config brings.",
    ),
)


def row(row_id: str) -> CompatRow:
    """The row with that id.

    Raises:
        KeyError: there is none.
    """
    for found in COMPAT:
        if found.id == row_id:
            return found
    raise KeyError(row_id)
