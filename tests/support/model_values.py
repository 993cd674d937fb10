"""Strategies for model objects, made from their type hints: a new event or command is covered at once."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

TEXT = st.text(max_size=8)
NUMBERS = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))
JSON: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXT, inner, max_size=3)),
    max_leaves=6,
)


@cache
def values_of(hint: Any) -> st.SearchStrategy[Any]:
    """Values of any type that a model class may have as a field."""
    if {bool, int, float, str}.issubset(get_args(hint)):  # the alias Json, as resolving hints rebuilds it
        return JSON
    if isinstance(hint, typing.NewType):
        return values_of(hint.__supertype__)
    if is_dataclass(hint):
        hints = get_type_hints(hint)
        return st.builds(hint, **{f.name: values_of(hints[f.name]) for f in fields(hint)})
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return st.one_of(*map(values_of, args))
    if origin is Literal:
        return st.sampled_from(args)
    if origin is frozenset:
        return st.frozensets(values_of(args[0]), max_size=3)
    if origin is tuple:
        if args[-1] is Ellipsis:
            return st.lists(values_of(args[0]), max_size=3).map(tuple)
        return st.tuples(*map(values_of, args))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return st.dictionaries(TEXT, values_of(args[1]), max_size=3)
    scalars: dict[Any, st.SearchStrategy[Any]] = {
        str: TEXT,
        int: st.integers(),
        float: st.floats(allow_nan=False),
        bool: st.booleans(),
        type(None): st.none(),
    }
    return scalars[hint]
