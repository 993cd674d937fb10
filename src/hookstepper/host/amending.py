"""Changes by hand, made on the target's own thread: a value is decoded against what stands there."""

from __future__ import annotations

from typing import cast

from hookstepper.model.errors import InvalidValueError, NotPossibleError
from hookstepper.model.ids import CheckpointId, Json
from hookstepper.model.record import Path
from hookstepper.ports.target import Edit, InvalidValue, NestedTarget, Target
from hookstepper.session.effects import Amend
from hookstepper.values import decode, encode


def amended(target: Target, amend: Amend) -> CheckpointId:
    """The checkpoint that a change makes; the old one stays.

    Raises:
        InvalidValueError: the new value cannot stand where it should go; the path says where.
        NotPossibleError: the target cannot be changed so.
    """
    if amend.by == "back":
        return cast("NestedTarget", target).take_back_nested(amend.at)
    values: dict[str, object] = {}
    if amend.path:
        key = amend.path[0]
        if not isinstance(key, str):
            raise InvalidValueError("a state key is a name", path=amend.path)
        values[key] = _changed(target, amend, key)
    return target.edit(amend.at, Edit(values, amend.mode, amend.next, amend.jump, amend.task))


def _changed(target: Target, amend: Amend, key: str) -> object:
    if amend.task is None:
        snapshot = target.state(amend.at)
    else:
        snapshot = cast("NestedTarget", target).nested_state(amend.task)
    live = snapshot.values.get(key)
    if amend.mode == "raw" and key in snapshot.values:
        wanted = _with(encode(live, target.codec), amend.path[1:], amend.value, amend.path)
    elif len(amend.path) == 1:
        wanted = amend.value
    else:
        raise InvalidValueError(f"the state has no key {key!r}", path=amend.path)
    # An update stands beside what is there: it must not take over, say, the id of an old message.
    like = live if amend.mode == "raw" else None
    try:
        return decode(wanted, like=like, codec=target.codec)
    except InvalidValue as error:
        raise InvalidValueError(error.why, path=(key, *error.path)) from None


def _check_kind(old: Json, new: Json, path: Path) -> None:
    """Refuse what can only be a slip of the pen; what frameworks make of the rest is theirs to say.

    Raises:
        InvalidValueError: a list or an object would become something else, or a plain value one of them.
    """
    was, becomes = _kind(old), _kind(new)
    if was and becomes and was != becomes:
        shown = ".".join(map(str, path))
        raise InvalidValueError(
            f"{shown} is {was}, and cannot become {becomes}",
            path=path,
            hint="state.merge takes any value that the key's strategy takes" if len(path) == 1 else "",
        )


def _kind(value: Json) -> str:
    """A list, an object or a plain value; empty for nothing, and for what a framework encodes its own way."""
    if value is None or (isinstance(value, dict) and "$" in value):
        return ""
    if isinstance(value, list):
        return "a list"
    return "an object" if isinstance(value, dict) else "a plain value"


def _with(tree: Json, path: Path, value: Json, whole: Path) -> Json:
    """`tree` with the value at `path` replaced; parts off the path are shared."""
    if not path:
        _check_kind(tree, value, whole)
        return value
    head, rest = path[0], path[1:]
    if isinstance(tree, dict) and isinstance(head, str):
        return {**tree, head: _with(tree.get(head), rest, value, whole)}
    if isinstance(tree, list) and isinstance(head, int) and -len(tree) <= head < len(tree):
        copy = list(tree)
        copy[head] = _with(tree[head], rest, value, whole)
        return copy
    shown = ".".join(map(str, whole))
    raise NotPossibleError(f"{shown}: there is nothing at {head!r}")
