"""Every hook of LangChain, once as decorators and once as a class, plain and asynchronous.

Six places for code: before and after the agent, before and after each model call, around each model call
and around each tool call. `agent` has them as decorated functions, `classes` as one class with both forms,
`coroutines` has only asynchronous functions, so it can only be run asynchronously. All write into a state
that the middleware extends: `visits` is appended to, `owner` is private and seen in no output.
"""

# LangChain passes the runtime by its name, whether a hook needs it or not.
# ruff: noqa: ARG001, ARG002

from __future__ import annotations

import operator
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, NotRequired

from langchain.agents import create_agent
from langchain.agents.middleware import (
    AgentMiddleware,
    AgentState,
    ModelRequest,
    ModelResponse,
    after_agent,
    after_model,
    before_agent,
    before_model,
    wrap_model_call,
    wrap_tool_call,
)
from langchain.agents.middleware.types import PrivateStateAttr
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool
from langchain_scripted import ScriptedChat, call, calls

SAMPLE_INPUT = "How tall is the tower?"


class Visits(AgentState):
    """The agent's state, and what the hooks keep in it."""

    visits: NotRequired[Annotated[list[str], operator.add]]
    owner: NotRequired[Annotated[str, PrivateStateAttr]]


class Audited(AgentState):
    """What the caller of the agent gives besides messages: the agent's own state schema."""

    ticket: NotRequired[str]


@tool
def height(of: str) -> str:
    """Tell how tall something is."""
    return f"{of}: 33 m"


def model() -> ScriptedChat:
    """Asks for the height once, then tells it."""
    return ScriptedChat(replies=[calls(call("height", "c1", of="tower")), "33 metres."])


# ------------------------------------------------------------------------------------ decorated functions


@before_agent(state_schema=Visits)
def greet(state: Visits, runtime: Any) -> dict[str, Any]:
    """Once a run, before all else."""
    return {"visits": ["greet"], "owner": "the caller"}


@before_model(state_schema=Visits)
def look(state: Visits, runtime: Any) -> dict[str, Any]:
    """Before each model call."""
    return {"visits": [f"look at {len(state['messages'])}"]}


@wrap_model_call
def quote(request: ModelRequest, handler: Callable[[ModelRequest], ModelResponse]) -> ModelResponse:
    """Around each model call: hands on a request with a system prompt."""
    return handler(request.override(system_prompt="Give one number."))


@wrap_tool_call
def stamp(request: Any, handler: Callable[[Any], Any]) -> Any:
    """Around each tool call: marks its result."""
    result = handler(request)
    return result.model_copy(update={"content": f"{result.content} (checked)"})


@after_model(state_schema=Visits)
def note(state: Visits, runtime: Any) -> dict[str, Any]:
    """After each model call."""
    return {"visits": ["note"]}


@after_agent(state_schema=Visits)
def leave(state: Visits, runtime: Any) -> dict[str, Any]:
    """Once a run, after all else."""
    return {"visits": [f"leave {state['owner']}"]}


agent = create_agent(
    model(),
    [height],
    middleware=[greet, look, quote, stamp, note, leave],
    state_schema=Audited,
    name="decorated",
)

# ------------------------------------------------------------------------------------ one class


class EveryHook(AgentMiddleware[Visits]):
    """All six places, in both forms: LangChain takes the form that suits the run."""

    state_schema = Visits

    def before_agent(self, state: Visits, runtime: Any) -> dict[str, Any]:
        """Once a run, before all else."""
        return {"visits": ["before_agent"], "owner": "the class"}

    async def abefore_agent(self, state: Visits, runtime: Any) -> dict[str, Any]:
        """The same, asynchronously."""
        return self.before_agent(state, runtime)

    def before_model(self, state: Visits, runtime: Any) -> dict[str, Any]:
        """Before each model call."""
        return {"visits": ["before_model"]}

    async def abefore_model(self, state: Visits, runtime: Any) -> dict[str, Any]:
        """The same, asynchronously."""
        return self.before_model(state, runtime)

    def wrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], ModelResponse]
    ) -> ModelResponse:
        """Around each model call."""
        return handler(request)

    async def awrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[ModelResponse]]
    ) -> ModelResponse:
        """The same, asynchronously."""
        return await handler(request)

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Around each tool call: answers what it knows without running the tool."""
        if request.tool_call["args"].get("of") == "tower":
            return ToolMessage("tower: 33 m, as always", tool_call_id=request.tool_call["id"], name="height")
        return handler(request)

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """The same, asynchronously."""
        if request.tool_call["args"].get("of") == "tower":
            return ToolMessage("tower: 33 m, as always", tool_call_id=request.tool_call["id"], name="height")
        return await handler(request)

    def after_model(self, state: Visits, runtime: Any) -> dict[str, Any]:
        """After each model call."""
        return {"visits": ["after_model"]}

    async def aafter_model(self, state: Visits, runtime: Any) -> dict[str, Any]:
        """The same, asynchronously."""
        return self.after_model(state, runtime)

    def after_agent(self, state: Visits, runtime: Any) -> dict[str, Any]:
        """Once a run, after all else."""
        return {"visits": ["after_agent"]}

    async def aafter_agent(self, state: Visits, runtime: Any) -> dict[str, Any]:
        """The same, asynchronously."""
        return self.after_agent(state, runtime)


classes = create_agent(model(), [height], middleware=[EveryHook()], name="classes")

# ------------------------------------------------------------------------------------ coroutines only


@before_agent(state_schema=Visits)
async def agreet(state: Visits, runtime: Any) -> dict[str, Any]:
    """Once a run, before all else."""
    return {"visits": ["agreet"]}


@before_model(state_schema=Visits)
async def alook(state: Visits, runtime: Any) -> dict[str, Any]:
    """Before each model call."""
    return {"visits": ["alook"]}


@wrap_model_call
async def aquote(
    request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[ModelResponse]]
) -> ModelResponse:
    """Around each model call."""
    return await handler(request.override(system_prompt="Give one number."))


@wrap_tool_call
async def astamp(request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
    """Around each tool call."""
    return await handler(request)


@after_model(state_schema=Visits)
async def anote(state: Visits, runtime: Any) -> dict[str, Any]:
    """After each model call."""
    return {"visits": ["anote"]}


@after_agent(state_schema=Visits)
async def aleave(state: Visits, runtime: Any) -> dict[str, Any]:
    """Once a run, after all else."""
    return {"visits": ["aleave"]}


coroutines = create_agent(
    model(), [height], middleware=[agreet, alook, aquote, astamp, anote, aleave], name="coroutines"
)
