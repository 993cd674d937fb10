"""Under the rings: what each hook did to the answer; and the same turn in the order of execution."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len

from hookstepper.client.view import View
from hookstepper.model.record import StepDone
from hookstepper.tui.rows.facts import by_hand_text
from hookstepper.tui.rows.layers import (
    Layer,
    Onion,
    Side,
)
from hookstepper.tui.rows.lines import BLANK, Line, line, shown, shown_lines, wrap
from hookstepper.tui.rows.messages import Message, call_text
from hookstepper.tui.rows.onion_texts import (
    op_text,
    passed_on,
    raw_text,
    skipped_text,
    wrote_text,
)
from hookstepper.tui.rows.row import Role, cut, cut_text, pad_text, row, spread, width_of
from hookstepper.tui.rows.textdiff import TextChange
from hookstepper.tui.words import tr, tr_as

LABEL = 9
"""Cells of the names in the list under the rings."""


def detail_lines(onion: Onion, width: int) -> list[Line]:
    """The raw answer, then each after-hook in the order of execution with what it did to it."""
    if onion.ring != "model" or onion.core.raw is None:
        return []
    raw = onion.core.raw
    lines = list(_raw(raw, width))
    order = sorted(
        (layer for layer in onion.layers if layer.way_out.step is not None),
        key=lambda each: each.way_out.place,
    )
    for layer in order:
        lines += _did(layer, raw, width)
    return lines


def _raw(raw: Message, width: int) -> Iterator[Line]:
    texts = (
        [piece for each in shown_lines(raw.text, 40) for piece in wrap(each, width - LABEL)]
        if raw.text.strip()
        else []
    )
    texts += [f"→ {call_text(call, width - LABEL - 2)}" for call in raw.calls]
    for place, each in enumerate(texts or [tr("empty")]):
        name = tr("raw") if place == 0 else ""
        yield Line(
            row((pad_text(f" {name}", LABEL), "muted"), cut_text(each, width - LABEL)),
            "on:raw" if place == 0 else "",
        )


def _did(layer: Layer, raw: Message, width: int) -> list[Line]:
    side = layer.way_out
    step = side.step
    assert step is not None
    saw = (
        tr("(saw what {hooks} left)", hooks=", ".join(shown(each, 30) for each in side.after))
        if side.changed_answer and side.after
        else ""
    )
    texts = _did_texts(side, step, raw)
    lines = []
    for place, (sign, role, said) in enumerate(texts):
        name = shown(layer.owner, 30) if place == 0 else ""
        head = row((pad_text(cut_text(f" {name}", LABEL - 1), LABEL), "name"), (f"{sign} ", role), said)
        tail = (
            row((saw, "muted")) if place == 0 and saw and width_of(head) + cell_len(saw) + 1 <= width else ()
        )
        lines.append(
            Line(
                spread(head, tail, width) if tail else cut(head, width),
                f"on:did:{layer.owner}" if place == 0 else "",
                node=step.site.node,
                step=step.index,
            )
        )
        if place == 0 and saw and not tail:
            lines.append(line(" " * (LABEL + 2), (cut_text(saw, width - LABEL - 2), "muted")))
    return lines


def _did_texts(side: Side, step: StepDone, raw: Message) -> list[tuple[str, Role, str]]:
    if side.changed_answer:
        texts = [_change(change) for change in side.changes[:6]]
        if len(side.changes) > 6:
            texts.append(("…", "muted", tr("{n} more", n=len(side.changes) - 6)))
        if side.saw is not None and side.passed is not None and side.saw.calls != side.passed.calls:
            texts.append(("~", "changed", tr("calls changed")))
        return texts or [("~", "changed", tr("changed"))]
    others = [op for op in step.delta if op.path]
    if others:
        return [("=", "muted", tr("wrote {keys}", keys=", ".join(op_text(op, 20) for op in others[:3])))]
    if step.by_hand:
        return [("✎", "human", ", ".join(by_hand_text(mark) for mark in step.by_hand))]
    if side.node is not None and side.node.can_ask:
        said = tr("no tool calls") if not raw.calls else tr("no call needs approval")
        return [("=", "muted", said)]
    return [("=", "muted", tr("no change"))]


def _change(change: TextChange) -> tuple[str, Role, str]:
    role: Role = "added" if change.sign == "+" else "removed" if change.sign == "−" else "changed"
    match change.sign:
        case "+":
            return "+", role, shown(change.new, 400)
        case "−":
            return "−", role, shown(change.old, 400)
    return "~", role, f"{shown(change.old, 200)} → {shown(change.new, 200)}"


def executed_lines(view: View, onion: Onion, width: int) -> list[Line]:
    lines = [BLANK, line(" ", (tr("In the order of execution"), "title"))]
    if not onion.order:
        return [*lines, line(" ", (tr("Nothing has run in this turn yet."), "muted"))]
    sides = {
        side.node.id: (layer, side)
        for layer in onion.layers
        for side in (layer.way_in, layer.way_out)
        if side.node is not None
    }
    for step in onion.order:
        layer, side = sides.get(step.site.node, (None, None))
        lines.append(_ran(onion, step, layer, side, width))
    lines += [
        Line(
            cut(
                row(
                    "       ", (f"{shown(layer.owner, 40)}  {skipped_text(view, layer.way_out)}", "disabled")
                ),
                width,
            )
        )
        for layer in onion.layers
        if layer.way_out.progress == "skipped"
    ]
    return lines


def _ran(onion: Onion, step: StepDone, layer: Layer | None, side: Side | None, width: int) -> Line:
    mark, role, name, said = _ran_text(onion, step, layer, side)
    head = row(
        " ", (f"{step.index + 1:>4} ", "muted"), (f"{mark} ", role), (pad_text(name, 14), "name"), f" {said}"
    )
    seen = ""
    if side is not None and side.after and side.saw is not None:
        seen = tr("(saw what {hooks} left)", hooks=", ".join(map(shown, side.after)))
    fits = seen and width_of(head) + cell_len(seen) < width
    spans = spread(head, row((seen, "muted")), width) if fits else cut(head, width)
    return Line(spans, f"on:step:{step.index}", node=step.site.node, step=step.index, interest=True)


def _ran_text(
    onion: Onion, step: StepDone, layer: Layer | None, side: Side | None
) -> tuple[str, Role, str, str]:
    """Sign, role, name and deed of one step in the order of execution."""
    if layer is None or side is None:
        if onion.ring == "tool":
            return "■", "tool", tr_as("ring", "tool"), wrote_text(step, 30)
        return "◆", "model", tr_as("ring", "model"), raw_text(onion.core.raw)
    if side is layer.way_in:
        return "▼", "done", shown(layer.owner, 40), wrote_text(step, 24)
    deed = wrote_text(step, 24) if step.delta and not side.changed_answer else passed_on(onion, side)[0]
    return "▲", "done", shown(layer.owner, 40), deed
