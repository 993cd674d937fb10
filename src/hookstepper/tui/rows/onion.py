"""The Onion tab: hooks as rings around the model, what each saw and passed on in one turn.

Two forms: rings in the order of registration, and the steps in the order of execution.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len

from hookstepper.client.view import View
from hookstepper.model.graph import Ring
from hookstepper.tui.keymap import main_key
from hookstepper.tui.rows.facts import ordinal
from hookstepper.tui.rows.layers import (
    RINGS,
    Layer,
    Onion,
    RingName,
    has_hooks,
    onion_of,
    ring_in_view,
    turn_in_view,
)
from hookstepper.tui.rows.lines import BLANK, Line, line, shown, value_text, wrap
from hookstepper.tui.rows.onion_details import detail_lines, executed_lines
from hookstepper.tui.rows.onion_texts import (
    passed_on,
    raw_text,
    skipped_text,
    wrote_text,
)
from hookstepper.tui.rows.row import Role, Row, Span, cut, cut_text, pad_text, row, spread, width_of
from hookstepper.tui.words import tr, tr_as

LEAST = 22
"""Cells that the innermost box needs; with less, rings are drawn without gaps, then as a list."""
SAFE_NAMES = ("safe", "pii", "redact", "moderat", "guard", "filter")
"""Parts of a hook's name that make it one that should see the raw answer."""


def onion_lines(
    view: View, width: int, *, ring: RingName | None = None, turn: int | None = None, executed: bool = False
) -> list[Line]:
    """The rings of one turn, and below them what each layer did to the answer.

    Args:
        ring: which onion; None for the one that the run is in.
        turn: which turn, from 1; None for the one in view.
        executed: the steps in the order of execution instead of rings in the order of registration.
    """
    if view.graph is None:
        return [line(" ", (tr("The graph is not loaded yet."), "muted"))]
    chosen = ring or ring_in_view(view)
    onion = onion_of(view, chosen, turn if turn is not None else turn_in_view(view))
    if onion is None or (not has_hooks(view.graph) and not onion.core.rings):
        said = tr("No hooks in this graph; rings of a model call appear when one is made.")
        return [line(" ", (each, "muted")) for each in wrap(said, width - 2)]
    lines = [_header(onion, width)]
    if not onion.layers and onion.core.node is None:
        said = tr("This graph has no hooks of this ring at its top.")
        return [*lines, BLANK, *(line(" ", (each, "muted")) for each in wrap(said, width - 2))]
    if executed:
        return [*lines, *executed_lines(view, onion, width)]
    if onion.layers:
        left = row(" ", ("▼", "current"), f" {tr('way in')}")
        right = row(
            f"{tr('way out')} ",
            ("▲", "current"),
            (f"  {main_key('explain.open')} {tr('why backwards?')}", "muted"),
        )
        lines.append(Line(spread(left, right, width)))
    lines += _rings(view, onion, width)
    return lines + detail_lines(onion, width)


def _header(onion: Onion, width: int) -> Line:
    pieces: list[Span] = [Span(" ")]
    for place, name in enumerate(RINGS):
        if place:
            pieces.append(Span("   "))
        word = tr_as("ring", name)
        pieces.append(Span(f"[{word}]", "current") if name == onion.ring else Span(word, "muted"))
    shown_turns = max(onion.turns, onion.turn)
    said = tr("turn {n} of {count} ◀ ▶", n=onion.turn, count=shown_turns)
    gap = max(1, min(7, width - width_of(tuple(pieces)) - cell_len(said)))
    return Line(cut((*pieces, Span(" " * gap), Span(said, "muted")), width), f"on:{onion.ring}")


# ------------------------------------------------------------------------------------------- the rings


def _rings(view: View, onion: Onion, width: int) -> list[Line]:
    depth = len(onion.layers)
    step = 2 if width - 4 * depth >= LEAST else 1
    if width - 2 * step * depth < LEAST:
        return _stack(view, onion, width)
    lines: list[Line] = []
    inner = width
    left: Row = ()
    right: Row = ()
    ends: list[Line] = []
    for number, layer in enumerate(onion.layers, 1):
        role = _border(layer)
        glyphs = "┏━┓┃┗┛" if layer.busy else "╭─╮│╰╯"
        title = cut_text(f" {number} {shown(layer.owner, 80)} ", inner - 4)
        fill = glyphs[1] * max(0, inner - 3 - cell_len(title))
        top = row(
            (glyphs[0] + glyphs[1], role),
            (title, "strong" if layer.busy else role),
            (fill + glyphs[2], role),
        )
        lines.append(_boxed(left, top, right, layer, width_of(left) + 1))
        lines.append(_text_line(left, right, glyphs[3], role, _inside(view, onion, layer, inner - 4)))
        bottom = row((glyphs[4] + glyphs[1] * (inner - 2) + glyphs[5], role))
        ends.append(Line((*left, *bottom, *right)))
        gap = " " if step == 2 else ""
        left = (*left, *row((glyphs[3] + gap, role)))
        right = (*row((gap + glyphs[3], role)), *right)
        inner -= 2 * step
    lines += [Line((*left, *each, *right)) for each in _core(onion, inner)]
    return lines + list(reversed(ends))


def _boxed(left: Row, middle: Row, right: Row, layer: Layer, cell: int) -> Line:
    step = layer.way_out.step or layer.way_in.step
    node = layer.way_out.node or layer.way_in.node
    return Line(
        (*left, *middle, *right),
        f"on:layer:{layer.owner}",
        node=node.id if node is not None else None,
        step=step.index if step is not None else None,
        interest=True,
        cursor_cell=cell,
    )


def _text_line(left: Row, right: Row, wall: str, role: Role, inside: Row) -> Line:
    return Line((*left, *row((f"{wall} ", role)), *inside, *row((f" {wall}", role)), *right))


def _border(layer: Layer) -> Role:
    if layer.way_in.progress == "failed" or layer.way_out.progress == "failed":
        return "failed"
    if layer.busy:
        return "current"
    if layer.way_out.progress == "skipped" or layer.way_in.progress == "skipped":
        return "disabled"
    return (
        "muted"
        if layer.way_out.progress == "waiting" and layer.way_in.progress in ("waiting", "none")
        else ""
    )


def _inside(view: View, onion: Onion, layer: Layer, room: int) -> Row:
    """One line of a ring: what it did on the way in, and on the way out."""
    if layer.way_out.progress == "skipped":
        return spread(row((skipped_text(view, layer.way_out), "disabled")), (), room)
    left, right = _on_way_in(view, onion, layer), _on_way_out(view, onion, layer)
    if width_of(left) + width_of(right) + 1 > room:
        left = row(
            *(
                Span(tr("raw answer") if span.text == tr("sees the raw answer") else span.text, span.role)
                for span in left
            )
        )
    return spread(left, right, room)


def _on_way_in(view: View, onion: Onion, layer: Layer) -> Row:
    side = layer.way_in
    out = layer.way_out
    match side.progress:
        case "none":
            if onion.ring == "model" and out.place == 1 and out.step is not None:
                return row(("◉ ", "ok"), tr("sees the raw answer"))
            if onion.ring == "model" and out.step is not None and out.after and _should_be_first(layer.owner):
                return row(
                    ("◌ ", "warning"),
                    (tr("sees what {hooks} left", hooks=", ".join(map(shown, out.after))), "warning"),
                )
            return row(("–", "muted"))
        case "done" if side.step is not None:
            return row(("▼ ", "done"), wrote_text(side.step, 24))
        case "failed":
            return row(("▼ ✗", "failed"))
        case "running":
            return row(("▼ ", "current"), (tr("runs now"), "current"))
        case "next":
            return row(("▶ ", "next"), (tr("runs next"), "next"))
        case "skipped":
            return row((skipped_text(view, side), "disabled"))
    return row(("▽", "muted"))


def _should_be_first(owner: str) -> bool:
    return any(part in owner.lower() for part in SAFE_NAMES)


def _on_way_out(view: View, onion: Onion, layer: Layer) -> Row:
    side = layer.way_out
    if side.progress == "none":
        return row(("–", "muted"))
    nth = ordinal(side.place)
    match side.progress:
        case "done" if side.step is not None:
            said, role = passed_on(onion, side)
            return row((nth, "muted"), (" ▲ ", "done"), (said, role))
        case "failed":
            return row((nth, "muted"), (" ▲ ✗", "failed"))
        case "running":
            return row((nth, "muted"), (" ▲ ", "current"), (tr("runs now"), "current"))
        case "next":
            waits = view.stop is not None and any(
                ask.node == (side.node.id if side.node else None) for ask in view.stop.asks
            )
            sign, said = ("‖", tr("waits for you")) if waits else ("▶", tr("runs next"))
            return row(
                (nth, "muted"),
                (f" {sign} ", "waiting" if waits else "next"),
                (said, "waiting" if waits else "next"),
            )
    return row((nth, "muted"), (" △", "muted"))


def _core(onion: Onion, inner: int) -> Iterator[Row]:
    core = onion.core
    busy = core.progress in ("next", "running")
    role: Role = (
        "current"
        if busy
        else "failed"
        if core.progress == "failed"
        else onion.ring
        if onion.ring != "agent"
        else ""
    )
    name = tr("turns") if onion.core.node is None else shown(onion.core.node.label, 80)
    title = cut_text(f" {name} ", inner - 4)
    yield row(("┏━", role), (title, "strong"), ("━" * max(0, inner - 3 - cell_len(title)) + "┓", role))
    for ring in core.rings:
        if _is_shown(ring, onion):
            yield from _interceptor(ring, onion, inner, role)
    for said in _core_text(onion, inner - 4):
        yield row(("┃ ", role), pad_text(said, inner - 4), (" ┃", role))
    yield row(("┗" + "━" * (inner - 2) + "┛", role))


def _is_shown(ring: Ring, onion: Onion) -> bool:
    """Interceptors are drawn, but for the one that every agent gets: unless it changed something."""
    if ring.kind != onion.ring:
        return False
    if "AssistantMessageSanitizer" not in ring.name:
        return True
    record = next((each for each in onion.core.records if each.name == ring.name), None)
    return record is not None and _layer_changed(onion, record.name)


def _layer_changed(onion: Onion, name: str) -> bool:
    records = {record.name: record for record in onion.core.records}
    order = [ring.name for ring in onion.core.rings]
    place = order.index(name)
    inner = records.get(order[place + 1]) if place + 1 < len(order) else None
    mine = records.get(name)
    return inner is not None and mine is not None and inner.response != mine.response


def _interceptor(ring: Ring, onion: Onion, inner: int, role: Role) -> Iterator[Row]:
    """One interceptor as a line inside the node: ((name … what it did))."""
    record = next((each for each in onion.core.records if each.name == ring.name), None)
    by = f" · {shown(ring.brought_by, 40)}" if ring.brought_by else ""
    said = ""
    if record is not None:
        said = tr("changed the response") if _layer_changed(onion, ring.name) else tr("passed on")
    left = row(("◌ ", "muted"), (shown(ring.name, 80), "name"), (by, "muted"))
    body = spread(left, row((said, "muted")), inner - 4)
    yield (*row(("┃ ", role)), *body, *row((" ┃", role)))


def _core_text(onion: Onion, room: int) -> list[str]:
    core = onion.core
    if onion.ring == "agent":
        return [tr("1 turn so far") if onion.turns == 1 else tr("{n} turns so far", n=onion.turns)]
    match core.progress:
        case "next":
            return [tr("▶ runs next")]
        case "running":
            return [tr("▶ runs now")]
        case "waiting":
            return [tr("not called yet in this turn")]
        case "none":
            return [tr("no such node in this graph")]
    if onion.ring == "tool":
        return _tool_text(onion, room)
    return [raw_text(core.raw)]


def _tool_text(onion: Onion, room: int) -> list[str]:
    step = onion.core.step
    if step is None:
        return [tr("not called yet in this turn")]
    calls = [call for call in step.calls if call.kind == "tool"]
    lines = []
    for call in calls:
        came = shown(call.error, 200) if call.error else value_text(call.response, room)
        lines.append(cut_text(f"{'✗' if call.error else '✓'} {shown(call.name, 60)} {came}", room))
    return lines or [wrote_text(step, room)]


def _stack(view: View, onion: Onion, width: int) -> list[Line]:
    """Rings as a list, for more rings than there is room to draw: outermost first, the core last."""
    lines = []
    for number, layer in enumerate(onion.layers, 1):
        head = row(
            " ", (f"{number:>2} ", "muted"), (pad_text(shown(layer.owner, 60), 16), _border(layer)), " "
        )
        body = _inside(view, onion, layer, width - width_of(head) - 1)
        step = layer.way_out.step or layer.way_in.step
        node = layer.way_out.node or layer.way_in.node
        lines.append(
            Line(
                (*head, *body),
                f"on:layer:{layer.owner}",
                node=node.id if node else None,
                step=step.index if step else None,
                interest=True,
            )
        )
    return lines + [line("    ", *each) for each in _core(onion, width - 5)]
