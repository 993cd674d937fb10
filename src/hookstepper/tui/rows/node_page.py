"""One node at the step in view: what the facets of the Node tab are computed from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hookstepper.client.view import View
from hookstepper.model.graph import Node
from hookstepper.model.record import StepDone

RECENT = 100
"""Visits that tell what a node reads and writes; more would tell the same."""


COLUMN = 13
"""Cells of the left column: a blank, the longest facet name, two blanks."""


@dataclass(frozen=True, slots=True)
class Page:
    view: View
    node: Node
    visits: Sequence[StepDone]
    """Steps of the node up to the step in view, oldest first."""
    runs_next: bool
    width: int

    @property
    def last(self) -> StepDone | None:
        return self.visits[-1] if self.visits else None
