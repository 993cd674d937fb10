"""Errors of graphs that are built on the engine."""

from __future__ import annotations

from hookstepper.model.errors import HookstepperError, SpecError
from hookstepper.model.ids import NodeId


class GraphSpecError(SpecError):
    """A graph is not well formed; `upstream` is what Spring AI Alibaba says in that place."""

    def __init__(self, message: str, *, hint: str = "", upstream: str = "") -> None:
        super().__init__(message, hint=hint)
        self.upstream = upstream


class RunError(HookstepperError):
    """A run cannot go on because the graph has no way on; belongs to the program, so the run fails with it."""

    code = "run"

    def __init__(self, message: str, *, hint: str = "", upstream: str = "") -> None:
        super().__init__(message, hint=hint)
        self.upstream = upstream


class RouteError(RunError):
    """There is no way on from a node: no edge, or a route that leads nowhere."""


class ParallelError(RunError):
    """Parallel branches ended in a way that cannot be gathered."""


class SubgraphError(RunError):
    """A compiled subgraph cannot run in this parent."""


class LimitReachedError(RunError):
    """A subgraph used up its recursion limit; only raised with `compat="fixed"`."""


class NestedFailure(Exception):  # noqa: N818 - not an error of its own, a wrapper that is taken off
    """Carries the failure of a node inside a subgraph up to the root, with the path of that node."""

    def __init__(self, path: NodeId, error: Exception) -> None:
        super().__init__(str(error))
        self.path = path
        self.error = error
