"""Questions of a LangGraph program, and answers in the form that it expects.

Source of the shapes: LangChain's human-in-the-loop middleware, in both of its modes. A wrong answer would
be saved with the thread and fail every later one, so all of it is checked before anything is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from hookstepper.adapters.langgraph.expecting import run_again
from hookstepper.adapters.langgraph.names import node_id
from hookstepper.adapters.langgraph.scopes import Scope
from hookstepper.model.errors import AnswerError
from hookstepper.model.gates import Ask, AskCall, Decision
from hookstepper.model.ids import AskId, Json, NodeId

DECISIONS: tuple[Decision, ...] = ("approve", "edit", "reject", "respond")
Encode = Callable[[object], Json]
SchemaOf = Callable[[str], Json]
Done = Callable[[Any], frozenset[str]]


def open_asks(
    snapshot: Any, encode: Encode, schema_of: SchemaOf, scopes: Mapping[str, Scope], done: Done
) -> tuple[Ask, ...]:
    """The questions that are open at a state snapshot taken with its subgraphs, in task order.

    Args:
        snapshot: LangGraph's StateSnapshot.
        encode: live value to JSON.
        schema_of: JSON schema of a tool's arguments by the tool's name, or None.
        scopes: the graphs by path.
        done: ids of the tasks that have their results, at a snapshot's config: older LangGraphs go on
            listing what those have asked.
    """
    found: dict[str, tuple[NodeId, Any, Any]] = {}
    for place, interrupt, state in _interrupts(snapshot, "", done):
        # The same interrupt is listed by every graph that it passed through; the innermost comes last.
        found[str(interrupt.id)] = (place, interrupt, state)
    return tuple(
        replace(
            _ask(AskId(identity), place, interrupt, state, encode, schema_of), again=run_again(place, scopes)
        )
        for identity, (place, interrupt, state) in found.items()
    )


def _interrupts(snapshot: Any, scope: str, done: Done) -> Iterator[tuple[NodeId, Any, Mapping[str, Any]]]:
    values = snapshot.values if isinstance(snapshot.values, Mapping) else {}
    answered = done(getattr(snapshot, "config", None))
    for task in snapshot.tasks:
        if getattr(task, "id", None) in answered:
            continue
        place = node_id(task.name, scope)
        for interrupt in task.interrupts:
            yield place, interrupt, values
        if getattr(task, "state", None) is not None and hasattr(task.state, "tasks"):
            yield from _interrupts(task.state, place, done)


def _ask(
    identity: AskId,
    place: NodeId,
    interrupt: Any,
    state: Mapping[str, Any],
    encode: Encode,
    schema_of: SchemaOf,
) -> Ask:
    value = interrupt.value
    if is_batch(value):
        return _batch(identity, place, value, state, encode, schema_of)
    if isinstance(value, Mapping) and value.get("type") == "tool_approval":
        name = str(value.get("name", ""))
        allowed = _allowed_by_schema(_schema(interrupt))
        call = AskCall(
            str(value.get("tool_call_id", "")),
            name,
            encode(value.get("args")),
            schema=schema_of(name),
            description=str(value.get("description", "")),
        )
        return Ask(identity, "approval", place, call.description, (call,), allowed, ((call.id, allowed),))
    prompt = value if isinstance(value, str) else ""
    if isinstance(value, Mapping):
        words = (value.get(key) for key in ("question", "prompt", "message", "query", "text"))
        prompt = next((word for word in words if isinstance(word, str)), "")
    return Ask(identity, "input", place, prompt, schema=_schema(interrupt), payload=encode(value))


def is_batch(value: object) -> bool:
    """True for the request of LangChain's approval middleware in its batched mode."""
    return isinstance(value, Mapping) and isinstance(value.get("action_requests"), (list, tuple))


def _batch(
    identity: AskId,
    place: NodeId,
    value: Mapping[str, Any],
    state: Mapping[str, Any],
    encode: Encode,
    schema_of: SchemaOf,
) -> Ask:
    requests = list(value["action_requests"])
    configs = {one.get("action_name"): one for one in value.get("review_configs") or ()}
    calls: list[AskCall] = []
    by_call: list[tuple[str, tuple[Decision, ...]]] = []
    every: list[Decision] = []
    waiting = list(requests)
    proposed = _tool_calls(state) or [{**one, "id": ""} for one in requests]
    for number, call in enumerate(proposed):
        name = str(call.get("name", ""))
        request = waiting[0] if waiting and _same(waiting[0], call) else None
        identifier = str(call.get("id") or f"call-{number}")
        calls.append(
            AskCall(
                identifier,
                name,
                encode(call.get("args")),
                request is not None,
                schema_of(name),
                str((request or {}).get("description", "")),
            )
        )
        if request is not None:
            waiting.pop(0)
            allowed = _decisions(configs.get(name, {}).get("allowed_decisions"))
            by_call.append((identifier, allowed))
            every += [one for one in allowed if one not in every]
    if waiting:
        # The message no longer holds the calls as they were asked about: go by the request alone.
        return _batch(identity, place, value, {}, encode, schema_of)
    return Ask(
        identity,
        "approval",
        place,
        str(requests[0].get("description", "")) if requests else "",
        tuple(calls),
        tuple(every),
        tuple(by_call),
        payload=encode(value),
    )


def _tool_calls(state: Mapping[str, Any]) -> list[dict[str, Any]]:
    messages = state.get("messages")
    for message in reversed(messages if isinstance(messages, list) else []):
        if getattr(message, "type", "") == "ai":
            return list(getattr(message, "tool_calls", None) or [])
    return []


def _same(request: Mapping[str, Any], call: Mapping[str, Any]) -> bool:
    return request.get("name") == call.get("name") and request.get("args") == call.get("args")


def _decisions(words: Any) -> tuple[Decision, ...]:
    known = tuple(one for one in DECISIONS if words and one in words)
    return known or DECISIONS[:3]


def _schema(interrupt: Any) -> Json:
    schema = getattr(interrupt, "response_schema", None)
    return cast("Json", schema) if isinstance(schema, dict) else None


def _allowed_by_schema(schema: Json) -> tuple[Decision, ...]:
    """Decisions that a per-call question takes, read from the constants in its response schema."""
    words: set[str] = set()
    waiting: list[Any] = [schema]
    while waiting:
        here = waiting.pop()
        if isinstance(here, dict):
            kind = (
                here.get("properties", {}).get("type") if isinstance(here.get("properties"), dict) else None
            )
            if isinstance(kind, dict):
                words.update(str(word) for word in kind.get("enum", [kind.get("const")]))
            waiting += here.values()
        elif isinstance(here, list):
            waiting += here
    return tuple(one for one in DECISIONS if one in words) or DECISIONS[:3]


# ------------------------------------------------------------------------------------ answers


def resume_values(
    asks: Sequence[Ask], answers: Mapping[AskId, object], batched: set[AskId]
) -> dict[str, Any]:
    """What to resume with, by interrupt id, in LangChain's own words.

    Args:
        asks: all open questions.
        answers: one for each that is to be answered now, in the neutral form; the others stay open.
        batched: questions whose answer is a list of decisions, not a single one.

    Raises:
        AnswerError: there is none, or one too much, or one would be refused or misread.
    """
    known = {ask.id: ask for ask in asks}
    strangers = [identity for identity in answers if identity not in known]
    if strangers:
        raise AnswerError(f"no open question {strangers[0]!r}", hint=f"open: {', '.join(known) or 'none'}")
    if not answers:
        raise AnswerError(
            f"none of {len(known)} questions has an answer: {', '.join(known) or 'none is open'}"
        )
    found: dict[str, Any] = {}
    for identity, ask in known.items():
        if identity not in answers:
            continue
        answer = answers[identity]
        if ask.kind == "approval":
            decisions = _their_decisions(ask, answer)
            found[identity] = {"decisions": decisions} if identity in batched else decisions[0]
        else:
            found[identity] = answer
    return found


def _their_decisions(ask: Ask, answer: object) -> list[dict[str, Any]]:
    decisions = answer.get("decisions") if isinstance(answer, Mapping) else None
    calls = [call for call in ask.calls if call.needs_approval]
    if not isinstance(decisions, (list, tuple)) or len(decisions) != len(calls):
        count = len(decisions) if isinstance(decisions, (list, tuple)) else "no"
        raise AnswerError(
            f"{count} decisions for {len(calls)} calls", hint='{"decisions": [{"type": "approve"}]}'
        )
    allowed = dict(ask.allowed_by_call)
    return [
        _their_decision(call, one, allowed.get(call.id, ask.allowed))
        for call, one in zip(calls, decisions, strict=True)
    ]


def _their_decision(call: AskCall, decision: object, allowed: tuple[Decision, ...]) -> dict[str, Any]:
    kind = decision.get("type") if isinstance(decision, Mapping) else None
    if not isinstance(decision, Mapping) or kind not in DECISIONS:
        raise AnswerError(
            f"{call.tool}: {decision!r} is no decision", hint=f"type is one of {', '.join(allowed)}"
        )
    if allowed and kind not in allowed:
        raise AnswerError(f"{call.tool}: {kind} is not allowed here", hint=f"allowed: {', '.join(allowed)}")
    match kind:
        case "edit":
            arguments = decision.get("args")
            if not isinstance(arguments, Mapping):
                raise AnswerError(f"{call.tool}: an edit needs args, an object with the new arguments")
            name = str(decision.get("tool") or call.tool)
            return {"type": "edit", "edited_action": {"name": name, "args": dict(arguments)}}
        case "reject":
            reason = str(decision.get("reason") or "")
            return {"type": "reject", "message": reason} if reason else {"type": "reject"}
        case "respond":
            return {"type": "respond", "message": str(decision.get("text") or "")}
    return {"type": "approve"}
