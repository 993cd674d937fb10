"""Parallel tasks commit together; this tells them apart again, one state after another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any


def staged(
    before: Mapping[str, Any], after: Mapping[str, Any], writes: Sequence[Sequence[tuple[str, Any]]]
) -> Iterator[dict[str, Any]]:
    """The state after each task of a superstep, as if they had been committed one by one.

    A key that one task wrote changes with that task. A list that several tasks appended to grows with
    each of them, if its length tells how; any other key that several wrote changes with the last, since
    telling more would mean to call the user's reducer. Keys that nobody wrote change with the first.

    Args:
        before: state before the superstep.
        after: state after it; the last state that is yielded equals it.
        writes: for each task, in the order in which LangGraph applies them, its channels and values.
    """
    writers: dict[str, list[int]] = {}
    for place, one in enumerate(writes):
        for key, _ in one:
            if place not in writers.setdefault(key, []):
                writers[key].append(place)
    state = dict(before)
    last = len(writes) - 1
    for place in range(len(writes)):
        if place == last:
            yield dict(after)
            return
        for key in {**before, **after}:
            who = writers.get(key, [0])
            if place == who[-1]:
                if key in after:
                    state[key] = after[key]
                else:
                    state.pop(key, None)
            elif place in who:
                grown = _grown(before.get(key), after.get(key), key, writes, place)
                if grown is not None:
                    state[key] = grown
        yield {key: state[key] for key in {**after, **before} if key in state}


def _grown(
    before: Any, after: Any, key: str, writes: Sequence[Sequence[tuple[str, Any]]], place: int
) -> list[Any] | None:
    """The list after the tasks up to `place`, if all that happened to it is that tasks appended."""
    start = before if isinstance(before, list) else []
    if not isinstance(after, list) or any(a is not b for a, b in zip(start, after, strict=False)):
        return None
    counts = [sum(_length(value) for name, value in one if name == key) for one in writes]
    if len(start) + sum(counts) != len(after):
        return None
    return after[: len(start) + sum(counts[: place + 1])]


def _length(value: Any) -> int:
    return len(value) if isinstance(value, (list, tuple)) else 1
