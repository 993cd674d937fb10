"""A state graph as it is written down: nodes, edges, key strategies. `compile` makes it run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, Unpack

from hookstepper.engine.actions import (
    Action,
    Compiled,
    NodeMeta,
    NodeSpec,
    Router,
    look_at,
    source_of,
    takes_config,
)
from hookstepper.engine.errors import GraphSpecError
from hookstepper.engine.strategies import KeyStrategy
from hookstepper.model.graph import EdgeKind, NodeKind
from hookstepper.model.ids import END, START, NodeId

if TYPE_CHECKING:
    from hookstepper.engine.config import CompileConfig
    from hookstepper.engine.run import CompiledGraph


@dataclass(frozen=True, slots=True)
class Condition:
    """A conditional edge: a router, and the node that each of its route keys means."""

    router: Router
    mapping: Mapping[str, NodeId]
    labels: Mapping[str, str]
    kinds: Mapping[str, EdgeKind]
    never: frozenset[NodeId]
    """Targets that the rules can never take."""
    rules: tuple[str, ...]
    """Rule words of the router, for the description; empty if it does not tell."""
    many: bool = False
    """True if the router gives several route keys, whose nodes run in parallel."""
    wants_config: bool = False
    onward: Condition | None = None
    """Where END in the mapping means the way out of a flattened subgraph that is itself conditional."""


EdgeTarget: TypeAlias = NodeId | Condition


class EdgeLook(TypedDict, total=False):
    """How a conditional edge is drawn and described; what it does is said by its router and mapping."""

    labels: Mapping[str, str] | None
    """What the picture writes, by route key; by default the key, where it is not the node's id."""
    kinds: Mapping[str, EdgeKind] | None
    """Kind of edge, by route key; by default `conditional`."""
    rules: Iterable[str]
    """Rule words that the router may answer with."""
    never: Iterable[str]
    """Node ids of the mapping that the rules can never take; kept in the graph, off the picture."""


class StateGraph:
    """A graph under construction; every `add` returns it. One thread builds, then it is compiled.

    Mistakes are reported as soon as they can be seen, the rest by `compile`, always as `SpecError`.
    """

    def __init__(self, name: str = "", keys: Mapping[str, KeyStrategy] | None = None) -> None:
        self.name = name
        for key, strategy in (keys or {}).items():
            if not callable(strategy):
                raise GraphSpecError(
                    f"the strategy of state key {key!r} is {strategy!r:.40}",
                    hint="APPEND, REPLACE, MERGE, or a function of the old value and the new one",
                )
        self.keys: dict[str, KeyStrategy] = dict(keys or {})
        """Key strategies; a key that is not here is replaced."""
        self.nodes: dict[NodeId, NodeSpec] = {}
        """In the order in which they were added."""
        self.edges: dict[NodeId, list[EdgeTarget]] = {}
        """Targets by source; more than one is a fan-out."""

    # ----------------------------------------------------------------------------------------- nodes

    def add_node(
        self, node_id: str, action: Any, *, kind: NodeKind = "plain", meta: NodeMeta | None = None
    ) -> StateGraph:
        """Add a node.

        Args:
            action: what it does: a callable that takes `(state)` or `(state, config)`, sync or async, and
                returns the update (a mapping, None or a `Command`); an object with `interrupt`; a generator
                function marked `@effectful`; a `StateGraph`, which becomes part of this graph when it is
                compiled; or a `CompiledGraph`, which runs as a graph of its own inside the node.

        Raises:
            SpecError: the id is taken or cannot be one, or the action is nothing that can run.
        """
        self._check_new(node_id)
        meta = meta or NodeMeta()
        if isinstance(action, StateGraph):
            from hookstepper.engine.validation import check

            check(action)
            self.nodes[NodeId(node_id)] = NodeSpec(NodeId(node_id), action, "subgraph", meta)
        elif isinstance(action, Compiled):
            self.nodes[NodeId(node_id)] = NodeSpec(NodeId(node_id), action, "subgraph", meta)
        else:
            self.nodes[NodeId(node_id)] = NodeSpec(NodeId(node_id), self._action(node_id, action), kind, meta)
        return self

    def add_command_node(
        self,
        node_id: str,
        router: Router,
        mapping: Mapping[str, str] | Sequence[str],
        *,
        many: bool = False,
        **look: Unpack[EdgeLook],
    ) -> StateGraph:
        """Add a node that does nothing but decide: its router is asked after it, as a conditional edge is.

        Args:
            look: how its edge is drawn and described.

        Raises:
            SpecError: as for `add_node` and `add_conditional_edges`.
        """
        self.add_node(node_id, _nothing, meta=NodeMeta(source=source_of(router)))
        if many:
            return self.add_parallel_conditional_edges(node_id, router, mapping, **look)
        return self.add_conditional_edges(node_id, router, mapping, **look)

    def _check_new(self, node_id: str) -> None:
        if node_id == END:
            raise GraphSpecError(
                f"a node cannot be called {END}",
                hint="add an edge to END instead",
                upstream="END is not a valid node id!",
            )
        if ":" in node_id:
            raise GraphSpecError(
                f"a node cannot be called {node_id!r}: a colon stands between the names of nested places",
                hint="use another sign, such as a dot",
            )
        if node_id in self.nodes:
            raise GraphSpecError(
                f"there is a node {node_id!r} already",
                hint="node ids are unique in a graph",
                upstream=f"node with id: {node_id} already exist!",
            )

    def _action(self, node_id: str, action: Any) -> Action:
        try:
            return look_at(action)
        except TypeError as error:
            raise GraphSpecError(
                f"node {node_id!r}: {error}",
                hint="a node is a function of the state, an object with interrupt, or a graph",
                upstream=f"action factory for node id '{node_id}' is null!",
            ) from None

    # ----------------------------------------------------------------------------------------- edges

    def add_edge(self, source: str | Sequence[str], target: str | Sequence[str]) -> StateGraph:
        """Add a fixed edge, or one for each id of a list; several from one source make a fan-out.

        Raises:
            SpecError: it starts at END, or a list is empty.
        """
        sources, targets = _ids(source), _ids(target)
        if not sources:
            raise GraphSpecError(
                f"an edge to {target!r} has no source",
                hint="the list of sources is empty",
                upstream=f"Source nodeIds missing for addEdges(sourceIds, {target})!",
            )
        if not targets:
            raise GraphSpecError(
                f"an edge from {source!r} has no target",
                hint="the list of targets is empty",
                upstream=f"Target nodeIds missing for addEdges({source}, targetIds)!",
            )
        for one in sources:
            self._check_source(one)
            self.edges.setdefault(NodeId(one), []).extend(NodeId(other) for other in targets)
        return self

    def add_conditional_edges(
        self,
        source: str,
        router: Router,
        mapping: Mapping[str, str] | Sequence[str],
        **look: Unpack[EdgeLook],
    ) -> StateGraph:
        """Let a router choose the way on.

        Args:
            router: `(state)` or `(state, config)` to a route key, a `Command`, or a `Decision`.
            mapping: the node that each route key means; a list of node ids stands for themselves.
            look: how it is drawn and described.

        Raises:
            SpecError: the source is END or has an edge already, or the mapping is empty.
        """
        return self._add_condition(source, _condition(_checked(source, router), mapping, **look))

    def add_parallel_conditional_edges(
        self,
        source: str,
        router: Router,
        mapping: Mapping[str, str] | Sequence[str],
        **look: Unpack[EdgeLook],
    ) -> StateGraph:
        """Let a router choose several ways on, whose nodes run in parallel and meet at one node.

        Args and errors as for `add_conditional_edges`; the router gives a sequence of route keys.
        """
        made = _condition(_checked(source, router), mapping, many=True, **look)
        return self._add_condition(source, made)

    def _add_condition(self, source: str, condition: Condition) -> StateGraph:
        self._check_source(source)
        if not condition.mapping:
            raise GraphSpecError(
                f"the conditional edge from {source!r} leads nowhere",
                hint="give it a mapping from route keys to node ids",
                upstream="edge mapping is empty!",
            )
        if source in self.edges:
            raise GraphSpecError(
                f"node {source!r} has an edge already, and a conditional edge must be its only one",
                hint="put all ways on into one mapping",
                upstream=f"conditional edge from '{source}' already exist!",
            )
        self.edges[NodeId(source)] = [condition]
        return self

    def _check_source(self, source: str) -> None:
        if source == END:
            raise GraphSpecError(
                "an edge cannot start at END",
                hint="END is where a run is over",
                upstream="END is not a valid edge sourceId!",
            )

    # --------------------------------------------------------------------------------------- compile

    def compile(self, config: CompileConfig | None = None) -> CompiledGraph:
        """The graph, ready to run. Later changes to this one do not reach it.

        Args:
            config: by default one with a memory saver of its own.

        Raises:
            SpecError: the graph is not well formed; `upstream` holds what the Java engine says.
        """
        from hookstepper.engine.config import CompileConfig
        from hookstepper.engine.run import CompiledGraph

        return CompiledGraph(self, config or CompileConfig())


def _checked(source: str, router: Router) -> Router:
    if not callable(router):
        raise GraphSpecError(
            f"the router of {source!r} is {router!r:.40}, which cannot be called",
            hint="a function of the state that gives a route key",
        )
    return router


def _nothing(state: Any) -> dict[str, Any]:  # noqa: ARG001
    return {}


def _ids(ids: str | Sequence[str] | None) -> list[str]:
    return [ids] if isinstance(ids, str) else list(ids or ())


def _condition(
    router: Router,
    mapping: Mapping[str, str] | Sequence[str],
    *,
    many: bool = False,
    **look: Unpack[EdgeLook],
) -> Condition:
    pairs = mapping if isinstance(mapping, Mapping) else {target: target for target in mapping or ()}
    return Condition(
        router,
        {key: NodeId(target) for key, target in pairs.items()},
        dict(look.get("labels") or {}),
        dict(look.get("kinds") or {}),
        frozenset(NodeId(target) for target in look.get("never", ())),
        tuple(look.get("rules", ())),
        many,
        takes_config(router),
    )


__all__ = ["END", "START", "Condition", "EdgeTarget", "NodeMeta", "StateGraph"]
