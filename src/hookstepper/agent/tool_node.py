"""The tool node: runs the calls that the last message asks for, through the tool rings."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any

from hookstepper.agent import texts
from hookstepper.agent.interceptors import ERROR, Layer, ToolCallRequest, ToolCallResponse
from hookstepper.agent.layers import wrapped
from hookstepper.agent.messages import (
    FINISH_REASON,
    RETURN_DIRECT,
    AssistantMessage,
    Message,
    ToolCall,
    ToolResponse,
    ToolResponseMessage,
    messages_of,
    peek,
)
from hookstepper.agent.model_node import DYNAMIC_TOOLS_KEY, ITERATION_KEY
from hookstepper.agent.tools import Tool, ToolContext, result_text
from hookstepper.engine.config import RunConfig
from hookstepper.engine.driver import Driver
from hookstepper.engine.effects import Branches, Call, Effects, Ended, Here, Tell, effectful, gated
from hookstepper.engine.strategies import KeyStrategy, RemoveByHash
from hookstepper.model.gates import Site
from hookstepper.model.ids import NodeId
from hookstepper.ports.facts import CallBegan, CallEnded

TOOL_NODE = NodeId("_AGENT_TOOL_")


class ToolExecutionError(RuntimeError):
    """Raised by a tool to tell the model something: its text becomes the result as it is."""


class ToolCancelledError(Exception):
    """A tool gave its own call up, by `asyncio.CancelledError`."""


class ToolNodeError(RuntimeError):
    """The node was reached in a state in which there is nothing to run."""

    def __init__(self, message: str, *, upstream: str) -> None:
        super().__init__(message)
        self.upstream = upstream


Processor = Callable[[ToolExecutionError], str]


@dataclass(slots=True)
class _Done:
    """One finished call and the state keys that its tool wrote."""

    response: ToolCallResponse
    update: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class ToolNode:
    """The body of an agent's tool node. One instance serves all runs; it keeps nothing of them.

    With `parallel`, several calls run at once on the event loop of an async run; in a sync run they need
    an `executor`, else they run one after another.
    """

    tools: Sequence[Tool]
    layers: Sequence[Layer] = ()
    context: Mapping[str, object] = field(default_factory=dict)
    resolver: Callable[[str], Tool | None] | None = None
    parallel: bool = False
    max_parallel: int = 5
    timeout: float | None = 300.0
    """Seconds for an async tool that names no time of its own."""
    executor: Executor | None = None
    strategies: Mapping[str, KeyStrategy] = field(default_factory=dict)
    processor: Processor = str
    offered: Callable[[Sequence[Message]], Sequence[Tool]] | None = None
    """Tells which tools the model was offered beside the own ones, where a run goes on behind the model;
    None: nobody knows them then."""

    @effectful
    def __call__(self, state: Mapping[str, Any], config: RunConfig) -> Effects[Mapping[str, Any]]:
        """Run what is asked and not answered yet: the update with the responses.

        Raises:
            ToolNodeError: the last message asks for nothing.
        """
        messages = messages_of(state)
        if self.offered is not None and ITERATION_KEY not in config.context:
            config.context[DYNAMIC_TOOLS_KEY] = tuple(self.offered(messages))
        last = messages[-1] if messages else None
        if isinstance(last, AssistantMessage):
            done = yield from self._run(last.tool_calls, state, config)
            message = self._message([_response(item.response) for item in done], last, config)
            return {"messages": message, **self._updates(done)}
        if isinstance(last, ToolResponseMessage):
            update = yield from self._rest(messages, last, state, config)
            return update
        raise ToolNodeError(
            f"the tool node was reached with {last.role if last else 'no message'} as the last message: "
            "it runs the calls of an assistant message",
            upstream="Last message is neither an AssistantMessage nor a ToolResponseMessage",
        )

    def _rest(
        self,
        messages: Sequence[Message],
        last: ToolResponseMessage,
        state: Mapping[str, Any],
        config: RunConfig,
    ) -> Effects[Mapping[str, Any]]:
        """Run the calls that have no response yet and put theirs behind those that are there."""
        if len(messages) < 2:
            raise ToolNodeError(
                "the tool node was reached with a tool response and no message before it",
                upstream="Cannot find AssistantMessage before ToolResponseMessage",
            )
        asked = messages[-2]
        if not isinstance(asked, AssistantMessage):
            raise ToolNodeError(
                f"the message before the tool response is of role {asked.role}, not assistant",
                upstream="Message before ToolResponseMessage is not an AssistantMessage",
            )
        answered = {response.id for response in last.responses}
        open_calls = [call for call in asked.tool_calls if call.id not in answered]
        if not open_calls:
            return {}
        done = yield from self._run(open_calls, state, config)
        responses = [*last.responses, *(_response(item.response) for item in done)]
        message = self._message(responses, asked, config)
        return {"messages": [message, RemoveByHash(last)], **self._updates(done)}

    def _message(
        self, responses: Sequence[ToolResponse], asked: AssistantMessage, config: RunConfig
    ) -> ToolResponseMessage:
        known = [tool for call in asked.tool_calls if (tool := self._known(call.name, config)) is not None]
        direct = bool(known) and all(tool.return_direct for tool in known)
        return ToolResponseMessage(
            tuple(responses),
            metadata={FINISH_REASON: RETURN_DIRECT} if direct else {},
            id=f"t-{asked.id}" if asked.id else "",
        )

    # ------------------------------------------------------------------------------------ all calls

    def _run(
        self, calls: Sequence[ToolCall], state: Mapping[str, Any], config: RunConfig
    ) -> Effects[list[_Done]]:
        if not self.parallel or len(calls) < 2:
            done = []
            for call in calls:
                one = yield from self._one(call, state, config)
                done.append(one)
            return done
        snapshot = dict(peek(state))
        ends: Sequence[Ended | None] = yield Branches(
            [self._one(call, snapshot, config) for call in calls],
            executor=self.executor,
            limit=self.max_parallel,
        )
        done = []
        for call, ended in zip(calls, ends, strict=True):
            if ended is None:
                done.append(_Done(ToolCallResponse(texts.NO_RESULT, call.name, call.id, ERROR)))
            elif ended.error is not None:
                raise ended.error
            else:
                done.append(ended.value)
        return done

    def _updates(self, done: Sequence[_Done]) -> dict[str, Any]:
        """What the tools wrote: the last call wins; in parallel mode the key strategies decide."""
        merged: dict[str, Any] = {}
        for item in done:
            for key, value in item.update.items():
                strategy = self.strategies.get(key) if self.parallel and len(done) > 1 else None
                merged[key] = strategy(merged[key], value) if strategy and key in merged else value
        return merged

    # -------------------------------------------------------------------------------------- one call

    def _one(self, call: ToolCall, state: Mapping[str, Any], config: RunConfig) -> Effects[_Done]:
        node = NodeId(config.path + TOOL_NODE)
        update: dict[str, Any] = {}
        request = ToolCallRequest(call.name, call.arguments, call.id, dict(config.metadata), state, config)
        run = wrapped(self.layers, lambda asked: self._base(asked, node, state, config, update), node, "tool")
        made = yield from run(request)
        return _Done(as_response(made, request), update)

    def _base(
        self,
        request: ToolCallRequest,
        node: NodeId,
        state: Mapping[str, Any],
        config: RunConfig,
        update: dict[str, Any],
    ) -> Effects[ToolCallResponse]:
        """Innermost: find the tool and call it; what it raises becomes its result."""
        site = Site("tool", node, request.name)
        driver: Driver = yield Here()
        seen: list[Any] = [request, 0]

        def body(actual: Any) -> Effects[ToolCallResponse]:
            seen[0] = actual
            yield Tell(CallBegan(site, driver.task, request.id, actual))
            began = driver.clock()
            try:
                response = yield from self._execute(actual, state, config, update)
            finally:
                seen[1] = driver.clock() - began
            return response

        error: Exception | None = None
        try:
            made = yield from gated(site, request, body)
            response = as_response(made, seen[0])
            update.update(response.update)
        except Exception as raised:
            error = raised
            response = self._failed(request, raised)
        yield Tell(CallEnded(site, driver.task, request.id, seen[0], response, error, seen[1] // 1000))
        return response

    def _failed(self, request: ToolCallRequest, error: Exception) -> ToolCallResponse:
        if isinstance(error, TimeoutError) and not str(error):
            return ToolCallResponse(texts.TIMED_OUT, request.name, request.id, ERROR)
        if isinstance(error, ToolCancelledError):
            return ToolCallResponse(texts.CANCELLED, request.name, request.id, ERROR)
        if isinstance(error, ToolExecutionError):
            return ToolCallResponse(self.processor(error), request.name, request.id, None)
        return ToolCallResponse.error(request, str(error) or type(error).__name__)

    def _execute(
        self, request: ToolCallRequest, state: Mapping[str, Any], config: RunConfig, update: dict[str, Any]
    ) -> Effects[ToolCallResponse]:
        tool = self._find(request.name, config)
        if tool is None:
            return ToolCallResponse(texts.not_available(request.name), request.name, request.id, ERROR)
        context = ToolContext(
            state=state,
            config=config,
            update={},
            call_id=request.id,
            values={**self.context, **request.context},
        )
        arguments = tool.bound(tool.arguments_of(request.arguments), context)
        limit = tool.timeout if tool.timeout is not None else self.timeout
        result = yield Call(_invoke, (tool, arguments, limit))
        update.update(context.update)
        if isinstance(result, ToolCallResponse):
            return result.with_(name=request.name, id=request.id, update=context.update)
        return ToolCallResponse(result_text(result), request.name, request.id, update=context.update)

    def _known(self, name: str, config: RunConfig) -> Tool | None:
        """`_find`, where a resolver that fails, which its call has told already, knows nothing."""
        try:
            return self._find(name, config)
        except Exception:
            return None

    def _find(self, name: str, config: RunConfig) -> Tool | None:
        found = next((tool for tool in self.tools if tool.name == name), None)
        if found is None:
            dynamic = config.context.get(DYNAMIC_TOOLS_KEY) or ()
            found = next((tool for tool in dynamic if tool.name == name), None)
        if found is None and self.resolver is not None:
            found = self.resolver(name)
        return found


def _invoke(tool: Tool, arguments: Mapping[str, Any], limit: float | None) -> Any:
    try:
        result = tool.function(**arguments)
    except asyncio.CancelledError:
        raise ToolCancelledError from None
    return asyncio.wait_for(_settled(result), limit) if inspect.isawaitable(result) else result


async def _settled(result: Any) -> Any:
    try:
        return await result
    except asyncio.CancelledError:
        task = asyncio.current_task()
        # Whoever cancels the run, or ends a call that takes too long, asks this task to end.
        if task is not None and task.cancelling():
            raise
        raise ToolCancelledError from None


def _response(response: ToolCallResponse) -> ToolResponse:
    return ToolResponse(response.id, response.name, response.result)


def as_response(value: object, request: ToolCallRequest) -> ToolCallResponse:
    """What a ring, a tool or a person gave as the response to `request`."""
    if isinstance(value, ToolCallResponse):
        return value
    return ToolCallResponse(result_text(value), request.name, request.id)
