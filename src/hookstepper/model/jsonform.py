"""Dataclass to JSON and back: field names are keys, unions are tagged `t`, unknown fields are ignored.

Encoders and decoders are built once per class from its type hints, so that a message costs a few
attribute reads and not a walk over annotations.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from hookstepper.model.errors import InvalidValueError
from hookstepper.model.ids import Json

T = TypeVar("T")
TAG = "t"
"""Key that names the member of a union."""

_Decoder = Callable[[Any], Any]
_Encoder = Callable[[Any], Any]


def to_json(obj: object) -> Json:
    """The JSON form of a model object: dataclasses become objects, tuples and frozensets become arrays.

    A dataclass with a class attribute `TAG` carries it under `t`. Fields that hold their default are
    left out; `from_json` puts them back. A value of type `Json` is passed through as it is.

    Raises:
        InvalidValueError: `obj` holds something that has no JSON form.
    """
    return cast(Json, _encoder(cast(Any, type(obj)))(obj))


def from_json(kind: type[T], data: Json) -> T:
    """The object of type `kind` that `data` describes; unknown fields are ignored.

    Raises:
        InvalidValueError: a field is missing or has the wrong shape; `path` leads to it.
    """
    return cast(T, _decoder(cast(Any, kind))(data))


def tag_of(kind: object) -> str | None:
    """The word that names `kind` inside a union, or None if it has none."""
    return cast("str | None", getattr(kind, "TAG", None))


@cache
def _encoder(kind: Any) -> _Encoder:
    if is_dataclass(kind):
        return _dataclass_encoder(kind)
    if kind in (str, int, float, bool, type(None), dict, list):
        return _as_is
    if kind in (tuple, frozenset):
        ordered = kind is frozenset
        return lambda items: [to_json(item) for item in (sorted(items) if ordered else items)]
    if issubclass(kind, (str, int, float)):
        return _as_is
    if issubclass(kind, Mapping):
        return lambda mapping: {key: to_json(value) for key, value in mapping.items()}
    raise InvalidValueError(f"{kind.__name__} has no JSON form")


def _as_is(value: Any) -> Any:
    return value


def _dataclass_encoder(kind: Any) -> _Encoder:
    hints = get_type_hints(kind)
    columns = [(f.name, _default_of(f), _field_encoder(hints[f.name])) for f in fields(kind)]
    tag = tag_of(kind)

    def encode(obj: Any) -> dict[str, Any]:
        out: dict[str, Any] = {} if tag is None else {TAG: tag}
        for name, default, encode_field in columns:
            value = getattr(obj, name)
            if value is default or (value == default and type(value) is type(default)):
                continue
            out[name] = encode_field(value)
        return out

    return encode


def _default_of(field: Any) -> Any:
    if field.default is not MISSING:
        return field.default
    return field.default_factory() if field.default_factory is not MISSING else MISSING


def _field_encoder(hint: Any) -> _Encoder:
    return _as_is if _is_json(hint) or hint in (str, int, float, bool) else to_json


@cache
def _decoder(hint: Any) -> _Decoder:
    if _is_json(hint) or hint in (Any, object):
        return _as_is
    if isinstance(hint, typing.NewType):
        return _decoder(hint.__supertype__)
    if isinstance(hint, type) and is_dataclass(hint):
        return _dataclass_decoder(hint)
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return _union_decoder(get_args(hint))
    if origin is Literal:
        return _scalar_decoder(str)  # enums are open: a word from a newer version is kept as it is
    if origin in (tuple, frozenset, list):
        return _sequence_decoder(origin, get_args(hint))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _mapping_decoder(_decoder(get_args(hint)[1]))
    if hint in (str, int, float, bool, type(None)):
        return _scalar_decoder(hint)
    raise InvalidValueError(f"no decoder for {hint!r}")


def _is_json(hint: Any) -> bool:
    # Resolving annotations rebuilds the recursive alias: the new union is not equal to `Json`.
    return {bool, int, float, str}.issubset(get_args(hint))


def _expect(kind: type[T], data: Any) -> T:
    if not isinstance(data, kind):
        raise InvalidValueError(f"expected {kind.__name__}, got {type(data).__name__}")
    return data


def _scalar_decoder(kind: type) -> _Decoder:
    accepted: tuple[type, ...] = (int, float) if kind is float else (kind,)

    def decode(data: Any) -> Any:
        if not isinstance(data, accepted) or (kind is not bool and isinstance(data, bool)):
            raise InvalidValueError(f"expected {kind.__name__}, got {type(data).__name__}")
        return data

    return decode


def _sequence_decoder(origin: type, args: tuple[Any, ...]) -> _Decoder:
    if origin is tuple and not (len(args) == 2 and args[1] is Ellipsis):
        return _fixed_decoder(tuple(_decoder(arg) for arg in args))
    item_decoder = _decoder(args[0])
    if item_decoder is _as_is:
        return lambda data: origin(_expect(list, data))
    return lambda data: origin(_items(item_decoder, _expect(list, data)))


def _fixed_decoder(parts: tuple[_Decoder, ...]) -> _Decoder:
    def decode(data: Any) -> Any:
        if len(_expect(list, data)) != len(parts):
            raise InvalidValueError(f"expected {len(parts)} items, got {len(data)}")
        return tuple(_at(i, part, item) for i, (part, item) in enumerate(zip(parts, data, strict=True)))

    return decode


def _mapping_decoder(item_decoder: _Decoder) -> _Decoder:
    return lambda data: {key: _at(key, item_decoder, item) for key, item in _expect(dict, data).items()}


def _items(decode: _Decoder, data: list[Any]) -> list[Any]:
    at = 0
    out = []
    try:
        for at, item in enumerate(data):  # noqa: B007
            out.append(decode(item))
    except InvalidValueError as error:
        raise InvalidValueError(error.message, path=(at, *error.path), hint=error.hint) from None
    return out


def _at(place: str | int, decode: _Decoder, data: Any) -> Any:
    try:
        return decode(data)
    except InvalidValueError as error:
        raise InvalidValueError(error.message, path=(place, *error.path), hint=error.hint) from None


def _dataclass_decoder(kind: type) -> _Decoder:
    hints = get_type_hints(kind)
    columns = {f.name: _decoder(hints[f.name]) for f in fields(kind) if f.init}
    required = [f.name for f in fields(kind) if f.init and _default_of(f) is MISSING]

    def decode(data: Any) -> Any:
        values: dict[str, Any] = {}
        name = ""
        try:
            for name, item in _expect(dict, data).items():
                decode_field = columns.get(name)
                if decode_field is not None:
                    values[name] = decode_field(item)
        except InvalidValueError as error:
            # The path is put together on the way out only: nothing is spent on it where all is well.
            path = (name, *error.path) if name else error.path
            raise InvalidValueError(error.message, path=path, hint=error.hint) from None
        for name in required:
            if name not in values:
                raise InvalidValueError(f"{kind.__name__} needs a field {name!r}", path=(name,))
        return kind(**values)

    return decode


def _union_decoder(members: tuple[Any, ...]) -> _Decoder:
    plain = [member for member in members if member is not type(None)]
    optional = len(plain) < len(members)
    if len(plain) == 1:
        only = _decoder(plain[0])
        return lambda data: None if data is None and optional else only(data)
    tagged = {tag_of(member): member for member in plain if is_dataclass(member)}
    untagged = [member for member in plain if not is_dataclass(member)]

    def decode(data: Any) -> Any:
        if data is None and optional:
            return None
        tag = data.get(TAG) if isinstance(data, dict) else None
        if isinstance(tag, str) and tag in tagged:
            return _decoder(cast(Any, tagged[tag]))(data)
        for member in untagged:
            try:
                return _decoder(member)(data)
            except InvalidValueError:
                continue
        known = ", ".join(sorted(str(tag) for tag in tagged))
        raise InvalidValueError("no member of the union fits", hint=f"known tags: {known}")

    return decode
