"""Every position of a hook, with orders and jumps: the picture with all there is on it.

Two agent hooks, two model hooks, a messages hook, an interruption hook, an approval and a function.
First has order -1: it is first on the way in and last on the way out. Trim has order 5: last before the model
and first after it. Rings (`polite`, `timed`) are no nodes; they stand as a badge on the model and the tools.
Every jump that a hook declares is an edge of its own. The Onion tab shows the same hooks as rings.
"""

from hookstepper.agent import (
    AgentCommand,
    AgentHook,
    HookPosition,
    HumanInTheLoopHook,
    InterruptionHook,
    MemorySaver,
    MessagesModelHook,
    ModelHook,
    ReactAgent,
    ScriptedModel,
    ToolCall,
    ToolCallLimitHook,
    after_model,
    hook_positions,
    tool,
    wrap_model_call,
    wrap_tool_call,
)

SAMPLE_INPUT = "Show me everything."


class First(AgentHook):
    """Runs before and after the agent, early and late."""

    order = -1


class Second(AgentHook):
    """Runs inside of First, and may end the run."""

    can_jump_to = ("end",)

    def before_agent(self, state):  # noqa: ARG002
        return {"visits": 0}


class Count(ModelHook):
    """Counts the turns."""

    def before_model(self, state):
        return {"visits": state["visits"] + 1}


@hook_positions(HookPosition.BEFORE_MODEL, HookPosition.AFTER_MODEL)
class Trim(MessagesModelHook):
    """Keeps the newest twenty messages."""

    order = 5

    def before_model(self, messages):
        return AgentCommand(messages[-20:])


@after_model(can_jump_to=["model", "tool", "end"])
def judge(state):
    """Could jump anywhere; does not."""
    return {"judged": len(state["messages"])}


@wrap_model_call
def polite(request, handler):
    """A ring around the model."""
    return handler(request.with_system_text("Be polite."))


@wrap_tool_call
def timed(request, handler):
    """A ring around tools."""
    return handler(request)


@tool
def show(what: str) -> str:
    """Show something."""
    return f"here is {what}"


agent = ReactAgent(
    "everything",
    ScriptedModel([ToolCall("c1", "show", '{"what": "all of it"}'), "That was everything."], per_turn=True),
    tools=[show],
    hooks=[
        First(),
        Second(),
        InterruptionHook(),
        Count(),
        Trim(),
        ToolCallLimitHook(run_limit=5),
        HumanInTheLoopHook({"show": "it shows something"}),
        judge,
    ],
    interceptors=[polite, timed],
    instruction="Show it all.",
    saver=MemorySaver(),
)
