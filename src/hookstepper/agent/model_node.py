"""The model node: what is asked of the model, through which rings, and what becomes of the answer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hookstepper.agent import texts
from hookstepper.agent.asking import as_reply, asked, uses_async
from hookstepper.agent.interceptors import Layer, ModelRequest, ModelResponse
from hookstepper.agent.layers import wrapped
from hookstepper.agent.messages import (
    AgentInstructionMessage,
    AssistantMessage,
    Message,
    SystemMessage,
    UserMessage,
    messages_of,
    peek,
    with_id,
)
from hookstepper.agent.models.port import ChatChunk, ChatModel, ChatReply, Prompt, aggregate
from hookstepper.agent.streaming import StreamChain, StreamingModelInterceptor
from hookstepper.agent.template import render
from hookstepper.agent.tools import Tool
from hookstepper.engine.config import RunConfig
from hookstepper.engine.driver import Driver
from hookstepper.engine.effects import Call, Effects, Emit, Here, Tell, effectful, gated
from hookstepper.engine.outputs import StreamingOutput
from hookstepper.model.gates import Site
from hookstepper.model.ids import NodeId
from hookstepper.ports.facts import CallBegan, CallEnded, TextStreamed

MODEL_NODE = NodeId("_AGENT_MODEL_")
ITERATION_KEY = "_MODEL_ITERATION_"
DYNAMIC_TOOLS_KEY = "_DYNAMIC_TOOL_CALLBACKS_"
"""Context key of the tools that the last model call offered beside the agent's own."""
USAGE_KEY = "_TOKEN_USAGE_"
"""Update key of the tokens used; the engine takes it out before it merges."""
STREAM_KEY = "_stream_"
"""Context key of a request: True if the answer will come in pieces."""
_DONE = object()


class BrokenStreamError(RuntimeError):
    """A stream failed after pieces of it had been handed out; asking again would hand them out twice."""


class _NotBegunError(Exception):
    """The model refused before its stream began."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


@dataclass(slots=True, eq=False)
class ModelNode:
    """The body of an agent's model node. One instance serves all runs; it keeps nothing of them."""

    model: ChatModel
    tools: Sequence[Tool] = ()
    layers: Sequence[Layer] = ()
    options: Mapping[str, object] = field(default_factory=dict)
    system_prompt: Callable[[], str | None] = lambda: None
    """Asked at each call, so that a change takes effect at the next one."""
    output_key: str = ""
    output_schema: str = ""
    compat: str = "upstream"
    streaming: Sequence[StreamingModelInterceptor] = ()

    @effectful
    def __call__(self, state: Mapping[str, Any], config: RunConfig) -> Effects[Mapping[str, Any]]:
        """One model call: the update with its answer."""
        config.context[ITERATION_KEY] = config.context.get(ITERATION_KEY, -1) + 1
        node = NodeId(config.path + MODEL_NODE)
        request = self._request(state, config)
        streamed: list[bool] = []
        ask = wrapped(self.layers, lambda asked: self._base(asked, node, config, streamed), node, "model")
        made = yield from ask(request)
        response = as_response(made)
        if response.message is None:
            response = response.with_(message=AssistantMessage(texts.EMPTY_ANSWER))
        answers = sum(1 for message in messages_of(state) if isinstance(message, AssistantMessage))
        message = with_id(response.message, f"{config.path}a{answers + 1}")
        update: dict[str, Any] = {"messages": message}
        if self.output_key:
            update[self.output_key] = message
            if request.context[STREAM_KEY] and not streamed and self.compat != "fixed":
                # Upstream only stores both where a stream ends; what a ring answers is no stream.
                del update["messages"]
        if response.usage is not None:
            update[USAGE_KEY] = response.usage
        return update

    # -------------------------------------------------------------------------------------- request

    def _request(self, state: Mapping[str, Any], config: RunConfig) -> ModelRequest:
        system = self.system_prompt()
        return ModelRequest(
            messages=tuple(self._messages(state)),
            system_message=SystemMessage(system) if system else None,
            tools=tuple(tool.name for tool in self.tools),
            tool_descriptions={tool.name: tool.description for tool in self.tools if tool.description},
            options=dict(self.options),
            context={**peek(state), **config.metadata, STREAM_KEY: config.stream and self.model.streams},
        )

    def _messages(self, state: Mapping[str, Any]) -> list[Message]:
        if "messages" not in state:
            text = state.get("input")
            if text is None:
                raise ValueError(
                    "the state holds neither messages nor input: there is nothing to ask the model"
                )
            return [UserMessage(str(text))]
        found = state["messages"]
        # As upstream, the list of the state itself is changed: a filled-in instruction stays filled in.
        messages = found if isinstance(found, list) else messages_of(state)
        if self.output_schema:
            ask_for_schema(messages, self.output_schema, once=self.compat == "fixed")
        render_instruction(messages, state)
        return messages_of({"messages": messages})

    # ------------------------------------------------------------------------------------ the call

    def _base(
        self, request: ModelRequest, node: NodeId, config: RunConfig, streamed: list[bool]
    ) -> Effects[ModelResponse]:
        """Innermost: the call itself; what the model raises becomes its answer, as upstream has it.

        Args:
            streamed: gets an entry when a stream has given its answer.
        """
        config.context.pop(DYNAMIC_TOOLS_KEY, None)
        if request.dynamic_tools:
            config.context[DYNAMIC_TOOLS_KEY] = request.dynamic_tools
        site = Site("model", node, getattr(self.model, "name", "") or "model")
        streams = config.stream and self.model.streams
        seen: list[Any] = [request, 0]
        driver: Driver = yield Here()

        def body(actual: Any) -> Effects[ModelResponse]:
            seen[0] = actual
            yield Tell(CallBegan(site, driver.task, "", actual))
            began = driver.clock()
            try:
                reply = yield from self._ask(actual, streams, node)
            finally:
                seen[1] = driver.clock() - began
            return ModelResponse(reply.message, reply.usage)

        error: Exception | None = None
        response: ModelResponse | None = None
        try:
            made = yield from gated(site, request, body)
            response = as_response(made)
        except Exception as raised:
            error = raised
        usage = response.usage if response is not None else None
        yield Tell(CallEnded(site, driver.task, "", seen[0], response, error, seen[1] // 1000, usage))
        if response is not None:
            if streams:
                streamed.append(True)
            return response
        assert error is not None
        if isinstance(error, _NotBegunError):
            error = error.cause
        elif streams:
            raise error
        return ModelResponse(AssistantMessage(f"Exception: {error}"))

    def _prompt(self, request: ModelRequest) -> Prompt:
        offered = [tool for tool in self.tools if not request.tools or tool.name in request.tools]
        names = {tool.name for tool in offered}
        offered += [tool for tool in request.dynamic_tools if tool.name not in names]
        described = tuple(
            replace(tool, description=request.tool_descriptions[tool.name])
            if request.tool_descriptions.get(tool.name, tool.description) != tool.description
            else tool
            for tool in offered
        )
        head = (request.system_message,) if request.system_message is not None else ()
        return Prompt((*head, *request.messages), described, request.options)

    def _ask(self, request: ModelRequest, streams: bool, node: NodeId) -> Effects[ChatReply]:
        driver: Driver = yield Here()
        prompt = self._prompt(request)
        if not streams:
            return (yield from asked(self.model, prompt))
        use_async = uses_async(self.model, driver.awaits)
        chain = StreamChain(self.streaming, request)
        try:
            yield Call(chain.begin)
            chunks = yield from self._pieces(chain, prompt, use_async, node)
            yield Call(chain.complete)
        except Exception as error:
            yield Call(chain.failed, (error,))
            raise
        return aggregate(chunks)

    def _pieces(
        self, chain: StreamChain, prompt: Prompt, use_async: bool, node: NodeId
    ) -> Effects[list[ChatChunk]]:
        """The pieces that came out of the chain, each told as it came."""
        driver: Driver = yield Here()
        chunks: list[ChatChunk] = []
        try:
            source: Any = self.model.astream(prompt) if use_async else self.model.stream(prompt)
        except Exception as error:
            raise _NotBegunError(error) from error
        pull = _pull_async if use_async else _pull
        try:
            while True:
                chunk = yield Call(pull, (source,))
                if chunk is _DONE:
                    break
                chunk = yield Call(chain.passing, (chunk,))
                if chunk is None:
                    continue
                chunks.append(chunk)
                if chunk.text:
                    yield Tell(TextStreamed(driver.task, chunk.text))
                yield Emit(StreamingOutput(node, chunk, subgraph=False))
        except Exception as error:
            if chunks:
                raise BrokenStreamError(f"the model's stream broke off: {error}") from error
            raise
        finally:
            # A generator that is closed while it waits cannot wait for anything more.
            if not use_async and hasattr(source, "close"):
                source.close()
        return chunks


def _pull(source: Iterator[ChatChunk]) -> Any:
    return next(source, _DONE)


async def _pull_async(source: AsyncIterator[ChatChunk]) -> Any:
    return await anext(source, _DONE)


def as_response(value: object) -> ModelResponse:
    """What a ring, a model or a person gave as the response."""
    if isinstance(value, ModelResponse):
        return value
    reply = as_reply(value)
    return ModelResponse(reply.message, reply.usage)


def ask_for_schema(messages: list[Any], schema: str, *, once: bool = False) -> None:
    """Put the output schema behind the newest user message or instruction, in place, unless it is there.

    Args:
        once: also look for it in the form that it has in a filled-in instruction; upstream does not, and so
            puts it there again at the second model call of a run.
    """
    for at in range(len(messages) - 1, -1, -1):
        message = messages[at]
        if isinstance(message, UserMessage):
            if schema not in message.content:
                messages[at] = replace(message, text=f"{message.content}\n{schema}")
            return
        if isinstance(message, AgentInstructionMessage):
            if once and schema in message.content:
                return
            escaped = schema.replace("{", "\\{").replace("}", "\\}")
            if escaped not in message.content:
                messages[at] = replace(message, text=f"{message.content}\n{escaped}")
            return
    if messages:
        messages.append(UserMessage(schema))


def render_instruction(messages: list[Any], state: Mapping[str, Any]) -> None:
    """Fill in the newest instruction that has not been, in place, from the state's plain values.

    Raises:
        KeyError: it names a value that the state does not hold.
    """
    for at in range(len(messages) - 1, -1, -1):
        message = messages[at]
        if isinstance(message, AgentInstructionMessage) and not message.rendered:
            values = {
                key: value.content if hasattr(value, "content") else value
                for key, value in peek(state).items()
                if key != "messages" and not isinstance(value, (list, tuple))
            }
            messages[at] = replace(message, text=render(message.content, values), rendered=True)
            return
