"""What a model call is made of, decided anew at each call: prompt, model, tools, and whether it is made.

`agent` writes its prompt from the runtime context, takes a larger model for long conversations, and offers
the tools that the user's role allows: give a context such as `{"role": "admin"}`. `selecting` lets a small
model choose the tools first. `cached` answers a question that it has answered before without calling the
model. Look at a model call's request: it shows what the rings made of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import (
    LLMToolSelectorMiddleware,
    ModelRequest,
    ModelResponse,
    dynamic_prompt,
    wrap_model_call,
)
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.tools import tool
from langchain_scripted import ScriptedChat, call, calls

SAMPLE_INPUT = "Who is Ada?"
LONG = 3
"""Messages from which on a conversation is for the larger model."""


@dataclass
class Visitor:
    """The runtime context: given with each run, and no part of the state."""

    role: str = "guest"


@tool
def look_up(name: str) -> str:
    """Tell who somebody is."""
    return f"{name} wrote the first program"


@tool
def forget(name: str) -> str:
    """Delete what is known of somebody."""
    return f"{name} is forgotten"


def told(messages: list[BaseMessage]) -> str:
    """The last answer: what the tool said."""
    return f"It is said that {messages[-1].content}."


SMALL = ScriptedChat(replies=[calls(call("look_up", "c1", name="Ada")), told], model_name="small")
LARGE = ScriptedChat(replies=[calls(call("look_up", "c1", name="Ada")), told], model_name="large")


@dynamic_prompt
def by_role(request: ModelRequest) -> str:
    """The system prompt, made for this call."""
    visitor = request.runtime.context or Visitor()
    return f"You talk to a {visitor.role}; {len(request.messages)} messages so far."


@wrap_model_call
def by_length(request: ModelRequest, handler: Callable[[ModelRequest], ModelResponse]) -> ModelResponse:
    """The larger model from the third message on."""
    return handler(request.override(model=LARGE if len(request.messages) >= LONG else SMALL))


@wrap_model_call
def allowed(request: ModelRequest, handler: Callable[[ModelRequest], ModelResponse]) -> ModelResponse:
    """Only an admin is offered the tool that deletes."""
    visitor = request.runtime.context or Visitor()
    offered = [one for one in request.tools if visitor.role == "admin" or _name(one) != "forget"]
    return handler(request.override(tools=offered))


def _name(one: Any) -> str:
    return str(one.get("name", "") if isinstance(one, dict) else one.name)


agent = create_agent(
    SMALL,
    [look_up, forget],
    middleware=[by_role, by_length, allowed],
    context_schema=Visitor,
    name="receptionist",
)

# ------------------------------------------------------------------------------------ tools by a model

CHOOSER = ScriptedChat(
    replies=[calls(call("ToolSelectionResponse", "s1", tools=["look_up"]))], model_name="chooser"
)

selecting = create_agent(
    SMALL,
    [look_up, forget],
    middleware=[LLMToolSelectorMiddleware(model=CHOOSER, max_tools=1)],
    name="selecting",
)

# ------------------------------------------------------------------------------------ no call at all

KNOWN = {"Who is Ada?": "Ada Lovelace; that one is known by heart."}


@wrap_model_call
def by_heart(
    request: ModelRequest, handler: Callable[[ModelRequest], ModelResponse]
) -> ModelResponse | AIMessage:
    """Answers from memory where it can, and then the model is not called."""
    asked = next(one.content for one in reversed(request.messages) if isinstance(one, HumanMessage))
    known = KNOWN.get(str(asked))
    return AIMessage(known) if known else handler(request)


cached = create_agent(SMALL, [look_up], middleware=[by_heart], name="cached")
