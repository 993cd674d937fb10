"""What a person gives as input, as what the graph takes."""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Any, Literal, NotRequired, Union, cast, get_args, get_origin, get_type_hints

from hookstepper.model.errors import InvalidValueError
from hookstepper.model.ids import Json
from hookstepper.ports.target import Codec
from hookstepper.values import decode


def input_keys(graph: Any) -> tuple[str, ...]:
    """Names that the graph's input has; empty if it takes a single value of any kind."""
    builder = getattr(graph, "builder", None)
    if builder is None:
        return ()
    schema = getattr(builder, "input_schema", None)
    known = builder.schemas.get(schema)
    names = tuple(known) if known is not None else tuple(builder.channels)
    return tuple(name for name in names if name != "__root__")


def graph_input(graph: Any, given: object, codec: Codec) -> object:
    """The input for the graph: a text becomes a user's message, or the only key that there is.

    Raises:
        InvalidValueError: nothing was given, or a text where several keys could be meant, or only keys
            that the graph does not know.
    """
    keys = input_keys(graph)
    if given is None:
        raise InvalidValueError("there is no input", hint=f"keys: {', '.join(keys)}" if keys else "")
    if isinstance(given, str):
        if not keys:
            return given
        if "messages" in keys:
            return {"messages": [{"role": "user", "content": given}]}
        if len(keys) == 1:
            return {keys[0]: given}
        raise InvalidValueError(
            "a text does not say which key it is for", hint=f"give an object: {', '.join(keys)}"
        )
    if isinstance(given, Mapping) and keys:
        strangers = [name for name in given if name not in keys]
        if strangers and len(strangers) == len(given):
            # LangGraph would drop them without a word and then complain of an empty input.
            raise InvalidValueError(
                f"the graph takes no {', '.join(map(str, strangers))}", hint=f"keys: {', '.join(keys)}"
            )
    return decode(cast("Json", given), codec=codec) if isinstance(given, (Mapping, list)) else given


def input_schema(graph: Any) -> Json:
    """JSON schema of the input, or None if it has none or a text will do."""
    keys = input_keys(graph)
    if keys == ("messages",):
        return None
    try:
        schema = graph.get_input_jsonschema()
    except Exception:  # types that pydantic refuses make it raise whatever it likes
        schema = _rough_schema(graph)
    if not isinstance(schema, dict) or not schema:
        return None
    return cast("Json", _with_messages(schema) if "messages" in keys else schema)


def context_keys(graph: Any) -> tuple[str, ...]:
    """Names that the graph's context must have; empty if it takes none, or needs none."""
    try:
        schema = graph.get_context_jsonschema()
    except Exception:  # older versions have no context, and types may have no schema
        return ()
    return tuple(schema.get("required") or ()) if isinstance(schema, dict) else ()


def _with_messages(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with messages as what a person types, and not as the union of all of their classes."""
    properties = {**schema.get("properties", {})}
    if "messages" in properties:
        properties["messages"] = {
            "type": ["string", "array"],
            "title": "Messages",
            "description": "a user's message, or a list of messages with role and content",
        }
    rest = {key: value for key, value in schema.items() if key != "$defs"}
    found = {**rest, "properties": properties}
    used = _references(properties)
    definitions = schema.get("$defs", {})
    while (more := used | _references([definitions.get(name) for name in used])) != used:
        used = more
    if used:
        found["$defs"] = {name: one for name, one in definitions.items() if name in used}
    return found


def _references(schema: Any) -> set[str]:
    """Names of the definitions that a schema refers to."""
    found: set[str] = set()
    waiting = [schema]
    while waiting:
        here = waiting.pop()
        if isinstance(here, Mapping):
            found.update([str(here["$ref"]).rpartition("/")[2]] if "$ref" in here else [])
            waiting += here.values()
        elif isinstance(here, list):
            waiting += here
    return found


def _rough_schema(graph: Any) -> dict[str, Any]:
    """Names and plain types only: pydantic has no schema for `typing.TypedDict` before Python 3.12."""
    keys = input_keys(graph)
    schema = graph.builder.input_schema
    try:
        hints, whole = get_type_hints(schema), get_type_hints(schema, include_extras=True)
    except Exception:  # annotations may name what cannot be found
        hints, whole = {}, {}
    if not keys:
        return {}
    known = getattr(schema, "__required_keys__", ())
    # Where annotations are texts, Python does not see that they say NotRequired.
    required = [key for key in keys if key in known and get_origin(whole.get(key)) is not NotRequired]
    found: dict[str, Any] = {"type": "object", "properties": {key: _rough(hints.get(key)) for key in keys}}
    return {**found, "required": required} if required else found


_KINDS = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}


def _rough(hint: Any) -> dict[str, Any]:
    """The schema of one annotation, as far as plain types go; empty for the rest."""
    origin, inside = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"enum": list(inside)}
    if origin in (Union, UnionType):
        some = [one for one in inside if one is not NoneType]
        found = _rough(some[0]) if len(some) == 1 else {}
        return {"anyOf": [found, {"type": "null"}]} if found and NoneType in inside else found
    kind = _KINDS.get(origin or hint)
    if kind == "array" and inside and (items := _rough(inside[0])):
        return {"type": kind, "items": items}
    return {"type": kind} if kind else {}
