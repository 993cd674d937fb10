"""An agent of the built-in builder in which everything happens that a breakpoint can be about."""

from __future__ import annotations

from typing import Any

from hookstepper.agent import (
    APPEND,
    END,
    MARK_FOR_REMOVAL,
    START,
    AssistantMessage,
    CompileConfig,
    HumanInTheLoopHook,
    MemorySaver,
    ReactAgent,
    ScriptedModel,
    StateGraph,
    ToolCall,
    UserMessage,
    after_model,
    before_model,
    tool,
)


@tool
def look(q: str) -> str:
    """Look up."""
    return f"found {q}"


@tool(side_effects=True)
def pay(amount: int) -> str:
    """Pay so much."""
    return f"paid {amount}"


@tool
def fails() -> str:
    """Always fails."""
    raise LookupError("no such page")


@before_model(name="count")
def count(state: Any) -> Any:
    """Counts the turns; leaves a scratch note in the first and takes it away in the second."""
    turn = state.get("n", 0) + 1
    return {"n": turn, "scratch": "note" if turn == 1 else MARK_FOR_REMOVAL}


@after_model(name="again", can_jump_to=["model"])
def again(state: Any) -> Any:
    """Sends the model round again when it said nothing."""
    last = state["messages"][-1]
    silent = isinstance(last, AssistantMessage) and not last.text and not last.tool_calls
    return {"jump_to": "model" if silent else None}


agent = ReactAgent(
    "stops",
    ScriptedModel(
        [
            ToolCall("c1", "look", '{"q": "z"}'),
            "",
            ToolCall("c2", "look", '{"q": "z"}'),
            ToolCall("c3", "pay", '{"amount": 5}'),
            ToolCall("c4", "fails", "{}"),
            "done",
        ]
    ),
    tools=[look, pay, fails],
    hooks=[count, again, HumanInTheLoopHook({"pay": "it spends money"})],
    saver=MemorySaver(),
)

_outer = StateGraph("outer", {"messages": APPEND})
_outer.add_node("team", agent.copy().as_node())
_outer.add_edge(START, "team")
_outer.add_edge("team", END)
nested = _outer.compile(CompileConfig(saver=MemorySaver()))

SAMPLE_INPUT = {"messages": [UserMessage("hi")]}
