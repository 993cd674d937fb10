"""The command palette: every command, the nodes, the themes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from hookstepper.model.commands import COMMANDS, Command, Screen
from hookstepper.model.ids import END, START
from hookstepper.tui.keymap import main_key
from hookstepper.tui.rows.lines import shown
from hookstepper.tui.words import tr

if TYPE_CHECKING:
    from hookstepper.tui.app import DebuggerApp

_NEEDS_WORDS = frozenset(
    {
        *("run.start", "view.node", "time.goto", "time.branch", "jump.set", "answer.send", "fail.skip"),
        *("cursor.move", "view.pan", "break.add", "break.enable", "watch.remove", "mock.add", "mock.remove"),
        "call.answer",
        # What only a script asks for: on the screen it is in sight.
        *("time.branches", "time.steps", "time.plan", "watch.list", "mock.list", "state.show", "state.eval"),
    }
)
"""Commands that mean nothing without arguments; the `:` line takes them."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the palette."""

    text: str
    help: str
    command: Command


def entries(app: DebuggerApp) -> Iterator[Entry]:
    """All lines, commands first."""
    for spec in COMMANDS:
        if spec.id in _NEEDS_WORDS or spec.id in ("app.palette", "ui.close"):
            continue
        key = main_key(spec.id)
        name = tr("Tour") if spec.id == "app.tour" else tr(spec.help)
        yield Entry(f"{name}  ({key})" if key else name, spec.id, Screen(spec.id))
    graph = app.view.graph
    for node in graph.nodes if graph is not None else ():
        yield Entry(tr("go to {node}", node=shown(node.label)), "view.node", Screen("view.node", (node.id,)))
    for node in graph.nodes if graph is not None else ():
        if node.id not in (START, END) and not node.hidden:
            name = shown(node.label)
            yield Entry(tr("run to {node}", node=name), "run.to", Screen("run.to", (node.id,)))
            yield Entry(
                tr("breakpoint on {node}", node=name), "break.toggle", Screen("break.toggle", (node.id,))
            )
    for theme in app.available_themes:
        yield Entry(tr("theme {name}", name=theme), "app.theme", Screen("app.theme", (theme,)))


class Commands(Provider):
    """Feeds Textual's palette."""

    def _wish(self, command: Command) -> Callable[[], None]:
        app: DebuggerApp = self.app  # type: ignore[assignment]
        return partial(app.wish, command)

    async def discover(self) -> Hits:
        for entry in entries(self.app):  # type: ignore[arg-type]
            yield DiscoveryHit(
                Content(entry.text), self._wish(entry.command), text=entry.text, help=entry.help
            )

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for entry in entries(self.app):  # type: ignore[arg-type]
            score = max(matcher.match(entry.text), matcher.match(entry.help))
            if score > 0:
                shown_text = Content(entry.text)
                yield Hit(score, shown_text, self._wish(entry.command), text=entry.text, help=entry.help)
