"""One line about an encoded value, for trees and lists on a screen."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from hookstepper.model.ids import Json
from hookstepper.values.tags import tag_of
from hookstepper.values.text import clean, fit

_BRACKETS = {"tuple": "()", "set": "{}", "frozenset": "{}", "deque": "[]"}


def preview(value: Json, cells: int = 60) -> str:
    """The value on one line of at most `cells` terminal cells, safe to print.

    It looks at no more of the value than fits, so that a megabyte costs no more than a word.
    """
    return fit(clean("".join(_bounded(_pieces(value, 0), 4 * cells + 64)), lines=False), cells)


def _bounded(pieces: Iterable[str], limit: int) -> Iterator[str]:
    for piece in pieces:
        yield piece
        limit -= len(piece)
        if limit < 0:
            return


def _pieces(value: Json, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield _quoted(value)
    elif isinstance(value, list):
        yield from _sequence(value, "[]", depth)
    elif isinstance(value, dict):
        tag = tag_of(value)
        if tag:
            yield from _tagged(tag, value, depth)
        else:
            yield from _mapping(((_name(key), item) for key, item in value.items()), "{}", depth)
    else:
        yield json.dumps(value)


def _quoted(text: str) -> str:
    """The beginning of a text in quotes, as JSON writes it but with its letters as they are."""
    head = text[:400]
    return (
        json.dumps(clean(head, tab=0), ensure_ascii=False)
        if len(text) <= 400
        else (json.dumps(clean(head, tab=0), ensure_ascii=False)[:-1] + "…")
    )


def _name(key: str) -> str:
    return clean(key[:80], lines=False)


def _sequence(items: list[Json], brackets: str, depth: int) -> Iterator[str]:
    yield brackets[0]
    if depth > 8:
        yield "…"
    else:
        for index, item in enumerate(items):
            if index:
                yield ", "
            yield from _pieces(item, depth + 1)
    yield brackets[1]


def _mapping(pairs: Iterable[tuple[str, Json]], brackets: str, depth: int) -> Iterator[str]:
    yield brackets[0]
    if depth > 8:
        yield "…"
    else:
        for index, (name, item) in enumerate(pairs):
            if index:
                yield ", "
            yield f"{name}: "
            yield from _pieces(item, depth + 1)
    yield brackets[1]


def _short_type(value: dict[str, Json]) -> str:
    return clean(str(value.get("type", "")).rpartition(".")[2][:60], lines=False)


def _tagged(tag: str, value: dict[str, Json], depth: int) -> Iterator[str]:
    inner = value.get("v")
    if tag in _BRACKETS and isinstance(inner, list):
        yield "" if tag in ("tuple", "set") else tag
        yield from _sequence(inner, _BRACKETS[tag], depth)
    elif tag == "map" and isinstance(inner, list):
        yield from _mapping(_rows(inner, depth), "{}", depth)
    elif tag == "obj" and isinstance(inner, dict):
        yield _short_type(value)
        yield from _mapping(((_name(key), item) for key, item in inner.items()), "()", depth)
    elif tag == "enum":
        yield f"{_short_type(value)}.{_name(str(value.get('name')))}"
    elif tag == "error":
        yield f"{_short_type(value)}: {clean(str(inner)[:400], lines=False)}"
    elif tag == "msg":
        yield from _message(value, depth)
    elif tag == "cut":
        yield from _cut(value, depth)
    else:
        yield _scalar(tag, value)


def _rows(rows: list[Json], depth: int) -> Iterator[tuple[str, Json]]:
    for row in rows:
        if isinstance(row, list) and len(row) == 2:
            yield "".join(_bounded(_pieces(row[0], depth + 1), 80)), row[1]


def _scalar(tag: str, value: dict[str, Json]) -> str:
    inner = value.get("v")
    if tag == "bytes":
        return f"bytes({len(str(value.get('b64', ''))) * 3 // 4})"
    if tag == "str":
        return _quoted(str(inner))
    if tag == "cycle":
        return f"↺{value.get('up')}"
    if tag == "redacted":
        return "⟨redacted⟩"
    match inner:
        case [int(days), int(seconds), int(micros)] if tag == "timedelta":
            return f"{days}d {seconds}.{micros:06d}s"
    if inner is None:
        return f"⟨{clean(tag, lines=False)}⟩"
    return clean(str(inner)[:400], lines=False)


def _message(value: dict[str, Json], depth: int) -> Iterator[str]:
    yield clean(str(value.get("role", "message"))[:40], lines=False)
    content, calls = value.get("content"), value.get("tool_calls")
    if content or not calls:
        yield " "
        yield from _pieces(content, depth + 1)
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, dict):
            args = call.get("args", call.get("arguments"))
            yield f" → {_name(str(call.get('name')))}"
            if isinstance(args, dict) and not tag_of(args):
                yield from _mapping(((_name(key), item) for key, item in args.items()), "()", depth + 1)
            else:
                yield f"({''.join(_bounded(_pieces(args, depth + 1), 200))})"


def _cut(value: dict[str, Json], depth: int) -> Iterator[str]:
    of, count, inner = str(value.get("of")), value.get("n"), value.get("v")
    unit = {"str": "characters", "bytes": "bytes", "int": "bits"}.get(of, "items")
    yield f"{of} of {count:,} {unit}" if isinstance(count, int) else of
    if inner is not None and of != "bytes":
        yield " "
        yield from _pieces(inner, depth + 1)
