"""Books that follow a line of history, kept so that going on, and looking back, costs only what is new."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from hookstepper.model.ids import BranchId

if TYPE_CHECKING:
    from hookstepper.trace.trace import Trace

KEPT_EVERY = 256
"""Steps between two books that are kept for looking back."""

B = TypeVar("B", bound="Book")


class Book(Protocol):
    """What has been gathered along a line."""

    def follow(self: B, trace: Trace, line: Sequence[int]) -> B:
        """Take in the steps of a line; starts anew if it is another one than before."""
        ...

    def copy(self: B) -> B:
        """Another book with the same content, which goes its own way."""
        ...


class Books(Generic[B]):
    """Books of one kind; belongs to one trace."""

    def __init__(self, make: Callable[[str], B]) -> None:
        """
        Args:
            make: an empty book about a key of the state; the key is empty if the kind has none.
        """
        self._make = make
        self._heads: dict[tuple[BranchId, str], B] = {}
        self._past: dict[tuple[int, str], B] = {}

    def at_head(self, trace: Trace, branch: BranchId, line: Sequence[int], key: str = "") -> B:
        """The book of the whole line of a branch, which grows with it."""
        name = (branch, key)
        if name not in self._heads:
            self._heads[name] = self._make(key)
        return self._heads[name].follow(trace, line)

    def upto(self, trace: Trace, line: Sequence[int], key: str = "") -> B:
        """The book of a line that ends in the past, made from the last one that is kept on it."""
        kept = len(line) // KEPT_EVERY * KEPT_EVERY
        if not kept:
            return self._make(key).follow(trace, line)
        # What leads to a step never changes, so the book of a line is that of its last step.
        name = (line[kept - 1], key)
        if name not in self._past:
            self._past[name] = self._make(key).follow(trace, line[:kept])
        return self._past[name].copy().follow(trace, line)
