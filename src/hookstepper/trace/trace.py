"""The record of one conversation: fed with events, asked by every view. It runs nothing and shows nothing.

Used from one thread. Everything that it gives out is read-only and stays as it is; only the record grows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from hookstepper.model.errors import InvalidValueError
from hookstepper.model.events import (
    EdgesObserved,
    Event,
    NodeEntered,
    PersonActed,
    RunEnded,
    RunStarted,
    StateChanged,
    Stopped,
    TargetLoaded,
)
from hookstepper.model.gates import Ask, Reason, Stop
from hookstepper.model.graph import Edge, Graph, NodeKind
from hookstepper.model.ids import MAIN, AskId, BranchId, Json, NodeId, StopId, TaskId
from hookstepper.model.record import Delta, Path, StepDone
from hookstepper.trace import provenance, turns
from hookstepper.trace.authors import AuthorBook, Authors
from hookstepper.trace.books import Books
from hookstepper.trace.branches import Branch, Cause, Write
from hookstepper.trace.calls import CallBook, ToolCallLife
from hookstepper.trace.decisions import DecisionBook
from hookstepper.trace.history import ROOT, History, PointId
from hookstepper.trace.jumps import JumpLife, jump_life
from hookstepper.trace.lines import Lines
from hookstepper.trace.mark_book import MarkBook
from hookstepper.trace.marks import JUMP_KEY, Mark, step_marks
from hookstepper.trace.onion import OnionView, Ring, onion_view
from hookstepper.trace.search import Hit, search
from hookstepper.trace.sharing import Sharer
from hookstepper.trace.turns import Turn, TurnPlace
from hookstepper.values.delta import diff

Lane = Literal["framework", "model", "tool"]
"""Who acts in a step; what a person does is told by `human`."""

_LANES: dict[NodeKind, Lane] = {"model": "model", "tool": "tool"}


@dataclass(frozen=True, slots=True)
class StopSeen:
    """That a run was held or came to rest, without what was at the gate."""

    after_step: int
    reasons: tuple[Reason, ...]
    nodes: tuple[NodeId, ...]
    """The node held, or those that are due or ask."""
    detail: str = ""


class Trace:
    """Steps, states, branches, turns and marks of everything that this debugger saw.

    Step indices count over all branches. Index -1 is the state that the first run began with.
    """

    def __init__(self) -> None:
        self.graph: Graph | None = None
        """The graph as described, with the edges that runs have been seen to take."""
        self.version = 0
        """Counts the events taken in, so that a view can tell whether it is out of date."""
        self.branch: BranchId = MAIN
        """The branch that ran last: the one that is live."""
        self.live: dict[TaskId, NodeEntered] = {}
        """Tasks whose node has been entered and is not committed."""
        self.asks: dict[AskId, tuple[Ask, int]] = {}
        """Questions of the program, with the index of the last step before each."""
        self.acts: list[PersonActed] = []
        """What a person did by hand, oldest first."""
        self.stops: list[StopSeen] = []
        """All stops, oldest first."""
        self.ended: RunEnded | None = None
        """How the last run came to rest; None while it runs."""
        self._told: set[StopId] = set()
        """Stops of this process that have been told; one is told again when it becomes the current one."""
        self._steps: list[StepDone] = []
        self._points: list[PointId] = []
        self._tails: list[PointId] = []
        self._visits: dict[NodeId, list[int]] = {}
        self._book = MarkBook()
        self._decisions = DecisionBook()
        self._branches: dict[BranchId, Branch] = {}
        self._causes: list[Cause] = []
        self._initial = ROOT
        self._history = History()
        self._sharer = Sharer()
        self._calls: Books[CallBook] = Books(lambda _: CallBook())
        self._authors: Books[AuthorBook] = Books(AuthorBook)
        self._lines = Lines()

    # -------------------------------------------------------------------------------------- taking in

    def add(self, event: Event) -> None:
        """Take in one event; those that say nothing about the record only count."""
        self.version += 1
        match event:
            case StepDone():
                self._step(event)
            case TargetLoaded(graph=graph):
                self.graph = graph
                self._told.clear()
            case RunStarted():
                self._run_started(event)
            case NodeEntered(task=task):
                self.live[task] = event
            case StateChanged():
                self._state_changed(event)
            case Stopped():
                self._stopped(event)
            case RunEnded():
                self._run_ended(event)
            case EdgesObserved(edges):
                self._observed(edges)
            case PersonActed():
                self.acts.append(event)
                self._book.acted(event)
            case _:
                pass

    def _stopped(self, event: Stopped) -> None:
        stop = event.stop
        if stop.id in self._told:
            return
        self._told.add(stop.id)
        self._book.stopped(event)
        self._asked(stop.asks)
        self.stops.append(StopSeen(self.head, stop.reasons, _nodes_of(stop), stop.detail))

    def _run_started(self, event: RunStarted) -> None:
        self.ended = None
        self.live.clear()
        branch = self._branch(event.branch, event.from_step)
        if event.entry == "from" and event.from_step is not None and event.from_step != branch.last:
            branch.last = min(event.from_step, len(self._steps) - 1)
            branch.point = self._tail(branch.last)
        if event.entry != "resume":
            self._book.settle(branch.last)
        self._sharer.learn(event.state)
        delta = diff(self._history.state(branch.point), event.state)
        first = not self._causes
        if delta or first:
            self._move(branch, delta, None, "start")
        if first:
            self._initial = branch.point
        branch.run = event.run
        self.branch = branch.id

    def _branch(self, name: BranchId, from_step: int | None) -> Branch:
        """The branch of that name; a new one begins after a step, by default the newest of the live one."""
        known = self._branches.get(name)
        if known is not None:
            return known
        live = self._branches.get(self.branch)
        origin = from_step if from_step is not None else live.last if live is not None else -1
        origin = max(-1, min(origin, len(self._steps) - 1))
        parent = self._steps[origin].branch if origin >= 0 else live.id if live is not None else None
        run = live.run if live is not None else 1
        new = Branch(name, parent, origin, self._tail(origin), origin, run)
        self._branches[name] = new
        return new

    def _tail(self, step: int) -> PointId:
        """The point after a step and what was changed by hand after it; -1 for the input."""
        return self._tails[step] if step >= 0 else self._initial

    def _move(self, branch: Branch, delta: Delta, scope: NodeId | None, by: str) -> None:
        branch.point = self._history.add(branch.point, delta, scope)
        self._causes.append(Cause(by, len(self._steps) if by == "step" else branch.last))

    def _step(self, event: StepDone) -> None:
        index = len(self._steps)
        step = self._sharer.step(event if event.index == index else replace(event, index=index))
        branch = self._branch(step.branch, None)
        before = self._history.state(branch.point, step.scope)
        self._move(branch, step.delta, step.scope, "step")
        after = self._history.state(branch.point, step.scope)
        before_it = self._lines.place(branch.last)
        place = turns.place(step, before_it, branch.run, turns.loop_entry(self.graph))
        self._lines.append(branch.last, place)
        self._steps.append(step)
        self._decisions.take(step, branch.last)
        self._points.append(branch.point)
        self._tails.append(branch.point)
        self._visits.setdefault(step.site.node, []).append(index)
        branch.last = index
        branch.steps.append(index)
        self.branch = branch.id
        self.live.pop(step.task, None)
        self._book.arrived(step, self.live, step_marks(step, before, after))

    def _state_changed(self, event: StateChanged) -> None:
        branch = self._branch(event.branch, event.after_step)
        self._move(branch, event.delta, event.scope, event.by)
        stays = event.by != "input" and branch.last == event.after_step
        if stays and branch.last < 0 and branch.parent is None:
            self._initial = branch.point
        elif stays and branch.last >= 0 and self._steps[branch.last].branch == branch.id:
            self._tails[branch.last] = branch.point
        keys = tuple(dict.fromkeys(str(op.path[0]) for op in event.delta if op.path))
        if event.by == "program":
            self._book.put(max(event.after_step, -1), [Mark("mutated", keys=keys)])
        elif event.by == "edit":
            self._book.wait(Mark("edit", keys=keys))

    def _asked(self, asks: tuple[Ask, ...]) -> None:
        live = self._branches.get(self.branch)
        for ask in asks:
            if ask.id in self.asks:
                continue
            self.asks[ask.id] = (ask, live.last if live is not None else -1)
            tools = ", ".join(call.tool for call in ask.calls if call.needs_approval)
            self._book.wait(Mark("question", ask.prompt or tools, ask.node))

    def _run_ended(self, event: RunEnded) -> None:
        self.ended = event
        self.live.clear()
        if event.status == "failed" and event.failure is not None:
            self._book.wait(Mark("error", event.failure.title, event.failed_at))

    def _observed(self, edges: tuple[Edge, ...]) -> None:
        if self.graph is None:
            return
        known = {(edge.source, edge.target): index for index, edge in enumerate(self.graph.edges)}
        out = list(self.graph.edges)
        for edge in edges:
            at = known.get((edge.source, edge.target))
            if at is None:
                out.append(edge)
                known[(edge.source, edge.target)] = len(out) - 1
            elif out[at].evidence in ("inferred", "never"):
                out[at] = replace(out[at], evidence="observed")
        self.graph = replace(self.graph, edges=tuple(out))

    # ------------------------------------------------------------------------------------------ steps

    @property
    def steps(self) -> Sequence[StepDone]:
        """All steps of all branches, by index."""
        return self._steps

    @property
    def last(self) -> int:
        """Index of the newest step; -1 if none has run."""
        return len(self._steps) - 1

    @property
    def head(self) -> int:
        """Index of the newest step on the line of the live branch; -1 if there is none.

        It is not `last` as long as a fork has run no node of its own.
        """
        live = self._branches.get(self.branch)
        return live.last if live is not None else self.last

    def state(self, index: int, scope: NodeId | None = None) -> Json:
        """The state after a step, with what was changed by hand before the next one; never to be changed.

        At the head of the live branch it is the live state, so that the input of a next run shows before
        its first step. Index -1 is the state that the first run began with.

        Args:
            scope: the subgraph node whose own state is meant; None for the root graph's.
        """
        live = self._branches.get(self.branch)
        if live is not None and (index == live.last or index > self.last):
            return self._history.state(live.point, scope)
        return self._history.state(self._tail(max(index, -1)), scope) if self._causes else {}

    def before(self, index: int) -> Json:
        """The state that a step found, in the scope that it writes to."""
        point = self._points[index]
        return self._history.state(self._history.parent(point), self._history.scope(point))

    def after(self, index: int) -> Json:
        """The state that a step left, in the scope that it writes to, without later changes by hand."""
        point = self._points[index]
        return self._history.state(point, self._history.scope(point))

    def changes(self, index: int) -> Delta:
        """What a step changed; nothing for -1."""
        return self._steps[index].delta if 0 <= index < len(self._steps) else ()

    def previous(self, index: int) -> int:
        """The step before on the same line of history; -1 if there is none."""
        return self._lines.previous(index)

    def line(self, branch: BranchId | None = None) -> list[int]:
        """Indices of the steps on the line of a branch, oldest first, with those before its fork."""
        known = self._branches.get(branch or self.branch)
        return list(self._lines.of(known)) if known is not None else []

    def line_to(self, index: int) -> list[int]:
        """Indices of the steps that lead to a step, with that step, oldest first."""
        return self._lines.upto(index, self._branches.get(self.branch_of(index)))

    def back_from(self, index: int) -> Iterator[int]:
        """A step and those before it on its line of history, newest first."""
        return self._lines.back_from(index)

    def visits(self, node: NodeId) -> Sequence[int]:
        """Indices of the steps of a node, in order."""
        return self._visits.get(node, ())

    def lane(self, index: int) -> Lane:
        """Who acted in a step."""
        return _LANES.get(self._steps[index].kind, "framework")

    def human(self, index: int) -> tuple[str, ...]:
        """What a person did to a step, or before it since the one before; empty if nothing."""
        marks = self.marks(index)
        done = [mark.detail or mark.kind for mark in marks if mark.kind in ("person", "edit")]
        by_hand = self._steps[index].by_hand if 0 <= index < len(self._steps) else ()
        return tuple(dict.fromkeys((*by_hand, *done)))

    def marks(self, index: int) -> tuple[Mark, ...]:
        """The marks of a step; for the index after the newest step, those of the step that is not done."""
        return self._book.of(index, upcoming=index == len(self._steps))

    @property
    def misfits(self) -> tuple[InvalidValueError, ...]:
        """Changes that did not fit the state before them: the record has a hole there."""
        return tuple(error for _, error in self._history.misfits)

    # -------------------------------------------------------------------------------- branches, turns

    @property
    def branches(self) -> tuple[Branch, ...]:
        """All branches, oldest first."""
        return tuple(self._branches.values())

    def branch_of(self, index: int) -> BranchId:
        """The branch that a step was made on."""
        return self._steps[index].branch if 0 <= index < len(self._steps) else MAIN

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns on the line of the live branch."""
        return self.turns_of(self.branch)

    def turns_of(self, branch: BranchId) -> tuple[Turn, ...]:
        """The turns on the line of a branch, with those before its fork."""
        known = self._branches.get(branch)
        return self._lines.turns(known) if known is not None else ()

    def turn_of(self, index: int) -> int:
        """Number of the turn that a step belongs to; 0 for setup and end, and for the input."""
        place = self._lines.place(index)
        return place.number if place is not None else 0

    def place(self, index: int) -> TurnPlace | None:
        """Turn, kind and run of a step; None for the input."""
        return self._lines.place(index)

    # ------------------------------------------------------------------------------- who wrote what

    def write(self, path: Path, at: int, scope: NodeId | None = None) -> Write | None:
        """The last write of the value at `path` as it stands at a step; None if it is not there."""
        return provenance.write(self._history, self._causes, self._seen_from(at), path, scope)

    def writer(self, path: Path, at: int) -> int | None:
        """Index of the step that gave the value its form; None if it came with the input or is not there.

        For a value written by hand it is the step after which it was written.
        """
        found = self.write(path, at)
        return found.step if found is not None and found.step >= 0 else None

    def _seen_from(self, at: int) -> PointId:
        live = self._branches.get(self.branch)
        if live is not None and (at == live.last or at > self.last):
            return live.point
        return self._tail(max(at, -1))

    def jump(self, index: int) -> JumpLife:
        """The life of `jump_to` up to a step: who wrote it, how old it is, who has read it."""
        return jump_life(self, index, JUMP_KEY)

    def calls(self, branch: BranchId | None = None, upto: int | None = None) -> tuple[ToolCallLife, ...]:
        """Tool calls on the line of a branch, as they were proposed, decided and executed.

        Args:
            upto: leave out what happened after this step.
        """
        if upto is not None:
            return self._calls.upto(self, self.line_to(min(upto, self.last))).calls()
        name = branch or self.branch
        return self._calls.at_head(self, name, self.line(name)).calls()

    def decision(self, at: int, node: NodeId | None = None) -> StepDone | None:
        """The last step up to one that decided where to go: of a node, or of any that had a choice."""
        upto = min(at, self.last)
        found = (
            self._decisions.last(upto) if node is None else self._decisions.last_of(node, self.line_to(upto))
        )
        return self._steps[found] if found >= 0 else None

    def authors(self, key: str, at: int) -> tuple[Authors, ...]:
        """The steps that wrote each message of a list of the root graph first and last, as of a step.

        Empty where the record cannot tell, as after a change by hand that moved messages.
        """
        line = self.line_to(min(at, self.last))
        if line and line[-1] == self.head:
            book = self._authors.at_head(self, self.branch, line, key)
        else:
            book = self._authors.upto(self, line, key)
        state = self.state(at)
        now = state.get(key) if isinstance(state, dict) else None
        return tuple(book.authors) if isinstance(now, list) and len(now) == len(book.authors) else ()

    def onion(self, turn: int, ring: Ring = "model", upto: int | None = None) -> OnionView:
        """The hooks around the model, the agent or the tools in a turn, and what each saw and passed on.

        Args:
            turn: a turn's number on the line of the live branch, or of the step `upto`.
            upto: leave out what happened after this step.
        """
        return onion_view(self, turn, ring, upto)

    def search(self, text: str, limit: int = 200) -> tuple[Hit, ...]:
        """Steps whose node or changes hold a text, whatever the case of its letters."""
        return search(self, text, limit)


def _nodes_of(stop: Stop) -> tuple[NodeId, ...]:
    if stop.site is not None:
        return (stop.site.node,)
    return tuple(dict.fromkeys((*(ask.node for ask in stop.asks), *stop.next)))
