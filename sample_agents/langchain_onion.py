"""Three middleware around one agent: the onion, and the rings inside the model and tool nodes.

Registered in the order Audit, Style, Safety. Before the model they run in this order, after it in reverse;
their `wrap_*` methods are rings around one call, the first registered outermost. Safety is registered last,
so it is the first to see an answer: put it first and it sees what the others made of it.
"""

# LangChain passes the runtime by its name, whether a hook needs it or not.
# ruff: noqa: ARG002

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool
from langchain_scripted import ScriptedChat, call, calls

SAMPLE_INPUT = "How do I empty the folder /tmp/old?"


@tool
def list_folder(path: str) -> str:
    """List the files of a folder."""
    return f"{path}: a.log b.log"


class Audit(AgentMiddleware):
    """Counts the turns, and stands around the whole run."""

    def before_agent(self, state: AgentState, runtime: Any) -> None:
        """Once a run, before everything else."""

    def after_agent(self, state: AgentState, runtime: Any) -> None:
        """Once a run, after everything else."""

    def wrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], ModelResponse]
    ) -> ModelResponse:
        """The outermost ring: sees the request as the agent made it."""
        return handler(request)

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """A ring around each single tool call."""
        return handler(request)


class Style(AgentMiddleware):
    """Asks for short answers, and makes the last one polite."""

    def before_model(self, state: AgentState, runtime: Any) -> None:
        """Every turn, before the model."""

    def after_model(self, state: AgentState, runtime: Any) -> dict[str, Any] | None:
        """Every turn, after the model: a new message with the old id takes the old one's place."""
        last = state["messages"][-1]
        if not isinstance(last, AIMessage) or last.tool_calls:
            return None
        return {"messages": [last.model_copy(update={"content": f"{last.content} You are welcome."})]}

    def wrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], ModelResponse]
    ) -> ModelResponse:
        """The middle ring: hands on a request with a system prompt."""
        return handler(request.override(system_prompt="Answer in one sentence."))


class Safety(AgentMiddleware):
    """Cuts shell commands out of answers."""

    def before_model(self, state: AgentState, runtime: Any) -> None:
        """Every turn, before the model."""

    def after_model(self, state: AgentState, runtime: Any) -> dict[str, Any] | None:
        """Every turn, right after the model: registered last, so first on the way out."""
        last = state["messages"][-1]
        if not isinstance(last, AIMessage) or "rm -rf" not in str(last.content):
            return None
        cut = str(last.content).replace("rm -rf /tmp/old/*", "[removed]")
        return {"messages": [last.model_copy(update={"content": cut})]}

    def wrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], ModelResponse]
    ) -> ModelResponse:
        """The innermost ring: next to the model itself."""
        return handler(request)

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], ToolMessage]) -> ToolMessage:
        """The inner ring around a tool call."""
        return handler(request)


agent = create_agent(
    ScriptedChat(
        replies=[
            calls(call("list_folder", "c1", path="/tmp/old")),
            "It holds two files; rm -rf /tmp/old/* empties it.",
        ]
    ),
    [list_folder],
    middleware=[Audit(), Style(), Safety()],
    name="helper",
)
