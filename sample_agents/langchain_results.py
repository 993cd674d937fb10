"""How an agent comes to its end: with a structured answer, with a tool's result, with a tool that is not run.

`agent` answers in a schema by calling a tool that does not exist; its first try does not fit and is sent
back. `direct` ends with what the tool returned. `commanding` has a tool that writes to the state besides its
message. `emulated` has a tool that a model plays, `shelled` a shell that lives as long as the run. `toolless`
has no tools at all, so no tool node.
"""

from __future__ import annotations

from typing import Annotated, Any, NotRequired

from langchain.agents import AgentState, create_agent
from langchain.agents.middleware import LLMToolEmulator, ShellToolMiddleware
from langchain.agents.structured_output import ToolStrategy
from langchain_core.messages import ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langchain_scripted import ScriptedChat, call, calls
from langgraph.types import Command
from pydantic import BaseModel

SAMPLE_INPUT = "Where is the parcel?"


class Place(BaseModel):
    """The answer's schema."""

    town: str
    hours: int


@tool
def track(parcel: str) -> str:
    """Tell where a parcel is."""
    return f"parcel {parcel} is in Ulm"


agent = create_agent(
    ScriptedChat(
        replies=[
            calls(call("track", "c1", parcel="7")),
            calls(call("Place", "s1", town="Ulm", hours="soon")),
            calls(call("Place", "s2", town="Ulm", hours=3)),
        ]
    ),
    [track],
    response_format=ToolStrategy(Place),
    name="structured",
)


@tool(return_direct=True)
def announce(parcel: str) -> str:
    """Tell the customer where a parcel is, and no more."""
    return f"Your parcel {parcel} arrives today."


direct = create_agent(
    ScriptedChat(replies=[calls(call("announce", "c1", parcel="7")), "never said"]), [announce], name="direct"
)


class Parcels(AgentState):
    """A state with the place of each parcel that was looked up."""

    places: NotRequired[dict[str, str]]


@tool
def locate(parcel: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
    """Find a parcel and keep its place."""
    said = ToolMessage(f"parcel {parcel} is in Ulm", tool_call_id=tool_call_id)
    return Command(update={"places": {parcel: "Ulm"}, "messages": [said]})


commanding = create_agent(
    ScriptedChat(replies=[calls(call("locate", "c1", parcel="7")), "It is in Ulm."]),
    [locate],
    state_schema=Parcels,
    name="commanding",
)

emulated = create_agent(
    ScriptedChat(replies=[calls(call("track", "c1", parcel="7")), "It is in Bern, they say."]),
    [track],
    middleware=[
        LLMToolEmulator(
            tools=["track"], model=ScriptedChat(replies=["parcel 7 is in Bern"], model_name="actor")
        )
    ],
    name="emulated",
)

shelled = create_agent(
    ScriptedChat(
        replies=[
            calls(call("shell", "c1", command="parcel=7; echo parcel $parcel")),
            calls(call("shell", "c2", command="echo parcel $parcel again")),
            "It is in the shell.",
        ]
    ),
    middleware=[ShellToolMiddleware()],
    name="shelled",
)

toolless = create_agent(ScriptedChat(replies=["I cannot know."]), name="toolless")
