"""Explain: what the cursor is on, with the facts of this run."""

from __future__ import annotations

from collections.abc import Iterable

from textual.containers import VerticalScroll
from textual.widget import Widget

from hookstepper.client.view import View
from hookstepper.model.commands import Screen
from hookstepper.model.ids import NodeId
from hookstepper.tui.dialogs.dialog import INNER, Button, Buttons, Dialog, Lines
from hookstepper.tui.rows.explain import explain_rows, explain_title
from hookstepper.tui.words import tr


class ExplainDialog(Dialog):
    """Scrolls; Enter shows the node's visits in the Node tab, Esc closes."""

    def __init__(self, view: View, node: NodeId | None) -> None:
        super().__init__()
        self.view = view
        self.node_id = node

    def head(self) -> tuple[str, str]:
        return explain_title(self.view, self.node_id), ""

    def body(self) -> Iterable[Widget]:
        rows = explain_rows(self.view, self.node_id, INNER - 1)
        yield VerticalScroll(Lines([*rows, ()]), can_focus=False)
        yield Buttons([Button("send", tr("All its visits"), "Enter"), Button("leave", tr("Close"), "Esc")])

    def action_move(self, step: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=step, animate=False)

    def action_send(self) -> None:
        self.dismiss(Screen("tab.node"))
