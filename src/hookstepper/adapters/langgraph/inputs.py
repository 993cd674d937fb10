"""What a person gives as input, as what the graph takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast, get_origin, get_type_hints

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
    if "messages" in input_keys(graph):
        return None
    try:
        schema = graph.get_input_jsonschema()
    except Exception:  # types that pydantic refuses make it raise whatever it likes
        schema = _rough_schema(graph)
    return cast("Json", schema) if isinstance(schema, dict) and schema else None


def _rough_schema(graph: Any) -> dict[str, Any]:
    """Names and plain types only: pydantic has no schema for `typing.TypedDict` before Python 3.12."""
    keys = input_keys(graph)
    try:
        hints = get_type_hints(graph.builder.input_schema)
    except Exception:  # annotations may name what cannot be found
        hints = {}
    kinds = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}

    def described(key: str) -> dict[str, str]:
        hint = hints.get(key)
        kind = kinds.get(get_origin(hint) or hint)  # type: ignore[arg-type]
        return {"type": kind} if kind else {}

    return {"type": "object", "properties": {key: described(key) for key in keys}} if keys else {}
