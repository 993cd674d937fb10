"""States as text and back, exactly: what cannot come back as it was is refused when it is saved.

Never pickle: reading a file runs no code of the file's choosing. Classes are found among the modules that
are loaded, never imported, and only dataclasses, enums, named tuples and registered types are made again.
"""

from __future__ import annotations

import base64
import collections
import datetime as dt
import decimal
import enum
import fractions
import json
import math
import pathlib
import sys
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, cast

from hookstepper.engine.strategies import MARK_FOR_REMOVAL, Removal
from hookstepper.model.errors import InvalidValueError

TAG = "$"
_SMALL = 1 << 63

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class TypeCodec:
    """How one type is saved: as a value that can be saved itself, and back."""

    name: str
    """Unique and stable: it is what files know the type by."""
    kind: type
    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]


_BY_TYPE: dict[type, TypeCodec] = {}
_BY_NAME: dict[str, TypeCodec] = {}


def register(kind: type, name: str, encode: Callable[[Any], Any], decode: Callable[[Any], Any]) -> TypeCodec:
    """Teach the savers a type; registering the same name again replaces it.

    Args:
        encode: gives a value that can be saved: plain Python, or other types that can.
        decode: gives the object back.
    """
    codec = TypeCodec(name, kind, encode, decode)
    _BY_TYPE[kind] = codec
    _BY_NAME[name] = codec
    return codec


def to_text(value: Any, path: Path = ()) -> str:
    """The value as one line of JSON.

    Args:
        path: where the value stands, for the error.

    Raises:
        InvalidValueError: something in it cannot be saved; `path` leads there.
    """
    try:
        return json.dumps(_Encoder().value(value, path), separators=(",", ":"), allow_nan=False)
    except RecursionError:
        raise InvalidValueError(f"{_shown(path)} is nested too deep to be saved", path=path) from None


def from_text(text: str) -> Any:
    """The value that `to_text` wrote.

    Raises:
        InvalidValueError: the text is damaged, or names a type that is not loaded.
    """
    try:
        return _decoded(json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError) as error:
        raise InvalidValueError(f"saved value cannot be read: {type(error).__name__}: {error}") from error


# ------------------------------------------------------------------------------------------------ encode


class _Encoder:
    def __init__(self) -> None:
        self._above: set[int] = set()

    def value(self, value: Any, path: Path) -> Any:
        kind = type(value)
        if value is None or kind is str or kind is bool:
            return value
        if kind is int:
            return value if -_SMALL <= value < _SMALL else {TAG: "int", "v": hex(value)}
        if kind is float:
            return value if math.isfinite(value) else {TAG: "float", "v": repr(value)}
        codec = _BY_TYPE.get(kind)
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
            raise InvalidValueError(f"{_shown(path)} holds itself and cannot be saved", path=path)
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
            return _Encoder().value(cast(Any, kind)(value), path)
    raise InvalidValueError(
        f"{_shown(path)} is a {type(value).__qualname__}, which cannot be saved",
        path=path,
        hint="make it a dataclass, register a codec for it, or keep it out of the state",
    )


def _shown(path: Path) -> str:
    return ".".join(str(part) for part in path) or "the value"


def _name_of(kind: type, path: Path) -> str:
    name = f"{kind.__module__}:{kind.__qualname__}"
    if _found(name) is not kind:
        raise InvalidValueError(
            f"{_shown(path)} is a {kind.__qualname__}, which cannot be found again by its name",
            path=path,
            hint="define the class at the top of a module",
        )
    return name


# ------------------------------------------------------------------------------------------------ decode


def _found(name: str) -> Any:
    module, _, qualname = name.partition(":")
    found: Any = sys.modules.get(module)
    for part in qualname.split("."):
        found = getattr(found, part, None)
    return found


def _type(name: str) -> Any:
    found = _found(name)
    if not isinstance(found, type):
        raise InvalidValueError(
            f"the saved state holds a {name.replace(':', '.')}, which is not loaded",
            hint="import its module before reading the state",
        )
    return found


def _decoded(value: Any) -> Any:
    if isinstance(value, list):
        return [_decoded(item) for item in value]
    if not isinstance(value, dict):
        return value
    tag = value.get(TAG)
    if tag is None:
        return {key: _decoded(item) for key, item in value.items()}
    return _DECODERS[tag](value)


def _object(value: Any) -> Any:
    kind = _type(value["t"])
    if not is_dataclass(kind):
        raise InvalidValueError(f"{value['t']} is no dataclass any more")
    result: Any = object.__new__(cast(Any, kind))
    data = value["v"]
    for field in fields(kind):
        if field.name in data:
            object.__setattr__(result, field.name, _decoded(data[field.name]))
        else:  # a field that was added after the file was written
            object.__setattr__(result, field.name, _default(cast(Any, kind), field))
    return result


def _default(kind: type, field: Any) -> Any:
    from dataclasses import MISSING

    if field.default is not MISSING:
        return field.default
    if field.default_factory is not MISSING:
        return field.default_factory()
    raise InvalidValueError(f"{kind.__qualname__} has a new field {field.name!r} without a default")


def _enum(value: Any) -> Any:
    kind = _type(value["t"])
    if not issubclass(kind, enum.Enum):
        raise InvalidValueError(f"{value['t']} is no enum any more")
    return kind[value["v"]]


def _named(value: Any) -> Any:
    kind = _type(value["t"])
    if not (issubclass(kind, tuple) and hasattr(kind, "_make")):
        raise InvalidValueError(f"{value['t']} is no named tuple any more")
    return kind._make(_decoded(value["v"]))


def _model(value: Any) -> Any:
    kind = _type(value["t"])
    if not hasattr(kind, "model_validate"):
        raise InvalidValueError(f"{value['t']} is no model any more")
    return kind.model_validate(_decoded(value["v"]))


def _registered(value: Any) -> Any:
    codec = _BY_NAME.get(value["t"])
    if codec is None:
        raise InvalidValueError(
            f"the saved state holds a {value['t']!r}, for which no codec is registered",
            hint="register it before reading the state",
        )
    return codec.decode(_decoded(value["v"]))


def _datetime(value: Any) -> Any:
    moment = dt.datetime.fromisoformat(value["v"])
    if "zone" in value:
        from zoneinfo import ZoneInfo

        moment = moment.replace(tzinfo=ZoneInfo(value["zone"]))
    return moment.replace(fold=value.get("fold", 0))


_DECODERS: dict[str, Callable[[Any], Any]] = {
    "int": lambda value: int(value["v"], 16),
    "float": lambda value: float(value["v"]),
    "complex": lambda value: complex(float(value["v"][0]), float(value["v"][1])),
    "bytes": lambda value: base64.b64decode(value["v"]),
    "bytearray": lambda value: bytearray(base64.b64decode(value["v"])),
    "datetime": _datetime,
    "date": lambda value: dt.date.fromisoformat(value["v"]),
    "time": lambda value: dt.time.fromisoformat(value["v"]),
    "span": lambda value: dt.timedelta(*value["v"]),
    "decimal": lambda value: decimal.Decimal(value["v"]),
    "fraction": lambda value: fractions.Fraction(value["v"]),
    "uuid": lambda value: uuid.UUID(value["v"]),
    "path": lambda value: pathlib.Path(value["v"]),
    "posix path": lambda value: pathlib.PurePosixPath(value["v"]),
    "windows path": lambda value: pathlib.PureWindowsPath(value["v"]),
    "range": lambda value: range(*value["v"]),
    "removal": lambda _: MARK_FOR_REMOVAL,
    "tuple": lambda value: tuple(_decoded(value["v"])),
    "set": lambda value: set(_decoded(value["v"])),
    "frozenset": lambda value: frozenset(_decoded(value["v"])),
    "deque": lambda value: collections.deque(_decoded(value["v"]), value["max"]),
    "map": lambda value: {_decoded(key): _decoded(item) for key, item in value["v"]},
    "obj": _object,
    "enum": _enum,
    "named": _named,
    "model": _model,
    "type": _registered,
}
