"""The rest of a value that was cut: a page of it, read from the live object by the path of the cut."""

from __future__ import annotations

from collections import ChainMap, UserDict, UserList, deque
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType
from typing import Any

from hookstepper.model.errors import InvalidValueError
from hookstepper.model.ids import Json
from hookstepper.model.record import Path
from hookstepper.values import shells
from hookstepper.values.encoding import Encoder, encode
from hookstepper.values.limits import Limits, ObjectCodec
from hookstepper.values.tags import TAG

PAGE = Limits(text=64 << 10, items=1_000, depth=16, total=256 << 10)
"""Each item of a page is cut to this again, so that a page is small whatever it holds."""


@dataclass(frozen=True, slots=True)
class Page:
    """A piece of a value."""

    total: int
    """How many items or characters there are in all."""
    start: int
    items: Json
    """list: the items; dict: pairs of key and value; text and bytes: the piece."""


def page(obj: object, path: Path, start: int, count: int, codec: ObjectCodec | None = None) -> Page:
    """A page of the value at `path`, a path in the encoded form of `obj`.

    Raises:
        InvalidValueError: there is no such place, or the value has no parts.
    """
    here: Any = obj
    for depth, part in enumerate(path):
        try:
            here = _child(here, part, codec)
        except Exception:
            raise InvalidValueError("nothing there any more", path=path[: depth + 1]) from None
    start = max(start, 0)
    if isinstance(here, (str, bytes, bytearray)):
        piece = here[start : start + count]
        return Page(len(here), start, encode(piece, codec, PAGE))
    parts = _parts(here, codec)
    if parts is None:
        raise InvalidValueError("this value has no parts", path=path)
    encoder = Encoder(codec, PAGE)
    items: list[Json] = [encoder.encode(item) for item in islice(parts, start, start + max(count, 0))]
    return Page(len(parts), start, items)


def _parts(here: Any, codec: ObjectCodec | None) -> list[Any] | None:
    if isinstance(here, (dict, MappingProxyType, UserDict, ChainMap)):
        return [[name, here[name]] for name in here]
    if isinstance(here, (set, frozenset)):
        return sorted(here, key=lambda item: shells.sort_key(encode(item, codec)))
    if isinstance(here, (list, tuple, deque, UserList)):
        return list(here)
    shell = _shell(here, codec)
    fields = shell.get("v", shell) if isinstance(shell, dict) else None
    return [[name, item] for name, item in fields.items()] if isinstance(fields, dict) else None


def _child(here: Any, part: str | int, codec: ObjectCodec | None) -> Any:
    """The live child; `v` inside a tag or a cut leads to the same object's items."""
    if isinstance(here, (dict, MappingProxyType, UserDict, ChainMap)):
        if isinstance(part, str) and part in here and TAG not in here:
            return here[part]
        return _parts(here, codec) if part == "v" else here[part]
    if isinstance(here, (list, tuple, set, frozenset, deque, UserList)):
        parts = _parts(here, codec) or []
        return parts if part == "v" else parts[int(part)]
    shell = _shell(here, codec)
    return shell[part]


def _shell(obj: Any, codec: ObjectCodec | None) -> Any:
    shell: Any = codec.encode(obj) if codec is not None else None
    return shell if shell is not None else shells.choose(type(obj))(obj)
