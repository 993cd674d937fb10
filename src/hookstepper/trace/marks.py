"""Marks: what is worth finding again on a column of the timeline."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from hookstepper.model.gates import Reason
from hookstepper.model.graph import HOOK_KINDS
from hookstepper.model.ids import Json, NodeId
from hookstepper.model.record import DeleteKey, Delta, Splice, StepDone
from hookstepper.trace.messages import calls_of, is_message, role_of, text_of
from hookstepper.values.condition_values import plain
from hookstepper.values.tags import TAG

JUMP_KEY = "jump_to"
"""The state key of both agent frameworks that sends a run elsewhere."""

MarkKind = Literal[
    "breakpoint",
    "watch",
    "pause",
    "question",
    "jump",
    "error",
    "limit",
    "diverged",
    "person",
    "edit",
    "mutated",
    "wrote_nothing",
    "same_values",
    "key_dropped",
    "message_doubled",
    "jump_ignored",
    "hook_skipped",
]
QUIET: frozenset[MarkKind] = frozenset(
    {"wrote_nothing", "same_values", "key_dropped", "message_doubled", "jump_ignored", "hook_skipped"}
)
"""Events that nothing announces: the run went on as if all were well."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One thing that happened at a step, or in place of one."""

    kind: MarkKind
    detail: str = ""
    """The breakpoint, the error, the jump word: one line of data."""
    node: NodeId | None = None
    """The node that it is about, or that a jump led to."""
    keys: tuple[str, ...] = ()
    """State keys or hooks that it is about."""

    @property
    def quiet(self) -> bool:
        """True if the program itself says nothing about it."""
        return self.kind in QUIET


_BY_REASON: dict[Reason, MarkKind] = {
    "breakpoint": "breakpoint",
    "watch": "watch",
    "pause": "pause",
    "jump": "breakpoint",
    "exception": "error",
    "interrupt": "question",
    "limit": "limit",
    "diverged": "diverged",
    "code": "breakpoint",
}


def mark_of(reason: Reason) -> MarkKind | None:
    """The mark that a reason of a stop leaves; None for stepping, entry and exit."""
    return _BY_REASON.get(reason)


def step_marks(step: StepDone, before: Json, after: Json) -> list[Mark]:
    """What a step's own facts give: its jump, its error and what it did quietly.

    Args:
        before: the state that `step.delta` changes.
        after: the same state after the step.
    """
    marks: list[Mark] = []
    if step.error:
        marks.append(Mark("error", step.error, step.site.node))
    marks += _jump_marks(step, after)
    if step.skipped:
        marks.append(Mark("hook_skipped", node=step.site.node, keys=tuple(step.skipped)))
    marks += _quiet_writes(step, after)
    doubled = _doubled(step, before)
    if doubled:
        marks.append(Mark("message_doubled", str(doubled), step.site.node))
    return marks


def jump_word(value: Json) -> str:
    """The word of a jump as it stands in the state, whatever it is encoded as; empty if none is set."""
    if isinstance(value, dict) and value.get(TAG) == "enum" and isinstance(value.get("name"), str):
        return str(value["name"]).lower()
    value = plain(value)
    return "" if value is None else str(value)


def written_jump(step: StepDone, after: Json) -> str:
    """The jump word that a step wrote, empty if it wrote none or cleared it."""
    if JUMP_KEY not in step.writes and not touches(step.delta, JUMP_KEY):
        return ""
    state = after if isinstance(after, dict) else {}
    update = step.update if isinstance(step.update, dict) else {}
    return jump_word(state.get(JUMP_KEY)) or jump_word(update.get(JUMP_KEY))


def touches(delta: Delta, key: str) -> bool:
    """True if a delta changes that key of the state."""
    return any(op.path[:1] == (key,) for op in delta)


def took_jump(step: StepDone) -> bool:
    """True if a jump decided where the run went after the step."""
    return step.route is not None and "jump" in step.route.rule


def _jump_marks(step: StepDone, after: Json) -> list[Mark]:
    route = step.route
    written = written_jump(step, after)
    if route is not None and took_jump(step):
        state = after if isinstance(after, dict) else {}
        word = written or jump_word(state.get(JUMP_KEY))
        return [Mark("jump", word, route.to[0] if route.to else None)]
    if route is not None and written:
        return [Mark("jump_ignored", written, route.to[0] if route.to else None)]
    return []


def _quiet_writes(step: StepDone, after: Json) -> list[Mark]:
    if step.error:
        return []
    state = after if isinstance(after, dict) else {}
    changed = {str(op.path[0]) for op in step.delta if op.path}
    unchanged = tuple(key for key in step.writes if key not in changed)
    dropped = tuple(key for key in unchanged if key not in state and key != JUMP_KEY)
    marks = [Mark("key_dropped", node=step.site.node, keys=dropped)] if dropped else []
    if not step.delta and not step.writes:
        marks.append(Mark("wrote_nothing", node=step.site.node))
    elif not step.delta and not dropped and JUMP_KEY not in step.writes:
        marks.append(Mark("same_values", node=step.site.node, keys=unchanged))
    return marks


def _doubled(step: StepDone, before: Json) -> int:
    """How many messages a step added that say what another one said before.

    A person or a model may well say the same thing twice; a hook or node that returns the whole list
    under an appending key doubles it.
    """
    if step.kind in ("model", "tool") or not isinstance(before, dict):
        return 0
    splices = [op for op in step.delta if isinstance(op, Splice) and len(op.path) == 1]
    count = 0
    for key in dict.fromkeys(str(op.path[0]) for op in splices):
        mine = [op for op in splices if op.path[0] == key]
        added = [item for op in mine for item in op.inserted if is_message(item)]
        old = before.get(key)
        if not added or not isinstance(old, list) or (step.kind not in HOOK_KINDS and len(added) < 2):
            continue
        known = Counter(_said(item) for item in old if is_message(item))
        known.subtract(_said(item) for op in mine for item in op.removed if is_message(item))
        count += sum(known[_said(item)] > 0 for item in added)
    return count


def _said(message: Json) -> tuple[str, str, str]:
    return role_of(message), text_of(message), ",".join(call.id for call in calls_of(message))


def removed_keys(delta: Delta) -> tuple[str, ...]:
    """State keys that a delta took away."""
    return tuple(str(op.path[0]) for op in delta if isinstance(op, DeleteKey) and len(op.path) == 1)
