"""Rings that ask, wait and ask again, written once for sync and async runs."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeAlias

from hookstepper.agent.asking import asked
from hookstepper.agent.interceptors import (
    AsyncModelHandler,
    AsyncToolHandler,
    ModelHandler,
    ModelInterceptor,
    ModelRequest,
    ModelResponse,
    ToolCallRequest,
    ToolCallResponse,
    ToolHandler,
    ToolInterceptor,
)
from hookstepper.agent.models.port import ChatModel, Prompt
from hookstepper.engine.driver import adrive, drive
from hookstepper.engine.walk import Walk


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask the next ring; the result is its response."""

    request: Any


@dataclass(frozen=True, slots=True)
class AskModel:
    """Ask another model; the result is its reply."""

    model: ChatModel
    prompt: Prompt


@dataclass(frozen=True, slots=True)
class Wait:
    """Let some seconds pass."""

    seconds: float


Steps: TypeAlias = "Generator[Ask | AskModel | Wait, Any, Any]"
"""What a ring does: yields steps, gets their results, or what they raised, and returns the response."""


def walk(steps: Steps, handler: Callable[[Any], Any], sleep: Callable[[float], object]) -> Any:
    """Carry the steps out in a sync run."""

    def do(step: Ask | AskModel | Wait) -> Any:
        match step:
            case Ask(request):
                return handler(request)
            case AskModel(model, prompt):
                return drive(asked(model, prompt))
            case Wait(seconds):
                return sleep(seconds)

    taken = Walk(steps)
    while taken.goes_on():
        try:
            taken.give(do(taken.step))
        except Exception as error:
            taken.fail(error)
    return taken.result


async def awalk(steps: Steps, handler: Callable[[Any], Any], sleep: Callable[[float], Any]) -> Any:
    """Carry the steps out in an async run."""

    async def do(step: Ask | AskModel | Wait) -> Any:
        match step:
            case Ask(request):
                return await handler(request)
            case AskModel(model, prompt):
                return await adrive(asked(model, prompt))
            case Wait(seconds):
                waited = sleep(seconds)
                return await waited if inspect.isawaitable(waited) else waited

    taken = Walk(steps)
    while taken.goes_on():
        try:
            taken.give(await do(taken.step))
        except Exception as error:
            taken.fail(error)
    return taken.result


class SteppedModelInterceptor(ModelInterceptor):
    """A ring around the model call that is written as steps."""

    sleep: Callable[[float], object] = staticmethod(time.sleep)
    asleep: Callable[[float], Awaitable[object]] = staticmethod(asyncio.sleep)

    def steps(self, request: ModelRequest) -> Steps:
        """What the ring does; returns a `ModelResponse`."""
        raise NotImplementedError

    def intercept_model(self, request: ModelRequest, handler: ModelHandler) -> ModelResponse:
        """Walk the steps."""
        response: ModelResponse = walk(self.steps(request), handler, self.sleep)
        return response

    async def aintercept_model(self, request: ModelRequest, handler: AsyncModelHandler) -> ModelResponse:
        """Walk the steps on an event loop."""
        response: ModelResponse = await awalk(self.steps(request), handler, self.asleep)
        return response


class SteppedToolInterceptor(ToolInterceptor):
    """A ring around tool calls that is written as steps."""

    sleep: Callable[[float], object] = staticmethod(time.sleep)
    asleep: Callable[[float], Awaitable[object]] = staticmethod(asyncio.sleep)

    def steps(self, request: ToolCallRequest) -> Steps:
        """What the ring does; returns a `ToolCallResponse`."""
        raise NotImplementedError

    def intercept_tool_call(self, request: ToolCallRequest, handler: ToolHandler) -> ToolCallResponse:
        """Walk the steps."""
        response: ToolCallResponse = walk(self.steps(request), handler, self.sleep)
        return response

    async def aintercept_tool_call(
        self, request: ToolCallRequest, handler: AsyncToolHandler
    ) -> ToolCallResponse:
        """Walk the steps on an event loop."""
        response: ToolCallResponse = await awalk(self.steps(request), handler, self.asleep)
        return response


class RequestInterceptor(SteppedModelInterceptor):
    """A ring that only changes the request."""

    def changed(self, request: ModelRequest) -> ModelRequest:
        """The request to ask with."""
        raise NotImplementedError

    def steps(self, request: ModelRequest) -> Steps:
        """Ask with the changed request."""
        response = yield Ask(self.changed(request))
        return response
