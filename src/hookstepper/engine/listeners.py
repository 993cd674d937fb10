"""Observers of a run: told what happens, able to change nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hookstepper.model.ids import NodeId

if TYPE_CHECKING:
    from hookstepper.engine.config import RunConfig


class Listener:
    """Base of listeners; every method may be left out, and may be async.

    Called on the run's own thread, in the order of registration; in parallel branches in the reverse order.
    `state` is a live view that cannot be written. What a listener raises is dropped.
    """

    def on_start(self, node: NodeId, state: Mapping[str, Any], config: RunConfig) -> Any:
        """A run starts, before its first edge is asked; not when one is resumed."""

    def before(self, node: NodeId, state: Mapping[str, Any], config: RunConfig, at_ms: int) -> Any:
        """A node is about to run."""

    def after(self, node: NodeId, state: Mapping[str, Any], config: RunConfig, at_ms: int) -> Any:
        """A node has run, its checkpoint is written and the way on is known."""

    def on_error(
        self, node: NodeId, state: Mapping[str, Any], error: BaseException, config: RunConfig
    ) -> Any:
        """A node, its edge or the engine failed."""

    def on_complete(self, node: NodeId, state: Mapping[str, Any], config: RunConfig) -> Any:
        """The run reached END."""
