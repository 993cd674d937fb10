"""Agents of the scenarios on the built-in engine: the same kinds of trouble as in `chains.py`."""

from __future__ import annotations

from typing import Any

from hookstepper.agent import (
    AgentCommand,
    AssistantMessage,
    HumanInTheLoopHook,
    MemorySaver,
    MessagesModelHook,
    ReactAgent,
    ScriptedModel,
    ToolCall,
    UpdatePolicy,
    after_agent,
    after_model,
    before_agent,
    before_model,
    hook_positions,
    tool,
)
from hookstepper.agent.hooks import HookPosition, ModelHook


@tool
def pay(amount: int) -> str:
    """Pay so much."""
    return f"paid {amount}"


@tool
def look(q: str) -> str:
    """Look up."""
    return f"found {q}"


PAYS = ToolCall("c1", "pay", '{"amount": 1}')
BOTH = AssistantMessage(None, (PAYS, ToolCall("c2", "look", '{"q": "z"}')))
LOOKS = ToolCall("c2", "look", '{"q": "z"}')


def both(name: str) -> ModelHook:
    """A hook before and after the model."""

    class Both(ModelHook):
        def __init__(self) -> None:
            super().__init__()
            self.name = name

        def before_model(self, state: Any) -> None: ...

        def after_model(self, state: Any) -> None: ...

    return Both()


def one(place: Any, name: str, gives: Any = None, jumps: Any = ()) -> Any:
    def body(state: Any) -> Any:
        return gives(state) if callable(gives) else gives or {}

    return place(name=name, can_jump_to=list(jumps))(body)


def eager(state: Any) -> Any:
    asked = [m for m in state["messages"] if isinstance(m, AssistantMessage)][-1].tool_calls
    return {"jump_to": "tool"} if asked else {}


def agent(script: list[Any], hooks: Any = (), tools: Any = (), **options: Any) -> ReactAgent:
    return ReactAgent("a", ScriptedModel(script), hooks=list(hooks), tools=list(tools), **options)


def asking() -> HumanInTheLoopHook:
    return HumanInTheLoopHook({"pay": "it spends money"})


@hook_positions(HookPosition.AFTER_MODEL)
class Rewrites(MessagesModelHook):
    """Returns the whole edited list, under a key strategy that appends."""

    def after_model(self, messages: Any) -> AgentCommand:
        return AgentCommand(list(messages), None, UpdatePolicy.APPEND)


onion = agent([LOOKS, "done"], [both("A"), both("B"), both("C")], [look])
approval = agent([BOTH, "done"], [asking()], [pay, look], saver=MemorySaver())
approval_skipped = agent(
    [PAYS, "done"], [asking(), one(after_model, "eager", eager, ["tool"])], [pay], saver=MemorySaver()
)
bad_jump = agent(["hi"], [one(after_model, "lost", {"jump_to": "toolz"}, ["end"])])
undeclared_after = agent([LOOKS, "done"], [one(after_model, "quiet", {"jump_to": "end"})], [look])
undeclared_before = agent(["hi"], [one(before_model, "quiet", {"jump_to": "end"})])
early_end = agent(
    ["never"],
    [
        one(before_agent, "audit"),
        one(before_model, "stop", {"jump_to": "end"}, ["end"]),
        one(after_agent, "sign", {"signed": True}),
    ],
)
sticky = agent(
    ["", "more", "done"],
    [
        one(after_model, "seen"),
        one(
            after_model,
            "again",
            lambda s: {} if "asked" in s else {"jump_to": "model", "asked": 1},
            ["model"],
        ),
    ],
)
sticky_fixed = sticky.copy(compat="fixed")
rewriting = agent(["done"], [Rewrites()])
twice = agent(["hi"], [one(before_model, "same"), one(after_model, "same")])
