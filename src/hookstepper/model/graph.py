"""A graph as plain data: what every engine describes, every view draws and every exporter writes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from hookstepper.model.ids import NodeId

NodeKind = Literal[
    "start",
    "end",
    "before_agent",
    "before_model",
    "model",
    "after_model",
    "after_agent",
    "tool",
    "subgraph",
    "plain",
]
HOOK_KINDS: frozenset[NodeKind] = frozenset({"before_agent", "before_model", "after_model", "after_agent"})
"""A hook is a node of one of these kinds; nothing else is a hook."""

EdgeKind = Literal["fixed", "conditional", "jump"]
Evidence = Literal["declared", "inferred", "observed", "never"]
"""How an edge is known: the program declares it, the code implies it, a run took it, or the rules can
never take it (kept in the graph and in exports, left off the picture)."""

RingKind = Literal["model", "tool"]


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """Where code stands."""

    file: str
    """Path as the interpreter knows it; empty if the code was made at run time."""
    line: int | None = None
    """Line of the definition, counted from 1; None if not known."""
    function: str = ""
    """Qualified name, such as `Safety.after_model`."""


@dataclass(frozen=True, slots=True)
class Ring:
    """One interceptor around the calls of a node; the first of a node's rings is the outermost."""

    name: str
    kind: RingKind
    brought_by: str = ""
    """The agent, or the hook that supplied it."""
    source: SourcePlace | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """One vertex. A hook is one node for each position that it declares."""

    id: NodeId
    label: str
    """What the picture writes; never longer than needed to tell nodes apart."""
    kind: NodeKind = "plain"
    owner: str = ""
    """The hook or middleware behind a hook node, as the user named it; a hook's nodes share it."""
    index: int | None = None
    """Registration index of the owner, from 0; None for what nobody registered."""
    order: int = 0
    """Explicit order of the owner; lower runs earlier before, later after."""
    jumps: tuple[str, ...] = ()
    """Declared jump words: of `tool`, `model`, `end`."""
    source: SourcePlace | None = None
    rings: tuple[Ring, ...] = ()
    tools: tuple[str, ...] = ()
    """Names of the tools that a tool node can run."""
    side_effects: tuple[str, ...] = ()
    """Those of its tools that the program marks as having effects outside of the run."""
    parent: NodeId | None = None
    """The subgraph node that holds this one; None at the top."""
    can_ask: bool = False
    """True if the node may pause the run with a question."""
    stops: tuple[Literal["enter", "exit"], ...] = ()
    """Compiled into the graph: the run stops by itself before or after the node."""
    open_ended: bool = False
    """True if its router can name targets that nothing declares: drawn as unknown until observed."""
    hidden: bool = False
    """True for helper nodes that the framework adds for itself."""
    note: str = ""
    """One remark worth showing, such as `deferred` or `retries 3 times`."""


@dataclass(frozen=True, slots=True)
class Edge:
    """One directed link; several may join the same two nodes with different labels."""

    source: NodeId
    target: NodeId
    kind: EdgeKind = "fixed"
    label: str = ""
    """Why this way is taken, in a word or two: `tool calls`, `jump end`."""
    evidence: Evidence = "declared"


@dataclass(frozen=True, slots=True)
class Anchors:
    """The four nodes that give an agent graph its shape; None where a graph has no such place."""

    entry: NodeId | None = None
    loop_entry: NodeId | None = None
    loop_exit: NodeId | None = None
    exit: NodeId | None = None


@dataclass(frozen=True, slots=True)
class StateKey:
    """One key of the state and how updates reach it."""

    name: str
    strategy: str
    """`append`, `replace`, `merge`, or the name of the reducer."""
    declared_by: str = ""
    private: bool = False


@dataclass(frozen=True, slots=True)
class Graph:
    """A compiled graph. Node order is registration order; START and END are among the nodes."""

    name: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    anchors: Anchors = Anchors()
    keys: tuple[StateKey, ...] = ()
    engine: str = ""
    """What runs it, for people: `built-in engine`, `langgraph 1.2.24`."""
    rules: str = ""
    """`upstream` or `fixed` for the built-in agent, else empty."""
    notes: tuple[str, ...] = ()
    """Remarks on the whole, such as `the default checkpointer is replaced by one in memory`."""

    def node(self, node_id: NodeId) -> Node | None:
        """The node with that id, or None."""
        return next((node for node in self.nodes if node.id == node_id), None)

    def label(self, node_id: NodeId) -> str:
        """What the picture calls the node; its id if it is not in this graph."""
        node = self.node(node_id)
        return node.label if node is not None else node_id

    def leaving(self, node_id: NodeId) -> Iterator[Edge]:
        """Edges that start at the node, in declaration order."""
        return (edge for edge in self.edges if edge.source == node_id)
