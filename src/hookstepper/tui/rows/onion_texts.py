"""What a step, a hook or a model did, in a few words for one line of the onion."""

from __future__ import annotations

from hookstepper.client.view import View
from hookstepper.model.record import DeltaOp, Splice, StepDone
from hookstepper.tui.rows.facts import by_hand_text, short_label
from hookstepper.tui.rows.layers import (
    Onion,
    Side,
)
from hookstepper.tui.rows.lines import shown, value_text
from hookstepper.tui.rows.messages import Message
from hookstepper.tui.rows.row import Role
from hookstepper.tui.rows.textdiff import in_short
from hookstepper.tui.words import tr
from hookstepper.values import show


def skipped_text(view: View, side: Side) -> str:
    by = side.skipped_by
    if by is None:
        return tr("⊘ skipped")
    word = by.route.rule if by.route is not None else ""
    jump = _jump_word(by)
    node = short_label(view, by.site.node)
    if jump:
        return tr("⊘ skipped by {node}, jump {word}", node=node, word=jump)
    return tr("⊘ skipped by {node}", node=node) if word else tr("⊘ skipped")


def _jump_word(step: StepDone) -> str:
    update = step.update if isinstance(step.update, dict) else {}
    word = update.get("jump_to")
    if isinstance(word, str):
        return shown(word, 30)
    by_hand = next((mark for mark in step.by_hand if mark.startswith("jump ")), "")
    if by_hand:
        return by_hand.removeprefix("jump ")
    fired = next((seen for seen in (step.route.rules if step.route is not None else ()) if seen.fired), None)
    return shown(fired.saw, 30) if fired is not None and "jump" in fired.rule else ""


def passed_on(onion: Onion, side: Side) -> tuple[str, Role]:
    step = side.step
    assert step is not None
    if step.by_hand:
        return "✎ " + ", ".join(by_hand_text(mark) for mark in step.by_hand), "human"
    if onion.ring != "model":
        return wrote_text(step, 24), ""
    if side.changed_answer:
        return change_text(side), "changed"
    if side.node is not None and side.node.can_ask:
        return tr("nothing to ask"), ""
    return tr("no change"), ""


def change_text(side: Side) -> str:
    """What became of the answer, in two or three words: `−1 line`, `1 word`, `calls edited`."""
    gone, come, words = in_short(side.changes)
    parts = []
    if gone:
        parts.append(tr("−1 line") if gone == 1 else tr("−{n} lines", n=gone))
    if come:
        parts.append(tr("+1 line") if come == 1 else tr("+{n} lines", n=come))
    if words:
        parts.append(tr("1 word") if words == 1 else tr("{n} words", n=words))
    if side.saw is not None and side.passed is not None and side.saw.calls != side.passed.calls:
        parts.append(tr("calls changed"))
    return ", ".join(parts) or tr("changed")


def wrote_text(step: StepDone, cells: int) -> str:
    """What a step wrote, on the rest of a line: `turn = 3`, `log[2]`, `–`."""
    if step.error:
        return f"✗ {shown(step.error, cells)}"
    parts = [op_text(op, cells) for op in step.delta[:3]]
    if not parts:
        return tr("no change")
    if len(parts) == 1:
        return parts[0]
    keys = dict.fromkeys(str(op.path[0]) for op in step.delta if op.path)
    return tr("wrote {keys}", keys=", ".join(shown(key, 40) for key in keys))


def op_text(op: DeltaOp, cells: int) -> str:
    if isinstance(op, Splice):
        if len(op.inserted) == 1:
            return shown(show((*op.path, op.index)), 60)
        return f"{shown(show(op.path), 60)} +{len(op.inserted)}" + (
            f" −{len(op.removed)}" if op.removed else ""
        )
    new = getattr(op, "new", None)
    name = shown(show(op.path), 60)
    return f"{name} = {value_text(new, cells)}" if hasattr(op, "new") else f"− {name}"


def raw_text(raw: Message | None) -> str:
    """The answer in a few words: `raw answer: 2 lines of text`, `raw answer: asks for write_file`."""
    if raw is None:
        return tr("no answer in the state")
    parts = []
    if raw.text.strip():
        count = len(raw.text.splitlines())
        parts.append(tr("1 line of text") if count == 1 else tr("{n} lines of text", n=count))
    if raw.calls:
        parts.append(tr("asks for {names}", names=", ".join(shown(call.tool, 40) for call in raw.calls)))
    return tr("raw answer: {what}", what=", ".join(parts) or tr("empty"))
