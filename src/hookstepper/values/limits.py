"""How much of a value is encoded, and what a framework has to tell for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from hookstepper.model.ids import Json


class ObjectCodec(Protocol):
    """What a framework knows about its own types; `hookstepper.ports.target.Codec` is one."""

    def encode(self, obj: object) -> Json:
        """The tagged form of `obj` with live children, or None if it is not this framework's."""
        ...

    def decode(self, value: Json, like: object) -> object:
        """The object that `value` describes; raises `InvalidValue`."""
        ...


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a value is encoded. What is beyond is a `cut` that tells the true size."""

    text: int = 1 << 20
    """Characters of one text, bytes of one byte string."""
    items: int = 100_000
    """Items of one container."""
    depth: int = 64
    """Containers inside each other."""
    total: int = 4 << 20
    """Characters in all, where each value that is not text counts as 16. Three bytes a character at most,
    so that a whole state stays below the frame size of the wire, 16 MiB."""


RECORDED = Limits()
"""For what is recorded: exact, but for absurd sizes."""

CUT_TEXT = 4096
"""Characters kept of a text that is too long."""
