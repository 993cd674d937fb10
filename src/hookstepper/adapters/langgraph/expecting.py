"""Which nodes are to run, and run again, when a run goes on; and whether those are the ones that did."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hookstepper.adapters.langgraph.names import node_id, their_name
from hookstepper.adapters.langgraph.scopes import Scope
from hookstepper.adapters.langgraph.tasks import LiveTask
from hookstepper.model.ids import NodeId, scope_of


class Expectation:
    """The nodes that go on first, in the root graph and in each nested graph that was left in its middle.

    What runs after them is the program's own business, so only the first superstep of each graph counts.
    """

    def __init__(self, first: Mapping[str, frozenset[str]], tell: Callable[[str], object]) -> None:
        """Expect these.

        Args:
            first: LangGraph's names of the nodes by path of their graph; a graph that is not named is free.
            tell: how a person learns of a node that nobody expected.
        """
        self._first = first
        self._tell = tell
        self._begun: dict[str, int] = {}

    def meet(self, task: LiveTask) -> bool:
        """A task arrives at its node; True if that was to be expected."""
        first = self._first.get(scope_of(task.path))
        begun = self._begun.setdefault(task.graph_namespace, task.superstep)
        if first is None or task.superstep != begun or task.attempt > 1 or their_name(task.path) in first:
            return True
        due = ", ".join(sorted(first))
        self._tell(f"hookstepper: {task.path} runs again although it was not due; expected: {due}\n")
        return False


def due_first(snapshot: Any, scope: str = "") -> dict[str, frozenset[str]]:
    """What goes on first at a state snapshot that was taken with its subgraphs, by path of the graph."""
    found = {scope: frozenset(map(str, snapshot.next))} if snapshot.next else {}
    for task in snapshot.tasks:
        state = getattr(task, "state", None)
        if hasattr(state, "tasks"):
            for path, names in due_first(state, node_id(task.name, scope)).items():
                # The same graph may stand in several tasks at different places.
                found[path] = found.get(path, frozenset()) | names
    return found


def run_again(place: NodeId, scopes: Mapping[str, Scope]) -> tuple[NodeId, ...]:
    """Nodes whose bodies run again from their first line when the node at `place` goes on, outermost first.

    That is the node itself, and each node around it whose function calls the graph that holds the next.
    """
    return (*_callers(place, scopes), place)


def _callers(place: str, scopes: Mapping[str, Scope]) -> Iterator[NodeId]:
    outer = scope_of(place)
    if not outer:
        return
    yield from _callers(outer, scopes)
    known = scopes.get(outer)
    if known is None or known.called:
        yield NodeId(outer)
