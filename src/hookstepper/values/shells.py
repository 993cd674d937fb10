"""One level of a live object: its tagged form with children still live; all of the user's code that
encoding may touch is touched here.

A shell function may raise; the encoder then writes an unreadable value in its place.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime as dt
import decimal
import enum
import hashlib
import json
import pathlib
import re
import types
import uuid
from collections import ChainMap, UserDict, UserList, deque
from collections.abc import Callable
from typing import Any

from hookstepper.model.ids import Json
from hookstepper.values.tags import TAG

REPR_TEXT = 2_000
"""Characters kept of a repr."""

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]{4,16}")
_SURROGATE = re.compile("[\ud800-\udfff]")
_PLAIN_FIELDS = 64
"""Objects without a repr of their own are opened if they have at most so many attributes."""


# -------------------------------------------------------------------------------------------- text


def well_formed(text: str) -> bool:
    """True if the text can be written as UTF-8, that is, holds no lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def mended(text: str) -> str:
    """The text with lone surrogates replaced by U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("�", text)


def lossy(text: str) -> Json:
    """The form of a text with lone surrogates; `b64` keeps it exactly."""
    exact = base64_text(text.encode("utf-8", "surrogatepass"))
    return {TAG: "str", "v": mended(text), "lossy": True, "b64": exact}


def base64_text(data: bytes) -> str:
    """Standard base64 without line breaks."""
    return base64.b64encode(data).decode("ascii")


def digest(data: str | bytes) -> str:
    """A short hash, so that a change beyond the cut is still seen as a change."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return hashlib.blake2b(raw, digest_size=8).hexdigest()


def big_int(value: int, limit: int) -> Json:
    """The form of an integer beyond 63 bits: decimal while that is quick and readable, else hexadecimal.

    Python refuses to print more than 4,300 decimal digits, since that takes quadratic time.
    """
    bits = value.bit_length()
    if bits > 4 * limit:
        return {TAG: "cut", "of": "int", "n": bits}
    return {TAG: "int", "v": str(value) if bits <= 8192 else hex(value)}


def plain_keys(pairs: list[tuple[Any, Any]]) -> bool:
    """True if a dict with these pairs can stand for itself as a JSON object."""
    for name, _ in pairs:
        if type(name) is not str or name == TAG or len(name) > 4096:
            return False
        if not name.isascii() and not well_formed(name):
            return False
    return True


def sort_key(value: Json) -> str:
    """A text by which encoded set items are put in an order that does not depend on hashing."""
    return value if isinstance(value, str) else "\0" + json.dumps(value, sort_keys=True)


# ------------------------------------------------------------------------------------------ objects


def type_name(kind: type) -> str:
    """`module.Qualified.name`; builtins without their module."""
    try:
        module, name = str(kind.__module__), str(kind.__qualname__)
    except Exception:
        return "?"
    return mended(name if module == "builtins" else f"{module}.{name}")


def unreadable(obj: object, error: BaseException) -> Json:
    """The form of an object that raised while it was read."""
    return {TAG: "repr", "type": type_name(type(obj)), "v": f"<unreadable: {type_name(type(error))}>"}


def by_repr(obj: object) -> Json:
    """The form of last resort: the type and a repr without memory addresses, cut."""
    try:
        text = str.__str__(repr(obj))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a repr may raise anything, SystemExit too
        return unreadable(obj, error)
    if len(text) > REPR_TEXT:
        text = text[:REPR_TEXT] + "…"
    return {TAG: "repr", "type": type_name(type(obj)), "v": mended(_ADDRESS.sub("", text))}


def choose(kind: type) -> Callable[[Any], Any]:
    """The function that makes shells of objects of this type."""
    if kind in _EXACT:
        return _EXACT[kind]
    for base, make in _BASES:
        if issubclass(kind, base):
            return make
    if issubclass(kind, tuple):
        return _named_tuple
    for marker, make in _BY_MARKER:
        if hasattr(kind, marker):
            return make
    if kind.__repr__ is object.__repr__ and getattr(kind, "__dictoffset__", 0) != 0:
        return _plain_object
    return by_repr


def is_mapping(kind: type) -> bool:
    """True for mappings that are no dicts and whose items can be read without surprises."""
    return issubclass(kind, (types.MappingProxyType, UserDict, ChainMap))


def _read(obj: Any, names: Any) -> dict[str, Any]:
    """Attributes by name, past the class's own `__getattribute__`; what is not set is left out."""
    out: dict[str, Any] = {}
    for name in names:
        try:
            out[name] = object.__getattribute__(obj, name)
        except AttributeError:
            continue
        except Exception as error:
            out[name] = _Unreadable(type_name(type(error)))
    return out


class _Unreadable:
    """Stands for an attribute that raised."""

    def __init__(self, why: str) -> None:
        self.why = why

    def __repr__(self) -> str:
        return f"<unreadable: {self.why}>"


def _object(obj: Any, fields: dict[str, Any], form: str) -> dict[str, Any]:
    return {TAG: "obj", "type": type_name(type(obj)), "form": form, "v": fields}


def _dataclass(obj: Any) -> Any:
    return _object(obj, _read(obj, [field.name for field in dataclasses.fields(obj)]), "dataclass")


def _model(obj: Any) -> Any:
    fields = dict(object.__getattribute__(obj, "__dict__"))
    extra = _read(obj, ["__pydantic_extra__"]).get("__pydantic_extra__")
    if isinstance(extra, dict):
        fields.update(extra)
    return _object(obj, fields, "model")


def _attrs(obj: Any) -> Any:
    return _object(obj, _read(obj, [field.name for field in type(obj).__attrs_attrs__]), "attrs")


def _struct(obj: Any) -> Any:
    return _object(obj, _read(obj, type(obj).__struct_fields__), "struct")


def _named_tuple(obj: Any) -> Any:
    names = [str(name) for name in type(obj)._fields]
    return _object(obj, dict(zip(names, tuple.__iter__(obj), strict=False)), "namedtuple")


def _plain_object(obj: Any) -> Any:
    fields = object.__getattribute__(obj, "__dict__")
    if not fields or len(fields) > _PLAIN_FIELDS or _is_machinery(type(obj)):
        return by_repr(obj)
    return _object(obj, dict(fields), "plain")


def _is_machinery(kind: type) -> bool:
    """True for types whose insides are no state: clients, locks, loops, loggers and their like."""
    root = type_name(kind).partition(".")[0]
    return root in {"asyncio", "threading", "logging", "socket", "ssl", "concurrent", "http", "urllib"} or (
        root in {"httpx", "httpcore", "requests", "urllib3", "openai", "anthropic", "aiohttp", "sqlalchemy"}
    )


def _enum(obj: Any) -> Any:
    name = object.__getattribute__(obj, "_name_")
    value = object.__getattribute__(obj, "_value_")
    return {TAG: "enum", "type": type_name(type(obj)), "name": name, "v": value}


def _error(obj: Any) -> Any:
    try:
        text = str(obj)[:REPR_TEXT]
    except Exception as error:
        text = f"<unreadable: {type_name(type(error))}>"
    return {TAG: "error", "type": type_name(type(obj)), "v": text}


def _moment(tag: str) -> Callable[[Any], Any]:
    def make(obj: Any) -> Any:
        shell: dict[str, Any] = {TAG: tag, "v": obj.isoformat()}
        zone = getattr(obj, "tzinfo", None)
        key = getattr(zone, "key", None)
        if isinstance(key, str):
            shell["zone"] = key
        if getattr(obj, "fold", 0):
            shell["fold"] = 1
        return shell

    return make


def _duration(obj: Any) -> Any:
    return {TAG: "timedelta", "v": [obj.days, obj.seconds, obj.microseconds]}


def _text_form(tag: str) -> Callable[[Any], Any]:
    return lambda obj: {TAG: tag, "v": str(obj)}


def _path(obj: Any) -> Any:
    return {TAG: "path", "type": type(obj).__name__, "v": str(obj)}


def _deque(obj: Any) -> Any:
    return {TAG: "deque", "maxlen": deque.maxlen.__get__(obj), "v": list(deque.__iter__(obj))}


_EXACT: dict[type, Callable[[Any], Any]] = {
    dt.datetime: _moment("datetime"),
    dt.date: _moment("date"),
    dt.time: _moment("time"),
    dt.timedelta: _duration,
    decimal.Decimal: _text_form("decimal"),
    uuid.UUID: _text_form("uuid"),
}
_BASES: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (enum.Enum, _enum),
    (pathlib.PurePath, _path),
    (BaseException, _error),
    (deque, _deque),
    (UserList, lambda obj: list(obj.data)),
    (str, str.__str__),
    (int, int.__int__),
    (float, float.__float__),
)
_BY_MARKER: tuple[tuple[str, Callable[[Any], Any]], ...] = (
    ("__dataclass_fields__", _dataclass),
    ("__pydantic_fields__", _model),
    ("model_fields", _model),
    ("__fields_set__", _model),
    ("__attrs_attrs__", _attrs),
    ("__struct_fields__", _struct),
)
OWN_TYPES: frozenset[type] = frozenset(
    {*_EXACT, list, dict, tuple, set, frozenset, bytes, bytearray, memoryview, range, slice, complex, deque}
    | {types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType, type}
)
"""Types that no framework's codec is asked about."""
