"""The same agent as in `stops_native.py`, by LangChain, plain and inside of a LangGraph graph."""

# LangChain passes the runtime by its name, whether a hook needs it or not.

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[2] / "sample_agents"))

from langchain.agents import AgentState, create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware, after_model, before_agent, before_model
from langchain_core.messages import RemoveMessage
from langchain_core.tools import tool
from langchain_scripted import ScriptedChat, call, calls
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph


class Counted(AgentState, total=False):
    n: int


@tool
def look(q: str) -> str:
    """Look up."""
    return f"found {q}"


@tool
def pay(amount: int) -> str:
    """Pay so much."""
    return f"paid {amount}"


pay.metadata = {"side_effects": True}


@tool
def fails() -> str:
    """Always fails."""
    raise LookupError("no such page")


@before_agent
def enter(state: Any, runtime: Any) -> None:
    """The first node, at which a run begins held."""


@before_model(state_schema=Counted)
def count(state: Any, runtime: Any) -> dict[str, Any]:
    """Counts the turns; takes the user's message away in the second."""
    turn = state.get("n", 0) + 1
    gone = [RemoveMessage(id=state["messages"][0].id)] if turn == 2 else []
    return {"n": turn, "messages": gone}


@after_model(can_jump_to=["model"])
def again(state: Any, runtime: Any) -> dict[str, Any] | None:
    """Sends the model round again when it said nothing."""
    last = state["messages"][-1]
    return None if last.content or last.tool_calls else {"jump_to": "model"}


def _made(**options: Any) -> Any:
    return create_agent(
        ScriptedChat(
            replies=[
                calls(call("look", "c1", q="z")),
                "",
                calls(call("look", "c2", q="z")),
                calls(call("pay", "c3", amount=5)),
                calls(call("fails", "c4")),
                "done",
            ]
        ),
        [look, pay, fails],
        middleware=[enter, count, again, HumanInTheLoopMiddleware(interrupt_on={"pay": True})],
        **options,
    )


agent = _made(checkpointer=InMemorySaver())

_outer = StateGraph(Counted)
_outer.add_node("team", _made())
_outer.add_edge(START, "team")
_outer.add_edge("team", END)
nested = _outer.compile(checkpointer=InMemorySaver())
