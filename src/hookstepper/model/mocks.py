"""Mocks: answers that a person gives in place of a model or a tool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hookstepper.model.ids import Json


@dataclass(frozen=True, slots=True)
class Mock:
    """One answer to be given instead of making a call; plain data, sent to the host as a whole set."""

    id: int
    kind: Literal["model", "tool"]
    name: str = "*"
    """Name of the model or tool, or a glob."""
    answer: Json = None
    """What comes back: a text, or the encoded response of the framework."""
    error: str = ""
    """If set, the call fails with this text instead."""
    always: bool = False
    """False: used up by one call."""
    condition: str = ""
    """In the condition language, over the state and `tool` or `model`, the request; empty is always true."""
