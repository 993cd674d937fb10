"""Marks by step, and those whose step is not committed yet."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass

from hookstepper.model.events import PersonActed, Stopped
from hookstepper.model.ids import TaskId
from hookstepper.model.record import StepDone
from hookstepper.trace.marks import Mark, mark_of

_BY_PERSON = ("person", "edit")


@dataclass(slots=True)
class _Waiting:
    """A mark whose step is not committed yet."""

    mark: Mark
    task: TaskId | None


class MarkBook:
    """Belongs to one trace."""

    def __init__(self) -> None:
        self._marks: dict[int, list[Mark]] = {}
        self._waiting: list[_Waiting] = []

    def of(self, index: int, *, upcoming: bool = False) -> tuple[Mark, ...]:
        """The marks of a step; with `upcoming` also those that wait for their step."""
        marks = self._marks.get(index, ())
        return (*marks, *(waiting.mark for waiting in self._waiting)) if upcoming else tuple(marks)

    def put(self, index: int, marks: Iterable[Mark]) -> None:
        """Add marks to a step."""
        for mark in marks:
            self._marks.setdefault(index, []).append(mark)

    def wait(self, mark: Mark, task: TaskId | None = None) -> None:
        """Keep a mark for the step of a task, or of its node, or for whatever comes next."""
        if not any(waiting.mark == mark and waiting.task == task for waiting in self._waiting):
            self._waiting.append(_Waiting(mark, task))

    def stopped(self, event: Stopped) -> None:
        """Marks for the reasons of a stop; its questions are told apart."""
        stop = event.stop
        node = stop.site.node if stop.site is not None else None
        for reason in stop.reasons:
            kind = mark_of(reason)
            if kind is None or (kind == "question" and stop.asks):
                continue
            title = event.failure.title if kind == "error" and event.failure is not None else ""
            self.wait(Mark(kind, title or stop.error or stop.detail, node), stop.task)

    def acted(self, event: PersonActed) -> None:
        """A mark for what a person did; gone again if it was taken back."""
        mark = Mark("person", f"{event.what} {event.detail}".strip())
        if not event.undone:
            self._waiting.append(_Waiting(mark, None))
            return
        for waiting in reversed(self._waiting):
            if waiting.mark == mark:
                self._waiting.remove(waiting)
                return

    def arrived(self, step: StepDone, live: Container[TaskId], found: list[Mark]) -> None:
        """A step is committed: it gets the marks that waited for it, then those found in it.

        Args:
            live: tasks that still run, whose marks go on waiting.
        """
        mine: list[Mark] = []
        others: list[_Waiting] = []
        for waiting in self._waiting:
            node = waiting.mark.node
            about = node is None or step.site.node == node or step.site.node.startswith(f"{node}:")
            if waiting.task == step.task or (about and waiting.task not in live):
                mine.append(waiting.mark)
            else:
                others.append(waiting)
        self._waiting = others
        mine += found
        if step.by_hand and not any(mark.kind == "person" for mark in mine):
            mine.append(Mark("person", ", ".join(step.by_hand), step.site.node))
        self.put(step.index, mine)

    def settle(self, index: int) -> None:
        """A new run begins: what waited for a step that never came stays with the last one before it."""
        self.put(index, [waiting.mark for waiting in self._waiting if waiting.mark.kind not in _BY_PERSON])
        self._waiting = [waiting for waiting in self._waiting if waiting.mark.kind in _BY_PERSON]
