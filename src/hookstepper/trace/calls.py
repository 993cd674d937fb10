"""Tool calls from the wish to the result: proposed by a model, decided by a person, executed by a tool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from hookstepper.model.gates import Ask, AskCall
from hookstepper.model.ids import Json, NodeId
from hookstepper.model.record import CallRecord, SetValue, Splice, StepDone
from hookstepper.trace.messages import (
    CallAsked,
    answers_of,
    calls_of,
    decoded,
    is_message,
    message_lists,
    new_messages,
)
from hookstepper.values.delta import same

if TYPE_CHECKING:
    from hookstepper.trace.trace import Trace

_ANSWERED = "answer.send "
"""What a mark of a person's answer begins with; the decisions follow."""

CallStatus = Literal["proposed", "asked", "executed", "failed", "answered", "dropped"]
"""answered: the model was given a result though the tool did not run. dropped: it is gone from the
conversation and did not run."""


@dataclass(frozen=True, slots=True)
class ToolCallLife:
    """One tool call, with what was asked, what was sent after a decision, and what was used."""

    id: str
    tool: str
    proposed_at: int
    """Index of the step that asked for it."""
    proposed_by: NodeId
    asked: Json
    """Arguments as the model wrote them."""
    sent: Json = None
    """Arguments after the last change by a person or a hook; None if nobody changed them."""
    changed_at: int | None = None
    changed_by: NodeId | None = None
    used: Json = None
    """Arguments that the tool got; None if it did not run, or if the engine did not tell."""
    needs_approval: bool = False
    asked_at: int | None = None
    """Index of the last step before the person was asked; None if nobody was asked."""
    executed_at: int | None = None
    answered_at: int | None = None
    """Index of the step that put the result into the conversation."""
    result: str = ""
    error: str = ""
    duration_us: int = 0
    by_hand: tuple[str, ...] = ()
    """What a person did to it: `approved`, `edited`, `rejected`, `responded`, as far as facts show it."""
    mocked: bool = False
    status: CallStatus = "proposed"
    executed_undecided: bool = False
    """True if it ran although a person had been asked about it and had not agreed."""


class CallBook:
    """Follows the calls along one line of history; going on along the same line costs only the new steps."""

    def __init__(self) -> None:
        self._count = 0
        self._tip = -1
        self._calls: dict[str, ToolCallLife] = {}
        self._asked: set[str] = set()
        self._decided: dict[str, str] = {}

    def calls(self) -> tuple[ToolCallLife, ...]:
        """All calls, in the order in which they were proposed."""
        return tuple(self._calls.values())

    def copy(self) -> CallBook:
        """Another book with the same calls, which goes its own way."""
        book = CallBook()
        book._count, book._tip, book._calls = self._count, self._tip, dict(self._calls)
        book._asked, book._decided = set(self._asked), dict(self._decided)
        return book

    def follow(self, trace: Trace, line: Sequence[int]) -> CallBook:
        """Take in the steps of a line; starts anew if it is another one than before."""
        count = self._count
        # What leads to a step never changes: where the last step is the same, so are those before it.
        if count and (len(line) < count or line[count - 1] != self._tip):
            self._count, self._tip, self._calls, self._asked = 0, -1, {}, set()
        for index in line[self._count :]:
            self._ask(trace, index - 1 if not self._count else self._tip)
            self._step(trace, trace.steps[index])
            self._count += 1
            self._tip = index
        self._ask(trace, self._tip)
        return self

    def _ask(self, trace: Trace, index: int) -> None:
        for ask, after in trace.asks.values():
            if after == index and ask.id not in self._asked:
                self._asked.add(ask.id)
                for call in ask.calls:
                    self._about(ask, call, index)

    def _about(self, ask: Ask, call: AskCall, index: int) -> None:
        known = self._calls.get(call.id)
        if known is None:
            known = ToolCallLife(call.id, call.tool, index, ask.node, decoded(call.arguments))
        self._calls[call.id] = replace(
            known,
            needs_approval=known.needs_approval or call.needs_approval,
            asked_at=index if call.needs_approval else known.asked_at,
            status="asked" if call.needs_approval and known.status == "proposed" else known.status,
        )

    def _decisions(self, trace: Trace, step: StepDone) -> None:
        """What a person decided about the calls that waited, one word a call in the order of the question."""
        for mark in trace.marks(step.index):
            if mark.kind == "person" and mark.detail.startswith(_ANSWERED):
                words = mark.detail.removeprefix(_ANSWERED).split(", ")
                waiting = [call.id for call in self._calls.values() if call.status == "asked"]
                if len(words) == len(waiting):
                    self._decided.update(zip(waiting, words, strict=True))

    def _step(self, trace: Trace, step: StepDone) -> None:
        self._decisions(trace, step)
        for call in step.calls:
            if call.kind == "tool":
                self._executed(step, call)
        for _, message in new_messages(step.delta):
            for asked in calls_of(message):
                self._proposed(step, asked)
        for message in self._edited(trace, step):
            for asked in calls_of(message):
                self._proposed(step, asked)
        for _, message in new_messages(step.delta):
            for answer in answers_of(message):
                self._answered(step, answer.id, answer.text, failed=answer.status == "error")
        if any(isinstance(op, Splice) and op.removed for op in step.delta):
            self._dropped(trace, step)

    @staticmethod
    def _edited(trace: Trace, step: StepDone) -> list[Json]:
        """Messages that a step changed in part."""
        deep = {op.path[:2] for op in step.delta if len(op.path) > 2 and isinstance(op.path[1], int)}
        deep |= {op.path for op in step.delta if isinstance(op, SetValue) and len(op.path) == 2}
        if not deep:
            return []
        state = trace.after(step.index)
        found: list[Json] = []
        for key, index in deep:
            items = state.get(str(key)) if isinstance(state, dict) else None
            if isinstance(items, list) and isinstance(index, int) and index < len(items):
                found += [items[index]] if is_message(items[index]) else []
        return found

    def _proposed(self, step: StepDone, asked: CallAsked) -> None:
        known = self._calls.get(asked.id)
        if known is None:
            node = step.site.node
            self._calls[asked.id] = ToolCallLife(asked.id, asked.tool, step.index, node, asked.arguments)
            return
        now = known.sent if known.changed_at is not None else known.asked
        if same(now, asked.arguments) and known.tool == asked.tool:
            return
        self._calls[asked.id] = replace(
            known,
            tool=asked.tool,
            sent=asked.arguments,
            changed_at=step.index,
            changed_by=step.site.node,
            by_hand=_with(known, "edited") if _by_person(known, step) else known.by_hand,
        )

    def _executed(self, step: StepDone, call: CallRecord) -> None:
        known = self._calls.get(call.call_id)
        if known is None:
            known = ToolCallLife(
                call.call_id, call.name, step.index, step.site.node, decoded(_arguments(call.request))
            )
        decided = self._decided.get(known.id, "")
        undecided = known.asked_at is not None and not (known.by_hand or step.by_hand or decided)
        refused = "rejected" in known.by_hand or "responded" in known.by_hand
        edited = "edited" in known.by_hand or decided == "edit"
        agreed = known.asked_at is not None and not refused and not edited
        used = decoded(_arguments(call.request))
        if decided == "edit":
            # some frameworks keep a person's arguments beside the message, which stays as the model wrote it
            known = replace(
                known, by_hand=_with(known, "edited"), sent=used if known.sent is None else known.sent
            )
        self._calls[call.call_id] = replace(
            known,
            executed_at=step.index,
            used=used,
            result=_shown(call.response),
            error=call.error,
            duration_us=call.duration_us,
            mocked=call.mocked,
            status="failed" if call.error else "executed",
            by_hand=_with(known, "approved") if agreed and not undecided else known.by_hand,
            executed_undecided=refused,
        )

    def _answered(self, step: StepDone, call_id: str, text: str, *, failed: bool) -> None:
        known = self._calls.get(call_id)
        if known is None:
            return
        if known.executed_at is not None:
            result = text if known.status != "failed" else known.result
            self._calls[call_id] = replace(known, answered_at=step.index, result=result)
        elif known.status == "answered":
            # said again, with the results of the calls that did run
            self._calls[call_id] = replace(known, answered_at=step.index, result=text)
        elif step.kind == "tool":
            # the engine told of no call, but the tool node answered: it has run
            self._calls[call_id] = replace(
                known,
                executed_at=step.index,
                answered_at=step.index,
                result=text,
                status="failed" if failed else "executed",
                by_hand=_with(known, "approved") if known.asked_at is not None else known.by_hand,
            )
        else:
            refused = failed or "rejected" in step.by_hand or self._decided.get(call_id) == "reject"
            act = "rejected" if refused else "responded"
            by_hand = _with(known, act) if known.asked_at is not None else known.by_hand
            self._calls[call_id] = replace(
                known, answered_at=step.index, result=text, status="answered", by_hand=by_hand
            )

    def _dropped(self, trace: Trace, step: StepDone) -> None:
        open_ = [call for call in self._calls.values() if call.status in ("proposed", "asked")]
        if not open_:
            return
        state = trace.after(step.index)
        kept = {call.id for _, items in message_lists(state) for item in items for call in calls_of(item)}
        for call in open_:
            if call.id not in kept:
                self._calls[call.id] = replace(call, status="dropped")


def _by_person(call: ToolCallLife, step: StepDone) -> bool:
    return call.asked_at is not None or "edited" in step.by_hand


def _with(call: ToolCallLife, act: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*call.by_hand, act)))


def _arguments(request: Json) -> Json:
    """The arguments in a call's request, whether it is them or holds them."""
    if isinstance(request, dict):
        for name in ("args", "arguments"):
            if name in request and ("name" in request or "id" in request or "tool" in request):
                return request[name]
    return request


def _shown(response: Json) -> str:
    from hookstepper.trace.messages import text_of
    from hookstepper.values.preview import preview

    if isinstance(response, str):
        return response
    if is_message(response):
        return text_of(response)
    return "" if response is None else preview(response, 400)
