"""Two lines of history side by side: where they part, and which steps belong together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, Literal

from hookstepper.model.ids import Json
from hookstepper.model.record import AddKey, DeleteKey, DeltaOp, Path, SetValue, Splice
from hookstepper.values.delta import diff, same

if TYPE_CHECKING:
    from hookstepper.trace.trace import Trace

MATCH_LIMIT = 4_000_000
"""Steps of one line times steps of the other, up to which they are aligned by longest matching blocks."""
VOLATILE: frozenset[str] = frozenset(
    {"created", "created_at", "timestamp", "run_id", "checkpoint_id", "system_fingerprint"}
)
"""Keys whose values differ between any two runs and say nothing."""
_IDS: frozenset[str] = frozenset({"id", "tool_call_id"})

DifferenceKind = Literal["node", "changes", "route", "error", "input"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing in which two steps differ."""

    kind: DifferenceKind
    path: Path = ()
    """For changes and input: where in the state."""
    a: Json = None
    b: Json = None


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """Two steps that belong together, or one that has no partner."""

    a: int | None
    """Index of the step in the first trace; -1 for the input; None if it has no partner."""
    b: int | None
    differences: tuple[Difference, ...] = ()

    @property
    def same(self) -> bool:
        """True if both are there and do the same."""
        return self.a is not None and self.b is not None and not self.differences


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two lines of history, row by row."""

    rows: tuple[ComparedRow, ...]
    first: int | None
    """Row of the first difference; None if there is none."""

    @property
    def equal(self) -> bool:
        """True if both did the same from the input to the end."""
        return self.first is None


def compare(
    a: Trace, b: Trace, line_a: Sequence[int] | None = None, line_b: Sequence[int] | None = None
) -> Comparison:
    """Both lines from the input on; ids are compared by the order in which they appear, times not at all.

    Args:
        line_a: step indices, by default those of the live branch.
        line_b: the same for the second trace, which may be the first again.

    Source: alignment by longest matching blocks after Ratcliff and Obershelp, as in `difflib`.
    """
    left, right = a.line() if line_a is None else list(line_a), b.line() if line_b is None else list(line_b)
    side_a, side_b = _Side(a, left), _Side(b, right)
    start = tuple(_between("input", diff(side_a.clean(a.state(-1)), side_b.clean(b.state(-1)))))
    rows = [ComparedRow(-1, -1, start)]
    for i, j in _pairs(side_a, side_b):
        rows.append(
            ComparedRow(
                left[i] if i is not None else None,
                right[j] if j is not None else None,
                _step_differences(side_a, side_b, i, j) if i is not None and j is not None else (),
            )
        )
    first = next((index for index, row in enumerate(rows) if not row.same), None)
    return Comparison(tuple(rows), first)


class _Side:
    """One line, with its ids replaced by the order in which they appear."""

    def __init__(self, trace: Trace, line: Sequence[int]) -> None:
        self.trace = trace
        self.steps = [trace.steps[index] for index in line]
        self._names: dict[str, str] = {}
        self._deltas: dict[int, list[Any]] = {}
        self.nodes = [step.site.node for step in self.steps]

    def clean(self, value: Json) -> Json:
        """The value without what differs between any two runs."""
        if isinstance(value, list):
            return [self.clean(item) for item in value]
        if isinstance(value, dict):
            return {
                key: self._name(item) if key in _IDS and isinstance(item, str) and item else self.clean(item)
                for key, item in value.items()
                if key not in VOLATILE
            }
        return value

    def _name(self, value: str) -> str:
        return self._names.setdefault(value, f"#{len(self._names) + 1}")

    def delta(self, index: int) -> list[Any]:
        """The changes of a step as plain data."""
        for before in range(len(self._deltas), index + 1):
            self._deltas[before] = [self._op(op) for op in self.steps[before].delta]
        return self._deltas[index]

    def _op(self, op: DeltaOp) -> Json:
        path: list[Json] = list(op.path)
        match op:
            case SetValue(_, _, new):
                return {"path": path, "set": self.clean(new)}
            case AddKey(_, new):
                return {"path": path, "add": self.clean(new)}
            case DeleteKey():
                return {"path": path, "del": True}
            case Splice(_, index, removed, inserted):
                new_items = [self.clean(item) for item in inserted]
                return {"path": path, "at": index, "gone": len(removed), "come": new_items}


def _pairs(a: _Side, b: _Side) -> Iterator[tuple[int | None, int | None]]:
    size = min(len(a.steps), len(b.steps))
    start = 0
    while start < size and not _step_differences(a, b, start, start):
        yield start, start
        start += 1
    rest_a, rest_b = a.nodes[start:], b.nodes[start:]
    if len(rest_a) * len(rest_b) > MATCH_LIMIT:
        blocks = [("replace", 0, len(rest_a), 0, len(rest_b))]
    else:
        blocks = list(SequenceMatcher(None, rest_a, rest_b, autojunk=False).get_opcodes())
    for word, i1, i2, j1, j2 in blocks:
        paired = min(i2 - i1, j2 - j1) if word in ("equal", "replace") else 0
        for offset in range(paired):
            yield start + i1 + offset, start + j1 + offset
        for i in range(i1 + paired, i2):
            yield start + i, None
        for j in range(j1 + paired, j2):
            yield None, start + j


def _step_differences(side_a: _Side, side_b: _Side, i: int, j: int) -> tuple[Difference, ...]:
    a, b = side_a.steps[i], side_b.steps[j]
    out: list[Difference] = []
    if a.site.node != b.site.node:
        out.append(Difference("node", (), a.site.node, b.site.node))
    left, right = side_a.delta(i), side_b.delta(j)
    if not same(left, right):
        out += _changes(left, right)
    to_a, to_b = [_to(step.route) for step in (a, b)]
    if to_a != to_b:
        out.append(Difference("route", (), to_a, to_b))
    if a.error != b.error:
        out.append(Difference("error", (), a.error, b.error))
    return tuple(out)


def _to(route: object) -> Json:
    return list(getattr(route, "to", ()))


def _changes(left: list[Any], right: list[Any]) -> Iterator[Difference]:
    """Changes that only one side made, or made otherwise, by path."""
    by_path: dict[Path, tuple[list[Json], list[Json]]] = {}
    for place, ops in ((0, left), (1, right)):
        for op in ops:
            pair = by_path.setdefault(tuple(op["path"]), ([], []))
            pair[place].append({key: item for key, item in op.items() if key != "path"})
    for path, (a, b) in by_path.items():
        if not same(a, b):
            yield Difference("changes", path, a, b)


def _between(kind: DifferenceKind, delta: Sequence[DeltaOp]) -> Iterator[Difference]:
    for op in delta:
        match op:
            case Splice(path, index, removed, inserted):
                yield Difference(kind, (*path, index), list(removed), list(inserted))
            case SetValue(path, old, new):
                yield Difference(kind, path, old, new)
            case AddKey(path, new):
                yield Difference(kind, path, None, new)
            case DeleteKey(path, old):
                yield Difference(kind, path, old, None)
