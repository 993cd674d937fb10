"""Live objects as typed JSON, whatever they are; calls as little of the user's code as it can.

It runs in the user's process on every step, so it must never raise, never change what it looks at, and
never let one object's misbehaviour spoil its neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

from hookstepper.model.ids import Json
from hookstepper.values import shells
from hookstepper.values.limits import CUT_TEXT, RECORDED, Limits, ObjectCodec
from hookstepper.values.tags import TAG

Shell: TypeAlias = Any
"""A value one level deep: its own form is JSON, its children are still live."""


_MAX_INT = 1 << 63
_SHORT, _FEW, _AMPLE = 256, 256, 1 << 17
"""Characters of a text and items of a container up to which the short way is taken, and what must be left of
the total for it: the short way does not look at the total between the items."""
_MOST_NAMES = 4096


class Encoder:
    """Encodes live objects; one instance serves one thread and remembers what kinds of types it has met."""

    def __init__(self, codec: ObjectCodec | None = None, limits: Limits = RECORDED) -> None:
        self._codec = codec
        self.limits = limits
        self._how: dict[type, Callable[[Any, int], Json]] = {
            list: self._list,
            dict: self._dict,
            tuple: self._tuple,
            bytes: self._bytes,
        }
        self.left = limits.total
        """What is left of `limits.total`; below zero everything that is long is cut."""
        self._above: dict[int, int] = {}
        self._depth = limits.depth
        self._few = min(_FEW, limits.items)
        self._short = min(_SHORT, limits.text + 1)
        self._plain_names: set[str] = set()

    def encode(self, obj: object) -> Json:
        """The typed JSON of `obj`; never raises, whatever `obj` is."""
        self.left = self.limits.total
        return self.part(obj, 0)

    def part(self, obj: object, depth: int) -> Json:
        """The typed JSON of `obj` as a part of a larger value, on what is left of the total."""
        self._above.clear()
        try:
            return self._value(obj, depth)
        except RecursionError:
            return _cut("deep", 0)

    def claims(self, kind: type) -> bool:
        """True if the codec has encoded an object of this type."""
        return getattr(self._how.get(kind), "by_codec", False) is True

    def _value(self, obj: Any, depth: int) -> Json:
        kind = type(obj)
        if kind is str:
            size = len(obj)
            self.left -= size
            if size <= self.limits.text and self.left >= 0 and (obj.isascii() or shells.well_formed(obj)):
                return obj  # type: ignore[no-any-return]
            return self._odd_text(obj)
        if obj is None or kind is bool:
            return obj  # type: ignore[no-any-return]
        if kind is int:
            return obj if -_MAX_INT <= obj < _MAX_INT else shells.big_int(obj, self.limits.text)
        if kind is float:
            return obj if math.isfinite(obj) else {TAG: "float", "v": repr(obj)}
        self.left -= 16
        how = self._how.get(kind)
        if how is None:
            how = self._how[kind] = self._choose(kind)
        return how(obj, depth)

    # ------------------------------------------------------------------------------------ containers

    def _blocked(self, obj: object, depth: int, of: str, count: int) -> Json:
        """A marker that stands in for a container that cannot be entered, or None."""
        seen_at = self._above.get(id(obj))
        if seen_at is not None:
            return {TAG: "cycle", "up": depth - seen_at}
        if depth >= self.limits.depth or (self.left <= 0 and count):
            return _cut(of, count)
        return None

    def _items(self, owner: object, items: list[Any], depth: int, of: str) -> Json:
        """The encoded items as a list, or a marker in place of the container."""
        count = len(items)
        marker = self._blocked(owner, depth, of, count)
        if marker is not None:
            return marker
        room = min(self.limits.items, max(self.left // 8, 0))
        self.left -= 8 * min(count, room)
        key = id(owner)
        self._above[key] = depth
        value, deeper = self._value, depth + 1
        try:
            out = [value(item, deeper) for item in (items if count <= room else items[:room])]
        except RecursionError:
            return _cut(of, count)
        finally:
            del self._above[key]
        return out if count <= room else {**_cut(of, count), "v": out}

    def _list(self, obj: Any, depth: int) -> Json:
        key = id(obj)
        if (
            type(obj) is list
            and len(obj) <= self._few
            and depth < self._depth
            and self.left >= _AMPLE
            and key not in self._above
        ):
            value, deeper = self._value, depth + 1
            self.left -= 8 * len(obj)
            self._above[key] = depth
            try:
                return [value(item, deeper) for item in obj.copy()]
            except RecursionError:
                return _cut("list", len(obj))
            finally:
                del self._above[key]
        return self._items(obj, list.__getitem__(obj, slice(None)), depth, "list")

    def _tuple(self, obj: Any, depth: int) -> Json:
        return _tagged("tuple", self._items(obj, list(tuple.__iter__(obj)), depth, "tuple"))

    def _dict(self, obj: Any, depth: int) -> Json:
        """The short way for an ordinary dict; anything out of the ordinary takes the long one."""
        key = id(obj)
        if (
            type(obj) is not dict
            or len(obj) > self._few
            or depth >= self._depth
            or self.left < _AMPLE
            or key in self._above
        ):
            return self._pairs(obj, list(dict.items(obj)), depth)
        out: dict[str, Json] = {}
        value, deeper, used = self._value, depth + 1, 0
        self._above[key] = depth
        try:
            for name, item in obj.copy().items():
                if type(name) is not str or (name not in self._plain_names and not self._is_plain(name)):
                    break
                if type(item) is str and len(item) < self._short and item.isascii():
                    used += len(item)
                    out[name] = item
                else:
                    out[name] = value(item, deeper)
            else:
                self.left -= used + 8 * len(out)
                return out
        except RecursionError:
            return _cut("dict", len(obj))
        finally:
            del self._above[key]
        return self._pairs(obj, list(dict.items(obj)), depth)

    def _is_plain(self, name: str) -> bool:
        if not shells.plain_keys([(name, None)]):
            return False
        if len(self._plain_names) < _MOST_NAMES:
            self._plain_names.add(name)
        return True

    def _pairs(self, owner: object, pairs: list[tuple[Any, Any]], depth: int) -> Json:
        count = len(pairs)
        marker = self._blocked(owner, depth, "dict", count)
        if marker is not None:
            return marker
        room = min(self.limits.items, max(self.left // 16, 0))
        kept = pairs if count <= room else pairs[:room]
        key = id(owner)
        self._above[key] = depth
        value, deeper = self._value, depth + 1
        try:
            if count <= room and shells.plain_keys(kept):
                self.left -= 8 * count
                return {name: value(item, deeper) for name, item in kept}
            rows: list[Json] = [[value(name, deeper), value(item, deeper)] for name, item in kept]
        except RecursionError:
            return _cut("dict", count)
        finally:
            del self._above[key]
        return {TAG: "map", "v": rows} if count <= room else {**_cut("dict", count), "v": rows}

    def _shelled(self, make: Callable[[Any], Shell]) -> Callable[[Any, int], Json]:
        """A way to encode a type from its shell: the tag with live children."""

        def encode(obj: Any, depth: int) -> Json:
            try:
                shell = make(obj)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # reading an attribute may raise anything, SystemExit too
                return shells.unreadable(obj, error)
            return self._shell(obj, shell, depth)

        return encode

    def _shell(self, obj: object, shell: Shell, depth: int) -> Json:
        if type(shell) is not dict or TAG not in shell:
            return self._value(shell, depth)
        marker = self._blocked(obj, depth, "obj", len(shell))
        if marker is not None:
            return marker
        key = id(obj)
        self._above[key] = depth
        try:
            return {str(name): self._value(child, depth + 1) for name, child in shell.items()}
        except RecursionError:
            return _cut("obj", len(shell))
        finally:
            del self._above[key]

    def _set(self, tag: str, base: Any) -> Callable[[Any, int], Json]:
        def encode(obj: Any, depth: int) -> Json:
            items = self._items(obj, list(base.__iter__(obj)), depth, tag)
            return _tagged(tag, sorted(items, key=shells.sort_key) if type(items) is list else items)

        return encode

    # ---------------------------------------------------------------------------------- choice by type

    def _choose(self, kind: type) -> Callable[[Any, int], Json]:
        try:
            plain = self._plain(kind)
        except Exception:  # a metaclass that raises when it is read
            plain = self._shelled(shells.by_repr)
        if self._codec is None or kind in shells.OWN_TYPES:
            return plain
        return self._by_codec(self._codec, plain)

    def _by_codec(
        self, codec: ObjectCodec, otherwise: Callable[[Any, int], Json]
    ) -> Callable[[Any, int], Json]:
        def encode(obj: Any, depth: int) -> Json:
            try:
                shell: Any = codec.encode(obj)
            except Exception:
                shell = None
            if shell is None:
                return otherwise(obj, depth)
            encode.by_codec = True  # type: ignore[attr-defined]
            return self._shell(obj, shell, depth)

        return encode

    def _plain(self, kind: type) -> Callable[[Any, int], Json]:
        for base, how in (
            (set, self._set("set", set)),
            (frozenset, self._set("frozenset", frozenset)),
            (dict, self._dict),
            (list, self._list),
        ):
            if issubclass(kind, base):
                return how
        if issubclass(kind, tuple) and not hasattr(kind, "_fields"):
            return self._tuple
        if issubclass(kind, (bytes, bytearray, memoryview)):
            return self._bytes
        if shells.is_mapping(kind):
            return self._mapping
        return self._shelled(shells.choose(kind))

    def _mapping(self, obj: Any, depth: int) -> Json:
        try:
            pairs = [(name, obj[name]) for name in obj]
        except Exception as error:
            return shells.unreadable(obj, error)
        return self._pairs(obj, pairs, depth)

    # ------------------------------------------------------------------------------------ long scalars

    def _odd_text(self, text: str) -> Json:
        if len(text) > self.limits.text or self.left < 0:
            keep = min(CUT_TEXT if self.left + len(text) > CUT_TEXT else 64, self.limits.text)
            self.left += max(len(text) - keep, 0)
            if len(text) <= min(64, keep):  # a marker would be longer than the text
                return text if shells.well_formed(text) else shells.lossy(text)
            return {**_cut("str", len(text)), "v": shells.mended(text[:keep]), "h": shells.digest(text)}
        return shells.lossy(text)

    def _bytes(self, obj: Any, depth: int) -> Json:  # noqa: ARG002
        try:
            data = bytes(obj)
        except Exception as error:
            return shells.unreadable(obj, error)
        self.left -= len(data)
        if len(data) > self.limits.text or (self.left < 0 and len(data) > 64):
            head = shells.base64_text(data[: min(CUT_TEXT, self.limits.text)])
            return {**_cut("bytes", len(data)), "v": head, "h": shells.digest(data)}
        shell: dict[str, Json] = {TAG: "bytes", "b64": shells.base64_text(data)}
        if type(obj) is not bytes:
            shell["type"] = type(obj).__name__
        return shell


def encode(obj: object, codec: ObjectCodec | None = None, limits: Limits = RECORDED) -> Json:
    """The typed JSON of any object; never raises.

    Args:
        codec: asked first for every object that is not a plain Python value.
        limits: what is larger becomes a `cut`.
    """
    return Encoder(codec, limits).encode(obj)


def _cut(of: str, count: int) -> dict[str, Json]:
    return {TAG: "cut", "of": of, "n": count}


def _tagged(tag: str, items: Json) -> Json:
    return {TAG: tag, "v": items} if type(items) is list else items
