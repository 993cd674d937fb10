"""The ways of lights: the edges that a run took, joined to one path for each branch of it."""

from __future__ import annotations

from collections.abc import Sequence

from hookstepper.model.ids import NodeId
from hookstepper.picture import Layout, Link

Cells = tuple[tuple[int, int], ...]


def trails(plan: Layout, links: Sequence[Link]) -> list[Cells]:
    """Cells of the paths, each a run of edges that follow one another.

    Args:
        links: in the order in which they were taken; what the picture does not show is passed over.
    """
    paths: list[list[tuple[int, int]]] = []
    ends: dict[NodeId, int] = {}
    for source, target in links:
        index = plan.wire_of.get((source, target))
        if index is None:
            continue
        wire = plan.wires[index]
        # The first branch to leave a node goes on with the path that came to it; the others begin there.
        path = ends.pop(wire.source, None)
        if path is None:
            path = len(paths)
            paths.append([])
        paths[path].extend(wire.cells)
        ends[wire.target] = path
    return [tuple(path) for path in paths if path]
