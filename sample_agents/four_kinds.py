"""The four kinds of hooks, and hooks that are plain functions: what each is given, and what it gives back.

AgentHook and ModelHook get the state and give an update of it; MessagesAgentHook and MessagesModelHook get
the messages and give an AgentCommand, which replaces or appends. A kind with `Agent` runs once a run, one
with `Model` around every model call. A function is a hook by its decorator, sync or async alike.
Open State at each hook: its writes stand on top, and "wrote nothing" where it only looked.
"""

from hookstepper.agent import (
    AgentCommand,
    AgentHook,
    HookPosition,
    MessagesAgentHook,
    MessagesModelHook,
    ModelHook,
    ReactAgent,
    ScriptedModel,
    SystemMessage,
    ToolCall,
    UpdatePolicy,
    after_agent,
    after_model,
    hook_positions,
    tool,
)

SAMPLE_INPUT = "How long is the word hippopotamus?"


class Ledger(AgentHook):
    """Once a run: an update on the way in, nothing on the way out."""

    def before_agent(self, state):  # noqa: ARG002
        return {"turns": 0}


@hook_positions(HookPosition.BEFORE_AGENT)
class Greeting(MessagesAgentHook):
    """Once a run: a message appended."""

    def before_agent(self, messages):  # noqa: ARG002
        return AgentCommand([SystemMessage("Answer in one sentence.")], policy=UpdatePolicy.APPEND)


class Turns(ModelHook):
    """Around every model call: reads the state, writes one key."""

    def before_model(self, state):
        return {"turns": state["turns"] + 1}


@hook_positions(HookPosition.BEFORE_MODEL)
class Window(MessagesModelHook):
    """Before every model call: the newest messages in place of all."""

    def before_model(self, messages):
        return AgentCommand(messages[-10:])


@after_model(can_jump_to=["end"])
def enough(state):
    """A function that may jump; it does so after ten turns."""
    return {"jump_to": "end"} if state["turns"] >= 10 else {}


@after_agent
async def sign(state, config):
    """An async function that also wants the run's configuration."""
    return {"signed": f"{state['turns']} turns on thread {config.thread}"}


@tool
def length(word: str) -> int:
    """Count the letters of a word."""
    return len(word)


agent = ReactAgent(
    "four-kinds",
    ScriptedModel([ToolCall("c1", "length", '{"word": "hippopotamus"}'), "Twelve letters."], per_turn=True),
    tools=[length],
    hooks=[Ledger(), Greeting(), Turns(), Window(), enough, sign],
)

if __name__ == "__main__":
    print(agent.invoke(SAMPLE_INPUT)["signed"])
