"""LangChain's messages, and LangGraph's Send and Command, as tagged JSON and back.

Plain Python, dataclasses and pydantic models are the business of `hookstepper.values`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from hookstepper.model.ids import Json
from hookstepper.ports.target import InvalidValue

ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}
_KINDS = {role: kind for kind, role in ROLES.items()}
_EXTRAS = (
    "name",
    "tool_call_id",
    "status",
    "artifact",
    "usage_metadata",
    "additional_kwargs",
    "response_metadata",
)
_SHOWN_CALL = ("id", "name", "args")


class LangChainCodec:
    """Knows objects by the names of their modules and classes: nothing is imported to encode."""

    def encode(self, obj: object) -> Json:
        """The tagged form with its children still live, or None if the object is not LangChain's."""
        kind = type(obj)
        theirs = kind.__module__.startswith(("langchain", "langgraph"))
        # A user's own message class is known by what it is derived from.
        if not theirs and not any(base.__module__ == "langchain_core.messages.base" for base in kind.__mro__):
            return None
        if hasattr(obj, "content") and hasattr(obj, "type") and hasattr(obj, "additional_kwargs"):
            return _message(obj)
        if kind.__name__ == "Send":
            return cast(
                "Json", {"$": "send", "node": getattr(obj, "node", ""), "arg": getattr(obj, "arg", None)}
            )
        if kind.__name__ == "Command":
            names = ("update", "goto", "graph", "resume")
            parts = {name: getattr(obj, name, None) for name in names}
            return cast("Json", {"$": "command", **{name: one for name, one in parts.items() if one}})
        if kind.__name__ == "Overwrite":
            return cast("Json", {"$": "overwrite", "value": getattr(obj, "value", None)})
        return None

    def decode(self, value: Json, like: object) -> object:
        """The message that an edited form describes; fields that it does not name stay as in `like`.

        Raises:
            InvalidValue: it is no message, or its role or a field is not allowed.
        """
        if not isinstance(value, Mapping) or value.get("$") != "msg":
            raise InvalidValue((), "only messages can be edited here")
        role = str(value.get("role", ""))
        if role not in _KINDS and getattr(like, "type", None) != role:
            raise InvalidValue(("role",), f"a role is one of {', '.join(_KINDS)}")
        kept = like.model_dump() if like is not None and hasattr(like, "model_dump") else {}
        fields = {name: one for name, one in value.items() if name not in ("$", "role")}
        kind = _KINDS.get(role, role)
        return _build(kind, kept if kept.get("type") == kind else {}, fields)


def _message(message: Any) -> Json:
    body: dict[str, Any] = {
        "$": "msg",
        "role": ROLES.get(message.type, message.type),
        "content": message.content,
    }
    calls = getattr(message, "tool_calls", None)
    if calls:
        body["tool_calls"] = [{name: call.get(name) for name in _SHOWN_CALL} for call in calls]
    invalid = getattr(message, "invalid_tool_calls", None)
    if invalid:
        body["invalid_tool_calls"] = invalid
    if message.id is not None:
        body["id"] = message.id
    for name in _EXTRAS:
        extra = getattr(message, name, None)
        # An empty name or call id is still one; an empty dict of extras is none.
        if extra is not None and extra != {} and (name, extra) != ("status", "success"):
            body[name] = extra
    return cast("Json", body)


def _build(kind: str, kept: dict[str, Any], fields: dict[str, Any]) -> object:
    from langchain_core.messages import messages_from_dict

    data = {**kept, **fields}
    calls = data.get("tool_calls")
    if calls is not None and not (
        isinstance(calls, list) and all(isinstance(one, Mapping) and "name" in one for one in calls)
    ):
        raise InvalidValue(("tool_calls",), "a list of objects with id, name and args")
    if calls:
        data["tool_calls"] = [{"type": "tool_call", "id": None, "args": {}, **one} for one in calls]
    try:
        return messages_from_dict([{"type": kind, "data": {**data, "type": kind}}])[0]
    except ValueError as error:
        where: list[dict[str, Any]] = getattr(error, "errors", list)()
        path = tuple(where[0].get("loc", ())) if where else ()
        raise InvalidValue(path, str(where[0].get("msg")) if where else str(error)) from None
    except KeyError as error:
        raise InvalidValue((str(error.args[0]),), "is missing") from None
    except TypeError as error:
        raise InvalidValue((), str(error)) from None
