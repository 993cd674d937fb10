"""Live values as JSON that leads back to them; what would not is refused."""

from __future__ import annotations

import base64
import collections
import datetime as dt
import decimal
import enum
import fractions
import math
import pathlib
import uuid
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, cast

from hookstepper.engine.strategies import Removal
from hookstepper.engine.typecodecs import BY_TYPE, TAG, Path, find_type
from hookstepper.model.errors import InvalidValueError

_SMALL = 1 << 63
"""Integers below it are JSON numbers."""


class Encoder:
    """Makes JSON of one value; knows which containers it is inside of."""

    def __init__(self) -> None:
        self._above: set[int] = set()

    def value(self, value: Any, path: Path) -> Any:
        """The JSON form of `value`; raises `InvalidValueError` for what cannot come back."""
        kind = type(value)
        if value is None or kind is str or kind is bool:
            return value
        if kind is int:
            return value if -_SMALL <= value < _SMALL else {TAG: "int", "v": hex(value)}
        if kind is float:
            return value if math.isfinite(value) else {TAG: "float", "v": repr(value)}
        codec = BY_TYPE.get(kind)
        if codec is not None:
            return {TAG: "type", "t": codec.name, "v": self._inside(value, codec.encode(value), path)}
        scalar = _SCALARS.get(kind)
        if scalar is not None:
            return scalar(value)
        return self._composite(value, path)

    def _inside(self, owner: Any, value: Any, path: Path) -> Any:
        with self._entered(owner, path):
            return self.value(value, path)

    def _composite(self, value: Any, path: Path) -> Any:
        if isinstance(value, enum.Enum):
            return {TAG: "enum", "t": _name_of(type(value), path), "v": value.name}
        with self._entered(value, path):
            if isinstance(value, tuple) and hasattr(value, "_fields"):
                named = self._items(value, path)
                return {TAG: "named", "t": _name_of(type(value), path), "v": named}
            if is_dataclass(value) and not isinstance(value, type):
                return self._dataclass(value, path)
            if isinstance(value, Mapping):
                return self._mapping(value, path)
            if isinstance(value, list):
                return self._items(value, path)
            for kind, tag in _SEQUENCES:
                if isinstance(value, kind):
                    return {TAG: tag, "v": self._items(value, path)}
            if isinstance(value, collections.deque):
                return {TAG: "deque", "v": self._items(value, path), "max": value.maxlen}
            if hasattr(value, "model_dump") and hasattr(type(value), "model_validate"):
                data = self.value(value.model_dump(), path)
                return {TAG: "model", "t": _name_of(type(value), path), "v": data}
        return _subclassed(value, path)

    def _items(self, value: Any, path: Path) -> list[Any]:
        return [self.value(item, (*path, index)) for index, item in enumerate(value)]

    def _mapping(self, value: Mapping[Any, Any], path: Path) -> Any:
        if all(type(key) is str for key in value) and TAG not in value:
            return {key: self.value(item, (*path, key)) for key, item in value.items()}
        rows = []
        for key, item in value.items():
            rows.append([self.value(key, path), self.value(item, (*path, str(key)))])
        return {TAG: "map", "v": rows}

    def _dataclass(self, value: Any, path: Path) -> Any:
        data = {
            field.name: self.value(getattr(value, field.name), (*path, field.name)) for field in fields(value)
        }
        return {TAG: "obj", "t": _name_of(type(value), path), "v": data}

    def _entered(self, value: Any, path: Path) -> _Entered:
        if id(value) in self._above:
            raise InvalidValueError(f"{shown(path)} holds itself and cannot be saved", path=path)
        return _Entered(self._above, id(value))


class _Entered:
    def __init__(self, above: set[int], key: int) -> None:
        self._above, self._key = above, key

    def __enter__(self) -> None:
        self._above.add(self._key)

    def __exit__(self, *_: object) -> None:
        self._above.discard(self._key)


def _iso(tag: str) -> Callable[[Any], Any]:
    return lambda value: {TAG: tag, "v": value.isoformat()}


def _text(tag: str) -> Callable[[Any], Any]:
    return lambda value: {TAG: tag, "v": str(value)}


def _moment(value: dt.datetime) -> Any:
    zone = value.tzinfo
    if zone is None or isinstance(zone, dt.timezone):
        return {TAG: "datetime", "v": value.isoformat(), "fold": value.fold}
    key = getattr(zone, "key", None)
    if not isinstance(key, str):
        raise InvalidValueError(f"a time in the zone {zone!r} cannot be saved")
    return {TAG: "datetime", "v": value.replace(tzinfo=None).isoformat(), "zone": key, "fold": value.fold}


_SCALARS: dict[type, Callable[[Any], Any]] = {
    bytes: lambda value: {TAG: "bytes", "v": base64.b64encode(value).decode()},
    bytearray: lambda value: {TAG: "bytearray", "v": base64.b64encode(value).decode()},
    complex: lambda value: {TAG: "complex", "v": [repr(value.real), repr(value.imag)]},
    dt.datetime: _moment,
    dt.date: _iso("date"),
    dt.time: _iso("time"),
    dt.timedelta: lambda value: {TAG: "span", "v": [value.days, value.seconds, value.microseconds]},
    decimal.Decimal: _text("decimal"),
    fractions.Fraction: _text("fraction"),
    uuid.UUID: _text("uuid"),
    pathlib.PosixPath: _text("path"),
    pathlib.WindowsPath: _text("path"),
    pathlib.PurePosixPath: _text("posix path"),
    pathlib.PureWindowsPath: _text("windows path"),
    range: lambda value: {TAG: "range", "v": [value.start, value.stop, value.step]},
    Removal: lambda _: {TAG: "removal"},
}
_SEQUENCES: tuple[tuple[type, str], ...] = ((tuple, "tuple"), (frozenset, "frozenset"), (set, "set"))


def _subclassed(value: Any, path: Path) -> Any:
    """A text or number of a type of its own is saved as the plain one that it equals."""
    for kind in (str, int, float, bytes):
        if isinstance(value, kind):
            return Encoder().value(cast(Any, kind)(value), path)
    raise InvalidValueError(
        f"{shown(path)} is a {type(value).__qualname__}, which cannot be saved",
        path=path,
        hint="make it a dataclass, register a codec for it, or keep it out of the state",
    )


def shown(path: Path) -> str:
    """A path as people write it."""
    return ".".join(str(part) for part in path) or "the value"


def _name_of(kind: type, path: Path) -> str:
    name = f"{kind.__module__}:{kind.__qualname__}"
    if find_type(name) is not kind:
        raise InvalidValueError(
            f"{shown(path)} is a {kind.__qualname__}, which cannot be found again by its name",
            path=path,
            hint="define the class at the top of a module",
        )
    return name
