"""Types that the savers know: those that are registered, and those that are found by name."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

TAG = "$"

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class TypeCodec:
    """How one type is saved: as a value that can be saved itself, and back."""

    name: str
    """Unique and stable: it is what files know the type by."""
    kind: type
    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]


BY_TYPE: dict[type, TypeCodec] = {}
BY_NAME: dict[str, TypeCodec] = {}


def register(kind: type, name: str, encode: Callable[[Any], Any], decode: Callable[[Any], Any]) -> TypeCodec:
    """Teach the savers a type; registering the same name again replaces it.

    Args:
        encode: gives a value that can be saved: plain Python, or other types that can.
        decode: gives the object back.
    """
    codec = TypeCodec(name, kind, encode, decode)
    BY_TYPE[kind] = codec
    BY_NAME[name] = codec
    return codec


def find_type(name: str) -> Any:
    """The class with that `module:qualname` among the loaded modules, or None; imports nothing."""
    module, _, qualname = name.partition(":")
    found: Any = sys.modules.get(module)
    for part in qualname.split("."):
        found = getattr(found, part, None)
    return found if isinstance(found, type) else None
