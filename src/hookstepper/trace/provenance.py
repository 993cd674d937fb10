"""Which point of the history gave a value the form that it has now."""

from __future__ import annotations

from collections.abc import Sequence

from hookstepper.model.ids import Json, NodeId
from hookstepper.model.record import AddKey, DeltaOp, Path, Splice
from hookstepper.trace.branches import Cause, Write
from hookstepper.trace.history import ROOT, History, PointId
from hookstepper.values.paths import exists


def write(
    history: History, causes: Sequence[Cause], point: PointId, path: Path, scope: NodeId | None = None
) -> Write | None:
    """The last write of the value at `path` as it stands at `point`; None if it is not there.

    Follows the value back through insertions and removals in the lists that hold it.
    """
    state = history.state(point, scope)
    if not exists(state, path):
        return None
    here = _from_the_front(state, path)
    while point != ROOT:
        if history.scope(point) == scope:
            for op in reversed(history.delta(point)):
                moved = _before(op, here)
                if moved is None:
                    cause = causes[point]
                    return Write(cause.step, cause.by, _old(op, here))
                here = moved
        point = history.parent(point)
    return None


def _from_the_front(state: Json, path: Path) -> Path:
    """The path with negative indices counted from the front."""
    out: list[str | int] = []
    here = state
    for part in path:
        if isinstance(part, int) and part < 0 and isinstance(here, list):
            part += len(here)
        out.append(part)
        here = here[part]  # type: ignore[index]
    return tuple(out)


def _before(op: DeltaOp, path: Path) -> Path | None:
    """Where the value at `path` stood before `op`; None if `op` wrote it or a part of it."""
    at = op.path
    shared = min(len(at), len(path))
    if at[:shared] != path[:shared]:
        return path
    if not isinstance(op, Splice) or len(path) <= len(at):
        return None
    index = path[len(at)]
    if not isinstance(index, int) or index < op.index:
        return path
    if index < op.index + len(op.inserted):
        return None
    return (*at, index + len(op.removed) - len(op.inserted), *path[len(at) + 1 :])


def _old(op: DeltaOp, path: Path) -> Json:
    return op.old if not isinstance(op, (AddKey, Splice)) and op.path == path else None
