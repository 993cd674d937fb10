"""Sentences that built-in hooks and the tool node write into the conversation; the wording is ours."""

from __future__ import annotations


def limit_reached(what: str, exceeded: list[str]) -> str:
    """The last message of a run that a limit ended."""
    return f"Stopped: the limit of {what} is reached ({', '.join(exceeded)})."


def approval_request(tool: str, arguments: str, description: str | None) -> str:
    """What a person reads before deciding about a tool call."""
    lines = [f"The model wants to call {tool}."]
    if description:
        lines.append(f"Why this needs you: {description}")
    lines += [f"Arguments: {arguments}", "May it run?"]
    return "\n".join(lines)


def rejected(tool: str, reason: str | None) -> str:
    """What the model reads as the result of a call that a person refused."""
    because = f" The reason given: {reason.strip()}" if reason and reason.strip() else " No reason was given."
    return f"A person refused this call of {tool}; it did not run.{because}"


def not_available(tool: str) -> str:
    """The result of a call to a tool that nobody knows."""
    return f"There is no tool named {tool}."


def cancelled(tool: str, call_id: str) -> str:
    """The result put in for a call that never got one."""
    return f"The call {call_id} of {tool} was cancelled: another message came before it was done."


NO_RESULT = "Error: the call gave no result"
TIMED_OUT = "Error: the call took too long and was given up"
CANCELLED = "Error: the call was cancelled"
EMPTY_ANSWER = "The model gave an empty answer, and no reason for it."
