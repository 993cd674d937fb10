"""Saved JSON as live values again. Reading runs no code that the file names."""

from __future__ import annotations

import base64
import collections
import datetime as dt
import decimal
import enum
import fractions
import pathlib
import uuid
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, cast
from zoneinfo import ZoneInfo

from hookstepper.engine.strategies import MARK_FOR_REMOVAL
from hookstepper.engine.typecodecs import BY_NAME, TAG, find_type
from hookstepper.model.errors import InvalidValueError


def _type(name: str) -> Any:
    found = find_type(name)
    if found is None:
        raise InvalidValueError(
            f"the saved state holds a {name.replace(':', '.')}, which is not loaded",
            hint="import its module before reading the state",
        )
    return found


def decode(value: Any) -> Any:
    """The value that an encoded one stands for.

    Raises:
        InvalidValueError: it names a type that is not loaded, or is none that can be made.
        Exception: it is damaged.
    """
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    tag = value.get(TAG)
    if tag is None:
        return {key: decode(item) for key, item in value.items()}
    return _DECODERS[tag](value)


def _object(value: Any) -> Any:
    kind = _type(value["t"])
    if not is_dataclass(kind):
        raise InvalidValueError(f"{value['t']} is no dataclass any more")
    result: Any = object.__new__(cast(Any, kind))
    data = value["v"]
    for field in fields(kind):
        if field.name in data:
            object.__setattr__(result, field.name, decode(data[field.name]))
        else:  # a field that was added after the file was written
            object.__setattr__(result, field.name, _default(cast(Any, kind), field))
    return result


def _default(kind: type, field: Any) -> Any:
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
    return kind._make(decode(value["v"]))


def _model(value: Any) -> Any:
    kind = _type(value["t"])
    if not hasattr(kind, "model_validate"):
        raise InvalidValueError(f"{value['t']} is no model any more")
    return kind.model_validate(decode(value["v"]))


def _registered(value: Any) -> Any:
    codec = BY_NAME.get(value["t"])
    if codec is None:
        raise InvalidValueError(
            f"the saved state holds a {value['t']!r}, for which no codec is registered",
            hint="register it before reading the state",
        )
    return codec.decode(decode(value["v"]))


def _datetime(value: Any) -> Any:
    moment = dt.datetime.fromisoformat(value["v"])
    if "zone" in value:
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
    "tuple": lambda value: tuple(decode(value["v"])),
    "set": lambda value: set(decode(value["v"])),
    "frozenset": lambda value: frozenset(decode(value["v"])),
    "deque": lambda value: collections.deque(decode(value["v"]), value["max"]),
    "map": lambda value: {decode(key): decode(item) for key, item in value["v"]},
    "obj": _object,
    "enum": _enum,
    "named": _named,
    "model": _model,
    "type": _registered,
}
