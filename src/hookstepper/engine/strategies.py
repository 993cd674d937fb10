"""Key strategies: how a new value of a state key meets the old one.

The rules are those of Spring AI Alibaba's graph core (append, replace, merge, custom), with one difference:
a custom strategy always gets the raw old value, never a wrapper around it.
"""

from __future__ import annotations

import array
import copy
from collections import deque
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeAlias, TypeGuard, cast

KeyStrategy: TypeAlias = Callable[[Any, Any], Any]
"""`(old, new) -> value`; `old` is None if the key is absent."""


class Removal:
    """Type of `MARK_FOR_REMOVAL`; there is one instance, and copies of it are the same."""

    _only: Removal | None = None

    def __new__(cls) -> Removal:
        if cls._only is None:
            cls._only = super().__new__(cls)
        return cls._only

    def __repr__(self) -> str:
        return "MARK_FOR_REMOVAL"

    def __copy__(self) -> Removal:
        return self

    def __deepcopy__(self, memo: object) -> Removal:
        return self

    def __reduce__(self) -> tuple[type[Removal], tuple[()]]:
        return Removal, ()


MARK_FOR_REMOVAL = Removal()
"""As a value of an update: the key goes away."""


class ReplaceAllWith:
    """As the whole new value of an append key: the list becomes a copy of this one."""

    __slots__ = ("items",)

    def __init__(self, items: Iterable[Any]) -> None:
        self.items = list(items)

    def __repr__(self) -> str:
        return f"ReplaceAllWith({self.items!r})"


class RemoveIdentifier:
    """Says which element of an append key's list goes away; the first that matches does."""

    def matches(self, element: Any, index: int) -> bool:
        """True if `element`, at `index` of the old list, is meant."""
        raise NotImplementedError


class RemoveByHash(RemoveIdentifier):
    """Removes the first element that equals `value` and is of the same type."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def matches(self, element: Any, index: int) -> bool:  # noqa: ARG002
        """True if `element` equals the value; an equality that fails counts as no."""
        return _same(element, self.value)

    def __repr__(self) -> str:
        return f"RemoveByHash({self.value!r})"


class Append:
    """Appends to a list. See the truth table in the tests; old lists are never changed in place."""

    def __init__(self, *, unique: bool = False) -> None:
        self.unique = unique
        self.strategy_name = "append unique" if unique else "append"

    def __call__(self, old: Any, new: Any) -> Any:
        """The old list with the new elements behind it, markers carried out."""
        if new is None:
            return old
        if isinstance(new, ReplaceAllWith):
            return list(new.items)
        if isinstance(new, array.array):
            raise TypeError(f"an append key takes a list or one element, not {type(new).__name__}")
        if not isinstance(old, (list, tuple)):
            return list(new) if is_collection(new) else [new]
        if isinstance(new, RemoveIdentifier):
            return _without(list(old), [new])
        if not is_collection(new):
            return [*old, new]
        if not new:
            return old
        markers = [item for item in new if isinstance(item, RemoveIdentifier)]
        kept = _without(list(old), markers) if markers else old
        result = [*kept, *(item for item in new if not isinstance(item, RemoveIdentifier))]
        return _distinct(result) if self.unique else result

    def __repr__(self) -> str:
        return "APPEND_UNIQUE" if self.unique else "APPEND"


class Replace:
    """The new value takes the place of the old one, also if it is None."""

    strategy_name = "replace"

    def __call__(self, old: Any, new: Any) -> Any:  # noqa: ARG002
        """The new value."""
        return new

    def __repr__(self) -> str:
        return "REPLACE"


class Merge:
    """Mappings are united, objects of one class field by field; None leaves the other value alone."""

    strategy_name = "merge"

    def __call__(self, old: Any, new: Any) -> Any:
        """Both together.

        Raises:
            TypeError: the two are of different types.
        """
        if new is None or old is None:
            return old if new is None else new
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            return {**old, **new}
        if type(old) is not type(new):
            raise TypeError(f"cannot merge {type(new).__name__} into {type(old).__name__}")
        return _merged_object(old, new)

    def __repr__(self) -> str:
        return "MERGE"


APPEND = Append()
APPEND_UNIQUE = Append(unique=True)
REPLACE = Replace()
MERGE = Merge()


def strategy_name(strategy: KeyStrategy) -> str:
    """What to call a strategy: `append`, `replace`, `merge`, or the name of a custom function."""
    name = getattr(strategy, "strategy_name", None) or getattr(strategy, "__name__", None)
    return str(name or type(strategy).__name__)


def apply_update(
    data: MutableMapping[str, Any], update: Mapping[str, Any], strategies: Mapping[str, KeyStrategy]
) -> None:
    """Merge a node's update into the live state, all or nothing: if a strategy raises, nothing changes.

    A None under replace stays as None; `MARK_FOR_REMOVAL` deletes the key.
    """
    for key, value in prepared(data, update, strategies).items():
        if value is MARK_FOR_REMOVAL:
            data.pop(key, None)
        else:
            data[key] = value


def prepared(
    data: Mapping[str, Any], update: Mapping[str, Any], strategies: Mapping[str, KeyStrategy]
) -> dict[str, Any]:
    """What each key of an update will hold; nothing is merged yet."""
    ready: dict[str, Any] = {}
    for key, new in update.items():
        strategy = None if new is MARK_FOR_REMOVAL else strategies.get(key)
        ready[key] = new if strategy is None else strategy(data.get(key), new)
    return ready


def merged(
    old: Mapping[str, Any], update: Mapping[str, Any], strategies: Mapping[str, KeyStrategy]
) -> dict[str, Any]:
    """A new state: `update` over `old`, as inputs, checkpoints and parallel results are merged.

    Keys whose value is None after the merge are left out.
    """
    result = dict(old)
    apply_update(result, update, strategies)
    return {key: value for key, value in result.items() if value is not None}


def is_collection(value: Any) -> TypeGuard[Iterable[Any]]:
    """True if an append key takes `value` element by element; a named tuple is one element."""
    if isinstance(value, (list, set, frozenset, deque)):
        return True
    return isinstance(value, tuple) and not hasattr(value, "_fields")


def _without(items: list[Any], markers: Iterable[RemoveIdentifier]) -> list[Any]:
    for marker in markers:
        for index, item in enumerate(items):
            if marker.matches(item, index):
                del items[index]
                break
    return items


def _same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    try:
        return bool(one == other)
    except Exception:
        return False


def _distinct(items: list[Any]) -> list[Any]:
    seen: set[tuple[type, Any]] = set()
    odd: list[Any] = []
    result: list[Any] = []
    for item in items:
        try:
            known = (type(item), item) in seen
            seen.add((type(item), item))
        except TypeError:  # not hashable
            known = any(_same(item, other) for other in odd)
            odd.append(item)
        if not known:
            result.append(item)
    return result


def _merged_object(old: Any, new: Any) -> Any:
    if type(new).__module__ == "builtins" or not hasattr(new, "__dict__"):
        return new
    if is_dataclass(new):
        if cast(Any, new).__dataclass_params__.frozen:
            return new
        names = [field.name for field in fields(new)]
    else:
        names = list(vars(new))
    result = copy.copy(old)
    for name in names:
        value = getattr(new, name, None)
        if value is not None:
            setattr(result, name, value)
    return result
