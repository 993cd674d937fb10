"""Lines of history: which step followed which, and the turns along the line of each branch."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from hookstepper.model.ids import BranchId
from hookstepper.trace import turns
from hookstepper.trace.branches import Branch
from hookstepper.trace.turns import Turn, TurnPlace


class Lines:
    """Belongs to one trace. Going on along a line that was asked for before costs only the new steps."""

    def __init__(self) -> None:
        self._parents: list[int] = []
        self._places: list[TurnPlace] = []
        self._lines: dict[BranchId, list[int]] = {}
        self._turns: dict[BranchId, tuple[int, list[Turn]]] = {}

    def append(self, parent: int, place: TurnPlace) -> None:
        """The next step follows `parent`, -1 for the input, at a place among the turns."""
        self._parents.append(parent)
        self._places.append(place)

    def previous(self, index: int) -> int:
        """The step before on the same line of history; -1 if there is none."""
        return self._parents[index] if 0 <= index < len(self._parents) else -1

    def place(self, index: int) -> TurnPlace | None:
        """Turn, kind and run of a step; None for the input."""
        return self._places[index] if 0 <= index < len(self._places) else None

    def back_from(self, index: int) -> Iterator[int]:
        """A step and those before it on its line of history, newest first."""
        while index >= 0:
            yield index
            index = self._parents[index]

    def of(self, branch: Branch) -> list[int]:
        """Indices of the steps on the line of a branch, oldest first; not to be changed."""
        line = self._lines.setdefault(branch.id, [])
        end = line[-1] if line else -1
        new: list[int] = []
        here = branch.last
        while here > end:
            new.append(here)
            here = self._parents[here]
        if here == end:
            line += reversed(new)
        else:  # the branch went on from an earlier step
            line[:] = list(self.back_from(branch.last))[::-1]
            self._turns.pop(branch.id, None)
        return line

    def upto(self, index: int, branch: Branch | None) -> list[int]:
        """Indices of the steps that lead to a step, with that step, oldest first.

        Args:
            branch: the one that the step was made on, if it is known.
        """
        line: Sequence[int] = self.of(branch) if branch is not None else ()
        end = bisect_right(line, index)
        if end and line[end - 1] == index:
            return list(line[:end])
        return list(self.back_from(index))[::-1]

    def turns(self, branch: Branch) -> tuple[Turn, ...]:
        """The turns on the line of a branch, with those before its fork."""
        line = self.of(branch)
        done, found = self._turns.get(branch.id, (0, []))
        if done < len(line):
            turns.extend(found, ((index, self._places[index]) for index in line[done:]))
            self._turns[branch.id] = (len(line), found)
        return tuple(found)
