"""The functions of the condition language."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from hookstepper.values.condition_values import Frame, member, mismatch, opened, text_of
from hookstepper.values.tags import TAG

# ---------------------------------------------------------------------------------------- functions


@dataclass(frozen=True, slots=True)
class Function:
    """One function of the language."""

    work: Callable[..., Any]
    """Takes the frame, then its arguments."""
    least: int
    most: int
    help: str

    @property
    def counts(self) -> str:
        """How many arguments it takes, in words."""
        return str(self.least) if self.least == self.most else f"{self.least} to {self.most}"


def _items(frame: Frame, value: Any) -> list[Any]:
    if value is None:
        return []
    if isinstance(value, Iterator):
        return list(value)  # a loop of the language: it has paid for itself
    if isinstance(value, (list, dict)):
        frame.spend(len(value) // 4)
        return [opened(frame, item) for item in value] if isinstance(value, list) else list(value)
    raise mismatch("it needs a list")


def _said(frame: Frame, value: Any) -> str:
    if isinstance(value, (list, dict)):
        frame.spend(50 * len(value))
    text = text_of(value)
    frame.spend(len(text) // 8)
    return text


def _words(frame: Frame, value: Any) -> str:
    """A text for the text functions: None is the empty text, the parts of a message's content are joined."""
    if value is None:
        return ""
    if isinstance(value, str):
        frame.spend(len(value) // 64)
        return value
    if isinstance(value, list):
        frame.spend(len(value))
        return "".join(
            part if isinstance(part, str) else _words(frame, member(frame, opened(frame, part), "text"))
            for part in value
        )
    raise mismatch("it needs a text")


def _len(_: Frame, value: Any) -> int:
    if isinstance(value, Iterator):
        return sum(1 for item in value)
    if value is None:
        return 0
    if isinstance(value, (list, str)):
        return len(value)
    if isinstance(value, dict):
        return len(value) - (TAG in value)
    raise mismatch("len needs a list, a text or an object")


def _any(frame: Frame, value: Any) -> bool:
    return any(value if isinstance(value, Iterator) else _items(frame, value))


def _all(frame: Frame, value: Any) -> bool:
    return all(value if isinstance(value, Iterator) else _items(frame, value))


def _extreme(pick: Callable[..., Any]) -> Callable[..., Any]:
    def work(frame: Frame, *values: Any) -> Any:
        items = [
            item for item in (_items(frame, values[0]) if len(values) == 1 else values) if item is not None
        ]
        return pick(items, default=None)

    return work


def _sum(frame: Frame, value: Any) -> Any:
    items = _items(frame, value)
    if any(not isinstance(item, (int, float)) for item in items):
        raise mismatch("sum needs numbers")
    return sum(items)


def _count(frame: Frame, value: Any, wanted: Any = None) -> int:
    if isinstance(value, str):
        frame.spend(len(value) // 16)
        if not isinstance(wanted, str):
            raise mismatch("count in a text needs a text")
        return value.count(wanted) if wanted else 0
    items = _items(frame, value)
    frame.spend(len(items) // 8)
    return sum(1 for item in items if item == wanted)


def _int(_: Frame, value: Any) -> int | None:
    if value is None:
        return None
    if isinstance(value, str) and len(value) > 1000:
        raise mismatch("that is no whole number")
    if isinstance(value, (str, int, float)):
        return int(value)
    raise mismatch("int needs a number or a text")


def _float(_: Frame, value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, (str, int, float)):
        return float(value)
    raise mismatch("float needs a number or a text")


def _abs(_: Frame, value: Any) -> Any:
    if isinstance(value, (int, float)):
        return abs(value)
    raise mismatch("abs needs a number")


def _contains(frame: Frame, value: Any, wanted: Any) -> bool:
    if isinstance(value, dict):
        return isinstance(wanted, str) and wanted in value
    if isinstance(wanted, str) and (value is None or isinstance(value, str)):
        return wanted in _words(frame, value)
    items = _items(frame, value)
    if wanted in items:
        return True
    # the content of a message may be a list of parts: then its text is meant
    return (
        isinstance(wanted, str) and any(isinstance(i, dict) for i in items) and wanted in _words(frame, value)
    )


def _edge(index: int) -> Callable[..., Any]:
    def work(frame: Frame, value: Any) -> Any:
        if isinstance(value, (str, list)):
            return opened(frame, value[index]) if value else None
        items = _items(frame, value)
        return items[index] if items else None

    return work


def _type(_: Frame, value: Any) -> str:
    if isinstance(value, dict) and TAG in value:
        return str(value[TAG])
    names = {type(None): "null", dict: "object", list: "list", str: "text", bool: "bool"}
    return names.get(type(value), type(value).__name__)


def _sorted(frame: Frame, value: Any) -> list[Any]:
    items = _items(frame, value)
    frame.spend(len(items))
    return sorted(items)


def _has(_: Frame, value: Any, key: Any) -> bool:
    if isinstance(value, dict):
        return (key if isinstance(key, str) else text_of(key)) in value
    if isinstance(value, (list, str)) and isinstance(key, int):
        return -len(value) <= key < len(value)
    return False


def _pairs(pick: Callable[[str, Any], Any]) -> Callable[..., Any]:
    def work(frame: Frame, value: Any) -> list[Any]:
        if value is None:
            return []
        if not isinstance(value, dict):
            raise mismatch("it needs an object")
        frame.spend(len(value))
        return [pick(key, opened(frame, item)) for key, item in value.items() if key != TAG]

    return work


FUNCTIONS: dict[str, Function] = {
    "len": Function(_len, 1, 1, "how many items, keys or characters; 0 for None"),
    "any": Function(_any, 1, 1, "true if one is"),
    "all": Function(_all, 1, 1, "true if all are"),
    "min": Function(_extreme(min), 1, 20, "the least, None of nothing"),
    "max": Function(_extreme(max), 1, 20, "the most, None of nothing"),
    "sum": Function(_sum, 1, 1, "numbers together"),
    "count": Function(_count, 1, 2, "how often it is in a list or text"),
    "str": Function(_said, 1, 1, "as text; lists and objects as JSON"),
    "int": Function(_int, 1, 1, "as whole number"),
    "float": Function(_float, 1, 1, "as number"),
    "abs": Function(_abs, 1, 1, "without its sign"),
    "lower": Function(lambda frame, value: _words(frame, value).lower(), 1, 1, "in small letters"),
    "upper": Function(lambda frame, value: _words(frame, value).upper(), 1, 1, "in capital letters"),
    "strip": Function(lambda frame, value: _words(frame, value).strip(), 1, 1, "without outer spaces"),
    "startswith": Function(
        lambda frame, value, part: _words(frame, value).startswith(_words(frame, part)),
        2,
        2,
        "text begins so",
    ),
    "endswith": Function(
        lambda frame, value, part: _words(frame, value).endswith(_words(frame, part)), 2, 2, "text ends so"
    ),
    "contains": Function(_contains, 2, 2, "it is in the list, text or object"),
    "last": Function(_edge(-1), 1, 1, "the last item, None of nothing"),
    "first": Function(_edge(0), 1, 1, "the first item, None of nothing"),
    "type": Function(_type, 1, 1, "null bool int float text list object, or msg, error"),
    "sorted": Function(_sorted, 1, 1, "in order"),
    "has": Function(_has, 2, 2, "true if the key or index is there"),
    "get": Function(
        lambda frame, value, key, other=None: member(frame, value, key) if _has(frame, value, key) else other,
        2,
        3,
        "the value under a key, else the third argument",
    ),
    "keys": Function(_pairs(lambda key, item: key), 1, 1, "keys of an object"),  # noqa: ARG005
    "values": Function(_pairs(lambda key, item: item), 1, 1, "values of an object"),  # noqa: ARG005
    "items": Function(_pairs(lambda key, item: [key, item]), 1, 1, "pairs of an object"),
}
"""By name; the help screen and the completion are made from it."""

LAZY: frozenset[str] = frozenset({"any", "all", "len"})
"""Functions that take a loop item by item, and may leave it early."""
