"""Names for identifiers, so that a node is never passed where a task is meant."""

from typing import NewType, TypeAlias

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None
"""Any JSON value; typed values inside it are tagged objects, see `hookstepper.values`."""

NodeId = NewType("NodeId", str)
"""Unique in its graph; a nested node is named by its path, `outer:inner`."""

TaskId = NewType("TaskId", str)
"""One execution of a node inside a superstep; unique in its run."""

StopId = NewType("StopId", int)
"""Counts the stops of one host process, from 1."""

AskId = NewType("AskId", str)
"""One open question of the program; unique in its thread."""

CheckpointId = NewType("CheckpointId", str)
BranchId = NewType("BranchId", str)
HostId = NewType("HostId", str)
"""One host process; a checkpoint in memory lives as long as the host that made it."""

START = NodeId("__START__")
"""Where every graph begins, on every engine: adapters translate their own name to this one."""

END = NodeId("__END__")
"""Where every graph ends, on every engine."""


def scope_of(node: str) -> str:
    """The path of the subgraph node that holds a node; empty at the top."""
    return node.rpartition(":")[0]


MAIN = BranchId("main")
"""The line of history that a run begins on."""
