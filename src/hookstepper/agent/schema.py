"""JSON schema of a typed Python function, and its arguments made from JSON."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import re
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, Union, get_args, get_origin

JsonSchema = dict[str, Any]

_SCALARS: dict[object, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}


def schema_of(function: Callable[..., object], *, leave_out: Sequence[str] = ()) -> JsonSchema:
    """The object schema of a function's parameters, in their order.

    Descriptions come from `Annotated[T, "text"]`, else from the `Args:` section of the docstring.

    Args:
        leave_out: parameters that no model may fill in.
    """
    described = _argument_notes(inspect.getdoc(function) or "")
    hints = type_hints(function)
    properties: JsonSchema = {}
    required: list[str] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if name in leave_out or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        item = schema_of_type(hints.get(name, Any))
        if name in described and "description" not in item:
            item["description"] = described[name]
        if parameter.default is parameter.empty:
            required.append(name)
        elif _is_plain(parameter.default):
            item["default"] = parameter.default
        properties[name] = item
    schema: JsonSchema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return schema


def type_hints(function: Callable[..., object]) -> dict[str, Any]:
    """The resolved annotations; a name that cannot be resolved is left out."""
    try:
        return typing.get_type_hints(function, include_extras=True)
    except Exception:  # a forward reference of the user's that does not resolve
        raw = getattr(function, "__annotations__", {})
        return {name: hint for name, hint in raw.items() if not isinstance(hint, str)}


def schema_of_type(hint: Any) -> JsonSchema:
    """The schema of one type; `{}` (anything) for what JSON schema has no word for."""
    if hint in _SCALARS:
        return {"type": _SCALARS[hint]}
    if hint is type(None):
        return {"type": "null"}
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        schema = schema_of_type(args[0])
        note = next((arg for arg in args[1:] if isinstance(arg, str)), None)
        return {**schema, "description": note} if note else schema
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema_of_type(arg) for arg in args]}
    if origin is Literal:
        return {"enum": list(args)}
    if isinstance(hint, type):
        return _class_schema(hint, args)
    return _container_schema(origin, args)


def _container_schema(origin: Any, args: tuple[Any, ...]) -> JsonSchema:
    if not isinstance(origin, type):
        return {}
    if issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": schema_of_type(args[1])} if len(args) == 2 else {}
    if issubclass(origin, tuple) and args and args[-1] is not Ellipsis:
        return {"type": "array", "prefixItems": [schema_of_type(a) for a in args], "minItems": len(args)}
    if issubclass(origin, (Sequence, set, frozenset)):
        return {"type": "array", "items": schema_of_type(args[0])}
    return {}


def _class_schema(kind: type, args: tuple[Any, ...]) -> JsonSchema:
    if args or kind.__module__ == "types":
        return _container_schema(get_origin(kind), args)
    if issubclass(kind, enum.Enum):
        return {"enum": [member.value for member in kind]}
    describe = getattr(kind, "model_json_schema", None)
    if callable(describe):  # a pydantic model, which is not imported here
        schema: JsonSchema = describe()
        return schema
    if dataclasses.is_dataclass(kind):
        return _fields_schema(
            {f.name: f.type for f in dataclasses.fields(kind)},
            kind,
            {f.name for f in dataclasses.fields(kind) if _has_default(f)},
        )
    if typing.is_typeddict(kind):
        optional = set(getattr(kind, "__optional_keys__", ()))
        return _fields_schema(dict(kind.__annotations__), kind, optional)
    if issubclass(kind, Mapping):
        return {"type": "object"}
    if issubclass(kind, (list, tuple, set, frozenset)):
        return {"type": "array"}
    return {}


def _fields_schema(annotations: Mapping[str, Any], kind: type, optional: set[str]) -> JsonSchema:
    try:
        hints = typing.get_type_hints(kind, include_extras=True)
    except Exception:
        hints = dict(annotations)
    schema: JsonSchema = {
        "type": "object",
        "properties": {name: schema_of_type(hints.get(name, Any)) for name in annotations},
    }
    if required := [name for name in annotations if name not in optional]:
        schema["required"] = required
    return schema


def _has_default(item: dataclasses.Field[Any]) -> bool:
    return item.default is not dataclasses.MISSING or item.default_factory is not dataclasses.MISSING


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, (str, int, float, bool))


_NOTE = re.compile(r"^\s+(\w+)\s*(?:\([^)]*\))?:\s*(.+)$")


def _argument_notes(doc: str) -> dict[str, str]:
    """Parameter name to its line in the `Args:` section of a Google-style docstring."""
    notes: dict[str, str] = {}
    inside = False
    for line in doc.splitlines():
        if line.strip() in ("Args:", "Arguments:", "Parameters:"):
            inside = True
        elif inside and line and not line[0].isspace():
            break
        elif inside and (match := _NOTE.match(line)):
            notes[match[1]] = match[2].strip()
    return notes


def summary_of(function: Callable[..., object]) -> str:
    """The docstring up to its first section, on one line."""
    lines: list[str] = []
    for line in (inspect.getdoc(function) or "").splitlines():
        if line.strip().endswith(":") and line.strip() in ("Args:", "Arguments:", "Returns:", "Raises:"):
            break
        lines.append(line.strip())
    return " ".join(part for part in lines if part)


def made_from_json(hint: Any, value: Any) -> Any:
    """`value` as the dataclass, pydantic model, enum, set or tuple that `hint` asks for; else as it is."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return made_from_json(args[0], value)
    if origin in (Union, types.UnionType):
        plain = [arg for arg in args if arg is not type(None)]
        return value if value is None or len(plain) != 1 else made_from_json(plain[0], value)
    if (
        isinstance(value, list)
        and isinstance(origin, type)
        and issubclass(origin, (Sequence, set, frozenset))
    ):
        if issubclass(origin, tuple) and args and args[-1] is not Ellipsis:
            return tuple(made_from_json(each, item) for each, item in zip(args, value, strict=False))
        items = [made_from_json(args[0] if args else Any, item) for item in value]
        return origin(items) if origin in (tuple, set, frozenset) else items
    if isinstance(hint, type) and not args:
        return _made_as(hint, value)
    return value


def _made_as(kind: type, value: Any) -> Any:
    if issubclass(kind, enum.Enum) and not isinstance(value, kind):
        return kind(value)
    validate = getattr(kind, "model_validate", None)
    if callable(validate) and isinstance(value, Mapping):
        return validate(value)
    if dataclasses.is_dataclass(kind) and isinstance(value, Mapping):
        hints = typing.get_type_hints(kind)
        return kind(**{name: made_from_json(hints.get(name, Any), item) for name, item in value.items()})
    if kind is float and type(value) is int:
        return float(value)
    return value
