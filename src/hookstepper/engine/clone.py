"""Copies of a state that later changes in place cannot reach."""

from __future__ import annotations

import copy
import datetime
import decimal
import enum
import fractions
import pathlib
import re
import types
import uuid
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, cast

_ATOMS: set[type] = {
    type(None),
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    range,
    slice,
    type,
    type(...),
    datetime.date,
    datetime.datetime,
    datetime.time,
    datetime.timedelta,
    datetime.timezone,
    decimal.Decimal,
    fractions.Fraction,
    uuid.UUID,
    pathlib.PurePosixPath,
    pathlib.PosixPath,
    pathlib.PureWindowsPath,
    re.Pattern,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.ModuleType,
}
"""Types whose instances never change, so that a copy may share them."""


def share(kind: type) -> type:
    """Declare that instances of `kind` never change, all the way down; usable as a class decorator."""
    _ATOMS.add(kind)
    return kind


def clone_state(state: Mapping[str, Any]) -> dict[str, Any]:
    """A deep copy of a state; what never changes, and what cannot be copied, is shared."""
    seen: dict[int, Any] = {}
    return {key: _copied(value, seen) for key, value in state.items()}


def clone(value: Any) -> Any:
    """A deep copy of one value, by the rules of `clone_state`."""
    return _copied(value, {})


def _copied(value: Any, seen: dict[int, Any]) -> Any:
    if type(value) in _ATOMS:
        return value
    try:
        return _clone(value, seen)
    except RecursionError:  # nested too deep to be copied
        return value


@cache
def _frozen_fields(kind: type) -> tuple[str, ...] | None:
    if is_dataclass(kind) and kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        return tuple(field.name for field in fields(kind))
    return None


def _frozen(value: Any, names: tuple[str, ...], seen: dict[int, Any]) -> Any:
    changed = {}
    for name in names:
        old = getattr(value, name)
        if type(old) not in _ATOMS:
            new = _clone(old, seen)
            if new is not old:
                changed[name] = new
    if not changed:
        return value
    result = copy.copy(value)
    for name, new in changed.items():
        object.__setattr__(result, name, new)
    return result


def _clone(value: Any, seen: dict[int, Any]) -> Any:
    kind = type(value)
    if kind in _ATOMS or isinstance(value, (enum.Enum, type)):
        return value
    done = seen.get(id(value))
    if done is not None:
        return done
    if kind is list:
        seen[id(value)] = out = []
        atoms = _ATOMS
        out.extend([item if type(item) in atoms else _clone(item, seen) for item in value])
        return out
    if kind is dict:
        seen[id(value)] = into = {}
        for key, item in value.items():
            into[key] = item if type(item) in _ATOMS else _clone(item, seen)
        return into
    if kind is tuple:
        result: Any = tuple(_clone(item, seen) for item in value)
        if all(new is old for new, old in zip(result, value, strict=True)):
            result = value
    elif kind is set:
        result = set(value)  # members are hashable, so they do not change
    else:
        names = _frozen_fields(cast(Any, kind))
        result = _foreign(value) if names is None else _frozen(value, names, seen)
    seen[id(value)] = result
    # The memo is keyed by address: the original must live as long as the memo does.
    seen.setdefault(-1, []).append(value)
    return result


def _foreign(value: Any) -> Any:
    try:
        return copy.deepcopy(value)
    except Exception:  # a lock, a socket, a __deepcopy__ that fails: it stays shared
        return value


def is_shared(value: Any) -> bool:
    """True if copies share `value`, because it never changes."""
    return type(value) in _ATOMS
