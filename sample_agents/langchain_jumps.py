"""Jumps from every other place: before the agent, to the tools, and jumps that nobody declared.

`doorman` leaves before the first model call, and its hook after the agent still runs. `shortcut` goes to the
tools without asking the model. `careless` declares no jump: LangChain ignores the one before the model, and
obeys the one after it, since there the way to the tools is decided. See Route, which tells both.
"""

# LangChain passes the runtime by its name, whether a hook needs it or not.
# ruff: noqa: ARG001

from __future__ import annotations

from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentState, after_agent, after_model, before_agent, before_model
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langchain_scripted import ScriptedChat, call, calls

SAMPLE_INPUT = "Are we there yet?"


@tool
def distance(to: str) -> str:
    """Tell how far it is."""
    return f"12 km to {to}"


@before_agent(can_jump_to=["end"])
def opening_hours(state: AgentState, runtime: Any) -> dict[str, Any] | None:
    """Ends the run before it has begun, unless the word is said."""
    if "please" in str(state["messages"][-1].content):
        return None
    return {"messages": [AIMessage("We are closed.")], "jump_to": "end"}


@after_agent
def sign(state: AgentState, runtime: Any) -> dict[str, Any]:
    """Signs whatever the run ended with."""
    last = state["messages"][-1]
    return {"messages": [last.model_copy(update={"content": f"{last.content} (signed)"})]}


doorman = create_agent(
    ScriptedChat(replies=["Come in."]), [distance], middleware=[opening_hours, sign], name="doorman"
)

# ------------------------------------------------------------------------------------ to the tools


@before_model(can_jump_to=["tools"])
def ask_at_once(state: AgentState, runtime: Any) -> dict[str, Any] | None:
    """Calls the tool in the model's place; a jump to the tools needs a message with calls."""
    if isinstance(state["messages"][-1], HumanMessage):
        return {"messages": [calls(call("distance", "c1", to="the sea"))], "jump_to": "tools"}
    return None


shortcut = create_agent(
    ScriptedChat(replies=["never said", "Not far."]), [distance], middleware=[ask_at_once], name="shortcut"
)

# ------------------------------------------------------------------------------------ undeclared


@before_model
def in_vain(state: AgentState, runtime: Any) -> dict[str, Any]:
    """Sets a jump that it does not declare: ignored."""
    return {"jump_to": "end"}


@after_model
def all_the_same(state: AgentState, runtime: Any) -> dict[str, Any] | None:
    """Sets a jump that it does not declare: obeyed, since the way to the tools is decided here."""
    return {"jump_to": "end"}


careless = create_agent(
    ScriptedChat(replies=[calls(call("distance", "c1", to="the moon"))]),
    [distance],
    middleware=[in_vain, all_the_same],
    name="careless",
)
