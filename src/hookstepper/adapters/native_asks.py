"""An interruption of our engine as questions, and a person's answer as its feedback."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hookstepper.agent.builtin.hitl import candidate
from hookstepper.agent.messages import messages_of
from hookstepper.engine.outputs import Interruption, RunResult, ToolFeedback
from hookstepper.model.errors import AnswerError
from hookstepper.model.gates import Ask, AskCall, Decision
from hookstepper.model.ids import AskId, Json, NodeId

ALLOWED: tuple[Decision, ...] = ("approve", "edit", "reject")


def asks_of(result: RunResult, tools: Mapping[str, Any]) -> tuple[Ask, ...]:
    """The question that an interrupted run waits with; there is one at a time."""
    interruption = result.interruption
    if interruption is None:
        return ()
    node = result.next[0] if result.next else interruption.node
    ask_id = AskId(f"{node}@{result.checkpoint or 'start'}")
    if interruption.tool_feedbacks:
        calls = _calls(interruption, tools)
        names = ", ".join(call.tool for call in calls if call.needs_approval)
        return (Ask(ask_id, "approval", node, f"May these tools run: {names}?", calls, ALLOWED),)
    return (
        Ask(
            ask_id,
            "input",
            node,
            _prompt(interruption, node),
            payload=_plain(interruption.metadata),
            stops=interruption.stops,
        ),
    )


def _calls(interruption: Interruption, tools: Mapping[str, Any]) -> tuple[AskCall, ...]:
    """All calls of the message, in its order; those that need nobody are marked so."""
    asked = {feedback.id: feedback for feedback in interruption.tool_feedbacks}
    message = candidate(messages_of(interruption.state))
    order = [call.id for call in message.tool_calls] if message is not None else list(asked)
    others = {call.id: call for call in interruption.approved}
    calls: list[AskCall] = []
    for call_id in dict.fromkeys([*order, *asked]):
        entry = asked.get(call_id) or others.get(call_id)
        if entry is None:
            continue
        tool = tools.get(entry.name)
        calls.append(
            AskCall(
                call_id,
                entry.name,
                _arguments(entry.arguments),
                call_id in asked,
                None if tool is None else tool.schema,
                getattr(entry, "description", ""),
            )
        )
    return tuple(calls)


def _arguments(text: str) -> Json:
    try:
        value: Json = json.loads(text or "{}")
    except ValueError:
        return text
    return value if isinstance(value, dict) else text


def _prompt(interruption: Interruption, node: NodeId) -> str:
    if interruption.metadata.get("interruption_requested"):
        return f"The agent was asked to stop before {node}: what should it be told?"
    text = interruption.metadata.get("message") or interruption.metadata.get("prompt")
    if text:
        return str(text)
    if not interruption.asked:
        return f"The graph is compiled to stop here; {node} is next. Any answer goes on."
    return f"{node} asks."


def _plain(metadata: Mapping[str, Any]) -> Json:
    value: Json = json.loads(json.dumps(dict(metadata), ensure_ascii=False, default=str))
    return value or None


def feedback_of(interruption: Interruption, ask: Ask, answer: object) -> Interruption:
    """The interruption with the decisions of a neutral answer, in the order of the calls asked about.

    Raises:
        AnswerError: the answer does not fit the question.
    """
    decisions = answer.get("decisions") if isinstance(answer, Mapping) else None
    asked = [call for call in ask.calls if call.needs_approval]
    if not isinstance(decisions, Sequence) or len(decisions) != len(asked):
        raise AnswerError(
            f"{len(asked)} decisions are needed", hint='{"decisions": [{"type": "approve"}, ...]}'
        )
    by_id = {call.id: decision for call, decision in zip(asked, decisions, strict=True)}
    return interruption.answered([_decided(f, by_id[f.id]) for f in interruption.tool_feedbacks])


def _decided(feedback: ToolFeedback, decision: object) -> ToolFeedback:
    given: Mapping[str, Any] = decision if isinstance(decision, Mapping) else {}
    kind = given.get("type")
    match kind:
        case "approve":
            return replace(feedback, result="APPROVED")
        case "edit":
            text = json.dumps(given.get("args", {}), ensure_ascii=False)
            return replace(feedback, result="EDITED", arguments=text)
        case "reject":
            reason = str(given.get("reason") or "")
            return replace(feedback, result="REJECTED", description=reason)
    raise AnswerError(f"{feedback.name}: {kind!r} is no decision here", hint="approve, edit or reject")
