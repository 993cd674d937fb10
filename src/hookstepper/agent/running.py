"""The ways to run an agent, plain or made of agents."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from typing import Any

from hookstepper.agent.messages import (
    MESSAGE_TYPES,
    AssistantMessage,
    Message,
    UserMessage,
    last_assistant,
    last_user,
    messages_of,
)
from hookstepper.engine.config import RunConfig
from hookstepper.engine.outputs import Interruption, NodeOutput, Output, RunResult, StreamingOutput
from hookstepper.engine.run import CompiledGraph
from hookstepper.ports.probe import Probe, SilentProbe

AGENT_KEY = "_AGENT_"
"""Metadata key of the agent's name."""


class AgentError(RuntimeError):
    """A run ended without what the caller asked for."""


class Running(ABC):
    """What every agent can do. One run at a time for each thread id; different threads may run at once."""

    name: str

    @abstractmethod
    def compiled(self) -> CompiledGraph:
        """The compiled graph."""

    def first_update(self, value: object, config: RunConfig, compiled: CompiledGraph) -> dict[str, Any]:  # noqa: ARG002
        """The update that a new run begins with."""
        return self.inputs_of(value)

    def inputs_of(self, value: object) -> dict[str, Any]:
        """The first state update that `value` means: a text, a message, a list of messages, or a mapping of
        state keys, which is taken as it is.

        Raises:
            TypeError: it is none of these.
        """
        if isinstance(value, Mapping):
            return dict(value)
        if isinstance(value, str):
            messages: list[Message] = [UserMessage(value)] if value else []
        elif isinstance(value, MESSAGE_TYPES):
            messages = [value]  # type: ignore[list-item]
        elif isinstance(value, Iterable):
            messages = messages_of({"messages": list(value)})
        elif value is None:
            messages = []
        else:
            raise TypeError(f"an agent takes a text, messages or a mapping, not {type(value).__name__}")
        user = last_user(messages)
        return ({} if user is None else {"input": user.content}) | {"messages": messages}

    def config_of(self, config: RunConfig | None, *, stream: bool) -> RunConfig:
        """A copy of `config` for one run of this agent."""
        made = (config or RunConfig()).copy(stream=stream)
        made.metadata[AGENT_KEY] = self.name
        return made

    def run(self, value: object, config: RunConfig | None = None, probe: Probe | None = None) -> RunResult:
        """Run to rest; an interruption and a failure of the agent are told in the result."""
        made, graph = self.config_of(config, stream=False), self.compiled()
        return graph.run(self.first_update(value, made, graph), made, probe=probe or SilentProbe())

    async def arun(
        self, value: object, config: RunConfig | None = None, probe: Probe | None = None
    ) -> RunResult:
        """`run` on the current event loop."""
        made, graph = self.config_of(config, stream=False), self.compiled()
        return await graph.arun(self.first_update(value, made, graph), made, probe=probe or SilentProbe())

    def invoke(self, value: object, config: RunConfig | None = None) -> Mapping[str, Any]:
        """The last state; an interruption leaves no mark in it.

        Raises:
            Exception: what a hook, a tool ring or the model raised.
        """
        return _checked(self.run(value, config)).state

    async def ainvoke(self, value: object, config: RunConfig | None = None) -> Mapping[str, Any]:
        """`invoke` on the current event loop."""
        return _checked(await self.arun(value, config)).state

    def invoke_and_get_output(
        self, value: object, config: RunConfig | None = None
    ) -> RunResult | Interruption:
        """The interruption if the agent asks something, else how the run ended."""
        result = _checked(self.run(value, config))
        return result.interruption or result

    def call(self, value: object, config: RunConfig | None = None) -> AssistantMessage:
        """The answer. After an interruption that is the message whose tools wait for approval.

        Raises:
            AgentError: there is none.
        """
        return self.answer_in(_checked(self.run(value, config)).state)

    async def acall(self, value: object, config: RunConfig | None = None) -> AssistantMessage:
        """`call` on the current event loop."""
        return self.answer_in(_checked(await self.arun(value, config)).state)

    def answer_in(self, state: Mapping[str, Any]) -> AssistantMessage:
        """The answer that a final state holds: the last assistant message.

        Raises:
            AgentError: it holds none.
        """
        answer = last_assistant(messages_of(state))
        if answer is None:
            raise AgentError(f"agent {self.name!r}: there is no assistant message in 'messages'")
        return answer

    def stream(
        self, value: object, config: RunConfig | None = None, probe: Probe | None = None
    ) -> Iterator[Output]:
        """Outputs of the nodes as they come; the model's answer in pieces if it streams."""
        made, graph = self.config_of(config, stream=True), self.compiled()
        return graph.stream(self.first_update(value, made, graph), made, probe=probe or SilentProbe())

    def astream(
        self, value: object, config: RunConfig | None = None, probe: Probe | None = None
    ) -> AsyncIterator[Output]:
        """`stream` on the current event loop."""
        made, graph = self.config_of(config, stream=True), self.compiled()
        return graph.astream(self.first_update(value, made, graph), made, probe=probe or SilentProbe())

    def stream_messages(self, value: object, config: RunConfig | None = None) -> Iterator[Message]:
        """The model's answers piece by piece, and the tools' results: what a chat window shows. An answer of
        a model that does not stream comes whole."""
        pieces = False
        for output in self.stream(value, config):
            if isinstance(output, StreamingOutput):
                pieces = True
                yield AssistantMessage(output.chunk.text, metadata=output.chunk.metadata)
            elif isinstance(output, NodeOutput) and output_type(output) in _SHOWN:
                message = messages_of(output.state)[-1]
                if not (pieces and isinstance(message, AssistantMessage)):
                    yield message
                pieces = False

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


_SHOWN = ("AGENT_MODEL_FINISHED", "AGENT_TOOL_FINISHED")


def output_type(output: Output) -> str:
    """What upstream calls an output: the kind of its node, and whether it is a piece or the whole.

    Such as `AGENT_MODEL_STREAMING`, `AGENT_TOOL_FINISHED`, `AGENT_HOOK_FINISHED`, `GRAPH_NODE_FINISHED`.
    """
    node = output.node.rpartition(":")[2]
    kinds = {"_AGENT_MODEL_": "AGENT_MODEL", "_AGENT_TOOL_": "AGENT_TOOL", "_AGENT_HOOK_": "AGENT_HOOK"}
    kind = next((word for prefix, word in kinds.items() if node.startswith(prefix)), "GRAPH_NODE")
    return f"{kind}_{'STREAMING' if isinstance(output, StreamingOutput) else 'FINISHED'}"


def _checked(result: RunResult) -> RunResult:
    if result.error is not None:
        raise result.error
    return result
