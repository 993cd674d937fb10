"""Jump: after ▶ has run, or instead of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from textual.widget import Widget

from hookstepper.client.view import View
from hookstepper.model.ids import NodeId
from hookstepper.model.jumps import JumpChoice
from hookstepper.tui.dialogs.dialog import INNER, Button, Buttons, Dialog, Lines
from hookstepper.tui.rows.jump import (
    Option,
    afterwards_rows,
    intro_rows,
    jump_options,
    next_option,
    next_targets,
    option_row,
    run_to_option,
    warning_rows,
)
from hookstepper.tui.rows.row import Row, row
from hookstepper.tui.words import tr


class JumpDialog(Dialog):
    """Up, down and digits choose among what is on offer; left and right turn the node to set."""

    def __init__(self, view: View, choices: Sequence[JumpChoice]) -> None:
        super().__init__()
        self.view = view
        self.choices = tuple(choices)
        self.targets = next_targets(view)
        self.target: NodeId | None = self._first_target()
        self.chosen = next((o.id for o in self.options() if o.command is not None), "")

    def _first_target(self) -> NodeId | None:
        tools = (
            [n.id for n in self.view.graph.nodes if n.kind == "tool"] if self.view.graph is not None else []
        )
        return next((n for n in tools if n in self.targets), self.targets[0] if self.targets else None)

    def head(self) -> tuple[str, str]:
        return tr("Jump"), tr("by hand, marked so in the record")

    def body(self) -> Iterable[Widget]:
        yield Lines(self.rows(), id="lines")
        yield Buttons([Button("send", tr("Jump"), "Enter"), self.cancel_button()], tr("^z takes it back"))

    # ------------------------------------------------------------------ what is said

    def after(self) -> tuple[Option, ...]:
        """The choices that take effect when ▶ has run."""
        found = jump_options(self.view, self.choices)
        if found:
            return found
        run_to = run_to_option(self.view)
        return (run_to,) if run_to is not None else ()

    def options(self) -> tuple[Option, ...]:
        """All choices, top to bottom."""
        return (*self.after(), next_option(self.view, self.target))

    def rows(self) -> list[Row]:
        """The dialog's lines as it stands."""
        after, instead = self.after(), next_option(self.view, self.target)
        rows = [*intro_rows(self.view, INNER), ()]
        if jump_options(self.view, self.choices):
            rows.append(row((tr("After it has run: put jump_to into what it returns"), "strong")))
        rows += [option_row(option, option.id == self.chosen, INNER) for option in after]
        rows.append(row((tr("Instead of it: set the next node and ask no router"), "strong")))
        rows.append(option_row(instead, instead.id == self.chosen, INNER))
        if self.target is not None:
            rows += warning_rows(self.view, self.target)
        afterwards = afterwards_rows(self.view, INNER) if self.chosen in ("end", "model", "tool") else []
        return [*rows, (), *afterwards, *([()] if afterwards else [])]

    # ------------------------------------------------------------------ keys

    def _redraw(self) -> None:
        self.query_one("#lines", Lines).put(self.rows())

    def action_move(self, step: int) -> None:
        offered = [option.id for option in self.options() if option.command is not None]
        if offered:
            place = offered.index(self.chosen) if self.chosen in offered else 0
            self.chosen = offered[(place + step) % len(offered)]
            self._redraw()

    def action_choose(self, number: int) -> None:
        options = self.options()
        if number <= len(options) and options[number - 1].command is not None:
            self.chosen = options[number - 1].id
            self._redraw()

    def action_turn(self, step: int) -> None:
        if self.targets and self.target is not None:
            self.chosen = "next"
            self.target = self.targets[(self.targets.index(self.target) + step) % len(self.targets)]
            self._redraw()

    def action_send(self) -> None:
        command = next((o.command for o in self.options() if o.id == self.chosen), None)
        if command is not None:
            self.dismiss(command)
