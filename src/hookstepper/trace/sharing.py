"""One object for equal messages: a model call's request repeats the whole conversation, every turn again."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias, TypeVar

from hookstepper.model.ids import Json
from hookstepper.model.record import StepDone
from hookstepper.trace.messages import is_message, new_messages
from hookstepper.values.delta import same

_Key: TypeAlias = tuple[object, ...]
T = TypeVar("T")


class Sharer:
    """Knows the messages of a record; lives as long as it."""

    def __init__(self) -> None:
        self._known: dict[_Key, Json] = {}
        self._equal: dict[object, object] = {}

    def learn(self, value: Json) -> None:
        """Remember the messages in a state."""
        if isinstance(value, dict):
            for items in value.values():
                for item in items if isinstance(items, list) else ():
                    if is_message(item):
                        self._known.setdefault(_key(item), item)

    def step(self, step: StepDone) -> StepDone:
        """The step with its own copies of known messages given up."""
        for _, message in new_messages(step.delta):
            self._known.setdefault(_key(message), message)
        one = self._one
        return replace(
            step,
            site=one(step.site),
            route=one(step.route),
            branch=one(step.branch),
            host=one(step.host),
            reads=one(step.reads),
            writes=one(step.writes),
            skipped=one(step.skipped),
            update=self.shared(step.update),
            calls=tuple(
                replace(call, request=self.shared(call.request), response=self.shared(call.response))
                for call in step.calls
            ),
            layers=tuple(
                replace(layer, request=self.shared(layer.request), response=self.shared(layer.response))
                for layer in step.layers
            ),
        )

    def _one(self, value: T) -> T:
        return self._equal.setdefault(value, value)  # type: ignore[return-value]

    def shared(self, value: Json) -> Json:
        """The value with known messages in place of equal ones; a new value where that changes anything."""
        if isinstance(value, list):
            items = [self.shared(item) if isinstance(item, (list, dict)) else item for item in value]
            return items if any(a is not b for a, b in zip(items, value, strict=True)) else value
        if isinstance(value, dict):
            if is_message(value):
                key = _key(value)
                known = self._known.setdefault(key, value)
                return known if known is value or same(known, value) else value
            out = {
                key: self.shared(item) if isinstance(item, (list, dict)) else item
                for key, item in value.items()
            }
            return out if any(out[key] is not item for key, item in value.items()) else value
        return value


def _key(message: Json) -> _Key:
    """What tells most messages apart at little cost."""
    if not isinstance(message, dict):
        return ()
    content, calls = message.get("content"), message.get("tool_calls")
    ident = message.get("id")
    text: _Key = (type(content).__name__,)
    if isinstance(content, str):
        text = (len(content), content[:40], content[-20:])
    first = calls[0] if isinstance(calls, list) and calls else None
    call = first.get("id") if isinstance(first, dict) else None
    return (
        message.get("role") if isinstance(message.get("role"), str) else None,
        ident if isinstance(ident, str) else None,
        call if isinstance(call, str) else None,
        len(message),
        *text,
    )
