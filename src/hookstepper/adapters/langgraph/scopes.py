"""The graphs that a target is made of: the root and every subgraph that can be found without running it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from hookstepper.adapters.langgraph.channels import is_untracked
from hookstepper.adapters.langgraph.names import THEIR_END, node_id
from hookstepper.model.graph import Anchors

DEEPEST = 8
"""Levels of nesting that are looked at; a graph that holds itself has no end."""


@dataclass(slots=True)
class Scope:
    """One graph, live, with what its builder declares."""

    path: str
    """Path of the subgraph node, empty for the root."""
    graph: Any
    """The compiled graph."""
    builder: Any
    """Its StateGraph, or None for the functional API and hand-made Pregel graphs."""
    called: bool = False
    """True if a node's function calls the graph, so that the node is more than the graph."""
    fixed: dict[str, list[str]] = field(default_factory=dict)
    """LangGraph's node name to the targets of its edges without a choice."""
    anchors: Anchors | None = None
    """The four anchors, once somebody asked for them."""
    joins: dict[str, tuple[tuple[str, ...], str]] = field(default_factory=dict)
    """Channel of a waiting edge to the nodes that it waits for and its target."""

    @property
    def initial(self) -> dict[str, Any]:
        """Values that state keys have before anything wrote them, such as an empty list to append to."""
        found: dict[str, Any] = {}
        for name, channel in (self.builder.channels if self.builder is not None else {}).items():
            try:
                found[name] = channel.get()
            except Exception:  # LangGraph's EmptyChannelError, and whatever a user's channel raises
                continue
        return found

    @property
    def delta_keys(self) -> tuple[str, ...]:
        """State keys of which checkpoints save only the changes: only LangGraph can put them together."""
        channels = self.builder.channels if self.builder is not None else {}
        return tuple(name for name, channel in channels.items() if type(channel).__name__ == "DeltaChannel")

    @property
    def untracked_keys(self) -> tuple[str, ...]:
        """State keys that no checkpoint holds: they last as long as the run that is alive."""
        channels = self.builder.channels if self.builder is not None else {}
        return tuple(name for name, channel in channels.items() if is_untracked(channel))

    @property
    def specs(self) -> dict[str, Any]:
        """Node specifications by LangGraph's name, in registration order."""
        return dict(self.builder.nodes) if self.builder is not None else {}

    def runnable(self, name: str) -> Any:
        """What runs when the node runs, without LangGraph's writers."""
        spec = self.specs.get(name)
        if spec is not None:
            return spec.runnable
        return getattr(self.graph.nodes.get(name), "bound", None)

    @property
    def branches(self) -> dict[str, dict[str, Any]]:
        """Conditional edges by source and name."""
        return dict(self.builder.branches) if self.builder is not None else {}

    @property
    def node_names(self) -> tuple[str, ...]:
        """Names of all nodes that run, in registration order."""
        if self.builder is not None:
            return tuple(self.builder.nodes)
        return tuple(name for name in self.graph.nodes if not name.startswith("__"))

    def declared_targets(self, name: str) -> set[str]:
        """Every target that the builder declares for a node, by whatever means."""
        found = set(self.fixed.get(name, ()))
        found.update(end for starts, end in self.joins.values() if name in starts)
        for branch in self.branches.get(name, {}).values():
            found.update((branch.ends or {}).values())
        found.update(ends_of(self.specs.get(name)))
        return found


def ends_of(spec: Any) -> dict[str, str]:
    """Targets that a node declares for its Commands, with their labels."""
    ends = getattr(spec, "ends", None) or ()
    return dict(ends) if isinstance(ends, dict) else dict.fromkeys(ends, "")


def find_scopes(root: Any) -> dict[str, Scope]:
    """The root graph and its subgraphs by path, outermost first."""
    found: dict[str, Scope] = {}
    waiting = [("", root, False, 0)]
    while waiting:
        path, graph, called, depth = waiting.pop(0)
        found[path] = _scope(path, graph, called)
        if depth < DEEPEST:
            waiting += [
                (node_id(name, path), inner, by_call, depth + 1)
                for name, inner, by_call in _inner(found[path])
            ]
    return found


def _scope(path: str, graph: Any, called: bool) -> Scope:
    builder = getattr(graph, "builder", None)
    scope = Scope(path, graph, builder, called)
    if builder is None:
        return scope
    # A set has no order of its own; node order makes the picture the same in every process.
    places = {name: place for place, name in enumerate(("__start__", *builder.nodes, THEIR_END))}
    for source, target in sorted(builder.edges, key=lambda edge: [places.get(end, 0) for end in edge]):
        scope.fixed.setdefault(source, []).append(target)
    for starts, end in builder.waiting_edges:
        names = tuple(starts)
        scope.joins[f"join:{'+'.join(names)}:{end}"] = (names, end)
    return scope


def _inner(scope: Scope) -> Iterator[tuple[str, Any, bool]]:
    """Subgraphs of one graph: those that are nodes, and those that a node's function refers to."""
    direct = {name: spec.runnable for name, spec in scope.specs.items() if is_graph(spec.runnable)}
    for name, inner in direct.items():
        yield name, inner, False
    try:
        referred = dict(scope.graph.get_subgraphs())
    except Exception:  # foreign nodes may refuse to be looked into
        return
    for name, inner in referred.items():
        if name not in direct and name in scope.node_names:
            yield name, inner, True


def is_graph(obj: Any) -> bool:
    """True for LangGraph's compiled graphs, and for nothing that merely looks like one."""
    return any(kind.__module__.startswith("langgraph.pregel") for kind in type(obj).__mro__[:-1]) and hasattr(
        obj, "stream_channels_asis"
    )
