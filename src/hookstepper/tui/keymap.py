"""Where each command sits on the keyboard: the one table that bindings, help, footer and the keys page share.

`python -m hookstepper.tui.keymap` prints docs/keys.md.
"""

from __future__ import annotations

from hookstepper.model.commands import COMMANDS, CommandSpec, Group, find

KEYS: dict[str, tuple[str, ...]] = {
    "run.next": ("n", "f10"),
    "run.into": ("s", "f11"),
    "run.out": ("f", "shift+f11"),
    "run.continue": ("c", "f5"),
    "run.to": ("t",),
    "run.superstep": ("N",),
    "run.complete": ("C",),
    "run.turn": ("T",),
    "run.play": ("space",),
    "run.slower": ("(",),
    "run.faster": (")",),
    "run.pause": ("p", "f6"),
    "run.abort": ("K",),
    "run.restart": ("R",),
    "input.open": ("m",),
    "time.back": (",", "f7"),
    "time.forward": (".", "f8"),
    "time.prev-mark": ("<",),
    "time.next-mark": (">",),
    "time.writer": ("W",),
    "time.live": ("G",),
    "time.fork": ("F",),
    "break.toggle": ("b", "f9"),
    "break.edit": ("B",),
    "break.remove": ("delete",),
    "watch.add": ("w",),
    "mock.open": ("M",),
    "jump.open": ("J", "f2"),
    "answer.open": ("a", "f3"),
    "state.edit": ("e",),
    "edit.undo": ("ctrl+z",),
    "pane.next": ("tab",),
    "pane.prev": ("shift+tab",),
    "pane.graph": ("g",),
    "pane.inspector": ("v",),
    "pane.timeline": ("L",),
    "pane.maximise": ("z",),
    "tab.state": ("1",),
    "tab.messages": ("2",),
    "tab.node": ("3",),
    "tab.onion": ("4",),
    "tab.route": ("5",),
    "tab.calls": ("6",),
    "tab.source": ("7",),
    "tab.breakpoints": ("8",),
    "tab.stack": ("9",),
    "frame.up": ("u",),
    "frame.down": ("d",),
    "tab.more": ("0",),
    "tab.output": ("o",),
    "cursor.move up": ("up", "k"),
    "cursor.move down": ("down", "j"),
    "cursor.move left": ("left", "h"),
    "cursor.move right": ("right", "l"),
    "cursor.move page-up": ("pageup",),
    "cursor.move page-down": ("pagedown",),
    "cursor.move first": ("home",),
    "cursor.move last": ("end",),
    "cursor.prev": ("[",),
    "cursor.next": ("]",),
    "cursor.open": ("enter",),
    "view.toggle": ("x",),
    "view.pan up": ("shift+up",),
    "view.pan down": ("shift+down",),
    "view.pan left": ("shift+left",),
    "view.pan right": ("shift+right",),
    "view.zoom-in": ("+",),
    "view.zoom-out": ("-",),
    "view.fit": ("=",),
    "view.map": ("O",),
    "find.open": ("/",),
    "explain.open": ("i", "f4"),
    "help.keys": ("?", "f1"),
    "app.palette": ("ctrl+p", "f12"),
    "app.line": (":",),
    "copy.value": ("y",),
    "export.screen": ("S",),
    "app.quit": ("q",),
    "app.quit-now": ("ctrl+q",),
    "app.break": ("ctrl+c",),
    "ui.close": ("escape",),
}
"""Command line to keys, the main key first. The line is what `:` takes: an id, then its arguments."""

TYPED: dict[str, str] = {
    "find.open": "find ",
    "watch.add": "watch.add ",
}
"""Commands whose key opens the `:` line, and what stands on it at first."""

KEYLESS: dict[str, str] = {
    "run.start": "started from Next message (m)",
    "line.into": "by `:`",
    "line.over": "by `:`",
    "line.out": "by `:`",
    "run.guard": "by `:`",
    "time.goto": "a click on the timeline, or `:`",
    "time.prev-break": "by `:`",
    "time.next-break": "by `:`",
    "time.branches": "by `:`",
    "time.branch": "by `:`",
    "time.steps": "in scripts; the timeline shows them",
    "time.plan": "in scripts; Fork (F) shows it",
    "run.watch": "by `:`, or `--watch`",
    "watch.list": "in scripts; tab 1 shows them",
    "mock.list": "in scripts; tab 8 shows them",
    "state.show": "in scripts; tab 1 shows it",
    "state.eval": "by `:`",
    "state.merge": "chosen in Edit (e)",
    "jump.set": "chosen in Jump (J)",
    "answer.send": "sent from Answer (a)",
    "fail.retry": "chosen in Answer (a) after a failure",
    "fail.skip": "chosen in Answer (a) after a failure",
    "break.add": "by `:`; B is the same as a form",
    "break.enable": "b on its line in tab 8",
    "watch.remove": "delete on its line in tab 1",
    "mock.remove": "delete on its line in tab 8",
    "mock.add": "by `:`; M is the same as a form",
    "call.answer": "chosen in Answer (a) at a held call",
    "call.recorded": "chosen in Answer (a) at a held call",
    "call.fail": "chosen in Answer (a) at a held call",
    "call.retry": "chosen in Answer (a) at a held call",
    "break.list": "tab 8 lists them",
    "view.node": "in the palette",
    "view.glyphs": "in the palette",
    "app.theme": "in the palette",
    "app.tour": "in the palette",
    "tab.branches": "in the list of 0",
    "tab.tasks": "in the list of 0",
}
"""Commands without a key, each with the reason."""

_SHOWN = {
    "space": "Space",
    "escape": "Esc",
    "enter": "Enter",
    "tab": "Tab",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "home": "Home",
    "end": "End",
    "delete": "Del",
    "-": "−",
}

GROUPS: dict[Group, str] = {
    "run": "Run",
    "time": "Time",
    "stops": "Stops",
    "act": "Act",
    "look": "Look",
    "tool": "Tool",
}
"""Groups of the commands table in the order in which they are shown, with their titles."""


def shown(key: str) -> str:
    """A key as people write it: `^p` for ctrl+p, `Space`, `F10`, `shift+F11`."""
    if key.startswith("ctrl+"):
        return "^" + key.removeprefix("ctrl+")
    if key.startswith("shift+"):
        return "shift+" + shown(key.removeprefix("shift+"))
    if key in _SHOWN:
        return _SHOWN[key]
    return key.upper() if len(key) > 1 else key


def keys_of(command_id: str) -> tuple[str, ...]:
    """All keys of a command, over all its arguments, the main one first; empty if it has none."""
    return tuple(key for line, keys in KEYS.items() if line.split()[0] == command_id for key in keys)


def main_key(command_id: str) -> str:
    """The key to show for a command, empty if it has none."""
    keys = keys_of(command_id)
    return shown(keys[0]) if keys else ""


def spec_of(line: str) -> CommandSpec:
    """The row of the commands table that a line of `KEYS` means.

    Raises:
        KeyError: the line names no command.
    """
    spec = find(line.split()[0])
    if spec is None:
        raise KeyError(line)
    return spec


def keys_page() -> str:
    """docs/keys.md: every command with its keys, in the order of the commands table."""
    lines = [
        "# Keys and commands",
        "",
        "This page is printed from the commands table: `python -m hookstepper.tui.keymap`.",
        "A key means the same in every pane.",
        "The id or an alias is what `:` and scripts take.",
    ]
    for group, title in GROUPS.items():
        lines += ["", f"## {title}", "", "| key | command | aliases | what it does |", "|---|---|---|---|"]
        lines += [_page_row(spec) for spec in COMMANDS if spec.group == group]
    return "\n".join(lines) + "\n"


def _page_row(spec: CommandSpec) -> str:
    keys = " ".join(_code(shown(key)) for key in keys_of(spec.id)) or f"– ({KEYLESS.get(spec.id, '')})"
    usage = f"{spec.id} {spec.usage}".strip()
    aliases = ", ".join(_code(alias) for alias in spec.aliases)
    return f"| {keys} | {_code(usage)} | {aliases} | {spec.help} |"


def _code(text: str) -> str:
    # A bar ends a table cell even inside backquotes.
    return "`" + text.replace("|", "\\|") + "`"


if __name__ == "__main__":
    print(keys_page(), end="")
