"""A failed node: what happened, and what can be done about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.widget import Widget
from textual.widgets import Input

from hookstepper.client.view import View
from hookstepper.model.commands import AbortRun, Command, Fork, RetryNode, Screen, SkipNode
from hookstepper.tui.dialogs.dialog import INNER, Buttons, Dialog, Lines
from hookstepper.tui.rows.ahead import label_of
from hookstepper.tui.rows.lines import shown
from hookstepper.tui.rows.load_error import failure_rows
from hookstepper.tui.rows.row import Row, pad_text, row
from hookstepper.tui.rows.typed import read_typed
from hookstepper.tui.words import tr


@dataclass(frozen=True, slots=True)
class Way:
    """One way on from a failure."""

    word: str
    command: Command | None
    """None: not on offer here; `why_not` says why."""
    why_not: str = ""


def ways_on(view: View) -> tuple[Way, ...]:
    """What can be done about the failure, offered or not, in the order of the digits."""
    acts = view.stop.acts if view.stop is not None else frozenset()
    not_here = tr("this engine cannot do it here")
    retry = RetryNode() if "retry" in acts else None
    return (
        Way(tr("retry"), retry, not_here),
        Way(tr("edit, then retry"), Screen("state.edit") if retry is not None else None, not_here),
        Way(tr("skip with a value"), SkipNode({}) if "fulfil" in acts else None, not_here),
        Way(tr("fork"), Fork(view.trace.head) if view.trace.head >= 0 else None, tr("no step before it")),
        Way(tr("end the run"), AbortRun() if "abort" in acts else None, tr("the run has ended")),
    )


class FailureDialog(Dialog):
    """Digits choose at once; `skip` asks for the update first."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("x", "whole", show=False)]

    def __init__(self, view: View) -> None:
        super().__init__()
        self.view = view
        self.ways = ways_on(view)
        self.whole = False
        self.problem = ""
        self.typing = False

    def head(self) -> tuple[str, str]:
        view = self.view
        node = shown(label_of(view.graph, view.failed_at)) if view.failed_at is not None else tr("the run")
        turn = view.trace.turn_of(view.trace.head) if view.trace.head >= 0 else 0
        words = [tr("{node} failed", node=node), tr("step {step}", step=view.trace.last + 2)]
        if turn:
            words.append(tr("turn {turn}", turn=turn))
        return " · ".join(words), ""

    def body(self) -> Iterable[Widget]:
        yield VerticalScroll(Lines(self._failure(), id="what"), can_focus=False)
        yield Lines(self._choices(), id="ways")
        with Horizontal(classes="field", id="update"):
            yield Lines([row((pad_text(tr("its update, JSON"), 20), "name"))])
            yield Input("{}", id="value", select_on_focus=False)
        yield Lines(id="problem")
        yield Buttons([self.cancel_button()], tr("x whole stack"))

    def on_mount(self) -> None:
        self.query_one("#update").display = False

    def _failure(self) -> list[Row]:
        failure = self.view.failure
        if failure is None:
            return [row(shown(self.view.stop.error if self.view.stop is not None else ""))]
        return failure_rows(failure, INNER, whole=self.whole)

    def _choices(self) -> list[Row]:
        kept = tr("This node kept nothing; the state is that before it. Its input is in 3 Node.")
        rows: list[Row] = [(), row((kept, "muted")), ()]
        for number, way in enumerate(self.ways, 1):
            if way.command is None:
                rows.append(row((f"{number} {way.word}: {way.why_not}", "disabled")))
            else:
                rows.append(row((str(number), "key"), f" {way.word}"))
        return [*rows, ()]

    def action_whole(self) -> None:
        """The whole stack, or the user's own code."""
        self.whole = not self.whole
        self.query_one("#what", Lines).put(self._failure())

    def action_choose(self, number: int) -> None:
        way = self.ways[number - 1] if number <= len(self.ways) else None
        if way is None or way.command is None:
            return
        if isinstance(way.command, Fork):
            from hookstepper.tui.dialogs.fork import ForkDialog

            self.app.push_screen(ForkDialog(self.view, way.command), self._forked)
            return
        if isinstance(way.command, SkipNode):
            self.typing = True
            self.query_one("#update").display = True
            self.set_focus(self.query_one("#value", Input))
            return
        self.dismiss(way.command)

    def _forked(self, command: Command | None) -> None:
        if command is not None:
            self.dismiss(command)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        value, problem = read_typed(event.value)
        if not problem and not isinstance(value, dict):
            problem = tr("an update is a JSON object")
        if problem:
            self.query_one("#problem", Lines).put([row(("✗ " + problem, "failed"))])
            return
        self.dismiss(SkipNode(value))

    def action_leave(self) -> None:
        if self.typing:
            self.typing = False
            self.query_one("#update").display = False
            self.set_focus(None)
            return
        self.dismiss(None)

    def action_send(self) -> None:
        """Enter alone chooses nothing here: every way on has its digit."""
