"""The state as a tree: the lower part of the State tab."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from rich.cells import cell_len

from hookstepper.client.view import View
from hookstepper.model.ids import Json
from hookstepper.model.record import AddKey, Delta, Path, SetValue, Splice
from hookstepper.trace.marks import JUMP_KEY
from hookstepper.tui.rows.changes import change_lines
from hookstepper.tui.rows.facts import label, scope_in_view, state_in_view, strategy
from hookstepper.tui.rows.lines import BLANK, Line, shown, shown_lines, value_text, wrap
from hookstepper.tui.rows.messages import Message, call_text, message_text, read_message
from hookstepper.tui.rows.row import Role, Row, cut, pad_text, row, spread
from hookstepper.tui.rows.watches import watch_lines
from hookstepper.tui.words import tr, tr_as
from hookstepper.values import exists, lookup, preview

CHUNK = 100
"""Items of a list that stand in one group; a longer list opens in groups, as browsers do it."""
KEY_COLUMN = (12, 22)
"""Least and most cells of the column of top keys."""


@dataclass(frozen=True, slots=True)
class Folding:
    """Which parts of the tree differ from how they stand by themselves, and what is searched for."""

    turned: frozenset[str] = frozenset()
    """Line ids that a person opened or closed."""
    whole: bool = False
    """All changes with their whole text."""
    found: Path | None = None
    """The value that a search stands on: everything above it is open."""


@dataclass(slots=True)
class _Tree:
    view: View
    width: int
    folding: Folding
    marks: Mapping[Path, str]
    lines: list[Line] = field(default_factory=list)

    def is_open(self, ident: str, path: Path, by_itself: bool) -> bool:
        found = self.folding.found
        if found is not None and path == found[: len(path)] and len(found) > len(path):
            return True
        return by_itself != (ident in self.folding.turned)


def state_lines(view: View, width: int, folding: Folding | None = None) -> list[Line]:
    """The State tab: the changes of the step in view, the state after it, and what is watched in it."""
    folding = folding or Folding()
    lines = change_lines(view, width, whole=folding.whole)
    hint = tr("/ find  e edit  W who wrote it")
    scope = scope_in_view(view)
    title = tr("State") if scope is None else tr("State of {node}", node=label(view, scope))
    lines += [BLANK, Line(spread(row(" ", (title, "title")), row((hint, "muted"), " "), width))]
    return lines + tree_lines(view, width, folding) + watch_lines(view, width)


def tree_lines(view: View, width: int, folding: Folding) -> list[Line]:
    """The state tree alone."""
    state = state_in_view(view)
    delta = view.trace.changes(view.at) if view.at >= 0 else ()
    tree = _Tree(view, width, folding, marked_paths(delta))
    if not isinstance(state, dict):
        tree.lines.append(Line(row("   ", shown(preview(state, width - 4))), "s:", ()))
        return tree.lines
    if "$" in state:
        _tagged(tree, (), state, 3)
        return tree.lines
    unset = [name for name in _known_keys(view) if name not in state]
    names = [*state, *unset]
    if not names:
        return [Line(row("   ", (tr("The state is empty."), "muted")))]
    widest = max(cell_len(shown(str(name), 60)) for name in names) + 2
    column = min(max(widest, KEY_COLUMN[0]), KEY_COLUMN[1])
    for name, value in state.items():
        _top(tree, name, value, column)
    for name in unset:
        head = row("   ", (pad_text(shown(name, 60), column), "key"), (tr("not set"), "muted"))
        tree.lines.append(Line(cut(head, width), f"s:{(name,)!r}", (name,)))
    return tree.lines


def value_lines(
    view: View, width: int, folding: Folding, values: Mapping[str, Json], root: str, *, indent: int = 5
) -> list[Line]:
    """Named values that are not of the state, as a tree below `root`; they have no path to edit."""
    tree = _Tree(view, width, folding, {})
    for name, value in values.items():
        _child(tree, (root, name), value, indent, shown(name, 60))
    return [replace(each, path=None) for each in tree.lines]


def _known_keys(view: View) -> list[str]:
    """Keys that the graph declares, and the one that jumps use, set or not."""
    if view.graph is None:
        return []
    names = [key.name for key in view.graph.keys if not key.private]
    jumps = any(edge.kind == "jump" for edge in view.graph.edges)
    return [*names, JUMP_KEY] if jumps and JUMP_KEY not in names else names


def marked_paths(delta: Delta) -> dict[Path, str]:
    """`+` for each path that came and `~` for each that changed in the step; parents are not named."""
    marks: dict[Path, str] = {}
    for op in delta:
        if isinstance(op, AddKey):
            marks[op.path] = "+"
        elif isinstance(op, SetValue):
            marks[op.path] = "~"
        elif isinstance(op, Splice):
            replaced = min(len(op.removed), len(op.inserted))
            for place in range(len(op.inserted)):
                marks[(*op.path, op.index + place)] = "~" if place < replaced else "+"
    return marks


def _top(tree: _Tree, name: str, value: Json, column: int) -> None:
    path: Path = (name,)
    ident = f"s:{path!r}"
    openable = _opens(value, tree.width - 5 - column)
    is_open = openable and tree.is_open(ident, path, _is_talk(value))
    mark = tree.marks.get(path, " ")
    named = strategy(tree.view, name)
    room = tree.width - 5 - column
    said = summary(value, room)
    if named and cell_len(said) + cell_len(named) + 3 <= room:
        said += f" · {named}"
    head = row(
        (mark, _mark_role(mark)), _arrow(openable, is_open), " ", (pad_text(shown(name, 60), column), "key")
    )
    spans = (*head, *row((said, _role(value))))
    tree.lines.append(
        Line(cut(spans, tree.width), ident, path, opens=is_open if openable else None, interest=mark != " ")
    )
    if is_open:
        _inside(tree, path, value, 5)


def _inside(tree: _Tree, path: Path, value: Json, indent: int) -> None:
    """What stands below an open value."""
    message = read_message(value)
    if message is not None:
        _message(tree, path, message, indent)
    elif isinstance(value, list):
        _items(tree, path, value, 0, len(value), indent)
    elif isinstance(value, dict) and "$" not in value:
        for key, inner in value.items():
            _child(tree, (*path, key), inner, indent, shown(key, 60))
    elif isinstance(value, dict):
        _tagged(tree, path, value, indent)
    elif isinstance(value, str):
        for each in shown_lines(value):
            for piece in wrap(each, tree.width - indent - 1):
                tree.lines.append(Line(row(" " * indent, (piece, "string"))))


def _tagged(tree: _Tree, path: Path, value: dict[str, Json], indent: int) -> None:
    """A typed value: its parts by their own names, without the tag."""
    pairs = value.get("v")
    if value.get("$") == "map" and isinstance(pairs, list):
        for place, pair in enumerate(pairs):
            if isinstance(pair, list) and len(pair) == 2:
                _child(tree, (*path, "v", place, 1), pair[1], indent, shown(preview(pair[0], 30)))
        return
    if isinstance(pairs, list):
        _items(tree, (*path, "v"), pairs, 0, len(pairs), indent)
        return
    inner = pairs if isinstance(pairs, dict) and "$" not in pairs else None
    base = (*path, "v") if inner is not None else path
    for key, each in (inner if inner is not None else value).items():
        if key != "$":
            _child(tree, (*base, key), each, indent, shown(key, 60))


def _items(tree: _Tree, path: Path, items: list[Json], start: int, end: int, indent: int) -> None:
    if end - start <= CHUNK:
        for place in range(start, end):
            _child(tree, (*path, place), items[place], indent, str(place))
        return
    size = CHUNK
    while (end - start) / size > CHUNK:
        size *= CHUNK
    for first in range(start, end, size):
        last = min(first + size, end)
        ident = f"s:{path!r}[{first}:{last}]"
        by_itself = last == end or any(
            mark[: len(path)] == path
            and len(mark) > len(path)
            and isinstance(at := mark[len(path)], int)
            and first <= at < last
            for mark in tree.marks
        )
        found = tree.folding.found
        if found is not None and found[: len(path)] == path and len(found) > len(path):
            at = found[len(path)]
            by_itself = by_itself or (isinstance(at, int) and first <= at < last)
        is_open = by_itself != (ident in tree.folding.turned)
        head = row(" " * (indent - 2), _arrow(True, is_open), " ", (f"{first} … {last - 1}", "muted"))
        tree.lines.append(Line(head, ident, opens=is_open))
        if is_open:
            _items(tree, path, items, first, last, indent + 2)


def _child(tree: _Tree, path: Path, value: Json, indent: int, name: str) -> None:
    ident = f"s:{path!r}"
    mark = tree.marks.get(path, " ")
    message = read_message(value)
    if message is not None:
        role = tr_as("role", shown(message.role, 30))
        head = row(
            " " * (indent - 2),
            (mark, _mark_role(mark)),
            " ",
            (name, "muted"),
            " ",
            (pad_text(role, 13), "key"),
        )
        room = tree.width - indent - len(name) - 15
        said, opens = message_text(message, max(4, room)), True
        body = row((said, ""))
    else:
        opens = _opens(value, tree.width - indent - cell_len(name) - 3)
        head = row(" " * (indent - 2), (mark, _mark_role(mark)), " ", (name, "key"), "  ")
        body = row((summary(value, max(4, tree.width - indent - cell_len(name) - 3)), _role(value)))
    is_open = opens and tree.is_open(ident, path, False)
    if opens and message is None:
        arrow = _arrow(True, is_open)
        head = (*row(" " * (indent - 3), (mark, _mark_role(mark)), arrow, " ", (name, "key"), "  "),)
    spans: Row = cut((*head, *body), tree.width)
    tree.lines.append(Line(spans, ident, path, opens=is_open if opens else None, interest=mark != " "))
    if is_open:
        _inside(tree, path, value, indent + 2)


def _message(tree: _Tree, path: Path, message: Message, indent: int) -> None:
    """An open message: its whole text, its calls with each argument, its answers."""
    room = tree.width - indent - 1
    if message.text.strip() and not message.responses:
        for each in shown_lines(message.text):
            for piece in wrap(each, room):
                tree.lines.append(Line(row(" " * indent, (piece, "string"))))
    for place, call in enumerate(message.calls):
        ident = f"s:{(*path, 'tool_calls', place)!r}"
        head = row(
            " " * indent, ("→ ", "tool"), (shown(call.tool, 60), "name"), (f"  {shown(call.id, 40)}", "muted")
        )
        tree.lines.append(
            Line(cut(head, tree.width), ident, (*path, "tool_calls", place), text=call_text(call, 100_000))
        )
        if isinstance(call.arguments, dict):
            for name, value in call.arguments.items():
                _child(tree, (*path, "tool_calls", place, "args", name), value, indent + 4, shown(name, 60))
    for place, answer in enumerate(message.responses):
        head = row(
            " " * indent,
            ("← ", "tool"),
            (shown(answer.tool, 60), "name"),
            (f"  {shown(answer.id, 40)}", "muted"),
        )
        ident = f"s:{(*path, 'responses', place)!r}"
        tree.lines.append(Line(cut(head, tree.width), ident, (*path, "responses", place), text=answer.text))
        for each in shown_lines(answer.text):
            for piece in wrap(each, room - 2):
                tree.lines.append(Line(row(" " * (indent + 2), (piece, "string"))))


def summary(value: Json, cells: int) -> str:
    """One value on one line: a count for lists and objects, the value itself otherwise."""
    if isinstance(value, list):
        return numbered_items(len(value))
    if isinstance(value, dict) and "$" not in value:
        return tr("1 key") if len(value) == 1 else tr("{n} keys", n=f"{len(value):,}")
    return value_text(value, max(4, cells))


def numbered_items(count: int) -> str:
    """`1 item`, `5 items`, in the chosen language."""
    return tr("1 item") if count == 1 else tr("{n} items", n=f"{count:,}")


def _opens(value: Json, room: int) -> bool:
    if isinstance(value, str):
        return len(value) + 2 > room or "\n" in value or (not value.isascii() and cell_len(value) + 2 > room)
    if isinstance(value, list):
        return bool(value)
    if isinstance(value, dict):
        return bool(value) and not (value.keys() == {"$", "v"} and isinstance(value["v"], str | int | float))
    return False


def _is_talk(value: Json) -> bool:
    return isinstance(value, list) and bool(value) and read_message(value[-1]) is not None


def _arrow(openable: bool, is_open: bool) -> str:
    return ("▾" if is_open else "▸") if openable else " "


def _mark_role(mark: str) -> Role:
    return "added" if mark == "+" else "changed" if mark == "~" else ""


def _role(value: Json) -> Role:
    if isinstance(value, str):
        return "string"
    if isinstance(value, int | float) or value is None:
        return "number"
    return ""


def copied(state: Json, path: Path) -> str:
    """A value of the state as text to copy: strings as they are, all else as JSON; empty if there is none."""
    if not exists(state, path):
        return ""
    value = lookup(state, path)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def find_paths(state: Json, text: str, most: int = 1000) -> list[Path]:
    """Paths of the values whose key or text holds `text`, in reading order, upper and lower case alike."""
    wanted = text.casefold()
    found: list[Path] = []
    if wanted:
        for path in _search(state, wanted, ()):
            found.append(path)
            if len(found) >= most:
                break
    return found


def _search(value: Json, wanted: str, path: Path) -> Iterator[Path]:
    stack: list[tuple[Json, Path]] = [(value, path)]
    while stack:
        here, at = stack.pop()
        key = at[-1] if at else ""
        inside: list[tuple[Json, Path]] = []
        if isinstance(here, dict):
            inside = [(inner, (*at, name)) for name, inner in here.items() if name != "$"]
        elif isinstance(here, list):
            inside = [(inner, (*at, place)) for place, inner in enumerate(here)]
        named = isinstance(key, str) and wanted in key.casefold()
        held = (
            not isinstance(here, dict | list)
            and here is not None
            and wanted in str(here)[:200_000].casefold()
        )
        if named or held:
            yield at
        stack.extend(reversed(inside))
