"""The same small programs, written for each framework; the contract is tested on all of them.

To add an adapter, write one more `Maker` and list it in `MAKERS`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, Protocol

from support import langgraph_kit  # before langchain  # noqa: F401  # isort: skip
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, HumanInTheLoopMiddleware, hook_config
from langchain_core.tools import tool as langchain_tool
from langchain_scripted import ScriptedChat, call, calls
from langgraph.graph import StateGraph as TheirGraph
from typing_extensions import TypedDict

from hookstepper.adapters.langgraph import LangGraphAdapter
from hookstepper.adapters.native import NativeAdapter
from hookstepper.agent import (
    APPEND,
    END,
    START,
    AssistantMessage,
    HookPosition,
    HumanInTheLoopHook,
    ModelHook,
    ReactAgent,
    ScriptedModel,
    StateGraph,
    ToolCall,
    hook_positions,
)
from hookstepper.agent import tool as native_tool
from hookstepper.ports.target import Adapter

Body = Callable[[Any], dict[str, Any]]


class Maker(Protocol):
    """Makes the programs of the contract in one framework."""

    name: str
    adapter: Adapter

    def line(self, **bodies: Body) -> object:
        """Nodes one after another; state keys `n` (replaced) and `log` (appended to)."""
        ...

    def agent(self, paid: list[int]) -> object:
        """An agent with a hook that may jump to end, and approval for its tool `pay`, called once."""
        ...

    hook: str
    """Id of the agent's before-model hook node that may jump to end."""
    tool_node: str


@dataclass
class Native:
    """hookstepper's own engine and agent."""

    name: str = "native"
    adapter: Adapter = field(default_factory=NativeAdapter)
    hook: str = "_AGENT_HOOK_Gate.beforeModel"
    tool_node: str = "_AGENT_TOOL_"

    def line(self, **bodies: Body) -> object:
        graph = StateGraph("line", {"log": APPEND})
        before = START
        for name, body in bodies.items():
            graph.add_node(name, body)
            graph.add_edge(before, name)
            before = name
        graph.add_edge(before, END)
        return graph

    def agent(self, paid: list[int]) -> object:
        @native_tool
        def pay(amount: int) -> str:
            """Pay.

            Args:
                amount: how much.
            """
            paid.append(amount)
            return f"paid {amount}"

        @hook_positions(HookPosition.BEFORE_MODEL)
        class Gate(ModelHook):
            can_jump_to = ("end",)

            def before_model(self, state: Any) -> dict[str, Any]:
                return {}

        script = [ToolCall("c1", "pay", '{"amount": 5}'), AssistantMessage("done")]
        return ReactAgent(
            "clerk", ScriptedModel(script), tools=[pay], hooks=[Gate(), HumanInTheLoopHook(["pay"])]
        )


@dataclass
class LangGraph:
    """LangGraph's StateGraph and LangChain's create_agent."""

    name: str = "langgraph"
    adapter: Adapter = field(default_factory=LangGraphAdapter)
    hook: str = "Gate.before_model"
    tool_node: str = "tools"

    def line(self, **bodies: Body) -> object:
        class State(TypedDict, total=False):
            n: int
            log: Annotated[list[Any], operator.add]

        builder = TheirGraph(State)
        before = "__start__"
        for name, body in bodies.items():
            builder.add_node(name, body)
            builder.add_edge(before, name)
            before = name
        return builder.compile()

    def agent(self, paid: list[int]) -> object:
        @langchain_tool
        def pay(amount: int) -> str:
            """Pay."""
            paid.append(amount)
            return f"paid {amount}"

        class Gate(AgentMiddleware):
            @hook_config(can_jump_to=["end"])
            def before_model(self, state: Any, runtime: Any) -> None:
                return None

        script = [calls(call("pay", "c1", amount=5)), "done"]
        middleware = [Gate(), HumanInTheLoopMiddleware({"pay": True})]
        return create_agent(ScriptedChat(replies=script), [pay], middleware=middleware, name="clerk")


MAKERS: tuple[Maker, ...] = (Native(), LangGraph())
