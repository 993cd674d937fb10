"""How bodies and calls of LangGraph end: what is a failure, what steers, what an answer says of itself."""

from __future__ import annotations

from typing import Any

from hookstepper.ports.verdict import RunAborted


def is_control_flow(error: BaseException) -> bool:
    """True for what LangGraph raises to steer: interrupts, commands to a parent graph, drains; and for
    our own abort. None of them is a failure."""
    return isinstance(error, RunAborted) or any(
        kind.__name__ in ("GraphBubbleUp", "GraphInterrupt") for kind in type(error).__mro__
    )


def usage_of(response: Any) -> tuple[int, int]:
    """Input and output tokens that a model's result reports; zeros if it reports none."""
    message = message_of(response)
    usage = getattr(message, "usage_metadata", None) or {}
    return int(usage.get("input_tokens") or 0), int(usage.get("output_tokens") or 0)


def message_of(response: Any) -> Any:
    """The message in a model's result, or the result itself."""
    try:
        return response.generations[0][0].message
    except (AttributeError, IndexError, TypeError):
        return response
