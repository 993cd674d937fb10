"""What changed between two encoded values, and how to apply it and take it back.

Laws: `apply(diff(a, b), a) == b` and `apply(invert(diff(a, b)), b) == a`. Nothing is changed in place:
results share what did not change with what they were made from.

Source: the alignment of lists (common prefix and suffix, then message ids, then longest matching blocks
after Ratcliff and Obershelp, as in `difflib`) was measured against jsonpatch and DeepDiff.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from operator import is_
from typing import Any

from hookstepper.model.errors import InvalidValueError
from hookstepper.model.ids import Json
from hookstepper.model.record import AddKey, DeleteKey, Delta, DeltaOp, Path, SetValue, Splice
from hookstepper.values.tags import TAG

MATCH_LIMIT = 250_000
"""Old items times new items, up to which the longest matching blocks are looked for."""

_ABSENT: Any = object()


def same(a: Json, b: Json) -> bool:
    """True if two encoded values are the same JSON text: unlike `==`, 1, 1.0 and True differ."""
    if a is b:
        return True
    kind = type(a)
    if kind is not type(b):
        return False
    if kind is dict:
        return _same_dicts(a, b)  # type: ignore[arg-type]
    if kind is list:
        return len(a) == len(b) and all(map(same, a, b))  # type: ignore[arg-type]
    if kind is float:
        return a == b and str(a) == str(b)
    return a == b


def _same_dicts(a: dict[str, Json], b: dict[str, Json]) -> bool:
    if len(a) != len(b):
        return False
    get = b.get
    for key, item in a.items():
        other = get(key, _ABSENT)
        if item is other:
            continue
        if type(item) is str:  # most of a state is text: spares a call for each
            if item != other:
                return False
        elif not same(item, other):
            return False
    return True


def diff(old: Json, new: Json) -> Delta:
    """The changes that lead from `old` to `new`, in the order in which they apply."""
    out: list[DeltaOp] = []
    _value((), old, new, out)
    return tuple(out)


def invert(delta: Delta) -> Delta:
    """The delta that takes `delta` back."""
    return tuple(_inverse(op) for op in reversed(delta))


def apply(delta: Delta, value: Json) -> Json:
    """`value` after the changes; shares all that did not change.

    Raises:
        InvalidValueError: the delta was made for another value; `path` leads to the misfit.
    """
    return apply_all((delta,), value)


def apply_all(deltas: Iterable[Delta], value: Json) -> Json:
    """`value` after several deltas, oldest first; each container is copied once, not once a delta."""
    tree = _Tree(value)
    for delta in deltas:
        for op in delta:
            tree.apply(op)
    return tree.root


# --------------------------------------------------------------------------------------------- making


def _value(path: Path, old: Json, new: Json, out: list[DeltaOp]) -> None:
    if old is new:
        return
    if type(old) is dict and type(new) is dict and old.get(TAG) == new.get(TAG):
        _dict(path, old, new, out)
    elif type(old) is list and type(new) is list:
        _list(path, old, new, out)
    elif not same(old, new):
        out.append(SetValue(path, old, new))


def _dict(path: Path, old: dict[str, Json], new: dict[str, Json], out: list[DeltaOp]) -> None:
    for key, value in old.items():
        now = new.get(key, _ABSENT)
        if key == "v" and type(value) is list and type(now) is list:  # the rows of a map stand there
            _list((*path, key), value, now, out, _row)
        elif now is _ABSENT:
            out.append(DeleteKey((*path, key), value))
        elif now is not value:
            _value((*path, key), value, now, out)
    for key, value in new.items():
        if key not in old:
            out.append(AddKey((*path, key), value))


def _row(path: Path, old: Json, new: Json, out: list[DeltaOp]) -> None:
    """A pair of a map; it changes as a whole if its key is text, so that the key is seen in the delta."""
    if _is_named(old) or _is_named(new):
        if not same(old, new):
            out.append(SetValue(path, old, new))
    else:
        _value(path, old, new, out)


def _is_named(row: Json) -> bool:
    return isinstance(row, list) and len(row) == 2 and isinstance(row[0], str)


_Pair = Callable[[Path, Json, Json, list[DeltaOp]], None]


def _list(path: Path, old: list[Json], new: list[Json], out: list[DeltaOp], pair: _Pair = _value) -> None:
    start = _common(old, new)
    old_end, new_end = len(old), len(new)
    while old_end > start and new_end > start and same(old[old_end - 1], new[new_end - 1]):
        old_end -= 1
        new_end -= 1
    if start == old_end and start == new_end:
        return
    gone, come = old[start:old_end], new[start:new_end]
    at = start
    for before, after, paired in _blocks(gone, come) if gone and come else [(gone, come, False)]:
        if paired:
            for was, now in zip(before, after, strict=True):
                pair((*path, at), was, now, out)
                at += 1
        else:
            out.append(Splice(path, at, tuple(before), tuple(after)))
            at += len(after)


def _common(old: list[Json], new: list[Json]) -> int:
    """Length of the common beginning."""
    size = min(len(old), len(new))
    at = 0
    while at < size:
        try:  # a run of identical items is passed at the speed of C
            at += list(map(is_, old[at:size] if at else old, new[at:size] if at else new)).index(False)
        except ValueError:
            return size
        if at >= size or not same(old[at], new[at]):
            return at
        at += 1
        while at < size and old[at] is not new[at]:  # a run of equal copies, one by one
            if not same(old[at], new[at]):
                return at
            at += 1
    return size


_Block = tuple[Sequence[Json], Sequence[Json], bool]
"""Old items, the new items in their place, and True if they are to be compared one by one."""


def _blocks(old: list[Json], new: list[Json]) -> Iterator[_Block]:
    old_keys, new_keys = _ids(old), _ids(new)
    if old_keys is not None and new_keys is not None:
        yield from _by_id(old, new, old_keys, new_keys)
    elif len(old) * len(new) <= MATCH_LIMIT:
        yield from _by_text(old, new)
    else:
        yield old, new, len(old) == len(new)


def _ids(items: list[Json]) -> list[str] | None:
    """The id of each item, or None unless all have one and no two the same."""
    keys = [item.get("id") if type(item) is dict else None for item in items]
    if any(type(key) is not str or not key for key in keys) or len(set(map(str, keys))) < len(keys):
        return None
    return keys  # type: ignore[return-value]


def _by_id(old: list[Json], new: list[Json], old_keys: list[str], new_keys: list[str]) -> Iterator[_Block]:
    place = {key: index for index, key in enumerate(new_keys)}
    at_old = at_new = 0
    for index, key in enumerate(old_keys):
        target = place.get(key, -1)
        if target < at_new:  # gone, or moved to the front: then it is removed here and inserted there
            continue
        if any(place.get(later, -1) in range(at_new, target) for later in old_keys[index + 1 : index + 9]):
            continue  # it moved back: keep its neighbours in place rather than this one
        if at_old < index or at_new < target:
            yield old[at_old:index], new[at_new:target], False
        yield old[index : index + 1], new[target : target + 1], True
        at_old, at_new = index + 1, target + 1
    if at_old < len(old) or at_new < len(new):
        yield old[at_old:], new[at_new:], False


def _by_text(old: list[Json], new: list[Json]) -> Iterator[_Block]:
    matcher = SequenceMatcher(None, _texts(old), _texts(new), autojunk=False)
    for word, i1, i2, j1, j2 in matcher.get_opcodes():
        if word != "equal":
            yield old[i1:i2], new[j1:j2], i2 - i1 == j2 - j1
        # equal text may still stand in another key order, which is no change
        else:
            yield old[i1:i2], old[i1:i2], True


def _texts(items: list[Json]) -> list[str]:
    return [json.dumps(item, sort_keys=True, ensure_ascii=False) for item in items]


def _inverse(op: DeltaOp) -> DeltaOp:
    match op:
        case SetValue(path, old, new):
            return SetValue(path, new, old)
        case AddKey(path, new):
            return DeleteKey(path, new)
        case DeleteKey(path, old):
            return AddKey(path, old)
        case Splice(path, index, removed, inserted):
            return Splice(path, index, inserted, removed)


# ------------------------------------------------------------------------------------------- applying


class _Tree:
    """A value under change: containers are copied when first touched, then changed freely."""

    def __init__(self, root: Json) -> None:
        self.root = root
        self._own: dict[int, Any] = {}

    def apply(self, op: DeltaOp) -> None:
        try:
            if isinstance(op, Splice):
                self._splice(op)
            elif not op.path:
                self.root = None if isinstance(op, DeleteKey) else op.new
            else:
                parent = self._reach(op.path[:-1])
                if isinstance(op, SetValue):
                    _ = parent[op.path[-1]]
                if isinstance(op, DeleteKey):
                    del parent[op.path[-1]]
                else:
                    parent[op.path[-1]] = op.new
        except (KeyError, IndexError, TypeError, AttributeError):
            raise InvalidValueError("the change does not fit this value", path=op.path) from None

    def _splice(self, op: Splice) -> None:
        items = self._reach(op.path)
        end = op.index + len(op.removed)
        if type(items) is not list or not 0 <= op.index <= end <= len(items):
            raise InvalidValueError("the change does not fit this list", path=op.path)
        items[op.index : end] = op.inserted

    def _reach(self, path: Path) -> Any:
        """The container at `path`, made ours together with all that hold it."""
        here = self.root = self._mine(self.root)
        for part in path:
            child = self._mine(here[part])
            here[part] = child
            here = child
        return here

    def _mine(self, container: Any) -> Any:
        if id(container) in self._own:
            return container
        copy = container.copy()
        self._own[id(copy)] = copy
        return copy
