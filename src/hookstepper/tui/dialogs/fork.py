"""Fork: a new branch from a step, with live answers or with those of the record."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from textual.widget import Widget

from hookstepper.client.view import View
from hookstepper.model.commands import Fork
from hookstepper.tui.dialogs.dialog import INNER, Button, Buttons, Lines
from hookstepper.tui.dialogs.form import Checks, Choice, Form
from hookstepper.tui.rows.fork import askable, fork_rows, plan
from hookstepper.tui.rows.lines import shown
from hookstepper.tui.rows.row import row
from hookstepper.tui.words import tr


class ForkDialog(Form):
    """Enter makes the branch. Tools with side effects are ticked: the run is held before they are called."""

    def __init__(self, view: View, command: Fork, why: str = "") -> None:
        """
        Args:
            why: what led here, if it was not the wish to fork.
        """
        super().__init__()
        self.view = view
        self.command = command
        self.plan = plan(view, command)
        self.why = why

    def head(self) -> tuple[str, str]:
        step = self.command.step
        said = tr("Fork from the input") if step < 0 else tr("Fork from step {n}", n=step + 1)
        return said, self.why

    def body(self) -> Iterable[Widget]:
        yield Lines([*fork_rows(self.view, self.command, self.plan, INNER), ()])
        answers = (
            ("record", tr("from the record until it differs")),
            ("live", tr("call again")),
        )
        first = "record" if self.command.replay or self.plan.model_calls else "live"
        yield Choice(tr("answers"), answers, first, id="answers")
        tools = askable(self.plan)
        if tools:
            boxes = [(tool.name, shown(tool.name, 20), tool.side_effects) for tool in tools]
            yield Checks(tr("ask me before"), boxes, id="ask")
        yield Lines(id="about")
        yield Buttons([Button("send", tr("Fork"), "Enter"), self.cancel_button()])

    def on_mount(self) -> None:
        self.begin_at("answers")
        self.changed()

    def changed(self) -> None:
        said = tr("Nothing is called for real as long as the run goes the recorded way.")
        if self.choice("answers") == "live":
            said = tr("Every model and tool call is made for real.")
        self.query_one("#about", Lines).put([(), row((said, "muted")), ()])

    def action_send(self) -> None:
        ask: tuple[str, ...] = ()
        if askable(self.plan):
            ask = tuple(sorted(self.query_one("#ask", Checks).ticked))
        self.dismiss(replace(self.command, replay=self.choice("answers") == "record", ask=ask))
