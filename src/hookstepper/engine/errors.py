"""Errors of graphs that are built on the engine."""

from __future__ import annotations

from hookstepper.model.errors import HookstepperError, SpecError


class GraphSpecError(SpecError):
    """A graph is not well formed; `upstream` is what Spring AI Alibaba says in that place."""

    def __init__(self, message: str, *, hint: str = "", upstream: str = "") -> None:
        super().__init__(message, hint=hint)
        self.upstream = upstream


class RunError(HookstepperError):
    """The program left a run without a way on: the run fails with this, as with an error of a node."""

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
