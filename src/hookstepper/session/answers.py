"""Answers to questions of the program, checked before they are sent: a wrong one changes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hookstepper.model.errors import AnswerError
from hookstepper.model.gates import Ask, AskCall
from hookstepper.model.ids import AskId, Json
from hookstepper.values.schema import schema_problem

_TYPES = ("approve", "edit", "reject", "respond")


def checked(asks: Sequence[Ask], answers: Json, *, some: bool = False) -> dict[AskId, object]:
    """Answers to all open questions, each complete and in the neutral form.

    Args:
        answers: by ask id; the empty id stands for the only open question.
        some: it is enough if one of them is answered; the others stay open.

    Raises:
        AnswerError: a question is missing or unknown, or a decision does not fit; says which and why.
    """
    if not asks:
        raise AnswerError("no question is open")
    if not isinstance(answers, dict):
        raise AnswerError("answers come by question: {ID: answer}")
    by_id = {ask.id: ask for ask in asks}
    given = {_named(key, asks): value for key, value in answers.items()}
    missing = [ask_id for ask_id in by_id if ask_id not in given]
    if missing and not (some and given):
        raise AnswerError(f"not answered yet: {', '.join(missing)}")
    return {ask_id: check_one(by_id[ask_id], value) for ask_id, value in given.items()}


def _named(key: str, asks: Sequence[Ask]) -> AskId:
    if key == "":
        if len(asks) > 1:
            raise AnswerError(
                f"{len(asks)} questions are open, so an answer needs its id",
                hint=f"ids: {', '.join(ask.id for ask in asks)}",
            )
        return asks[0].id
    for ask in asks:
        if ask.id == key:
            return ask.id
    raise AnswerError(
        f"no open question has the id {key!r}", hint=f"ids: {', '.join(ask.id for ask in asks)}"
    )


def check_one(ask: Ask, answer: Json) -> Json:
    """One answer in its complete neutral form: a decision for every call that needs one, in order.

    Raises:
        AnswerError: it does not fit the question; says what is missing or wrong.
    """
    if ask.kind == "input":
        problem = schema_problem(answer, ask.schema)
        if problem:
            raise AnswerError(f"the answer does not fit: {problem}")
        return answer
    asked = _undecided(ask)
    decisions = _decisions(answer, asked)
    return {"decisions": [_decision(ask, call, one) for call, one in zip(asked, decisions, strict=True)]}


def decisions(
    asks: Sequence[Ask], answers: Mapping[AskId, object]
) -> Iterator[tuple[AskCall, Mapping[str, Json]]]:
    """Each tool call that was decided about, with its decision, in checked answers."""
    for ask in asks:
        given = answers.get(ask.id)
        if ask.kind == "approval" and isinstance(given, dict):
            yield from zip(_undecided(ask), given["decisions"], strict=True)


def _undecided(ask: Ask) -> list[AskCall]:
    return [call for call in ask.calls if call.needs_approval]


def _decisions(answer: Json, asked: Sequence[AskCall]) -> list[Json]:
    if isinstance(answer, dict) and set(answer) == {"all"}:
        return [answer["all"] for _ in asked]
    if not isinstance(answer, dict) or not isinstance(answer.get("decisions"), list):
        raise AnswerError('an approval is answered by {"decisions": [{"type": "approve"}, …]}')
    decisions = answer["decisions"]
    assert isinstance(decisions, list)
    if len(decisions) != len(asked):
        names = ", ".join(f"{call.id} {call.tool}" for call in asked)
        raise AnswerError(
            f"{len(decisions)} decisions for {len(asked)} calls", hint=f"in this order: {names}"
        )
    return decisions


def _decision(ask: Ask, call: AskCall, decision: Json) -> Json:
    where = f"{call.id} {call.tool}"
    if not isinstance(decision, dict) or decision.get("type") not in _TYPES:
        raise AnswerError(f"{where}: a decision has a type: {', '.join(_TYPES)}")
    kind = str(decision["type"])
    allowed = dict(ask.allowed_by_call).get(call.id, ask.allowed)
    if kind not in allowed:
        raise AnswerError(f"{where}: {kind} is not offered here", hint=f"offered: {', '.join(allowed)}")
    if kind == "edit":
        if "args" not in decision:
            raise AnswerError(f"{where}: an edit needs args")
        problem = schema_problem(decision["args"], call.schema) or _not_object(decision["args"])
        if problem:
            raise AnswerError(f"{where}: {problem}")
        return {"type": "edit", "args": decision["args"]}
    if kind == "reject":
        return {"type": "reject", "reason": str(decision.get("reason", ""))}
    if kind == "respond":
        return {"type": "respond", "text": str(decision.get("text", ""))}
    return {"type": "approve"}


def _not_object(args: Json) -> str:
    return "" if isinstance(args, dict) else "arguments are a JSON object"
