"""LangGraph's channels and node outputs, as far as they are state."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

Writes = list[tuple[str, Any]]
"""Channel and value of each write of one task."""

TO = "branch:to:"
"""Prefix of the channel that makes a node due."""
TASKS = "__pregel_tasks"
"""Channel that holds Sends."""


def is_state(channel: str) -> bool:
    """True for a key of the user's state, False for LangGraph's own bookkeeping."""
    return channel == "__root__" or not channel.startswith(("__", "branch:", "join:"))


def is_untracked(channel: object) -> bool:
    """True for a channel whose values LangGraph keeps out of checkpoints and saved writes."""
    return any(kind.__name__ == "UntrackedValue" for kind in type(channel).__mro__)


def public_state(values: Mapping[str, Any]) -> dict[str, Any]:
    """The channel values that are state."""
    return {name: value for name, value in values.items() if is_state(name)}


def is_command(output: object) -> bool:
    """True for a LangGraph Command."""
    return type(output).__name__ == "Command" and hasattr(output, "goto")


def plain_update(output: object) -> object:
    """A node's output with a lone Command seen through: its update is what the node changed."""
    if isinstance(output, list) and len(output) == 1 and is_command(output[0]):
        output = output[0]
    return getattr(output, "update", None) if is_command(output) else output


def kept_out(output: object, keys: Collection[str]) -> Writes:
    """What a node's output says of keys that are kept out of its saved writes."""
    update = plain_update(output) if keys else None
    return [(key, update[key]) for key in keys if key in update] if isinstance(update, Mapping) else []


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> Writes:
    """Keys whose value is another one, with it; of a list that grew only what is new."""
    found: Writes = []
    for name, value in after.items():
        old = before.get(name)
        if old is value:
            continue
        grew = isinstance(old, list) and isinstance(value, list) and len(old) < len(value)
        if grew or type(old) is not type(value) or _differ(old, value):
            found.append((name, value[len(old) :] if grew and old is not None else value))
    return found


def _differ(one: Any, other: Any) -> bool:
    """True if two values are not known to be equal: some cannot be compared at all."""
    try:
        return bool(one != other)
    except Exception:
        return True
