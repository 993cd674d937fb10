"""The footer: the keys that work now, and only those."""

from __future__ import annotations

from hookstepper.client.view import View
from hookstepper.tui.keymap import main_key
from hookstepper.tui.rows.call import held_call
from hookstepper.tui.rows.row import Row, Span, width_of
from hookstepper.tui.words import tr

_WORDS: dict[str, str] = {
    "run.next": "Next",
    "run.into": "Into",
    "run.out": "Out",
    "run.continue": "Continue",
    "run.play": "Play",
    "run.pause": "Pause",
    "run.abort": "Abort",
    "run.restart": "Restart",
    "input.open": "Message",
    "time.back": "Back",
    "time.forward": "Forward",
    "time.prev-mark": "Prev mark",
    "time.next-mark": "Next mark",
    "time.live": "Live",
    "time.fork": "Fork",
    "break.toggle": "Break",
    "jump.open": "Jump",
    "answer.open": "Answer",
    "state.edit": "Edit",
    "explain.open": "Explain",
    "tab.output": "Output",
    "help.keys": "Keys",
    "app.palette": "Commands",
    "app.quit": "Quit",
    "run.slower": "Slower",
    "run.faster": "Faster",
    "edit.undo": "Undo",
}

_LAST = ("help.keys", "app.palette", "app.quit")
_STOPPED = ("run.next", "run.into", "run.out", "run.continue", "run.play", "time.back", "break.toggle")
_BACK = ("time.back", "time.forward", "time.prev-mark", "time.next-mark", "time.live", "time.fork")

_NARROW_DROPS = (
    "edit.undo",
    "run.out",
    "state.edit",
    "explain.open",
    "app.palette",
    "time.prev-mark",
    "time.next-mark",
)
"""What gives way first where the row is too narrow; all of it is in the palette and the help."""


def footer_commands(view: View) -> tuple[str, ...]:
    """Ids of the commands that work now, in the order in which they are shown."""
    if view.phase == "gone":
        return ("run.restart", "time.back", "tab.output", *_LAST)
    if view.cursor is not None:
        return (*_BACK, "explain.open", *_LAST)
    if view.playing:
        return ("run.play", "run.slower", "run.faster", "run.pause", "tab.output", *_LAST)
    match view.phase:
        case "loading":
            return ("help.keys", "app.quit")
        case "not_loaded":
            return ("run.restart", "tab.output", *_LAST)
        case "ready" if view.stop is None:
            return ("input.open", "break.toggle", "explain.open", *_LAST)
        case "running" | "pausing":
            return ("run.pause", "run.abort", "tab.output", *_LAST)
        case "waiting":
            return ("answer.open", "time.back", "time.fork", "break.toggle", "explain.open", *_LAST)
        case "failed":
            return ("answer.open", "time.back", "run.restart", "tab.output", "explain.open", *_LAST)
        case "ended" | "aborted":
            return ("input.open", "run.restart", "time.back", "time.fork", *_LAST)
        case "limit":
            return ("run.continue", "time.back", "run.restart", *_LAST)
        case _:
            undo = ("edit.undo",) if _by_hand(view) else ()
            if held_call(view) is not None:
                return ("answer.open", *_STOPPED, *undo, "state.edit", "explain.open", *_LAST)
            return (*_STOPPED, *undo, "jump.open", "state.edit", "explain.open", *_LAST)


def _by_hand(view: View) -> bool:
    if view.stop is None:
        return False
    return bool(view.stop.pending_jump or view.trace.human(len(view.trace.steps)))


def footer_items(view: View, cells: int) -> tuple[tuple[str, Row], ...]:
    """Command id and what is written for it, as many as fit into `cells`, Quit always among them."""
    commands = list(footer_commands(view))
    items = {command: _item(view, command) for command in commands}
    drops = [command for command in _NARROW_DROPS if command in items]
    while sum(width_of(items[command]) + 1 for command in commands) + 1 > cells and len(commands) > 1:
        gone = drops.pop(0) if drops else commands[-2]
        commands.remove(gone)
    return tuple((command, items[command]) for command in commands)


def _item(view: View, command: str) -> Row:
    word = "Stop" if command == "run.play" and view.playing else _WORDS[command]
    key = "␣" if command == "run.play" else main_key(command)
    return (Span(key, "key"), Span(" " + tr(word) + " "))
