"""LangChain agents of the scenarios: each with plain hooks and, under `NAME_async`, with coroutines."""

# LangChain passes the runtime by its name, whether a hook needs it or not.

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[3] / "sample_agents"))

from langchain.agents import create_agent
from langchain.agents.middleware import (
    AgentMiddleware,
    HumanInTheLoopMiddleware,
    after_agent,
    after_model,
    before_agent,
    before_model,
)
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langchain_scripted import ScriptedChat, call, calls


@tool
def pay(amount: int) -> str:
    """Pay so much."""
    return f"paid {amount}"


@tool
def look(q: str) -> str:
    """Look up."""
    return f"found {q}"


PAYS = calls(call("pay", "c1", amount=1))
BOTH = calls(call("pay", "c1", amount=1), call("look", "c2", q="z"))


def hook(
    place: Callable[..., Any], name: str, gives: Any = None, *, asynchronous: bool, jumps: Any = None
) -> Any:
    """A middleware of one hook that gives `gives`, or what `gives` makes of the state."""

    def plain(state: Any, runtime: Any) -> Any:
        return gives(state) if callable(gives) else gives

    async def later(state: Any, runtime: Any) -> Any:
        return plain(state, runtime)

    function: Any = later if asynchronous else plain
    return place(name=name, can_jump_to=jumps)(function)


def both(name: str) -> AgentMiddleware[Any, Any]:
    """A class with a hook before and one after the model."""

    class Both(AgentMiddleware[Any, Any]):
        def before_model(self, state: Any, runtime: Any) -> None:
            return None

        def after_model(self, state: Any, runtime: Any) -> None:
            return None

        async def abefore_model(self, state: Any, runtime: Any) -> None:
            return None

        async def aafter_model(self, state: Any, runtime: Any) -> None:
            return None

    Both.__name__ = name
    return Both()


class Misnamed(AgentMiddleware[Any, Any]):
    """Its hooks call the runtime by another name than LangChain does."""

    def before_model(self, state: Any, rt: Any) -> None:
        return None

    async def abefore_model(self, state: Any, rt: Any) -> None:
        return None


def asks_before_pay() -> AgentMiddleware[Any, Any]:
    return HumanInTheLoopMiddleware(interrupt_on={"pay": True})


def has_calls(state: Any) -> Any:
    last = [message for message in state["messages"] if isinstance(message, AIMessage)][-1]
    return {"jump_to": "tools"} if last.tool_calls else None


def made(*, asynchronous: bool) -> dict[str, Callable[[], Any]]:
    """What makes each agent, by name."""

    def one(place: Callable[..., Any], name: str, gives: Any = None, jumps: Any = None) -> Any:
        return hook(place, name, gives, asynchronous=asynchronous, jumps=jumps)

    def eager() -> Any:
        return one(after_model, "eager", has_calls, ["tools"])

    once = {"jump_to": "model"}
    return {
        "onion": lambda: create_agent(
            ScriptedChat(replies=[calls(call("look", "c2", q="z")), "done"]),
            [look],
            middleware=[both("A"), both("B"), both("C")],
        ),
        "approval_skipped": lambda: create_agent(
            ScriptedChat(replies=[PAYS, "done"]), [pay], middleware=[asks_before_pay(), eager()]
        ),
        "approval_overruled": lambda: create_agent(
            ScriptedChat(replies=[PAYS, "done"]), [pay], middleware=[eager(), asks_before_pay()]
        ),
        "approval": lambda: create_agent(
            ScriptedChat(replies=[BOTH, "done"]), [pay, look], middleware=[asks_before_pay()]
        ),
        "bad_jump": lambda: create_agent(
            ScriptedChat(replies=["hi"]),
            middleware=[one(after_model, "lost", {"jump_to": "toolz"}, ["model", "end"])],
        ),
        "undeclared_after": lambda: create_agent(
            ScriptedChat(replies=[calls(call("look", "c2", q="z")), "done"]),
            [look],
            middleware=[one(after_model, "quiet", {"jump_to": "end"})],
        ),
        "undeclared_before": lambda: create_agent(
            ScriptedChat(replies=["hi"]), middleware=[one(before_model, "quiet", {"jump_to": "end"})]
        ),
        "sticky": lambda: create_agent(
            ScriptedChat(replies=["", "more", "done"]),
            middleware=[
                one(after_model, "seen"),
                one(after_model, "again", lambda s: None if s["messages"][-1].content else once, ["model"]),
            ],
        ),
        "early_end": lambda: create_agent(
            ScriptedChat(replies=["never"]),
            middleware=[
                one(before_agent, "audit"),
                one(before_model, "stop", {"jump_to": "end"}, ["end"]),
                one(after_agent, "sign"),
            ],
        ),
        "beside": lambda: create_agent(
            ScriptedChat(
                replies=[calls(*(call("look", f"c{n}", q=f"q{n}") for n in range(4))), "done"],
            ),
            [look],
        ),
        "misnamed": lambda: create_agent(ScriptedChat(replies=["hi"]), middleware=[Misnamed()]),
        "step_budget": lambda: create_agent(
            ScriptedChat(replies=[calls(call("look", "c2", q="z")), "done"]),
            [look],
            middleware=[both("A"), both("B")],
        ),
    }


def __getattr__(name: str) -> Any:
    """An agent when it is asked for: a test opens one, and should not wait for all the others."""
    agents = made(asynchronous=name.endswith("_async"))
    bare = name.removesuffix("_async")
    if bare not in agents:
        raise AttributeError(name)
    return agents[bare]()
