"""Drives LangGraph's streams to their end, with our handler beside the user's own and without tracing."""

from __future__ import annotations

import os
from asyncio import AbstractEventLoop
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any, cast

from hookstepper.adapters.langgraph import handlers
from hookstepper.adapters.langgraph.gates import Gate

TRACING = ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING_V2", "LANGCHAIN_TRACING")
ALLOWED = "HOOKSTEPPER_TRACING"
"""Variable that lets the program trace as its environment says."""
MODE = {"stream_mode": "updates"}
"""One part a task is the least that LangGraph streams; what it says is known from elsewhere."""


def run_through(
    graph: Any, value: object, config: dict[str, Any], options: dict[str, Any], gate: Gate
) -> None:
    """Run a graph to its end on this thread.

    Raises:
        BaseException: whatever the program raises.
    """
    with untraced():
        for _ in cast("Iterator[object]", graph.stream(value, config, **MODE, **options)):
            gate.recorder.flush()
        gate.recorder.flush()
        steps = gate.decisions()
        if steps is not None:
            handlers.block_on(steps, gate)


def run_through_on_loop(
    graph: Any,
    value: object,
    config: dict[str, Any],
    options: dict[str, Any],
    gate: Gate,
    loop: AbstractEventLoop | None,
) -> None:
    """Run a graph to its end on an event loop: the given one, else one that lasts as long as the run.

    Raises:
        BaseException: whatever the program raises.
    """
    import asyncio

    async def follow() -> None:
        parts = cast("AsyncIterator[object]", graph.astream(value, config, **MODE, **options))
        async for _ in parts:
            gate.recorder.flush()
        gate.recorder.flush()
        steps = gate.decisions()
        if steps is not None:
            await handlers.wait_on(steps, gate)

    with untraced():
        if loop is not None:
            loop.run_until_complete(follow())
        else:
            asyncio.run(follow())


def with_handler(callbacks: Any, handler: Any) -> Any:
    """The user's own callbacks and our handler; a manager is copied, so that the user's stays as it was."""
    if callbacks is None:
        return [handler]
    if isinstance(callbacks, (list, tuple)):
        return [*callbacks, handler]
    manager = callbacks.copy()
    manager.add_handler(handler, inherit=True)
    return manager


def may_trace() -> bool:
    """True if a person asked for the program's traces to be sent as they would be without a debugger."""
    return os.environ.get(ALLOWED, "") not in ("", "0")


def silence_tracing() -> None:
    """Keep the user's program from sending traces to a remote service, unless a person asked for it."""
    if may_trace():
        return
    for name in TRACING:
        os.environ[name] = "false"


def untraced() -> AbstractContextManager[Any]:
    """A context in which LangSmith traces nothing, whatever the environment said when it was imported;
    unless a person asked for it."""
    if may_trace():
        return nullcontext()
    try:
        from langsmith import tracing_context
    except ImportError:
        return nullcontext()
    return cast("AbstractContextManager[Any]", tracing_context(enabled=False))
