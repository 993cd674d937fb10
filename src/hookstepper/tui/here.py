"""A command as a key gives it, completed with what the cursor is on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hookstepper.client.view import View
from hookstepper.model.commands import Command, Fork, RunTo, Screen, find
from hookstepper.model.errors import NotPossibleError, UsageError
from hookstepper.model.ids import END, START, NodeId
from hookstepper.model.record import Path
from hookstepper.tui.keymap import TYPED
from hookstepper.tui.views.pane import Item
from hookstepper.tui.words import tr


@dataclass(frozen=True, slots=True)
class Here:
    """What the person points at: the pane in focus first, then the picture."""

    node: NodeId | None = None
    path: Path | None = None
    step: int | None = None
    item: Item | None = None
    """A line of one of the person's own lists."""
    origin: int | None = None
    """The step from which the thing under the cursor comes, where no path tells."""


def command_here(command_id: str, args: Sequence[str], here: Here, view: View) -> Command:
    """The command that an id means with these arguments, or, without them, at this place.

    Raises:
        NotPossibleError: the command needs a node or a value, and the cursor is on none.
        UsageError: no such command, or its arguments do not fit.
    """
    if args:
        return _parsed(command_id, args)
    if command_id in TYPED:
        # Its key opens the `:` line, where the words are typed that it needs.
        return Screen("app.line", _first_words(command_id, here))
    match command_id:
        case "run.to":
            return RunTo(_node(here, view))
        case "break.toggle":
            if here.item is not None and here.item.list == "break":
                return Screen("break.enable", (str(here.item.number),))
            return Screen(command_id, (_node(here, view),))
        case "break.remove":
            if here.item is None:
                raise NotPossibleError(
                    tr("the cursor is on no breakpoint, watch or mock"), hint=tr("8 lists them")
                )
            return Screen(f"{here.item.list}.remove", (str(here.item.number),))
        case "time.writer":
            if here.path is None and here.origin is not None:
                return Screen("time.goto", (str(here.origin),))
            if here.path is None:
                raise NotPossibleError(
                    tr("the cursor is on no value of the state"), hint=tr("1 shows the state")
                )
            return Screen(command_id, (path_text(here.path),))
        case "time.fork":
            return Fork(view.at)
        case "state.edit":
            return Screen(command_id, (path_text(here.path),) if here.path is not None else ())
        case _:
            return _parsed(command_id, args)


def _first_words(command_id: str, here: Here) -> tuple[str, ...]:
    """What is known already of the words that are going to be typed."""
    known = path_text(here.path) if command_id == "watch.add" and here.path is not None else ""
    return (TYPED[command_id] + known,)


def _parsed(command_id: str, args: Sequence[str]) -> Command:
    spec = find(command_id)
    if spec is None:
        raise UsageError(tr("no command {word}", word=command_id))
    return spec.parse(args)


def _node(here: Here, view: View) -> NodeId:
    node = here.node or (view.next_nodes[0] if view.next_nodes else None)
    if node is None or node in (START, END):
        raise NotPossibleError(
            tr("the cursor is on no node that runs"), hint=tr("g goes to the graph, arrows move")
        )
    return node


def path_text(path: Path) -> str:
    """A path as people write it: `messages[0].content`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text
