"""Gates around LangChain's methods through which models answer and tools run, for the time of a run.

They stand on the base classes, since a model or a tool may be made in the middle of a run, and are taken
away when it is over. Outside of a debugged run, in threads that know nothing of it, and where a class has
methods of its own in their place, calls go on as if nobody were there.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

from hookstepper.adapters.langgraph.calls import OWNED, Call, CallKind, ModelShape, ToolShape
from hookstepper.adapters.langgraph.gates import Gate
from hookstepper.adapters.langgraph.layers import ACTIVE_GATE, task_here
from hookstepper.adapters.langgraph.passages import apassed, passed
from hookstepper.model.gates import Site

Method = Callable[..., Any]
_ANSWER, _AANSWER = "_generate_with_cache", "_agenerate_with_cache"
_MODEL = ModelShape()


@contextmanager
def gated_calls() -> Iterator[None]:
    """While entered, model answers and tool results of LangChain's classes pass our gates."""
    from langchain_core.language_models.chat_models import BaseChatModel
    from langchain_core.tools import BaseTool

    placed: list[tuple[type, str, Method]] = []

    def place(owner: type, name: str, around: Callable[[Method], Method]) -> None:
        method = owner.__dict__.get(name)
        if method is not None:
            placed.append((owner, name, method))
            setattr(owner, name, functools.wraps(method)(around(method)))

    try:
        place(BaseChatModel, _ANSWER, _answering)
        place(BaseChatModel, _AANSWER, _answering_later)
        place(BaseChatModel, "generate", _owning(BaseChatModel.__dict__.get(_ANSWER), _ANSWER))
        place(BaseChatModel, "agenerate", _owning_later(BaseChatModel.__dict__.get(_AANSWER), _AANSWER))
        place(BaseTool, "run", _running)
        place(BaseTool, "arun", _running_later)
        yield
    finally:
        for owner, name, method in placed:
            setattr(owner, name, method)


@contextmanager
def _owned(kind: CallKind | Literal[""]) -> Iterator[None]:
    """While entered, callbacks of that kind of call leave holding to our gate; with "" they all hold."""
    token = OWNED.set(kind)
    try:
        yield
    finally:
        OWNED.reset(token)


# ------------------------------------------------------------------------------------ models


def _owning(ours: Any, name: str) -> Callable[[Method], Method]:
    """While the method runs, a model's callbacks leave holding to the gate around its answer."""

    def around(method: Method) -> Method:
        def generate(self: Any, *args: Any, **kwargs: Any) -> Any:
            if ACTIVE_GATE.get() is None or getattr(type(self), name, None) is not ours:
                return method(self, *args, **kwargs)
            with _owned("model"):
                return method(self, *args, **kwargs)

        return generate

    return around


def _owning_later(ours: Any, name: str) -> Callable[[Method], Method]:
    def around(method: Method) -> Method:
        async def agenerate(self: Any, *args: Any, **kwargs: Any) -> Any:
            if ACTIVE_GATE.get() is None or getattr(type(self), name, None) is not ours:
                return await method(self, *args, **kwargs)
            with _owned("model"):
                return await method(self, *args, **kwargs)

        return agenerate

    return around


def _answering(method: Method) -> Method:
    def generate_with_cache(self: Any, messages: Any, *args: Any, **kwargs: Any) -> Any:
        found = _told(kwargs.get("run_manager"))
        if found is None:
            return method(self, messages, *args, **kwargs)
        gate, call = found
        asked = call.request

        def make(request: Any) -> Any:
            given = messages if request is asked else request["messages"]
            with _owned(""):
                return method(self, given, *args, **kwargs)

        return passed(gate.calls.around(call, _MODEL), gate.recorder.probe, make)

    return generate_with_cache


def _answering_later(method: Method) -> Method:
    async def agenerate_with_cache(self: Any, messages: Any, *args: Any, **kwargs: Any) -> Any:
        found = _told(kwargs.get("run_manager"))
        if found is None:
            return await method(self, messages, *args, **kwargs)
        gate, call = found
        asked = call.request

        async def make(request: Any) -> Any:
            given = messages if request is asked else request["messages"]
            with _owned(""):
                return await method(self, given, *args, **kwargs)

        return await apassed(gate.calls.around(call, _MODEL), gate.recorder.probe, make)

    return agenerate_with_cache


def _told(run_manager: Any) -> tuple[Gate, Call] | None:
    gate = ACTIVE_GATE.get()
    call = gate.calls.owned(run_manager.run_id) if gate is not None and run_manager is not None else None
    return (gate, call) if gate is not None and call is not None else None


# ------------------------------------------------------------------------------------ tools


def _running(method: Method) -> Method:
    def run(self: Any, tool_input: Any, *args: Any, **kwargs: Any) -> Any:
        found = _tool_call(self, tool_input, kwargs)
        if found is None:
            return method(self, tool_input, *args, **kwargs)
        gate, call = found
        asked = call.request

        def make(request: Any) -> Any:
            with _owned("tool"):
                return method(self, _merged(tool_input, asked, request), *args, **kwargs)

        shape = ToolShape(self.name, kwargs.get("tool_call_id"))
        return passed(gate.calls.around(call, shape), gate.recorder.probe, make)

    return run


def _running_later(method: Method) -> Method:
    async def arun(self: Any, tool_input: Any, *args: Any, **kwargs: Any) -> Any:
        found = _tool_call(self, tool_input, kwargs)
        if found is None:
            return await method(self, tool_input, *args, **kwargs)
        gate, call = found
        asked = call.request

        async def make(request: Any) -> Any:
            with _owned("tool"):
                return await method(self, _merged(tool_input, asked, request), *args, **kwargs)

        shape = ToolShape(self.name, kwargs.get("tool_call_id"))
        return await apassed(gate.calls.around(call, shape), gate.recorder.probe, make)

    return arun


def _tool_call(tool: Any, tool_input: Any, kwargs: Mapping[str, Any]) -> tuple[Gate, Call] | None:
    gate = ACTIVE_GATE.get()
    if gate is None:
        return None
    metadata = kwargs.get("metadata") or {}
    task = gate.recorder.task_at(str(metadata.get("langgraph_checkpoint_ns", ""))) or task_here(gate)
    if task is None:
        return None
    site = Site("tool", task.path, str(tool.name))
    call_id = str(kwargs.get("tool_call_id") or "")
    return gate, Call(task, site, call_id, _shown(tool, tool_input), time.perf_counter(), owned=True)


def _shown(tool: Any, tool_input: Any) -> Any:
    """The arguments without those that the framework injects."""
    without = getattr(tool, "_filter_injected_args", None)
    return without(tool_input) if without is not None and isinstance(tool_input, dict) else tool_input


def _merged(tool_input: Any, asked: Any, request: Any) -> Any:
    """The tool's input with the arguments of `request`, and with what the framework injects as it was."""
    if request is asked:
        return tool_input
    if not isinstance(tool_input, dict) or not isinstance(asked, Mapping):
        return request
    return {**{name: value for name, value in tool_input.items() if name not in asked}, **request}
