"""Finding a text in the record: node names, and whatever a step wrote."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hookstepper.model.ids import Json
from hookstepper.model.record import DeleteKey, DeltaOp, Path, Splice
from hookstepper.values.tags import TAG

if TYPE_CHECKING:
    from hookstepper.trace.trace import Trace

AROUND = 40
"""Characters of context on each side of a find."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One place where the text was found."""

    step: int
    """Index of the step; -1 for the input."""
    path: Path
    """Where in the state that the step left; empty for a node's name."""
    text: str
    """The find with a little around it."""


def search(trace: Trace, text: str, limit: int) -> tuple[Hit, ...]:
    """The first finds in the order of the steps; nothing for an empty text."""
    wanted = text.casefold()
    out: list[Hit] = []
    if not wanted:
        return ()
    for hit in _all(trace, wanted):
        out.append(hit)
        if len(out) >= limit:
            break
    return tuple(out)


def _all(trace: Trace, wanted: str) -> Iterator[Hit]:
    if trace.steps or trace.branches:
        yield from find(trace.state(-1), wanted, -1)
    for step in trace.steps:
        if wanted in step.site.node.casefold():
            yield Hit(step.index, (), step.site.node)
        for op in step.delta:
            yield from _op(op, wanted, step.index)
        if step.error and wanted in step.error.casefold():
            yield Hit(step.index, (), step.error)


def _op(op: DeltaOp, wanted: str, step: int) -> Iterator[Hit]:
    if isinstance(op, DeleteKey):
        return
    if isinstance(op, Splice):
        for offset, item in enumerate(op.inserted):
            yield from find(item, wanted, step, (*op.path, op.index + offset))
        return
    name = op.path[-1] if op.path else ""
    if isinstance(name, str) and wanted in name.casefold():
        yield Hit(step, op.path, name)
    yield from find(op.new, wanted, step, op.path)


def find(value: Json, wanted: str, step: int, path: Path = ()) -> Iterator[Hit]:
    """Finds in a value: its texts, numbers and keys, tags left out."""
    if isinstance(value, str):
        at = value.casefold().find(wanted)
        if at >= 0:
            start = max(at - AROUND, 0)
            yield Hit(step, path, value[start : at + len(wanted) + AROUND])
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from find(item, wanted, step, (*path, index))
    elif isinstance(value, dict):
        for key, item in value.items():
            if key == TAG or (key in ("type", "form") and TAG in value):
                continue
            if TAG not in value and wanted in key.casefold():
                yield Hit(step, (*path, key), key)
            yield from find(item, wanted, step, (*path, key))
    elif value is not None and not isinstance(value, bool) and wanted in str(value):
        yield Hit(step, path, str(value))
