"""Columns of the timeline: one a step, tasks that ran together in one, in groups by turn."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from hookstepper.client.view import View
from hookstepper.model.ids import MAIN, BranchId, scope_of
from hookstepper.model.record import StepDone
from hookstepper.trace.marks import Mark, MarkKind
from hookstepper.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Column:
    """Steps that are drawn above each other."""

    steps: tuple[int, ...]
    """Indices of the steps; more than one if tasks ran in parallel."""

    @property
    def first(self) -> int:
        """Index of its first step."""
        return self.steps[0]

    @property
    def last(self) -> int:
        """Index of its last step."""
        return self.steps[-1]


@dataclass(frozen=True, slots=True)
class Group:
    """Columns of one turn."""

    kind: str
    number: int
    start: int
    """Number of its first column."""


@dataclass(slots=True)
class Columns:
    """All columns of the line of history in view; `of` brings it up to date, at the cost of what is new."""

    all: list[Column] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    """First step of each column, in order."""
    group_starts: list[int] = field(default_factory=list)
    live: bool = True
    """False while one looks back at a branch that was left: nothing runs next there."""
    next_number: int = 1
    """Number of the step that comes next."""
    _trace: Trace | None = None
    _branch: BranchId = MAIN
    _tip: int = -1
    """The last step that was taken in."""
    _turn: tuple[str, int, int] | None = None

    def of(self, view: View) -> Columns:
        """The columns of this view, made anew only as far as they are new."""
        self._follow(view.trace, view.trace.branch)
        if view.looking_back and view.at >= 0 and not self._holds(view.at):
            self._follow(view.trace, view.trace.branch_of(view.at))
        self.live = self._branch == view.trace.branch
        self.next_number = view.trace.last + 2
        return self

    def _holds(self, step: int) -> bool:
        at = self.of_step(step)
        return at >= 0 and step in self.all[at].steps

    def _follow(self, trace: Trace, branch: BranchId) -> None:
        if trace is not self._trace or branch != self._branch:
            self._trace, self._branch = trace, branch
            self._forget()
        last = next((each.last for each in trace.branches if each.id == branch), -1)
        new: list[int] = []
        for index in trace.back_from(last):
            if index == self._tip:
                break
            new.append(index)
        else:
            # The line does not pass where it was before: a fork on the same branch.
            self._forget()
        for index in reversed(new):
            self._take(trace, index)

    def _forget(self) -> None:
        for known in (self.all, self.groups, self.starts, self.group_starts):
            known.clear()
        self._tip, self._turn = -1, None

    def _take(self, trace: Trace, index: int) -> None:
        """Put a step into the column of the one before, or into a new one."""
        place = trace.place(index)
        turn = (place.kind, place.number, place.run) if place is not None else ("", 0, 0)
        step = trace.steps[index]
        if turn != self._turn:
            self._turn = turn
            self.groups.append(Group(turn[0], turn[1], len(self.all)))
            self.group_starts.append(len(self.all))
        elif beside(trace.steps[self._tip], step):
            self.all[-1] = Column((*self.all[-1].steps, index))
            self._tip = index
            return
        self.all.append(Column((index,)))
        self.starts.append(index)
        self._tip = index

    def of_step(self, index: int) -> int:
        """The column that a step stands in; -1 for the input."""
        return bisect_right(self.starts, index) - 1

    def group_of(self, column: int) -> Group | None:
        """The group of a column; the column of what runs next belongs to the last group."""
        at = bisect_right(self.group_starts, column) - 1
        return self.groups[at] if at >= 0 else None

    def opens_group(self, column: int) -> bool:
        """True for the first column of a group."""
        at = bisect_right(self.group_starts, column) - 1
        return at >= 0 and self.group_starts[at] == column


def marks_text(view: View, column: Column) -> str:
    """What stands in the marks row: one sign for each kind of mark."""
    signs: dict[str, None] = {}
    for index in column.steps:
        for mark in view.trace.marks(index):
            if (sign := mark_sign(mark)) is not None:
                signs[sign] = None
    return "".join(signs)


def mark_sign(mark: Mark) -> str | None:
    """The sign of one mark; None for what the lanes show already."""
    if mark.kind == "breakpoint":
        number = next((word for word in mark.detail.replace(":", " ").split() if word.isdigit()), "")
        return f"b{number}"
    return _SIGNS.get(mark.kind)


_SIGNS: dict[MarkKind, str] = {
    "watch": "w",
    "pause": "p",
    "question": "‖",
    "jump": "↷",
    "error": "✗",
    "limit": "!",
    "diverged": "≠",
    "mutated": "~",
    "same_values": "=",
    "key_dropped": "−",
    "message_doubled": "²",
    "jump_ignored": "?",
    "hook_skipped": "⊘",
}


def beside(before: StepDone, step: StepDone) -> bool:
    """True if two steps that follow each other ran as tasks of one superstep of one graph."""
    return (
        before.superstep == step.superstep
        and before.task != step.task
        and before.branch == step.branch
        and scope_of(before.site.node) == scope_of(step.site.node)
    )
