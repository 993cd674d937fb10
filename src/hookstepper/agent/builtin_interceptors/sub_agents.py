"""Gives the model helpers to hand tasks to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hookstepper.agent import options
from hookstepper.agent.hooks import Hook
from hookstepper.agent.interceptors import Interceptor, ModelRequest
from hookstepper.agent.models.port import ChatModel
from hookstepper.agent.stepwise import RequestInterceptor
from hookstepper.agent.tools import Tool, ToolContext
from hookstepper.engine.checkpoints import MemorySaver
from hookstepper.engine.config import RunConfig
from hookstepper.engine.driver import in_event_loop

GENERAL = "general-purpose"
GUIDANCE = (
    "You can hand a task to a helper with the tool task. Say everything that it needs to know: it does "
    "not see "
    "this conversation, and you see only its last answer. Helpers:"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubAgentSpec:
    """One kind of helper."""

    name: str
    description: str
    system_prompt: str = ""
    """Becomes the helper's instruction, as upstream has it."""
    model: ChatModel | None = None
    """None takes the default model."""
    tools: Sequence[Any] = ()
    hooks: Sequence[Hook] = ()
    interceptors: Sequence[Interceptor] = ()


class SubAgentInterceptor(RequestInterceptor):
    """Brings the tool `task(description, subagent_type)`.

    In upstream rules all tasks share one thread of the helper's saver, so that each sees those before it;
    in fixed rules each begins afresh.

    Args:
        agents: kinds of helpers: specs, or agents by kind.
        default_model: model of helpers that name none; with one there is a general-purpose helper too.
        default_tools: tools of helpers that name none.
        default_hooks: hooks of helpers that name none; not of the general-purpose one.
        general_purpose: whether to offer the general-purpose helper.
    """

    name = "SubAgent"

    def __init__(
        self,
        agents: Sequence[SubAgentSpec] | Mapping[str, Any] = (),
        *,
        default_model: ChatModel | None = None,
        default_tools: Sequence[Any] = (),
        default_hooks: Callable[[], Sequence[Hook]] = tuple,
        general_purpose: bool = True,
    ) -> None:
        from hookstepper.agent.react_agent import ReactAgent

        self.agents: dict[str, Any] = {}
        if default_model is not None and general_purpose:
            self.agents[GENERAL] = ReactAgent(
                GENERAL,
                default_model,
                tools=default_tools,
                description="helps with anything",
                saver=MemorySaver(),
            )
        if isinstance(agents, Mapping):
            self.agents.update(agents)
            return
        for spec in agents:
            model = spec.model or default_model
            if model is None:
                raise options.OptionError(f"helper {spec.name!r} has no model, and there is no default one")
            self.agents[spec.name] = ReactAgent(
                spec.name,
                model,
                description=spec.description,
                instruction=spec.system_prompt or None,
                tools=spec.tools or default_tools,
                hooks=spec.hooks or default_hooks(),
                interceptors=spec.interceptors,
                saver=MemorySaver(),
            )

    def changed(self, request: ModelRequest) -> ModelRequest:
        """The list of helpers behind the system message."""
        listing = "\n".join(f"- {kind}: {agent.description}" for kind, agent in self.agents.items())
        return request.with_system_text(f"{GUIDANCE}\n{listing}")

    def tools(self) -> Sequence[Tool]:
        """The one tool."""
        schema = {
            "type": "object",
            "properties": {
                "description": {"type": "string", "description": "the whole task"},
                "subagent_type": {"enum": list(self.agents), "description": "which helper"},
            },
            "required": ["description", "subagent_type"],
        }
        about = "Hand a task to a helper and get its answer."
        return (Tool("task", self._task, about, schema, context_parameter="context"),)

    def _task(self, context: ToolContext, description: str, subagent_type: str) -> Any:
        agent = self.agents.get(subagent_type)
        if agent is None:
            return f"Error: there is no helper {subagent_type!r}; there are: {', '.join(self.agents)}."
        config = RunConfig(context.call_id if self.fixed else None)
        if in_event_loop():
            return _answer_later(agent, description, config)
        try:
            answer: str = agent.call(description, config).content
        except Exception as error:
            return f"Error: the helper failed: {error}"
        return answer


async def _answer_later(agent: Any, task: str, config: RunConfig) -> str:
    try:
        answer: str = (await agent.acall(task, config)).content
    except Exception as error:
        return f"Error: the helper failed: {error}"
    return answer
