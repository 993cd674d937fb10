"""Where a run stands: at the top, or inside a node of another run."""

from __future__ import annotations

from dataclasses import dataclass, field

from hookstepper.model.gates import GateKind, Site
from hookstepper.model.ids import NodeId, TaskId


@dataclass(slots=True)
class Scope:
    """Where a run stands: at the top, or inside the node of another run."""

    path: str = ""
    """Prefix of its node ids in sites and facts, such as `outer:`."""
    tasks: str = "main"
    """Prefix of its task ids."""
    steps: list[int] = field(default_factory=lambda: [0])
    """Counter of executed node positions, shared by all runs inside one another."""
    streaming: bool = False
    _sites: dict[tuple[GateKind, NodeId], Site] = field(default_factory=dict)
    _parts: dict[tuple[NodeId, str], Site] = field(default_factory=dict)

    @property
    def owner(self) -> NodeId | None:
        """The subgraph node whose state this is; None at the top."""
        return NodeId(self.path[:-1]) if self.path else None

    def within(self, node: NodeId, task: TaskId) -> Scope:
        """The scope of a graph inside `node`."""
        return Scope(f"{self.path}{node}:", task, self.steps, self.streaming)

    def site(self, kind: GateKind, node: NodeId) -> Site:
        """The site of a node or route of this graph."""
        found = self._sites.get((kind, node))
        if found is None:
            found = self._sites[(kind, node)] = Site(kind, self.place(node))
        return found

    def part(self, node: NodeId, name: str) -> Site:
        """The site of a part of the engine's own work around a node of this graph."""
        found = self._parts.get((node, name))
        if found is None:
            found = self._parts[(node, name)] = Site("part", self.place(node), name)
        return found

    def place(self, node: NodeId) -> NodeId:
        """Path of a node of this graph."""
        return NodeId(self.path + node) if self.path else node
