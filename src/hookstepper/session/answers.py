"""Answers to questions of the program, checked before they are sent: a wrong one changes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hookstepper.model.errors import AnswerError
from hookstepper.model.gates import Ask, AskCall
from hookstepper.model.ids import AskId, Json

_TYPES = ("approve", "edit", "reject", "respond")
_JSON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


def checked(asks: Sequence[Ask], answers: Json) -> dict[AskId, object]:
    """Answers to all open questions, each complete and in the neutral form.

    Args:
        answers: by ask id; the empty id stands for the only open question.

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
    if missing:
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
    asked = [call for call in ask.calls if call.needs_approval]
    decisions = _decisions(answer, asked)
    return {"decisions": [_decision(ask, call, one) for call, one in zip(asked, decisions, strict=True)]}


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


def schema_problem(value: Json, schema: Json, path: str = "") -> str:
    """What is wrong with `value`, or an empty string.

    Reads the part of JSON Schema that tool definitions use: type, enum, const, properties, required,
    additionalProperties, items, anyOf; what it does not know it lets pass.
    """
    if not isinstance(schema, Mapping):
        return ""
    where = path or "value"
    options = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(options, list):
        problems = [schema_problem(value, option, path) for option in options]
        return "" if not problems or "" in problems else problems[0]
    if "const" in schema and value != schema["const"]:
        return f"{where} must be {schema['const']!r}"
    if isinstance(schema.get("enum"), list) and value not in schema["enum"]:  # type: ignore[operator]
        return f"{where} must be one of {', '.join(map(repr, schema['enum']))}"  # type: ignore[arg-type]
    problem = _type_problem(value, schema.get("type"), where)
    if problem:
        return problem
    if isinstance(value, dict):
        return _object_problem(value, schema, path)
    if isinstance(value, list):
        return next(
            (
                p
                for i, item in enumerate(value)
                if (p := schema_problem(item, schema.get("items"), f"{path}[{i}]"))
            ),
            "",
        )
    return ""


def _type_problem(value: Json, wanted: Json, where: str) -> str:
    names = [wanted] if isinstance(wanted, str) else wanted if isinstance(wanted, list) else []
    kinds = tuple(kind for name in names for kind in _JSON_TYPES.get(str(name), (object,)))
    fits = not kinds or isinstance(value, kinds)
    if isinstance(value, bool) and kinds and bool not in kinds and object not in kinds:
        fits = False
    return "" if fits else f"{where} must be {' or '.join(map(str, names))}, not {type(value).__name__}"


def _object_problem(value: dict[str, Json], schema: Mapping[str, Json], path: str) -> str:
    properties = schema.get("properties")
    known = properties if isinstance(properties, dict) else {}
    required = schema.get("required")
    for name in required if isinstance(required, list) else []:
        if name not in value:
            return f"{_join(path, str(name))} is missing"
    for name, item in value.items():
        if name in known:
            problem = schema_problem(item, known[name], _join(path, name))
            if problem:
                return problem
        elif schema.get("additionalProperties") is False and known:
            return f"{_join(path, name)} is not an argument; known: {', '.join(known)}"
    return ""


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
