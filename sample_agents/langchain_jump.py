"""An agent that leaves early: a hook before the model sets `jump_to`, and the model never runs.

Two declared jumps: `quota` ends the run when the question is asked a third time in one conversation,
`retry_empty` sends the model round again when its answer is empty. `jump_to` lives for exactly one step.
The `after_agent` hook runs whichever way the run ends.
"""

# LangChain passes the runtime by its name, whether a hook needs it or not.
# ruff: noqa: ARG001

from __future__ import annotations

from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentState, after_agent, after_model, before_model
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langchain_scripted import ScriptedChat

SAMPLE_INPUT = {
    "messages": [
        {"role": "user", "content": "Are we there yet?"},
        {"role": "user", "content": "Are we there yet?"},
        {"role": "user", "content": "Are we there yet?"},
    ]
}


@tool
def distance(to: str) -> str:
    """Tell how far it is."""
    return f"12 km to {to}"


@before_model(can_jump_to=["end"])
def quota(state: AgentState, runtime: Any) -> dict[str, Any] | None:
    """Ends the run when the same question comes for the third time."""
    asked = [message.content for message in state["messages"] if isinstance(message, HumanMessage)]
    if asked and asked.count(asked[-1]) >= 3:
        return {"messages": [AIMessage("I have answered that already.")], "jump_to": "end"}
    return None


@after_model(can_jump_to=["model"])
def retry_empty(state: AgentState, runtime: Any) -> dict[str, Any] | None:
    """Asks the model again when it said nothing."""
    last = state["messages"][-1]
    if isinstance(last, AIMessage) and not last.content and not last.tool_calls:
        return {"jump_to": "model"}
    return None


@after_agent
def sign(state: AgentState, runtime: Any) -> dict[str, Any]:
    """Signs whatever the run ended with."""
    last = state["messages"][-1]
    return {"messages": [last.model_copy(update={"content": f"{last.content} (signed)"})]}


agent = create_agent(
    ScriptedChat(replies=["", "No, another 12 km."]),
    [distance],
    middleware=[quota, retry_empty, sign],
    name="driver",
)
