"""The Messages tab: the conversation in the state, as a chat, with who wrote each message and when."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from rich.cells import cell_len

from hookstepper.client.view import View
from hookstepper.model.ids import Json
from hookstepper.trace.authors import Authors
from hookstepper.trace.messages import message_lists
from hookstepper.tui.rows.facts import scope_in_view, short_label
from hookstepper.tui.rows.lines import BLANK, Line, line, shown, shown_lines, value_text, wrap
from hookstepper.tui.rows.messages import Message, read_message
from hookstepper.tui.rows.row import Role, cut, row, spread, width_of
from hookstepper.tui.rows.state import marked_paths
from hookstepper.tui.words import tr, tr_as

NEWEST = 60
"""Messages that are shown; older ones open at the top."""
LONGEST = 30
"""Lines of one message that are shown before it is opened."""
EARLIER = "m:earlier"
_ROLES: dict[str, Role] = {
    "user": "human",
    "assistant": "model",
    "tool": "tool",
    "system": "muted",
    "instruction": "muted",
}


@dataclass(frozen=True, slots=True)
class _Page:
    view: View
    key: str
    width: int
    raw: bool
    turned: frozenset[str]


def talk_lines(
    view: View, width: int, *, raw: bool = False, turned: frozenset[str] = frozenset()
) -> list[Line]:
    """The messages of the state in view, the newest last.

    Args:
        raw: each message as it is encoded, instead of as people read it.
        turned: ids of lines that a person opened.
    """
    found = next(message_lists(view.trace.state(view.at)), None)
    if found is None:
        return [line(" ", (tr("This state has no messages key."), "muted"))]
    key, items = found
    page = _Page(view, key, width, raw, turned)
    authors = view.trace.authors(key, view.at)
    marks = marked_paths(view.trace.changes(view.at)) if scope_in_view(view) is None else {}
    first = 0 if EARLIER in turned else max(0, len(items) - NEWEST)
    lines: list[Line] = []
    if first:
        said = tr("… {n} earlier messages, Enter shows them", n=f"{first:,}")
        lines.append(Line(row(" ", (said, "muted")), EARLIER, opens=False))
    for place in range(first, len(items)):
        author = authors[place] if place < len(authors) else None
        lines += _message(page, place, items[place], author, marks.get((key, place), " "))
    return lines


def _message(page: _Page, place: int, value: Json, author: Authors | None, mark: str) -> Iterator[Line]:
    message = read_message(value)
    ident = f"m:{place}"
    role = message.role if message is not None else "?"
    names = ", ".join(shown(each.tool, 40) for each in message.responses) if message is not None else ""
    head = row(
        (mark, "added" if mark == "+" else "changed"),
        (f"{place} ", "muted"),
        (tr_as("role", shown(role, 30)), _ROLES.get(role, "name")),
        (f" {names}" if names else "", "name"),
    )
    said = _author_text(page, author)
    if author is not None and width_of(head) + cell_len(said) + 2 > page.width:
        said = _writer(page, author[1])
    body = list(_body(page, message, value))
    whole = ident in page.turned or len(body) <= LONGEST
    opens = None if len(body) <= LONGEST else ident in page.turned
    yield Line(
        spread(head, row((said, "muted"), " "), page.width),
        ident,
        (page.key, place),
        step=author[1] if author is not None and author[1] >= 0 and opens is None else None,
        opens=opens,
        interest=True,
    )
    yield from body if whole else body[:LONGEST]
    if not whole:
        yield line("   ", (tr("… {n} more lines, Enter shows them", n=len(body) - LONGEST), "muted"))
    yield BLANK


def _author_text(page: _Page, author: Authors | None) -> str:
    if author is None:
        return ""
    first, last = author
    return _writer(page, first) if first == last else f"{_writer(page, first)} → {_writer(page, last)}"


def _writer(page: _Page, index: int) -> str:
    if index < 0:
        return tr("the input")
    step = page.view.trace.steps[index]
    return tr("{node}, step {n}", node=short_label(page.view, step.site.node), n=index + 1)


def _body(page: _Page, message: Message | None, value: Json) -> Iterator[Line]:
    if page.raw or message is None:
        text = json.dumps(value, ensure_ascii=False, indent=2)
        for each in shown_lines(text):
            for piece in wrap(each, page.width - 4):
                yield line("   ", (piece, "string"))
        return
    if message.responses:
        for answer in message.responses:
            yield from _text(page, answer.text)
    elif message.text.strip():
        yield from _text(page, message.text)
    for call in message.calls:
        yield line(
            "   ", ("→ ", "tool"), (shown(call.tool, 60), "name"), (f"  {shown(call.id, 40)}", "muted")
        )
        if isinstance(call.arguments, dict):
            for name, argument in call.arguments.items():
                said = value_text(argument, max(8, page.width - len(name) - 10))
                yield Line(cut(row("       ", (shown(name, 60), "key"), "  ", said), page.width))
        elif call.arguments not in (None, ""):
            yield line("       ", value_text(call.arguments, page.width - 8))


def _text(page: _Page, text: str) -> Iterator[Line]:
    for each in shown_lines(text):
        for piece in wrap(each, page.width - 4):
            yield line("   ", piece)
