"""What is put out of the way while a graph is debugged, and put back afterwards.

Stops that were compiled into nested graphs would end the run without a question, and time limits would
run out while a task is held. And a nested graph that is to keep its state wherever a saver is around would
keep it with ours, in a program that has none. The root graph's are left out of our copy of it; those of
nested graphs belong to the user's own objects, so they are lifted for the time of a run only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from hookstepper.adapters.langgraph.savings import is_saver
from hookstepper.adapters.langgraph.scopes import Scope

LIFTED: dict[str, Any] = {"interrupt_before_nodes": [], "interrupt_after_nodes": [], "step_timeout": None}
"""Attributes of a compiled graph and what they are while it is debugged."""


@contextmanager
def lifted(scopes: Iterable[Scope], *, keeps_state: bool, overlay: Callable[[Any], Any]) -> Iterator[None]:
    """While entered, nested graphs neither stop by themselves nor run out of time.

    Args:
        keeps_state: False if the program has no saver, so that no nested graph keeps its state.
        overlay: what stands in the place of a nested graph's own saver, so that it is not written to.
    """
    before: list[tuple[Any, str, Any]] = []

    def lift(obj: Any, name: str, value: Any) -> None:
        old = getattr(obj, name, None)
        if old:
            before.append((obj, name, old))
            setattr(obj, name, value)

    try:
        for scope in scopes:
            if scope.path:
                for name, value in LIFTED.items():
                    lift(scope.graph, name, value)
                own = scope.graph.checkpointer
                if own is True and not keeps_state:
                    lift(scope.graph, "checkpointer", None)
                elif is_saver(own):
                    lift(scope.graph, "checkpointer", overlay(own))
            for node in scope.graph.nodes.values():
                lift(node, "timeout", None)
        yield
    finally:
        for obj, name, old in reversed(before):
            setattr(obj, name, old)


def notes_on(scopes: Iterable[Scope]) -> list[str]:
    """What is put out of the way, in words."""
    notes: list[str] = []
    for scope in scopes:
        where = f"{scope.path}: " if scope.path else ""
        for attribute, words in (("interrupt_before_nodes", "before"), ("interrupt_after_nodes", "after")):
            nodes = getattr(scope.graph, attribute, None)
            if nodes:
                names = "every node" if nodes == "*" else ", ".join(map(str, nodes))
                notes.append(f"{where}compiled to stop {words} {names}: held there as at a breakpoint")
        timed = [name for name, node in scope.graph.nodes.items() if getattr(node, "timeout", None)]
        if timed or getattr(scope.graph, "step_timeout", None):
            notes.append(f"{where}time limits are off while it is debugged")
    return notes
