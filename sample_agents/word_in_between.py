"""A word put in while the agent works: the interruption hook, between two model rounds.

InterruptionHook stands before the model and reads what `agent.interrupt(config, ...)` has left for this
thread: a text or messages are put behind the conversation, an empty list stops the run until there is a
word. Here the tool leaves the word, as a person at another window would. The agent keeps it in memory, not
in the state: it reaches this process only, and in upstream rules it is lost while tools are waited for.
"""

from hookstepper.agent import (
    InterruptionHook,
    MemorySaver,
    ReactAgent,
    RunConfig,
    ScriptedModel,
    ToolCall,
    ToolContext,
    tool,
)

SAMPLE_INPUT = "Write about our garden."


@tool
def draft(about: str, context: ToolContext) -> str:
    """Write a draft; whoever reads it over your shoulder has something to say."""
    agent.interrupt(context.config, "Shorter, please, and mention the apples.")
    return f"A long text about {about}."


agent = ReactAgent(
    "writer",
    ScriptedModel([ToolCall("c1", "draft", '{"about": "the garden"}'), "A garden. Apples."]),
    tools=[draft],
    hooks=[InterruptionHook()],
    saver=MemorySaver(),
)

if __name__ == "__main__":
    for message in agent.invoke(SAMPLE_INPUT, RunConfig("a thread"))["messages"]:
        print(f"{message.role:10} {message.content}")
