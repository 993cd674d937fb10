"""Whether a JSON value fits a JSON schema, as far as tool definitions use one; both sides of the wire ask."""

from __future__ import annotations

from collections.abc import Mapping

from hookstepper.model.ids import Json

_JSON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


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
