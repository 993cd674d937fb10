"""How the condition language sees encoded values: through their tags, compared and counted with care."""

from __future__ import annotations

import ast
import json
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hookstepper.model.errors import ConditionError
from hookstepper.model.ids import Json
from hookstepper.values.tags import SEQUENCES, TAG


class Frame:
    """One evaluation: the names that it sees, its loop variables, and what it may still spend."""

    __slots__ = ("env", "left", "slots")

    def __init__(self, env: Mapping[str, Json], slots: list[Any], budget: int) -> None:
        self.env = env
        self.slots = slots
        self.left = budget

    def spend(self, count: int = 1) -> None:
        """Count operations; raises `ConditionError` when the budget is used up."""
        self.left -= count
        if self.left < 0:
            raise mismatch("stopped: it takes too many operations")


def mismatch(why: str) -> ConditionError:
    """The error that says what does not fit; to be raised."""
    return ConditionError(why)


# --------------------------------------------------------------------------------- through the tags


def plain(value: Any) -> Any:
    """An encoded value without its own tag: a tuple as a list, a date as its text, an enum as its value.

    Messages, objects and errors stay objects, with their fields as keys. Never raises, also where a tag
    holds what it should not.
    """
    if type(value) is not dict or TAG not in value:
        return value
    tag, inner = value[TAG], value.get("v")
    if tag in SEQUENCES:
        return inner if isinstance(inner, list) else []
    if tag in ("int", "float"):
        try:
            return int(str(inner), 0) if tag == "int" else float(str(inner))
        except ValueError:
            return inner
    if tag == "map":
        return _as_dict(inner)
    if tag == "obj":
        return inner if isinstance(inner, dict) else {}
    if tag == "enum":
        return plain(inner)
    if tag in ("msg", "error"):
        return value
    if tag == "cut":
        return _as_dict(inner) if value.get("of") == "dict" else inner
    match inner:
        case [int(days), int(seconds), int(micros)] if tag == "timedelta":
            return days * 86400 + seconds + micros / 1e6
    if tag == "bytes":
        return value.get("b64")
    return inner if "v" in value else value


def opened(frame: Frame, value: Any) -> Any:
    """The plain form of a value, paid for: a map is made anew each time it is read."""
    if type(value) is not dict or TAG not in value:
        return value
    out = plain(value)
    if isinstance(out, dict):
        frame.spend(len(out) // 4)
    return out


def _as_dict(rows: Any) -> dict[str, Any]:
    """A map as an object; keys that are no text are reached by their text."""
    out: dict[str, Any] = {}
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, list) and len(row) == 2:
            key = plain(row[0])
            out[key if isinstance(key, str) else text_of(key)] = row[1]
    return out


def text_of(value: Any) -> str:
    """A value as people write it: text as it is, the rest as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or value is None or isinstance(value, (list, dict)):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def member(frame: Frame, owner: Any, key: Any) -> Any:
    """Field, key or item of a plain value; None if it is not there."""
    if owner is None:
        return None
    if isinstance(owner, dict):
        if key == "type" and owner.get(TAG) == "msg" and "type" not in owner:
            key = "role"
        elif key == "message" and owner.get(TAG) == "error":
            key = "v"
        return opened(frame, owner.get(key if isinstance(key, str) else text_of(key)))
    if isinstance(owner, (list, str)):
        if isinstance(key, str):
            return None
        if isinstance(key, bool) or not isinstance(key, int):
            raise mismatch(f"an index is a whole number, not {text_of(key)}")
        return opened(frame, owner[key]) if -len(owner) <= key < len(owner) else None
    if isinstance(key, str):
        return None
    raise mismatch(f"a {type(owner).__name__} has no parts")


# ------------------------------------------------------------------------------------------ operators


def iterate(value: Any) -> Iterator[Any]:
    """The items of a list, the keys of an object, nothing for None."""
    if value is None:
        return iter(())
    if isinstance(value, (list, dict)):
        return iter(value)
    if isinstance(value, Iterator):
        return value
    raise mismatch(f"cannot go through {kind(value)}")


def joined_or_none(frame: Frame, a: Any, b: Any) -> Any:
    """Two texts or two lists one after the other; None if they are neither."""
    if isinstance(a, str) and isinstance(b, str):
        frame.spend((len(a) + len(b)) // 8)
        return a + b
    if isinstance(a, list) and isinstance(b, list):
        frame.spend((len(a) + len(b)) // 8)
        return a + b
    return None


def number(value: Any, symbol: str) -> Any:
    """The value, if it is a number."""
    if isinstance(value, (int, float)):
        return value
    raise mismatch(f"{symbol} works on numbers, not on {kind(value)}")


def kind(value: Any) -> str:
    """What a value is, in words for messages."""
    return {type(None): "None", str: "text", dict: "an object", list: "a list"}.get(
        type(value), type(value).__name__
    )


def _ordered(test: Callable[[Any, Any], bool]) -> Callable[[Frame, Any, Any], bool]:
    def compare(frame: Frame, a: Any, b: Any) -> bool:
        if a is None or b is None:
            return False
        if isinstance(a, (list, str)):
            frame.spend(len(a) // 64)
        if isinstance(a, (int, float)) and isinstance(b, (int, float)):
            return test(a, b)
        if type(a) is type(b) and isinstance(a, (str, list)):
            return test(a, b)
        raise mismatch(f"cannot order {kind(a)} and {kind(b)}")

    return compare


def _equal(frame: Frame, a: Any, b: Any) -> bool:
    if isinstance(a, (list, dict, str)):
        frame.spend(len(a) // 64)
    return bool(a == b)


def _within(frame: Frame, a: Any, b: Any) -> bool:
    if b is None:
        return False
    if isinstance(b, str):
        frame.spend(len(b) // 64)
        return isinstance(a, str) and a in b
    if isinstance(b, list):
        frame.spend(len(b) // 8)
        return any(_equal(frame, a, opened(frame, item)) for item in b)
    if isinstance(b, dict):
        return isinstance(a, str) and a in b
    raise mismatch(f"cannot look inside {kind(b)}")


COMPARISONS: dict[type[ast.cmpop], Callable[[Frame, Any, Any], bool]] = {
    ast.Eq: _equal,
    ast.NotEq: lambda frame, a, b: not _equal(frame, a, b),
    ast.Is: _equal,
    ast.IsNot: lambda frame, a, b: not _equal(frame, a, b),
    ast.In: _within,
    ast.NotIn: lambda frame, a, b: not _within(frame, a, b),
    ast.Lt: _ordered(operator.lt),
    ast.LtE: _ordered(operator.le),
    ast.Gt: _ordered(operator.gt),
    ast.GtE: _ordered(operator.ge),
}
ARITHMETIC: dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv),
    ast.FloorDiv: ("//", operator.floordiv),
    ast.Mod: ("%", operator.mod),
}
