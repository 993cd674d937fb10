"""Typed JSON as live objects again, for edits: made against the value that stands there now."""

from __future__ import annotations

import base64
import binascii
import collections
import copy
import dataclasses
import datetime as dt
import decimal
import enum
import pathlib
import sys
import uuid
import zoneinfo
from collections.abc import Callable
from typing import Any

from hookstepper.model.ids import Json
from hookstepper.model.record import Path
from hookstepper.values import shells
from hookstepper.values.delta import same
from hookstepper.values.encoding import encode
from hookstepper.values.limits import ObjectCodec
from hookstepper.values.tags import FIXED, TAG, tag_of


class InvalidValue(Exception):  # noqa: N818 - DESIGN.md names it so
    """A JSON value cannot become what the state holds there; `path` leads to the part that does not fit."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(why)
        self.path = path
        self.why = why


def decode(value: Json, like: object = None, codec: ObjectCodec | None = None) -> object:
    """The live object that `value` describes.

    What did not change against `like` is `like` itself, so an edit of one field keeps the rest identical,
    values that cannot be edited among it. A plain text or number takes the type of what stood there, where
    it can: `"RED"` becomes the enum member, `"2026-01-31"` the date, a list the set.

    Raises:
        InvalidValue: it cannot be made.
    """
    return _Decoder(codec).value(value, like, ())


class _Decoder:
    def __init__(self, codec: ObjectCodec | None) -> None:
        self._codec = codec

    def value(self, value: Json, like: Any, path: Path) -> Any:
        if like is not None and same(encode(like, self._codec), value):
            return like
        tag = tag_of(value)
        if tag in FIXED:
            if tag == "redacted" and like is not None:
                return like
            raise InvalidValue(path, f"a value shown as {tag} cannot be moved or changed, only replaced")
        try:
            if tag:
                return self._tagged(tag, value, like, path)  # type: ignore[arg-type]
            if isinstance(value, list):
                return self._list(value, like, path)
            if isinstance(value, dict):
                return self._dict(value, like, path)
            return _scalar(value, like)
        except InvalidValue:
            raise
        except (KeyError, TypeError, ValueError, ArithmeticError, AttributeError, binascii.Error) as error:
            raise InvalidValue(path, f"{type(error).__name__}: {error}") from error

    # ------------------------------------------------------------------------------------ containers

    def _list(self, items: list[Json], like: Any, path: Path) -> Any:
        live = self._items(items, like, path)
        if type(like) is list or not isinstance(
            like, (list, tuple, set, frozenset, collections.deque, collections.UserList)
        ):
            return live
        return _as_sequence(live, like)

    def _items(self, items: list[Json], like: Any, path: Path) -> list[Any]:
        olds = list(like) if isinstance(like, (list, tuple, collections.deque)) else []
        if isinstance(like, (set, frozenset)):
            return [self.value(item, None, (*path, index)) for index, item in enumerate(items)]
        forms = [encode(old, self._codec) for old in olds]
        out: list[Any] = []
        for index, item in enumerate(items):
            match = next((old for old, form in zip(olds, forms, strict=True) if same(form, item)), None)
            if match is None:
                match = self._partner(item, index, olds, forms)
            out.append(self.value(item, match, (*path, index)))
        return out

    @staticmethod
    def _partner(item: Json, index: int, olds: list[Any], forms: list[Json]) -> Any:
        """The old item that a changed one stems from: by id, else by place."""
        if isinstance(item, dict) and item.get("id"):
            for old, form in zip(olds, forms, strict=True):
                if isinstance(form, dict) and form.get("id") == item["id"]:
                    return old
        return olds[index] if index < len(olds) else None

    def _dict(self, fields: dict[str, Json], like: Any, path: Path) -> Any:
        if like is not None and not isinstance(like, dict):
            form = encode(like, self._codec)
            if tag_of(form) == "obj":
                return self._object({**form, "v": fields}, like, path)  # type: ignore[dict-item]
            if tag_of(form) == "msg":
                return self._by_codec({**form, **fields}, like, path)  # type: ignore[dict-item]
        olds = like if isinstance(like, dict) else {}
        live = {key: self.value(item, olds.get(key), (*path, key)) for key, item in fields.items()}
        return _as_mapping(live, like)

    def _tagged(self, tag: str, value: dict[str, Json], like: Any, path: Path) -> Any:
        inner: Any = value.get("v")
        match tag:
            case "map":
                return self._map(inner, like, (*path, "v"))
            case "tuple" | "set" | "frozenset" | "deque":
                live = self._items(inner, like, (*path, "v"))
                return _as_sequence(live, like, tag, value.get("maxlen"))
            case "obj":
                return self._object(value, like, path)
            case "enum":
                return _enum(value, self._type(value, like, path))
        if tag in _SCALARS:
            return _SCALARS[tag](value)
        return self._by_codec(value, like, path)

    def _map(self, rows: Any, like: Any, path: Path) -> Any:
        live: dict[Any, Any] = {}
        for index, (name, item) in enumerate(rows):
            key = self.value(name, None, (*path, index, 0))
            try:
                old = like.get(key) if isinstance(like, dict) else None
                live[key] = self.value(item, old, (*path, index, 1))
            except TypeError:
                raise InvalidValue((*path, index, 0), "this value cannot be a key") from None
        return _as_mapping(live, like)

    # --------------------------------------------------------------------------------------- objects

    def _by_codec(self, value: dict[str, Json], like: Any, path: Path) -> Any:
        if self._codec is None:
            raise InvalidValue(path, f"nothing here can make a value of kind {value[TAG]!r}")
        shell = self._codec.encode(like) if like is not None else None
        olds = shell if isinstance(shell, dict) else {}
        parts: Any = {
            key: self.value(item, olds.get(key), (*path, key)) if isinstance(item, (dict, list)) else item
            for key, item in value.items()
        }
        try:
            return self._codec.decode(parts, like)
        except Exception as error:
            inner = getattr(error, "path", ())
            deeper = inner if isinstance(inner, tuple) else ()
            raise InvalidValue((*path, *deeper), getattr(error, "why", "") or str(error)) from error

    def _object(self, value: dict[str, Json], like: Any, path: Path) -> Any:
        kind = self._type(value, like, path)
        old = like if type(like) is kind else None
        shell = shells.choose(kind)(old) if old is not None else {}
        olds = shell.get("v", {}) if isinstance(shell, dict) else {}
        given = value.get("v")
        if not isinstance(given, dict):
            raise InvalidValue(path, "the fields of an object must be an object")
        fields = {
            key: self.value(item, olds.get(key), (*path, "v", key))
            for key, item in given.items()
            if key not in olds or not same(item, encode(olds[key], self._codec))
        }
        try:
            return _rebuild(kind, old, olds, fields)
        except Exception as error:
            raise InvalidValue(path, f"{kind.__name__} refuses it: {error}") from error

    def _type(self, value: dict[str, Json], like: Any, path: Path) -> type:
        """The class that `value` names: that of `like`, or one that the program has imported already."""
        name = str(value.get("type", ""))
        if like is not None and shells.type_name(type(like)) == name:
            return type(like)
        parts = name.split(".")
        for split in range(len(parts) - 1, 0, -1):
            found: Any = sys.modules.get(".".join(parts[:split]))
            for part in parts[split:]:
                found = getattr(found, part, None)
            if isinstance(found, type) and shells.type_name(found) == name and _is_data(found):
                return found
        raise InvalidValue(path, f"the program has no class {name!r} of plain data")


def _is_data(kind: type) -> bool:
    markers = ("__dataclass_fields__", "__pydantic_fields__", "model_fields", "__attrs_attrs__", "_fields")
    return issubclass(kind, enum.Enum) or any(hasattr(kind, marker) for marker in markers)


def _rebuild(kind: Any, old: Any, olds: dict[str, Any], fields: dict[str, Any]) -> Any:
    """An object of `kind`: `old` with some fields changed, or a new one."""
    if hasattr(kind, "__dataclass_fields__"):
        return dataclasses.replace(old, **fields) if old is not None else kind(**fields)
    if hasattr(kind, "model_validate"):
        return kind.model_validate({**olds, **fields})
    if hasattr(kind, "parse_obj"):
        return kind.parse_obj({**olds, **fields})
    if hasattr(kind, "__attrs_attrs__"):
        return kind(**{key.lstrip("_"): item for key, item in {**olds, **fields}.items()})
    if hasattr(kind, "_fields") or hasattr(kind, "__struct_fields__"):
        return kind(**{**olds, **fields})
    if old is None:
        raise TypeError("an object of this class cannot be made from its fields alone")
    new = copy.copy(old)
    for key, item in fields.items():
        object.__setattr__(new, key, item)
    return new


def _as_sequence(live: list[Any], like: Any, tag: str = "", maxlen: Any = None) -> Any:
    if isinstance(like, collections.deque) or tag == "deque":
        return collections.deque(live, like.maxlen if isinstance(like, collections.deque) else maxlen)
    plain: dict[str, Callable[[list[Any]], Any]] = {"tuple": tuple, "set": set, "frozenset": frozenset}
    if isinstance(like, (list, tuple, set, frozenset, collections.UserList)) and tag in (
        "",
        _base_tag(like),
    ):
        return type(like)(live)
    return plain[tag](live) if tag else live


def _base_tag(like: Any) -> str:
    return next((base.__name__ for base in (tuple, set, frozenset) if isinstance(like, base)), "")


def _as_mapping(live: dict[Any, Any], like: Any) -> Any:
    if like is None or type(like) is dict or not isinstance(like, dict):
        return live
    new = copy.copy(like)
    new.clear()
    new.update(live)
    return new


# ------------------------------------------------------------------------------------------- scalars


def _scalar(value: Any, like: Any) -> Any:
    if like is None or value is None or type(like) in (str, bool):
        return value
    if isinstance(like, enum.Enum):
        return _enum({"name": value, "v": value}, type(like))
    if type(like) is float and type(value) is int:
        return float(value)
    if isinstance(value, str):
        for base, make in _FROM_TEXT:
            if isinstance(like, base):
                return make(value, like)
    if shells.choose(type(like)) is not shells.by_repr and tag_of(encode(like)) == "obj":
        raise InvalidValue((), f"a {type(like).__name__} cannot become {type(value).__name__}")
    return value


def _enum(value: dict[str, Any], kind: Any) -> Any:
    name = value.get("name")
    if isinstance(name, str) and name in kind.__members__:
        return kind[name]
    return kind(value.get("v"))


def _datetime(value: dict[str, Any]) -> dt.datetime:
    moment = dt.datetime.fromisoformat(value["v"])
    if value.get("zone"):
        moment = moment.replace(tzinfo=zoneinfo.ZoneInfo(value["zone"]))
    return moment.replace(fold=1) if value.get("fold") else moment


def _bytes(value: dict[str, Any]) -> Any:
    data = base64.b64decode(value["b64"], validate=True)
    return bytearray(data) if value.get("type") == "bytearray" else data


def _text(value: dict[str, Any]) -> str:
    if "b64" in value:
        exact = base64.b64decode(value["b64"], validate=True).decode("utf-8", "surrogatepass")
        if shells.mended(exact) == value["v"]:
            return exact
    return str(value["v"])


def _path(value: dict[str, Any]) -> pathlib.PurePath:
    kind = getattr(pathlib, str(value.get("type", "Path")), pathlib.Path)
    if not (isinstance(kind, type) and issubclass(kind, pathlib.PurePath)):
        raise TypeError(f"{value.get('type')!r} is no kind of path")
    return kind(value["v"])


_SCALARS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "int": lambda value: int(value["v"], 0),
    "float": lambda value: float(value["v"]),
    "str": _text,
    "bytes": _bytes,
    "datetime": _datetime,
    "date": lambda value: dt.date.fromisoformat(value["v"]),
    "time": lambda value: dt.time.fromisoformat(value["v"]).replace(fold=value.get("fold", 0)),
    "timedelta": lambda value: dt.timedelta(*value["v"]),
    "decimal": lambda value: decimal.Decimal(value["v"]),
    "uuid": lambda value: uuid.UUID(value["v"]),
    "path": _path,
}
_FROM_TEXT: tuple[tuple[type, Callable[[str, Any], Any]], ...] = (
    (dt.datetime, lambda text, like: dt.datetime.fromisoformat(text)),  # noqa: ARG005
    (dt.date, lambda text, like: dt.date.fromisoformat(text)),  # noqa: ARG005
    (dt.time, lambda text, like: dt.time.fromisoformat(text)),  # noqa: ARG005
    (decimal.Decimal, lambda text, like: decimal.Decimal(text)),  # noqa: ARG005
    (uuid.UUID, lambda text, like: uuid.UUID(text)),  # noqa: ARG005
    (pathlib.PurePath, lambda text, like: type(like)(text)),
)
