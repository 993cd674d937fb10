"""Who wrote each message of a list: the steps that wrote it first and last, along a line of history."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hookstepper.model.record import AddKey, DeltaOp, SetValue, Splice

if TYPE_CHECKING:
    from hookstepper.trace.trace import Trace

Authors = tuple[int, int]
"""Indices of the steps that wrote a message first and last; -1 for the input."""


class AuthorBook:
    """Follows one list along one line of history; going on along the same line costs only the new steps."""

    def __init__(self, key: str) -> None:
        self.key = key
        self._count = 0
        self._tip = -1
        self._authors: list[Authors] = []

    @property
    def authors(self) -> Sequence[Authors]:
        """One for each message, as far as the steps tell; changes by hand between steps are not seen."""
        return self._authors

    def copy(self) -> AuthorBook:
        """Another book of the same list, which goes its own way."""
        book = AuthorBook(self.key)
        book._count, book._tip, book._authors = self._count, self._tip, list(self._authors)
        return book

    def follow(self, trace: Trace, line: Sequence[int]) -> AuthorBook:
        """Take in the steps of a line; starts anew if it is another one than before."""
        count = self._count
        # What leads to a step never changes: where the last step is the same, so are those before it.
        if not count or len(line) < count or line[count - 1] != self._tip:
            self._begin(trace)
        for index in line[self._count :]:
            step = trace.steps[index]
            for op in step.delta if step.scope is None else ():
                if op.path[:1] == (self.key,):
                    self._take(op, index)
            self._tip = index
        self._count = len(line)
        return self

    def _begin(self, trace: Trace) -> None:
        initial = trace.state(-1)
        begun = initial.get(self.key) if isinstance(initial, dict) else None
        self._authors = [(-1, -1)] * (len(begun) if isinstance(begun, list) else 0)
        self._count, self._tip = 0, -1

    def _take(self, op: DeltaOp, index: int) -> None:
        """Take in one change of the list, or of a message in it."""
        authors = self._authors
        if isinstance(op, Splice) and len(op.path) == 1:
            gone = authors[op.index : op.index + len(op.removed)]
            come = [(index, index)] * len(op.inserted)
            # A message that takes the place of another is its next form.
            come[: len(gone)] = [(first, index) for first, _ in gone[: len(come)]]
            authors[op.index : op.index + len(op.removed)] = come
        elif len(op.path) == 1:
            new = op.new if isinstance(op, AddKey | SetValue) else None
            authors[:] = [(index, index)] * (len(new) if isinstance(new, list) else 0)
        elif isinstance(place := op.path[1], int) and place < len(authors):
            authors[place] = (authors[place][0], index)
